-- Run by each migration: the second wall between owners (docs/security.md, "Row-level security").
--
-- A transaction of the application's role names an owner: `memory.user_id` is the user, and `memory.owner_id` that user or the one of
-- the user's Beings whose work it does, which spares most statements the list of the user's Beings. It sees and changes the rows of
-- this user alone, whatever its statements say, and a statement of a transaction that names none fails. What crosses
-- owners (schemas/ledger/acting.py lists it) takes the role `<application>_across` for its transaction.
--
-- INVARIANT  Every table with a column of an owner has the policy `owners`, so that a new table has it with its migration.
-- INVARIANT  The application's role owns nothing here and can't become the owner.
--
-- Nothing is written where nothing has changed, so that no lock is taken. `memory.application` names the role; empty: the one
-- that was let in before, if there is any. Policies do not bind the tables' owner.
do $$
declare
    v_application constant text := coalesce(
        nullif(current_setting('memory.application', true), ''),
        (
            select regexp_replace(r.rolname, '_across$', '')
            from pg_policy as p
            join pg_roles as r on r.oid = p.polroles[1]
            where p.polrelid = 'memory.users'::regclass and p.polname = 'across'
        )
    );
    v_across constant text := v_application || '_across';
    v_user constant text := $sql$(select current_setting('memory.user_id')::uuid)$sql$;
    v_owner constant text := $sql$(select current_setting('memory.owner_id')::uuid)$sql$;
    v_beings constant text := '(select b.being_id from memory.beings as b)';
    v_table record;
    v_condition text;
begin
    for v_table in
        select c.oid::regclass as name, c.relrowsecurity as walled, obj_description(p.oid, 'pg_policy') as condition,
            p.oid is not null as has_policy, a.oid is not null as has_across, array(
                select attname || case when attnotnull then '' else '?' end
                from pg_attribute
                where attrelid = c.oid and not attisdropped and attname in ('user_id', 'being_id', 'owner_id')
            ) as owners,
            c.relkind <> 'v' as is_table, v_application is not null and c.relname <> 'migrations'
                and not has_table_privilege(v_application, c.oid, 'insert') as lacks_grant
        from pg_class as c
        left join pg_policy as p on p.polrelid = c.oid and p.polname = 'owners'
        left join pg_policy as a on a.polrelid = c.oid and a.polname = 'across'
            and to_regrole(quote_ident(v_across)) = any(a.polroles)
        where c.relnamespace = 'memory'::regnamespace and c.relkind in ('r', 'p', 'v')
        order by c.relname
    loop
        v_condition := case
            -- They run with the rights of those who read them.
            when not v_table.is_table then null
            when v_table.owners @> '{user_id}' then format('user_id = %s', v_user)
            when v_table.owners @> '{being_id}' then format('being_id = %s or being_id in %s', v_owner, v_beings)
            -- Budgets: those of the platform, which every call counts against, have no user.
            when v_table.owners @> '{user_id?}' then format('user_id is null or user_id = %s', v_user)
            when v_table.owners @> '{owner_id}'
                then format('owner_id = %s or owner_id = %s or owner_id in %s', v_owner, v_user, v_beings)
        end;
        if v_condition is not null and not v_table.walled then
            execute format('alter table %s enable row level security', v_table.name);
        end if;
        if v_condition is distinct from v_table.condition then
            if v_table.has_policy then
                execute format('drop policy owners on %s', v_table.name);
            end if;
            if v_condition is not null then
                execute format('create policy owners on %s using (%s)', v_table.name, v_condition);
                execute format('comment on policy owners on %s is %L', v_table.name, v_condition);
            end if;
        end if;
        if v_across is not null and v_condition is not null and not v_table.has_across then
            execute format('drop policy if exists across on %s', v_table.name);
            execute format('create policy across on %s to %I using (true)', v_table.name, v_across);
        end if;
        if v_table.lacks_grant then
            execute format(
                'grant select, insert, update, delete on %s to %I, %I', v_table.name, v_application, v_across
            );
        end if;
    end loop;
    if v_application is null or has_schema_privilege(v_application, 'memory', 'usage') then
        return;
    end if;
    execute format('grant usage on schema memory to %I, %I', v_application, v_across);
    execute format('grant select on memory.migrations to %I, %I', v_application, v_across);
end $$;
