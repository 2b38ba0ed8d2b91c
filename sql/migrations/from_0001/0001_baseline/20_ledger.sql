-- The ledger of background work, and the heartbeats of the processes that serve it.

-- One row is one unit of work: (owner, kind, key). The functions of sql/functions/70_work.sql are its only writers,
-- apart from retention and erasure, and describe its states.
create table work (
    -- A Being or a user; no foreign key, because it is either.
    owner_id uuid not null,
    -- The id that people name the row by; the ledger's own statements use (owner, kind, key).
    work_id uuid not null default uuidv7(),
    kind text not null,
    key text not null,
    queue text not null,
    state text not null default 'ready' check (state in ('ready', 'running', 'done', 'dead')),
    attempts integer not null default 0,
    -- Transient errors in a row: they lengthen the backoff and do not count as attempts.
    backoffs integer not null default 0,
    next_at timestamptz not null default clock_timestamp(),
    lease_until timestamptz,
    claimed_at timestamptz,
    -- The fencing token: each claim raises it, and only its newest value can finish the work.
    fence bigint not null default 0,
    -- Not null: the work was requested again after its first claim, and from this time on it is to run once more.
    rerun_at timestamptz,
    -- The domain's time, fixed by the unit's first claim: every attempt at the unit sees the same moment.
    as_of timestamptz,
    -- When the last Celery message for it was sent.
    dispatched_at timestamptz,
    -- Celery messages in a row that no worker claimed although the queue was not empty; they lengthen the sweep's
    -- interval.
    dispatches integer not null default 0,
    error text,
    created_at timestamptz not null default clock_timestamp(),
    finished_at timestamptz,
    primary key (owner_id, kind, key),
    unique (owner_id, work_id),
    check ((state = 'running') = (lease_until is not null)),
    check ((state in ('done', 'dead')) = (finished_at is not null)),
    check (state <> 'dead' or error is not null)
);
create index work_ready on work (next_at) where state = 'ready';
create index work_running on work (lease_until) where state = 'running';
create index work_dead on work (owner_id, finished_at) where state = 'dead';
create index work_done on work (finished_at) where state = 'done';

-- One row is one recurring activity of the system, with the real time at which it ran last. The row `sweep` proves that
-- beat, the broker and a worker run.
create table heartbeats (
    name text primary key,
    beat_at timestamptz not null default clock_timestamp()
);
