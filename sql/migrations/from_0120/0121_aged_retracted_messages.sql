-- A message that was handed in as aged is so again when it is restored.
alter table retracted_messages add column aged boolean not null default false;
