-- A topic that is named by words is named anew once its memories have changed since: arrived, left, faded, or were corrected.
alter table clusters add column name_outdated boolean not null default false;

-- Names until now may be made of the names of those who took part, and of words of a few memories.
update clusters set name_outdated = true where named_by = 'words' and not is_parent and removed_at is null;

create index clusters_name_outdated on clusters (being_id)
    where name_outdated and named_by = 'words' and not is_parent and removed_at is null;
