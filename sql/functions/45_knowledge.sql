-- Knowledge that programs keep under keys.

-- Whether a JSON value fits a filter: an object of fields that have to fit, each with a value that it has to equal, or with
-- operators: $eq, $ne, $gt, $gte, $lt, $lte. Numbers are compared with numbers, text with text by code points. A field that is
-- absent is null. The members of a list have to fit one by one.
create or replace function fits_filter(p_value jsonb, p_filter jsonb) returns boolean language plpgsql immutable as $$
declare
    v_value constant jsonb := coalesce(p_value, 'null');
begin
    case jsonb_typeof(p_filter)
        when 'object' then
            if exists (select from jsonb_object_keys(p_filter) as name where name like '$%') then
                return not exists (
                    select from jsonb_each(p_filter) as asked (operator, operand)
                    where not memory.compares(v_value, asked.operator, asked.operand)
                );
            end if;
            return jsonb_typeof(v_value) = 'object' and not exists (
                select from jsonb_each(p_filter) as asked (name, wanted)
                where not memory.fits_filter(v_value -> asked.name, asked.wanted)
            );
        when 'array' then
            if jsonb_typeof(v_value) <> 'array' then
                return false;
            end if;
            return jsonb_array_length(v_value) = jsonb_array_length(p_filter) and not exists (
                select from jsonb_array_elements(p_filter) with ordinality as asked (wanted, place)
                where not memory.fits_filter(v_value -> (asked.place::integer - 1), asked.wanted)
            );
        else
            return v_value = p_filter;
    end case;
end $$;

create or replace function compares(p_value jsonb, p_operator text, p_operand jsonb) returns boolean
language plpgsql immutable as $$
declare
    v_order integer;
begin
    if p_operator in ('$eq', '$ne') then
        return (p_value = p_operand) = (p_operator = '$eq');
    end if;
    if jsonb_typeof(p_value) <> jsonb_typeof(p_operand) or jsonb_typeof(p_value) not in ('number', 'string') then
        return false;
    end if;
    v_order := case
        when jsonb_typeof(p_value) = 'number' then sign(p_value::numeric - p_operand::numeric)
        when (p_value #>> '{}') collate "C" < (p_operand #>> '{}') collate "C" then -1
        when p_value = p_operand then 0
        else 1
    end;
    return case p_operator
        when '$gt' then v_order > 0
        when '$gte' then v_order >= 0
        when '$lt' then v_order < 0
        when '$lte' then v_order <= 0
        else false
    end;
end $$;

-- Whether a namespace begins, or with p_at 'suffix' ends, with a path; the label * of the path stands for any.
create or replace function fits_path(p_namespace text[], p_at text, p_path text[]) returns boolean
language sql immutable as $$
    select cardinality(p_namespace) >= cardinality(p_path) and not exists (
        select
        from unnest(p_path) with ordinality as asked (label, place)
        where asked.label <> '*' and asked.label <> p_namespace[
            asked.place::integer + case p_at when 'suffix' then cardinality(p_namespace) - cardinality(p_path) else 0 end
        ]
    );
$$;

-- A Being's knowledge under keys whose namespaces stand from p_from on and before p_to, and whose fields fit a filter; each field
-- of p_equal is one that the filter wants equal, which an operator for containment finds out faster.
create or replace function keyed_knowledge(
    p_being_id uuid, p_from text[], p_to text[], p_equal jsonb, p_filter jsonb
) returns setof notes language sql stable as $$
    select n.*
    from memory.notes as n
    where n.being_id = p_being_id and n.key is not null
        and n.namespace >= p_from and n.namespace < p_to
        and n.content @> p_equal
        and not exists (
            select from jsonb_each(p_filter) as asked (name, wanted)
            where not memory.fits_filter(n.content -> asked.name, asked.wanted)
        );
$$;
