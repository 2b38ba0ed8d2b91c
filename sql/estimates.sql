-- Run by each migration, and after a scrub: tells the planner how many rows an owner, a user or a Being, has in each table
-- with many rows for one owner. It is the same number in every database (docs/decisions/0167).
--
-- ANALYZE counts the rows of the owners that it finds. While these are few, the planner takes an owner who came later for
-- one without any row, until ANALYZE runs again: any index that begins with the owner then seems as good as the primary
-- key, and each of a thousand lookups reads all rows of the owner. It is the same with embedding models: all vectors of an
-- owner are of one.
--
-- INVARIANT  Afterwards the first column of every primary key of an owner and something else has this estimate, and the model
--            of vectors, and ANALYZE leaves them alone.
do $$
declare
    v_rows_of_an_owner constant integer := 1000;
    v_kinds constant integer := cardinality(enum_range(null::memory.search_kind));
    v_column record;
begin
    for v_column in
        select wanted.*
        from (
            -- A negative number is a share of the table's rows.
            select c.relname::text as table_name, a.attname::text as name, a.attstattarget as target,
                -- One of each kind: for a thousand each search would read the kinds of thousands of owners.
                (-1.0 / case when c.relname = 'search_statistics' then v_kinds else v_rows_of_an_owner end)::real as values
            from pg_index as i
            join pg_class as c on c.oid = i.indrelid and c.relnamespace = 'memory'::regnamespace
            join pg_attribute as a on a.attrelid = c.oid and a.attnum = i.indkey[0]
            where i.indisprimary and i.indnkeyatts > 1 and a.attname in ('being_id', 'user_id', 'owner_id')
            union all
            select c.relname, a.attname, a.attstattarget, 1
            from pg_class as c
            join pg_attribute as a on a.attrelid = c.oid and a.attname = 'embedding_model'
            join pg_attribute as v on v.attrelid = c.oid and v.attname = 'vector'
            where c.relnamespace = 'memory'::regnamespace and c.relkind = 'r'
        ) as wanted
        left join pg_stats as s on s.schemaname = 'memory' and s.tablename = wanted.table_name and s.attname = wanted.name
        where wanted.target is distinct from 0 or s.n_distinct is distinct from wanted.values
        order by wanted.table_name, wanted.name
    loop
        execute format('alter table memory.%I alter column %I set statistics 0', v_column.table_name, v_column.name);
        perform pg_clear_attribute_stats('memory', v_column.table_name, v_column.name, false);
        perform pg_restore_attribute_stats(
            'schemaname', 'memory', 'relname', v_column.table_name, 'attname', v_column.name, 'inherited', false,
            'null_frac', 0::real, 'avg_width', 16, 'n_distinct', v_column.values
        );
    end loop;
end $$;
