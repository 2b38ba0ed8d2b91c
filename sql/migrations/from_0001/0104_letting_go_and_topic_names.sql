-- The patrol counter at which a node was last flagged as dying; it has a meaning only while the node is dying. A node that was
-- dying before this migration counts as flagged now, so that the next counted patrol at the earliest lets it go.
alter table memory_nodes add column dying_since bigint;

update memory_nodes as n
set dying_since = b.patrol_counter
from beings as b
where b.being_id = n.being_id and n.status = 'dying';

-- Where a topic's name comes from: its nodes' distinctive words, a model, or a person; and the nodes that it was made of or that
-- the model was shown, so that erasing one of them renames the topic. Null: unknown, for names older than this migration.
alter table clusters
    add column named_by text not null default 'model' check (named_by in ('words', 'model', 'person')),
    add column named_from uuid[];

-- Until now a topic that was formed without a model was named after the action of one of its nodes.
update clusters as c
set named_by = 'words'
where not c.is_parent and exists (
    select
    from memory_nodes as n
    where n.being_id = c.being_id and starts_with(n.scene ->> 'action', rtrim(c.name, '…'))
);

create index clusters_named_by_words on clusters (being_id)
    where named_by = 'words' and not is_parent and removed_at is null;
