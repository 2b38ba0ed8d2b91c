-- A search reads only what its terms and its filters name: postings of a kind stand together, each term's number of
-- documents is kept, and a vector's row says when its document was said and came in.

alter table search_postings drop constraint search_postings_pkey;
alter table search_postings add primary key (owner_id, kind, term, document_id) include (times, length);

-- In how many documents of a kind each term is; kept by trigger.
create table search_terms (
    owner_id uuid not null,
    kind search_kind not null,
    term bigint not null,
    documents bigint not null,
    primary key (owner_id, kind, term)
) with (fillfactor = 80);
insert into search_terms (owner_id, kind, term, documents)
select owner_id, kind, term, count(*) from search_postings group by owner_id, kind, term;

-- Written once and never changed, and narrow, for exact scans. The times are its document's; a document whose times change
-- gets another vector.
alter table search_vectors rename to search_vectors_before;
alter table search_vectors_before rename constraint search_vectors_pkey to search_vectors_before_pkey;
create table search_vectors (
    owner_id uuid not null,
    embedding_model text not null,
    document_id bigint not null,
    kind search_kind not null,
    said_at timestamptz not null,
    arrived_at timestamptz not null,
    vector halfvec storage plain not null,
    primary key (owner_id, embedding_model, document_id),
    foreign key (owner_id, document_id) references search_documents on delete cascade
);
insert into search_vectors (owner_id, embedding_model, document_id, kind, said_at, arrived_at, vector)
select v.owner_id, v.embedding_model, v.document_id, v.kind, d.said_at, d.arrived_at, v.vector
from search_vectors_before as v
join search_documents as d using (owner_id, document_id)
order by v.owner_id, v.embedding_model, v.document_id;
drop table search_vectors_before;
