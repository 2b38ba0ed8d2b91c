-- Regions that a profile keeps on every turn, and the near-duplicate over which a vault record was forced.

-- Of `skills` and `user-model`, those that each context shows; null: turns keep both, other contexts neither.
alter table profiles add column keep text[];

-- The live record that the duplicate gate named when a person added this one all the same.
alter table vault_records add column forced_over text check (forced_over ~ '^[0-9a-f]{12}$');

-- `vault` is filled from memory from now on: what callers wrote under that name gets another.
update working_memory set region = 'vault-notes' where region = 'vault' and message_id is null;
