"""Statements of the role that policies bind read as few rows as those of the tables' owner.

Postgres lets no operator that may leak what it compares, such as those of arrays and enums, look into an index before
the policy has seen the row.
"""

from datetime import UTC, datetime

import numpy as np
import pytest

from schemas.ledger.acting import acting_for
from store.context import provenance, whole
from store.database import Store
from store.facts import fact_vectors
from store.intake import keyed_knowledge
from store.nodes.embeddings import ModelVectors
from store.search import candidates, lexical, nearest
from store.search.scope import SearchScope, plan_once
from store.talk import messages, scenes, unplaced_messages, utterances
from tests.databases import as_bound
from tests.scenes import EAST, MODEL, make_being, make_user, root

MANY = 2000
FEW = 10
RANKED = 200
# The policies read the user's Beings, once a statement.
BESIDE = 20
DAY = datetime(2026, 3, 2, tzinfo=UTC)
# The functions of sql/functions/65_search/05_keys_past_policies.sql read them.
BY_FUNCTIONS = {
    "judgements_that_showed",
    "messages_by_words",
    "notes_of_producer_by_day",
    "notes_under_keys",
    "retracted_messages_by_words",
    "shown_texts_by_shingle",
}
# Their column `kind`, of some ten values, is skipped; the ranking of postings, which needs their order, is a function.
BY_KIND = {
    "search_documents_owner_id_kind_item_id_key",
    "search_postings_pkey",
    "search_queue_pkey",
    "search_statistics_pkey",
    "search_terms_pkey",
    "search_vectors_pkey",
}
NOT_ASKED = r"""
    select c.relname as name
    from pg_index as i
    join pg_class as c on c.oid = i.indexrelid
    join pg_class as of_table on of_table.oid = i.indrelid
    where of_table.relnamespace = 'memory'::regnamespace and of_table.relrowsecurity and (
        pg_get_expr(i.indexprs, i.indrelid) ~ '[a-z]\('
        or exists (
            select from unnest(i.indclass::oid[]) as asked (oid)
            join pg_opclass as by_class on by_class.oid = asked.oid
            join pg_amop as member on member.amopfamily = by_class.opcfamily and member.amoppurpose = 's'
                and member.amoplefttype = by_class.opcintype and member.amoprighttype = by_class.opcintype
            join pg_operator as compares on compares.oid = member.amopopr
            join pg_proc as p on p.oid = compares.oprcode
            where not p.proleakproof
        )
    )
"""
CROWD = """
with session as (
    insert into memory.sessions (being_id, session_id, started_at, last_activity_at)
    select %(being)s, md5('s' || n)::uuid, %(day)s + n * interval '1 hour', %(day)s + n * interval '1 hour'
    from generate_series(1, %(many)s / 20) as n
    returning session_id
)
insert into memory.messages (being_id, message_id, session_id, role, content, content_hash, created_at, judged)
select %(being)s, md5('m' || n)::uuid, md5('s' || (n - 1) / 20 + 1)::uuid, 'user', 'Line ' || n, '', %(day)s, true
from generate_series(1, %(many)s) as n;
insert into memory.judgements (being_id, session_id, messages, facts, todos, dropped, judged_ids, shown_ids)
select %(being)s, md5('s' || (n - 1) / 20 + 1)::uuid, 1, 0, 0, '{}', array[md5('m' || n)::uuid],
    array[md5('m' || n)::uuid, md5('m' || n + 1)::uuid]
from generate_series(1, %(many)s) as n;
insert into memory.shown_texts (being_id, text_hash, shingles)
select %(being)s, decode(md5(n::text), 'hex'), array[n, n + 1, n + 2] from generate_series(1, %(many)s) as n;
insert into memory.search_documents (owner_id, kind, item_id, said_at, arrived_at, question, terms)
select %(being)s, kind, md5('m' || n)::uuid, %(day)s, %(day)s, false, array[1, n]
from generate_series(1, %(many)s) as n, lateral unnest(
    case when n <= 10 then '{message,node,summary}' else '{message}' end::memory.search_kind[]) as kind;
insert into memory.search_vectors (owner_id, embedding_model, document_id, kind, said_at, arrived_at, vector)
select owner_id, %(model)s, document_id, kind, said_at, arrived_at, '[1,0,0]'
from memory.search_documents where owner_id = %(being)s;
insert into memory.notes (being_id, note_id, type, content, content_hash, state, origin)
select %(being)s, md5('m' || n)::uuid, 'scene', to_jsonb((date '2020-01-01' + n)::text), '', 'remembered', 'producer'
from generate_series(1, %(many)s) as n;
insert into memory.memory_nodes
    (being_id, note_id, run_id, cluster_id, scene, importance, session_count_base, text_hash)
select %(being)s, note_id, uuidv7(), %(root)s, '{}', 1, 0, '' from memory.notes where being_id = %(being)s;
insert into memory.notes (being_id, note_id, type, content, content_hash, state, in_snapshot, namespace, key)
select %(being)s, md5('k' || n)::uuid, 'knowledge', '{}', '', 'kept', false, array['a', n::text], 'k'
from generate_series(1, %(many)s) as n;
insert into memory.node_vectors (being_id, node_id, embedding_model, living, standing, vector)
select being_id, node_id, %(model)s, true, true, '[1,0,0]' from memory.memory_nodes where being_id = %(being)s;
insert into memory.fact_states (user_id, embedding_model) values (%(user)s, %(model)s)
on conflict (user_id) do update set embedding_model = excluded.embedding_model;
insert into memory.facts
    (user_id, type, content, entity_refs, entity_label, subtype, memory_key, source, base_importance, confidence)
select %(user)s, 'PEOPLE', 'Fact ' || n, array['person:neighbour'], 'Neighbour',
    '{"entityType": "person", "factType": "fact"}', 'people|person|' || n || '|fact', 'seeded_profile', 1, 0.9
from generate_series(1, %(many)s / 20) as n;
insert into memory.fact_vectors (user_id, fact_id, embedding_model, text_hash, vector)
select user_id, fact_id, %(model)s, '', '[1,0,0]' from memory.facts where user_id = %(user)s;
"""


