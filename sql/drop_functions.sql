-- Run before sql/functions/ is replayed, when its files have changed: a function that they no longer define, or define with
-- another signature or result, must not survive.
--
-- INVARIANT  No data goes with a function. A function on which a column, an index or a constraint depends, directly or
--            through other functions, stays, and is replaced in place; triggers and views that go are made again by the replay.
do $$
declare
    v_function regprocedure;
    v_view regclass;
begin
    for v_view in
        select oid from pg_class where relnamespace = 'memory'::regnamespace and relkind = 'v'
    loop
        if exists (select from pg_class where oid = v_view) then
            execute format('drop view %s cascade', v_view);
        end if;
    end loop;
    for v_function in
        with recursive needed (function) as (
            select d.refobjid
            from pg_depend as d
            where d.refclassid = 'pg_proc'::regclass
                and d.classid in ('pg_attrdef'::regclass, 'pg_constraint'::regclass, 'pg_class'::regclass)
            union
            select d.refobjid
            from needed as n
            join pg_depend as d on d.classid = 'pg_proc'::regclass and d.objid = n.function
            where d.refclassid = 'pg_proc'::regclass
        )
        select oid from pg_proc
        where pronamespace = 'memory'::regnamespace and prokind = 'f' and oid not in (select function from needed)
    loop
        -- A cascade of an earlier one may have taken it.
        if exists (select from pg_proc where oid = v_function) then
            execute format('drop function %s cascade', v_function);
        end if;
    end loop;
end $$;
