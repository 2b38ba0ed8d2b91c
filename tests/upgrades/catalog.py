"""The catalog's description of the schema `memory`, so that an upgraded database can be compared with a new one."""

import psycopg

# Columns are compared by name, not by place: a migration adds them at the end of a table.
CATALOG = r"""
    select 'column' as kind, c.relname || '.' || a.attname as name,
        concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated, a.attidentity, a.attstorage,
            pg_get_expr(d.adbin, d.adrelid)) as definition
    from pg_attribute as a
    join pg_class as c on c.oid = a.attrelid
    left join pg_attrdef as d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = 'memory'::regnamespace and c.relkind in ('r', 'p', 'v', 'c')
        and a.attnum > 0 and not a.attisdropped
    union all
    select 'relation', relname,
        concat_ws(' ', relkind, relrowsecurity, reloptions::text, pg_get_expr(relpartbound, oid))
    from pg_class
    where relnamespace = 'memory'::regnamespace and relkind in ('r', 'p', 'v', 'c', 'S')
    union all
    select 'constraint', c.relname, pg_get_constraintdef(k.oid)
    from pg_constraint as k
    join pg_class as c on c.oid = k.conrelid
    where k.connamespace = 'memory'::regnamespace and k.contype <> 'n'
    union all
    select 'index', c.relname, pg_get_indexdef(i.indexrelid)
    from pg_index as i
    join pg_class as c on c.oid = i.indexrelid
    where c.relnamespace = 'memory'::regnamespace
    union all
    select 'trigger', c.relname, pg_get_triggerdef(t.oid, true)
    from pg_trigger as t
    join pg_class as c on c.oid = t.tgrelid
    where c.relnamespace = 'memory'::regnamespace and not t.tgisinternal
    union all
    select 'function', p.proname,
        case
            when p.prokind = 'f' then pg_get_functiondef(p.oid)
            else pg_get_function_identity_arguments(p.oid)
        end
    from pg_proc as p
    where p.pronamespace = 'memory'::regnamespace
    union all
    select 'policy', c.relname || '.' || p.polname,
        -- The operator names the application's role.
        concat_ws(' ', p.polcmd, regexp_replace(p.polroles::regrole[]::text, '\w+_across', 'across'),
            pg_get_expr(p.polqual, p.polrelid))
    from pg_policy as p
    join pg_class as c on c.oid = p.polrelid
    where c.relnamespace = 'memory'::regnamespace
    union all
    select 'view', relname, pg_get_viewdef(oid)
    from pg_class
    where relnamespace = 'memory'::regnamespace and relkind = 'v'
"""


def catalog(url: str) -> list[tuple[str, str, str]]:
    """Everything of the schema as (kind, name, definition), sorted."""
    with psycopg.connect(url) as database:
        return sorted((kind, name, definition) for kind, name, definition in database.execute(CATALOG))