def message(n, tx):
    return tx.value("select md5('m' || %s::integer)::uuid", [n])


def by_words(tx, being, *kinds, terms):
    plan_once(tx)
    within = SearchScope(being.being_id, being.user_id, kinds)
    known = lexical.rarities(tx, within, terms)
    assert lexical.by_words(tx, within, known, dict.fromkeys(terms, 1.0), saturation=1.2, length_weight=0.75, limit=10)


def nearest_of(tx, being, *kinds):
    within = SearchScope(being.being_id, being.user_id, kinds)
    assert nearest.nearest_documents(tx, within, [(being.being_id, kinds)], ModelVectors(MODEL, [np.array(EAST)]), 5)


def ranked(tx, being):
    """Read the signals of many documents, and of those around them."""
    plan_once(tx)
    within = SearchScope(being.being_id, being.user_id, ["message", "node"])
    given = tx.execute("select document_id from memory.search_documents order by document_id limit %s", [RANKED])
    places = [row["document_id"] for row in given]
    meant = ModelVectors(MODEL, [np.array(EAST)])
    rows = candidates.load_candidates(tx, within, places, [1], called={}, around=0, talk=meant, nodes=None, facts=None)
    assert {row.similarity for row in rows} == {1.0}


# None of them is small enough to be shown whole.
WHOLE = {
    "talk": lambda tx, being: whole.talk(tx, being.being_id, [], most=FEW, most_bytes=MANY) is None,
    "facts": lambda tx, being: whole.facts(tx, being.user_id, being.being_id, most=FEW, most_bytes=MANY) is None,
    "nodes": lambda tx, being: whole.nodes(tx, being.being_id, most=FEW) == [],
}
STATEMENTS = {
    "search: a rare word": lambda tx, being: by_words(tx, being, "message", "node", "fact", terms=[77]),
    "search: a frequent word in few": lambda tx, being: by_words(tx, being, "node", "summary", terms=[1]),
    "search: what is gone": lambda tx, being: tx.execute(
        "select memory.remove_from_search(%s, 'message', %s)", [being.being_id, [message(5, tx)]]
    ),
    "recall": lambda tx, being: tx.execute(
        "select * from memory.match_nodes(%s, %s, '[1,0,0]', 0.5, 5)", [being.being_id, MODEL]
    ).fetchall(),
    "search: the nearest of few": lambda tx, being: nearest_of(tx, being, "summary"),
    "search: what is ranked": ranked,
    "facts": lambda tx, being: fact_vectors.nearest(tx, being.user_id, being.being_id, MODEL, list(EAST), 5),
    "echoes": lambda tx, being: provenance.shown(tx, being.being_id, [100, 2000]),
    "echoes that go": lambda tx, being: provenance.remove(tx, being.being_id, {100: DAY}),
    "what a judge was shown": lambda tx, being: utterances.shown_with(tx, being.being_id, [message(9, tx)]),
    "a retraction": lambda tx, being: tx.execute(
        "select * from memory.withdraw_messages(%s, %s)", [being.being_id, [message(9, tx)]]
    ).fetchall(),
    "messages of a context": lambda tx, being: messages.standing(tx, being.being_id, [message(9, tx)], None),
    "scenes of a session's days": lambda tx, being: scenes.overlapping(
        tx, being.being_id, [tx.value("select session_id from memory.sessions limit 1")], until=DAY
    ),
    "knowledge under a key": lambda tx, being: keyed_knowledge.get(tx, being.being_id, [(("a", "7"), "k")]),
    "messages with the same words": lambda tx, being: unplaced_messages.with_words(
        tx, being.being_id, [tx.value("select memory.words_key('Line 9')")]
    ),
}


