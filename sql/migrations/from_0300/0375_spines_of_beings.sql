-- A Being's own spine: of what its user told it in confidence, or where facts stay with the Beings that were present.

-- The Being that alone sees it, whose id is its conversation_id; null: all of the user's Beings see it.
alter table summary_spines add column being_id uuid references beings on delete cascade;
create index summary_spines_of_being on summary_spines (being_id) where being_id is not null;

-- Spines passed over all that was in confidence. The latest of it waits for the Being's own, as after a withdrawal.
update messages as m
set spine_version = case when told.place > 40 then 0 end
from (
    select being_id, message_id, row_number() over (partition by being_id order by created_at desc, message_id desc) as place
    from messages
    where in_confidence and role = 'user' and metadata -> 'unsure' is distinct from 'true'::jsonb
) as told
where m.being_id = told.being_id and m.message_id = told.message_id and m.spine_version is not null;
