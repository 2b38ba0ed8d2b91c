-- Patrol runs, and the diary that patrols write.

-- One row is one run of the pipeline over one Being: at most one running and one queued for a Being at any time.
create table patrol_runs (
    being_id uuid not null references beings on delete cascade,
    run_id uuid not null default uuidv7(),
    -- A person or program requested it; false: the system started it.
    demanded boolean not null,
    state text not null check (state in ('queued', 'running', 'done', 'failed')),
    -- The domain's time at which the run began; every step of it sees the same moment.
    as_of timestamptz,
    -- The result of each finished step: {"embed": {"outcome": "done", "nodes": 3, "finished_at": ...}, ...}
    steps jsonb not null default '{}',
    error text,
    created_at timestamptz not null default memory.now(),
    started_at timestamptz,
    finished_at timestamptz,
    primary key (being_id, run_id),
    check ((state = 'failed') = (error is not null)),
    check ((state = 'queued') = (as_of is null))
);
create unique index patrol_runs_one_running on patrol_runs (being_id) where state = 'running';
create unique index patrol_runs_one_queued on patrol_runs (being_id) where state = 'queued';

-- One row is the diary's entry for one day of the user's calendar; days without new memories have none.
create table diary (
    being_id uuid not null references beings on delete cascade,
    day date not null,
    text text not null check (text <> ''),
    run_id uuid not null,
    -- The newest node that the writer was shown: the next entry begins after it.
    last_node_id uuid not null,
    written_at timestamptz not null default memory.now(),
    primary key (being_id, day)
);