@pytest.fixture(scope="module")
def crowd(new_database):
    """A database in which a Being has many rows of each kind."""
    with new_database() as url, Store(url) as store:
        with store.transaction() as tx:
            being = make_being(tx, make_user(tx))
            given = {
                "being": being.being_id,
                "user": being.user_id,
                "many": MANY,
                "day": DAY,
                "root": root(tx, being),
                "model": MODEL,
            }
            for statement in CROWD.split(";\n"):
                if statement.strip():
                    tx.execute(statement, given)
        with store.transaction() as tx:
            tx.execute("analyze")
        with Store(as_bound(url)) as bound:
            yield store, bound, being


def rows_read(store, being, call):
    """How many rows of all tables the server fetched for a call, of which nothing is kept."""
    counted = """
        select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer from pg_stat_xact_all_tables
        where schemaname = 'memory'
    """
    with acting_for(being.user_id, being.being_id), store.transaction() as tx:
        before = tx.value(counted)
        call(tx, being)
        read = tx.value(counted) - before
        tx.rollback()
    return read


@pytest.mark.parametrize("name", STATEMENTS)
def test_the_bound_role_reads_no_more_than_the_owner(crowd, name):
    owner, bound, being = crowd
    allowed = 2 * rows_read(owner, being, STATEMENTS[name]) + BESIDE

    assert rows_read(bound, being, STATEMENTS[name]) <= allowed


@pytest.mark.parametrize("name", WHOLE)
def test_whether_a_memory_is_small_is_known_without_reading_all_of_it(crowd, name):
    _, bound, being = crowd

    def is_large(tx, being):
        assert WHOLE[name](tx, being)

    assert rows_read(bound, being, is_large) <= FEW + BESIDE


def test_what_is_ranked_is_looked_up_once(crowd):
    _, bound, being = crowd

    # A join that compared all vectors anew for each row would read as many times as many.
    assert rows_read(bound, being, ranked) <= BESIDE * RANKED


def test_indexes_that_the_bound_role_can_not_ask_by_all_columns_are_known(crowd):
    owner, _, _ = crowd
    with owner.transaction() as tx:
        assert {row["name"] for row in tx.execute(NOT_ASKED)} == BY_FUNCTIONS | BY_KIND
