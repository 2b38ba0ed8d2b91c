-- Who knows what a user tells: in a room several Beings hear it.

alter table users rename column facts_scope to facts_known_to;
alter table users drop constraint users_facts_scope_check;
update users set facts_known_to = case facts_known_to when 'being' then 'present' else 'all' end
where facts_known_to is not null;
alter table users
    -- All of the user's Beings, or those that were present; null: as the setting PATROL_FACTS_KNOWN_TO says.
    add constraint users_facts_known_to_check check (facts_known_to in ('all', 'present'));
