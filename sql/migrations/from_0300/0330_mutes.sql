-- What a person does not want to be brought up. A mute names a thing: a fact, memory, topic or message by its id, an entity or a
-- conversation by its name. It is the user's, or a Being's where the thing is.
create table mutes (
    user_id uuid not null references users on delete cascade,
    mute_id uuid not null default uuidv7(),
    being_id uuid references beings on delete cascade,
    kind text not null check (kind in ('fact', 'node', 'topic', 'entity', 'conversation', 'message')),
    item_id uuid,
    name text,
    -- The SHA-256 of a fact's key: told again after its words were taken back, the fact has another id.
    memory_key bytea,
    -- The topics that a muted topic was divided into.
    topics uuid[] not null default '{}',
    muted_at timestamptz not null default memory.now(),
    primary key (user_id, mute_id),
    unique nulls not distinct (user_id, being_id, kind, item_id, name),
    check (num_nonnulls(item_id, name) = 1 and (name is not null) = (kind in ('entity', 'conversation')))
);
create index mutes_of_being on mutes (being_id) where being_id is not null;

-- What no prompt may tell because of a mute: the thing, what it rests on, and what rests on that. It stays with the mute that
-- reached it, whatever topic or survivor it comes to belong to later, and goes with the mute alone.
create table muted_items (
    -- The Being that has the item, or the user of a fact or record that all Beings know.
    owner_id uuid not null,
    kind text not null check (kind in ('message', 'node', 'topic', 'fact', 'todo', 'diary', 'knowledge', 'vault')),
    item_id uuid not null,
    user_id uuid not null,
    mute_id uuid not null,
    -- Of a memory or fact: what it rests on is muted as well. Of a message: facts that rest on it alone are.
    spreads boolean not null,
    muted_at timestamptz not null default memory.now(),
    primary key (owner_id, kind, item_id, mute_id),
    foreign key (user_id, mute_id) references mutes on delete cascade
);
create index muted_items_of_mute on muted_items (user_id, mute_id);

alter table spoken_requests
    -- The entity that is not to be brought up.
    add column name text,
    drop constraint spoken_requests_effect_check,
    add constraint spoken_requests_effect_check check (effect in ('forgotten', 'corrected', 'ignored', 'muted')),
    drop constraint spoken_requests_check,
    add constraint spoken_requests_check check (
        num_nonnulls(fact_id, todo_id, meant_message_id, name) = 1 and (user_id is null) = (fact_id is null)
    ),
    drop constraint spoken_requests_being_id_message_id_effect_fact_id_todo_id__key,
    add constraint spoken_requests_once
        unique nulls not distinct (being_id, message_id, effect, fact_id, todo_id, meant_message_id, name);
