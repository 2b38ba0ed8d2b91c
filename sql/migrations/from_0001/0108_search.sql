-- Search over everything that a Being was told: an inverted index of words, and vectors of what has none elsewhere.

-- The language whose stems a Being's words are found by: an ISO 639-1 code, or `auto` for what is told.
alter table beings add column language text not null default 'auto' check (language ~ '^(auto|[a-z]{2,3})$');

create type search_kind as enum ('message', 'node', 'fact', 'summary', 'diary', 'vault');

-- An owner is a Being, or a user for what all of the user's Beings may see.
create table search_owners (
    owner_id uuid primary key,
    -- The language that its documents were stemmed for.
    language text not null,
    -- How many words spoke for each language, by ISO code, for as long as the language is open.
    votes jsonb not null default '{}',
    -- The model whose vectors in search_vectors serve; null until there are any.
    embedding_model text
);

-- What is accepted and not searchable yet by every signal: first its words have to be indexed, then its meaning embedded.
create table search_queue (
    owner_id uuid not null,
    stage text not null check (stage in ('words', 'meaning')),
    kind search_kind not null,
    -- The id of the message, node or fact, of a summary's session; a diary's day and a vault record's id as digits.
    item_id uuid not null,
    queued_at timestamptz not null default clock_timestamp(),
    primary key (owner_id, stage, kind, item_id)
);

create table search_documents (
    owner_id uuid not null,
    document_id bigint not null generated always as identity,
    kind search_kind not null,
    item_id uuid not null,
    -- The conversation whose order its neighbours stand in; null for what stands alone.
    session_id uuid,
    said_at timestamptz not null,
    -- When it was there to be found, for questions of `as_of`.
    arrived_at timestamptz not null,
    question boolean not null,
    -- 64-bit digests of its terms, each as often as it occurs: no word can be read from them.
    terms bigint[] not null,
    primary key (owner_id, document_id),
    unique (owner_id, kind, item_id)
);
create index search_documents_in_order on search_documents (owner_id, session_id, said_at, item_id)
    where session_id is not null;

-- The inverted index, kept by trigger with the documents. The key covers what BM25 needs, so no row is read beside it.
create table search_postings (
    owner_id uuid not null,
    term bigint not null,
    document_id bigint not null,
    kind search_kind not null,
    times smallint not null,
    length integer not null,
    primary key (owner_id, term, document_id) include (kind, times, length)
);

-- How many documents an owner has of a kind, and how many terms they hold; kept by trigger.
create table search_statistics (
    owner_id uuid not null,
    kind search_kind not null,
    documents bigint not null,
    terms bigint not null,
    primary key (owner_id, kind)
);

-- Written once and never changed, and narrow, for exact scans.
create table search_vectors (
    owner_id uuid not null,
    embedding_model text not null,
    document_id bigint not null,
    kind search_kind not null,
    vector halfvec not null,
    primary key (owner_id, embedding_model, document_id),
    foreign key (owner_id, document_id) references search_documents on delete cascade
);
alter table search_vectors alter column vector set storage plain;

-- What the search to the letter looks at, narrow and in lower case; kept by trigger with the nodes.
create table node_words (
    being_id uuid not null,
    node_id uuid not null,
    words text not null,
    themes text[] not null,
    primary key (being_id, node_id),
    foreign key (being_id, node_id) references memory_nodes on delete cascade
);
insert into node_words (being_id, node_id, words, themes)
select being_id, node_id,
    lower(concat_ws(E'\n', scene ->> 'action', feeling, (
        select string_agg(
            case jsonb_typeof(item)
                when 'object' then concat_ws(E'\n', item ->> 'date', item ->> 'action')
                else item #>> '{}'
            end,
            E'\n'
        )
        from jsonb_array_elements(scene -> 'when') as item
    ))),
    themes
from memory_nodes;

-- What was told before there was an index.
insert into search_queue (owner_id, stage, kind, item_id)
select being_id, 'words', 'message'::search_kind, message_id from messages
union all
select being_id, 'words', 'node', node_id from memory_nodes
union all
select coalesce(being_id, user_id), 'words', 'fact', fact_id from facts where status = 'ACTIVE'
union all
select distinct being_id, 'words', 'summary'::search_kind, session_id from session_summaries
union all
select being_id, 'words', 'diary', lpad(to_char(day, 'YYYYMMDD'), 32, '0')::uuid from diary
union all
select coalesce(being_id, user_id), 'words', 'vault', lpad(id, 32, '0')::uuid from vault_heads where live;
