-- What thinking adds: a Being's soul, its diary, and the marks of what a model has yet to look at.

-- Who a Being is. Its person writes all of it but think_md, which patrols write for the next conversation.
create table souls (
    being_id uuid primary key references beings on delete cascade,
    -- What the one it talks to is to it: think_md is about being with that one.
    partner_type text not null default 'user' check (partner_type <> ''),
    personality text not null default '',
    voice text not null default '',
    "values" text not null default '',
    backstory text not null default '',
    inner_world text not null default '',
    examples text not null default '',
    think_md text not null default '',
    thought_at timestamptz,
    updated_at timestamptz not null default memory.now()
);

-- One entry for each day of the user's calendar that had something to tell.
create table diary (
    being_id uuid not null references beings on delete cascade,
    day date not null,
    text text not null check (text <> ''),
    run_id uuid not null,
    -- The newest memory that was told of when it was written: the next entry begins after it.
    told_to uuid not null,
    written_at timestamptz not null default memory.now(),
    primary key (being_id, day)
);

-- What consolidation has yet to look at, oldest first.
create index memory_nodes_marked on memory_nodes (being_id, created_at, node_id)
    where (fresh and status <> 'dead') or status = 'dying';
