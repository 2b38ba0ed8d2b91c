-- What a ledger needs that is never busy.

-- Memories that were found while their Being was being written to, until their credit is entered.
create table activations (
    being_id uuid not null references beings on delete cascade,
    activation_id uuid not null default uuidv7(),
    node_ids uuid[] not null,
    found_at timestamptz not null default memory.now(),
    primary key (being_id, activation_id)
);
-- It was without the moment of finding.
drop function if exists activate_nodes(uuid, uuid[]);

-- It rang again by itself, which is the sweep's business.
drop function if exists ask_work(uuid, text, text, text, timestamptz, interval);

-- Retention looks for what is old, whoever it belongs to.
create index embeddings_by_age on embeddings (created_at);

-- A late message looks for its session among those that began near it, ended near it, or went on past it.
create index sessions_by_start on sessions (being_id, started_at, session_id);
create index sessions_long on sessions (being_id, last_activity_at)
    where last_activity_at - started_at > interval '1 hour';
