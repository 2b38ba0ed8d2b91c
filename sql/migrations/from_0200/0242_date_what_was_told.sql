-- Facts and todos that were told before their times were kept get them from their words, by work of the ledger: one unit for each
-- Being that was told any.
insert into work (owner_id, kind, key, queue, next_at)
select being_id, 'upkeep.date_told', '', 'upkeep', clock_timestamp()
from beings as b
where exists (select from fact_evidence as e where e.being_id = b.being_id and e.about_from is null)
    or exists (select from todo_evidence as e where e.being_id = b.being_id and e.due is not null and e.due_at is null)
on conflict do nothing;
