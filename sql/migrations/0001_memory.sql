-- Everything one Being remembers, and the ledger of what must still be done about it.
-- Each table leads its primary key with being_id (or user_id where it is the user's), so that it can be sharded by it.

-- The domain's clock: real time plus a shift that tests and the demo move. Leases never look at it.
create table clock (
    only_row boolean primary key default true check (only_row),
    shift interval not null default interval '0'
);
insert into clock default values;

create function now() returns timestamptz language sql stable
return (select pg_catalog.now() + shift from memory.clock);

create table users (
    user_id uuid primary key default uuidv7(),
    name text not null unique check (name <> ''),
    time_zone text not null default 'UTC',
    created_at timestamptz not null default memory.now()
);

create table beings (
    being_id uuid primary key default uuidv7(),
    user_id uuid not null references users on delete cascade,
    slug text not null check (slug ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
    name text not null check (name <> ''),
    -- The model whose vectors serve recall; null until the first vector exists.
    embedding_model text,
    -- One patrol that counts raises it by one; a node's session count is its distance from here.
    patrol_counter bigint not null default 0,
    ticked_at timestamptz,
    created_at timestamptz not null default memory.now(),
    unique (user_id, slug)
);
create index beings_by_tick on beings (ticked_at) where embedding_model is not null;

create table api_tokens (
    user_id uuid not null references users on delete cascade,
    token_id uuid not null default uuidv7(),
    being_id uuid references beings on delete cascade,
    hash bytea not null unique,
    scopes text[] not null check (scopes <@ array['ingest', 'read', 'manage'] and cardinality(scopes) > 0),
    created_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    primary key (user_id, token_id)
);

create table notes (
    being_id uuid not null references beings on delete cascade,
    note_id uuid not null,
    producer_id text,
    type text not null check (type in ('scene', 'todo', 'reminder', 'knowledge')),
    content jsonb not null,
    title text,
    due_at timestamptz,
    metadata jsonb not null default '{}',
    content_hash bytea not null,
    -- Came in a large batch: it waits for what came alone.
    bulk boolean not null default false,
    state text not null check (state in ('kept', 'pending', 'stamped', 'remembered', 'parse_failed', 'embed_failed')),
    -- Why the note is marked [PARSE_FAILED] or [EMBED_FAILED], in words without its content.
    reason text,
    run_id uuid,
    received_at timestamptz not null default memory.now(),
    primary key (being_id, note_id),
    check ((type = 'scene') = (state <> 'kept')),
    check ((state in ('parse_failed', 'embed_failed')) = (reason is not null))
);
create unique index notes_once on notes (being_id, producer_id) where producer_id is not null;
create index notes_pending on notes (being_id, bulk, note_id) where state = 'pending';
create index notes_of_run on notes (being_id, run_id) where state = 'stamped';

-- Adds halfvec to a running count and sum, the state of pgvector's own average: {count, sum of each dimension}.
-- Every halfvec is a multiple of 2^-24, so float8 sums of them are exact: adding and taking away leaves no residue.
create aggregate vector_state(halfvec) (sfunc = halfvec_accum, stype = double precision[], initcond = '{0}');

create table clusters (
    being_id uuid not null references beings on delete cascade,
    cluster_id uuid not null default uuidv7(),
    name text not null check (name <> ''),
    is_parent boolean not null default false,
    parent_id uuid not null,
    -- What the cluster holds, kept by trigger with every change of its nodes.
    nodes integer not null default 0 check (nodes >= 0),
    active_nodes integer not null default 0 check (active_nodes >= 0),
    fresh_nodes integer not null default 0 check (fresh_nodes >= 0),
    dying_nodes integer not null default 0 check (dying_nodes >= 0),
    vector_state double precision[] not null default '{0}',
    vector halfvec generated always as (halfvec_avg(vector_state)) stored,
    -- Active nodes that have come since the cluster was last asked to split; null: it was never asked.
    arrivals_since_split integer,
    created_at timestamptz not null default memory.now(),
    removed_at timestamptz,
    merged_into uuid,
    primary key (being_id, cluster_id),
    foreign key (being_id, parent_id) references clusters,
    foreign key (being_id, merged_into) references clusters,
    check (is_parent = (parent_id = cluster_id)),
    check ((removed_at is null) = (merged_into is null))
);
create unique index clusters_roots on clusters (being_id, name) where is_parent;
create index clusters_live on clusters (being_id, parent_id) where removed_at is null;
create index clusters_small on clusters (being_id, created_at, cluster_id)
    where active_nodes <= 2 and not is_parent and removed_at is null;
create index clusters_crowded on clusters (being_id) where active_nodes > 10 and removed_at is null;

-- The least number of patrols after which importance × exp(−patrols / 30) ≤ 0.05 (the patrol seed's formula).
-- The logarithm proposes, the seed's own expression decides, so that no rounding can part the two.
-- It stands here and not among the functions because a stored column is made of it.
create function patrols_until_faded(p_importance double precision) returns bigint
language sql immutable strict parallel safe
return case
    when p_importance <= 0.05 then 0
    else (
        select min(n)
        from generate_series(
            greatest(ceil(30 * ln(p_importance / 0.05)) - 1, 0)::bigint,
            ceil(30 * ln(p_importance / 0.05))::bigint + 1
        ) as n
        where p_importance * exp(-n / 30.0::double precision) <= 0.05
    )
end;

create table memory_nodes (
    being_id uuid not null references beings on delete cascade,
    node_id uuid not null default uuidv7(),
    note_id uuid not null,
    run_id uuid not null,
    cluster_id uuid,
    scene jsonb not null,
    feeling text,
    themes text[] not null default '{}',
    emotion jsonb,
    importance double precision not null check (importance between 0 and 1),
    status text not null default 'active' check (status in ('active', 'dying', 'dead')),
    fresh boolean not null default true,
    pinned boolean not null default false,
    -- While active: the patrol counter at which the node's session count was zero. Otherwise the count it stopped at.
    counted_from bigint,
    stopped_at bigint,
    reactivation_count integer not null default 0,
    reactivations_at_death integer,
    last_activated timestamptz,
    absorbed_into uuid,
    forgotten_at timestamptz,
    created_at timestamptz not null default memory.now(),
    text_hash bytea not null,
    embedding_model text not null,
    vector halfvec not null,
    -- The patrol counter at which the node will be dying.
    fades_at bigint generated always as (
        case when status = 'active' and not pinned then counted_from + memory.patrols_until_faded(importance) end
    ) stored,
    -- Whether the next patrol makes the node active again.
    revivable boolean generated always as (
        status <> 'active' and forgotten_at is null and absorbed_into is null
        and stopped_at < memory.patrols_until_faded(importance)
        and (status = 'dying' or reactivation_count >= reactivations_at_death + 2)
    ) stored,
    primary key (being_id, node_id),
    unique (being_id, note_id),
    foreign key (being_id, note_id) references notes,
    foreign key (being_id, cluster_id) references clusters,
    foreign key (being_id, absorbed_into) references memory_nodes,
    check ((status = 'active') = (counted_from is not null)),
    check ((status = 'active') = (stopped_at is null)),
    check ((status = 'dead') = (reactivations_at_death is not null)),
    check (not pinned or status = 'active'),
    check (status = 'dead' or (absorbed_into is null and forgotten_at is null))
);
-- A vector is read on every exact scan, so it lives in the row: 1536 half floats fit a page with room for the scene.
alter table memory_nodes alter column vector set storage plain;
alter table memory_nodes set (toast_tuple_target = 4080);
create index memory_nodes_fading on memory_nodes (being_id, fades_at) where fades_at is not null;
create index memory_nodes_revivable on memory_nodes (being_id) where revivable;
create index memory_nodes_homeless on memory_nodes (being_id) where cluster_id is null;
create index memory_nodes_of_cluster on memory_nodes (being_id, cluster_id, created_at, node_id);
create index memory_nodes_activated on memory_nodes (being_id, last_activated) where last_activated is not null;
create index memory_nodes_by_text on memory_nodes (being_id, embedding_model, text_hash);
create index memory_nodes_absorbed on memory_nodes (being_id, absorbed_into) where absorbed_into is not null;

-- What happened to each node, kept by trigger. `event` says what, `detail` holds ids and numbers, never text.
create table node_history (
    being_id uuid not null,
    node_id uuid not null,
    event_id bigint generated always as identity,
    event text not null,
    detail jsonb not null default '{}',
    run_id uuid,
    happened_at timestamptz not null default memory.now(),
    primary key (being_id, node_id, event_id),
    foreign key (being_id, node_id) references memory_nodes on delete cascade
);

-- Vectors that were paid for and do not serve yet: of a patrol that has not finished, or of the next model.
create table embeddings (
    being_id uuid not null references beings on delete cascade,
    embedding_model text not null,
    text_hash bytea not null,
    vector halfvec not null,
    created_at timestamptz not null default clock_timestamp(),
    primary key (being_id, embedding_model, text_hash)
);
alter table embeddings alter column vector set storage plain;

create table patrol_runs (
    being_id uuid not null references beings on delete cascade,
    run_id uuid not null default uuidv7(),
    demanded boolean not null,
    state text not null check (state in ('queued', 'running', 'done', 'failed')),
    as_of timestamptz,
    -- What each finished step did: {"embed": {"outcome": "done", "nodes": 3, "finished_at": ...}, ...}
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

create table work (
    owner_id uuid not null,
    -- What people call it by; the ledger itself goes by (owner, kind, key).
    work_id uuid not null default uuidv7(),
    kind text not null,
    key text not null,
    queue text not null,
    state text not null default 'ready' check (state in ('ready', 'running', 'done', 'dead')),
    attempts integer not null default 0,
    -- Passing faults in a row; they make the wait longer and do not count as attempts.
    back_offs integer not null default 0,
    next_at timestamptz not null default clock_timestamp(),
    lease_until timestamptz,
    claimed_at timestamptz,
    fence bigint not null default 0,
    -- Asked for again while it was running, and from when.
    wanted_at timestamptz,
    -- The first claim freezes the domain's time; every attempt at the same unit sees the same.
    as_of timestamptz,
    rung_at timestamptz,
    -- Rings in a row that nobody answered though the queue was not empty; they make the sweep more patient.
    rings integer not null default 0,
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

-- When each of the system's pulses was last felt, on the real clock: `sweep` is beat, broker and a worker together.
create table pulses (
    name text primary key,
    felt_at timestamptz not null default clock_timestamp()
);
