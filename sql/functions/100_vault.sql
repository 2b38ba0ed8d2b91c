-- The vault: append-only versions of durable statements.
--
--        add                 update, upsert, promote
--   ·───────────▶ version 1 ─────────────────────────▶ version n + 1
--                     │                                     │
--                     └──── delete ──▶ tombstone ◀──────────┘
--
-- INVARIANT  No statement updates a record. Compaction deletes a version if a newer one of its id stays, or all versions of an
--            id that ends in a tombstone. Erasure deletes all versions of an id, or all records of a user or a Being.
--            A compaction does not change the live records.
-- INVARIANT  A tombstone holds no text and no labels.
-- INVARIANT  vault_heads holds the newest version of each id, and one live record for each topic of a scope.
-- LOCK ORDER The Being's row (key share); then the scopes, in the order of their lock keys; then records.

-- Locks the named scopes against other writers, and the Being against deletion, until the transaction ends.
create or replace function lock_vault(p_user_id uuid, p_being_id uuid, p_scopes uuid[]) returns void
language plpgsql as $$
begin
    perform memory.hold_owner(p_user_id);
    perform 1 from memory.beings where user_id = p_user_id and being_id = p_being_id for key share;
    if not found then
        raise exception using errcode = 'MP002', message = 'There is no such Being any more.';
    end if;
    perform pg_advisory_xact_lock(ordered.key)
    from (
        select hashtextextended(format('vault/%s/%s', p_user_id, scope), 0) as key from unnest(p_scopes) as scope order by key
    ) as ordered;
end $$;

-- Compacts at most p_limit ids of a scope: removes superseded versions, and all versions of ids whose tombstone is older than
-- p_keep. Returns the numbers of ids and versions; fewer ids than the limit mean that the scope is compact.
create or replace function compact_vault(
    p_user_id uuid, p_being_id uuid, p_keep interval, p_limit integer, out ids integer, out records integer
) language plpgsql as $$
begin
    perform set_config('memory.compacting', 'on', true);
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
    perform set_config('memory.compacting', '', true);
end $$;

-- Compacts all vaults by age: removes at most p_limit versions that are older than p_keep and superseded, or that are the last
-- version of an id, a tombstone. It takes no scope's lock: no writer reads the versions it removes, and a version that an import
-- adds to a deleted id at the same time stays. Returns the number of versions.
create or replace function compact_old_vault_versions(p_keep interval, p_limit integer) returns integer
language plpgsql as $$
declare
    v_records integer;
begin
    perform set_config('memory.compacting', 'on', true);
    with old as (
        select r.user_id, r.id, r.version
        from memory.vault_records as r
        join memory.vault_heads as h using (user_id, id)
        where coalesce(r.deleted_at, r.updated_at, r.created_at) < memory.now() - p_keep
            and (
                r.version < h.version
                or r.deleted_at is not null and not exists (
                    select from memory.vault_records as older
                    where older.user_id = r.user_id and older.id = r.id and older.version < r.version
                )
            )
        limit p_limit
    )
    delete from memory.vault_records as r
    using old as o
    where r.user_id = o.user_id and r.id = o.id and r.version = o.version;
    get diagnostics v_records = row_count;
    perform set_config('memory.compacting', '', true);
    return v_records;
end $$;

-- Removes all versions of these ids of a scope. Returns the number of versions.
create or replace function erase_vault_records(p_user_id uuid, p_being_id uuid, p_ids text[]) returns integer
language plpgsql as $$
declare
    v_records integer;
begin
    perform set_config('memory.erasing', 'on', true);
    delete from memory.vault_records
    where user_id = p_user_id and being_id is not distinct from p_being_id and id = any(p_ids);
    get diagnostics v_records = row_count;
    perform set_config('memory.erasing', '', true);
    return v_records;
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

-- Checks the removed rows themselves: a caller that sets memory.compacting by hand still cannot remove a live record.
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
            and not (coalesce(current_setting('memory.erasing', true), '') = 'on' and left_over.kept = 0)
    ) then
        raise exception using errcode = 'MP003',
            message = 'Records leave the vault by compaction, by erasure or with their owner: append a tombstone instead.';
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
-- Heads are written by triggers and foreign keys alone, never by a direct statement.
create or replace trigger refuse_vault_change before insert or update or delete or truncate on vault_heads
    for each statement when (pg_trigger_depth() = 0) execute function refuse_vault_change();
