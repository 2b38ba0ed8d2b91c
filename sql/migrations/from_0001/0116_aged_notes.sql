-- Memories of what happened before it was handed in may be born with the age that they would have had.

-- The memory of the note ages from this time on; null: from its birth.
alter table notes add column ages_from timestamptz;

-- Scenes that are drawn from the message age from its created_at on.
alter table messages add column aged boolean not null default false;
