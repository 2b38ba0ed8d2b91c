-- The vault: versions of durable statements, added and never changed.
--
--        add                 update, upsert, promote
--   ·───────────▶ version 1 ─────────────────────────▶ version n + 1
--                     │                                     │
--                     └──── delete ──▶ tombstone ◀──────────┘
--
-- INVARIANT  No statement changes a record. One leaves by compaction, if a newer version of its id stays or if its id ends in a
--            tombstone and leaves whole, and by erasure, if its user or its Being is gone. What is read is the same after
--            a compaction.
-- INVARIANT  vault_heads holds the newest version of each id, and one live record for each topic of a scope.
-- LOCK ORDER The Being's row, shared; then scopes by their keys; then records.

-- Lets one writer at a time into the scopes of a Being's that are named. The Being stays while the transaction lasts.
create or replace function lock_vault(p_user_id uuid, p_being_id uuid, p_scopes uuid[]) returns void
language plpgsql as $$
declare
    v_key bigint;
begin
    perform 1 from memory.beings where user_id = p_user_id and being_id = p_being_id for key share;
    if not found then
        raise exception using errcode = 'MP002', message = 'There is no such Being any more.';
    end if;
    for v_key in
        select hashtextextended(format('vault/%s/%s', p_user_id, scope), 0) as key from unnest(p_scopes) as scope order by key
    loop
        perform pg_advisory_xact_lock(v_key);
    end loop;
end $$;

-- Removes what compaction may remove of so many ids of a scope: superseded versions, and whole ids that have been deleted for
-- longer than p_keep. Returns how many records; fewer ids than the limit, and nothing is left to remove.
create or replace function compact_vault(
    p_user_id uuid, p_being_id uuid, p_keep interval, p_limit integer, out ids integer, out records integer
) language plpgsql set memory.compacting = 'on' as $$
begin
    with bloated as (
        select h.id, h.version as newest, not h.live and r.deleted_at < memory.now() - p_keep as expired
        from memory.vault_heads as h join memory.vault_records as r using (user_id, id, version)
        where h.user_id = p_user_id and h.being_id is not distinct from p_being_id
            and (
                not h.live and r.deleted_at < memory.now() - p_keep
                or exists (
                    select from memory.vault_records as older
                    where older.user_id = h.user_id and older.id = h.id and older.version < h.version
                )
            )
        order by h.id
        limit p_limit
    ),
    gone as (
        delete from memory.vault_records as r
        using bloated as b
        where r.user_id = p_user_id and r.id = b.id and (b.expired or r.version < b.newest)
        returning r.id
    )
    select count(distinct id), count(*) into ids, records from gone;
end $$;

create or replace function keep_vault_head() returns trigger language plpgsql as $$
begin
    insert into memory.vault_heads as h (user_id, id, version, being_id, topic_id, live)
    values (new.user_id, new.id, new.version, new.being_id, new.topic_id, new.deleted_at is null)
    on conflict (user_id, id) do update
        set version = excluded.version, topic_id = excluded.topic_id, live = excluded.live
        where h.version < excluded.version;
    perform 1 from memory.vault_heads
    where user_id = new.user_id and id = new.id and being_id is not distinct from new.being_id;
    if not found then
        raise exception using errcode = 'MP003', message = 'A vault record stays in its scope: add another instead.';
    end if;
    return null;
end $$;

create or replace function refuse_vault_change() returns trigger language plpgsql as $$
begin
    raise exception using errcode = 'MP003',
        message = format('%s is only ever added to: append a version, or a tombstone, instead.', tg_table_name);
end $$;

-- Looks at what a statement has removed, and not at who asked: whoever opens the door by hand gets nothing through it that
-- is read.
create or replace function check_vault_removal() returns trigger language plpgsql as $$
begin
    if exists (
        select
        from (select distinct on (user_id, id) * from gone order by user_id, id, version desc) as newest,
        lateral (
            select count(*) as kept, coalesce(max(r.version), 0) as version
            from memory.vault_records as r
            where r.user_id = newest.user_id and r.id = newest.id
        ) as left_over
        where exists (select from memory.users as u where u.user_id = newest.user_id)
            and (newest.being_id is null or exists (select from memory.beings as b where b.being_id = newest.being_id))
            and not (
                coalesce(current_setting('memory.compacting', true), '') = 'on'
                and (left_over.version > newest.version or left_over.kept = 0 and newest.deleted_at is not null)
            )
    ) then
        raise exception using errcode = 'MP003',
            message = 'Records leave the vault by compaction or with their owner: append a tombstone instead.';
    end if;
    return null;
end $$;

create or replace trigger keep_vault_head after insert on vault_records
    for each row execute function keep_vault_head();
create or replace trigger refuse_vault_change before update or truncate on vault_records
    for each statement execute function refuse_vault_change();
create or replace trigger check_vault_removal after delete on vault_records
    referencing old table as gone
    for each statement execute function check_vault_removal();
-- Heads follow their records by trigger and by foreign key, never by a statement of their own.
create or replace trigger refuse_vault_change before insert or update or delete or truncate on vault_heads
    for each statement when (pg_trigger_depth() = 0) execute function refuse_vault_change();
