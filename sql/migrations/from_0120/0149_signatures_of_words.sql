-- The signature that tells which terms of a search to the letter a node may hold (sql/functions/60_recall.sql).
alter table node_words add column signature bit(1024);
update node_words as w
set signature = (
    select coalesce(
        bit_or(set_bit(
            repeat('0', 1024)::bit(1024),
            (7919 * get_byte(told.text, place) + 613 * get_byte(told.text, place + 1) + 47 * get_byte(told.text, place + 2))
                & 1023,
            1
        )),
        repeat('0', 1024)::bit(1024)
    )
    from (
        select convert_to(concat_ws(E'\n', w.words, lower(array_to_string(w.themes, E'\n'))), 'UTF8') as text
    ) as told,
    lateral generate_series(0, length(told.text) - 3) as place
);
alter table node_words alter column signature set not null;
