-- The same number, many times sooner: each change of a node's row computes it for two stored columns. The logarithm gives three
-- candidates, and the seed's own expression chooses the least among them that it holds for.
create or replace function patrols_until_faded(p_importance double precision) returns bigint
language plpgsql immutable strict parallel safe as $$
declare
    v_patrols double precision;
begin
    if p_importance <= 0.05 then
        return 0;
    end if;
    v_patrols := greatest(ceil(30 * ln(p_importance / 0.05)) - 1, 0);
    while p_importance * exp(-v_patrols / 30.0::double precision) > 0.05 loop
        v_patrols := v_patrols + 1;
    end loop;
    return v_patrols;
end $$;
