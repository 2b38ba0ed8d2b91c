-- Keys of rows found by conditions that the policies of row-level security keep from using an index.
--
-- Before the policy has seen a row, Postgres compares it only by functions that are proven to leak nothing: operators of arrays
-- and enums, and functions of ours, are not. The application's role would read all rows of an owner. So these functions run with
-- the rights of the tables' owner.
--
-- INVARIANT  They change nothing, and return keys alone, of one owner that the caller names. The caller reads the rows of these
--            keys by its own rights, as the policies have it. (The other such functions are
--            windows_of, rank_by_words, nearest_told and nearest_windows.)

-- Pieces that contexts showed with one of these marks.
create or replace function pieces_with(p_being_id uuid, p_marks bigint[]) returns setof bytea
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select text_hash from memory.shown_texts where being_id = p_being_id and shingles && p_marks;
$$;

-- Judgements whose calls showed one of these messages.
create or replace function judgements_that_showed(p_being_id uuid, p_message_ids uuid[]) returns setof uuid
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select judgement_id from memory.judgements where being_id = p_being_id and shown_ids && p_message_ids;
$$;

-- The newest messages without a place that have these words, standing and retracted; of each p_most at most.
create or replace function messages_of_words(p_being_id uuid, p_key uuid, p_most integer) returns setof uuid
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    (
        select message_id
        from memory.messages as m
        where being_id = p_being_id and memory.words_key(content) = p_key and not exists (
            select from memory.transcript_turns where being_id = p_being_id and message_id = m.message_id
        )
        order by message_id desc
        limit p_most
    )
    union all
    (
        select message_id
        from memory.retracted_messages as m
        where being_id = p_being_id and memory.words_key(content) = p_key and not exists (
            select from memory.transcript_turns where being_id = p_being_id and message_id = m.message_id
        )
        order by message_id desc
        limit p_most
    );
$$;

-- Scenes that producers noted with a first date from one day to another.
create or replace function scenes_of_days(p_being_id uuid, p_first text, p_last text) returns setof uuid
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select note_id
    from memory.notes
    where being_id = p_being_id and type = 'scene' and origin = 'producer'
        and memory.scene_day(content) between p_first and p_last;
$$;

-- The knowledge that is kept under a key.
create or replace function note_under(p_being_id uuid, p_namespace text[], p_key text) returns uuid
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select note_id from memory.notes where being_id = p_being_id and namespace = p_namespace and key = p_key;
$$;
