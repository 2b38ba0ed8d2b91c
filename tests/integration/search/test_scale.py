"""A search reads what its words name, however much else there is."""

from uuid import uuid4

import pytest

from memory.search.search import search_with_vectors
from schemas.ledger.kinds import EMBED_TOLD
from schemas.search import EverythingRequest
from store.search import documents, lexical, queue, vectors
from store.search.documents import Document
from store.search.vectors import UnembeddedDocument
from store.talk import retraction
from tests.chaos.audit import inconsistencies

pytestmark = pytest.mark.new_database


@pytest.fixture
def most_read(monkeypatch):
    """Let a search read this many postings of a word."""
    return lambda most: monkeypatch.setattr(lexical, "MOST_READ", most)


def scans_from_end_to_end(tx):
    return tx.execute(
        """
        select relname, seq_scan from pg_stat_xact_all_tables
        where schemaname = 'memory' and seq_scan > 0 and (relname like 'search%' or relname = 'messages')
        order by relname
        """
    ).fetchall()


def test_no_table_of_the_index_is_read_from_end_to_end(on, store, being):
    on.tell(being, "Plum jam.", "Plum cake and plum tart.", "Bread.")
    on.settle(being)
    question = EverythingRequest(query="plum cake", kinds=["message", "node", "fact", "summary", "diary", "vault"])
    query_vectors = on.vectors_of(being, question)

    with store.transaction() as tx:
        # Tables as small as these are read whole by any plan that may.
        tx.execute("analyze")
        # What the connection did before the transaction may still be counted.
        before = scans_from_end_to_end(tx)
        assert search_with_vectors(tx, being, question, query_vectors).results

        assert scans_from_end_to_end(tx) == before


def test_a_frequent_word_adds_to_what_rarer_ones_found(on, being, most_read):
    most_read(4)
    on.tell(being, "The cake fell.", *(f"Cake, slice {at}." for at in range(9)), "A plum cake.", "A plum.")
    on.index(being.being_id)

    found = on.texts(being, "plum cake", kinds=["message"])

    assert found[:1] == ["A plum cake."]
    assert "A plum." in found
    assert not {"The cake fell.", "Cake, slice 6."} & {*found}


def test_a_word_that_is_in_nearly_everything_finds_the_latest_of_it(on, being, most_read):
    most_read(3)
    on.tell(being, *(f"Cake, slice {at}." for at in range(40)))
    on.index(being.being_id)

    assert "Cake, slice 39." in on.texts(being, "cake", limit=5)


def test_of_what_rarer_words_found_no_other_words_are_read(on, store, being, most_read):
    # Another's words make the planner believe that to read all words of a document is cheaper than to look one up.
    most_read(30)
    on.tell(being, *(f"Plum cake {at}: {' '.join(f'word{at * 40 + more}' for more in range(40))}." for at in range(25)))
    on.tell(being, *(f"Cake, slice {at}." for at in range(40)))
    on.index(being.being_id)
    question = EverythingRequest(query="plum cake", kinds=["message"])
    query_vectors = on.vectors_of(being, question)

    with store.transaction() as tx:
        tx.execute(
            "insert into memory.search_postings (owner_id, kind, term, document_id, times, length)"
            " select %s, 'message', (n * 7919) %% 7000, -1 - n / 14, 1, 14 from generate_series(0, 30000) as n",
            [uuid4()],
        )
        tx.execute("analyze")
        before = _entries_read(tx, "search_postings_pkey")
        assert search_with_vectors(tx, being, question, query_vectors).results

        # Of "plum" all 25, and for each the one of "cake"; and all 25 where it was named first and last.
        assert _entries_read(tx, "search_postings_pkey") - before == 75


def test_each_word_s_number_of_documents_follows_what_is_told_and_erased(on, store, being):
    ids = on.tell(being, "Plum jam.", "Plum cake and plum tart.", "Bread.")
    on.settle(being)
    assert not inconsistencies(store)

    with store.transaction() as tx:
        retraction.erase(tx, being.being_id, [ids[1]])

    with store.transaction() as tx:
        rows = tx.execute("select documents from memory.search_terms where owner_id = %s", [being.being_id]).fetchall()
    assert [row["documents"] for row in rows] == [1, 1, 1]


def test_a_changed_text_s_vector_is_replaced_without_reading_all_others(on, store, being):
    on.tell(being, *(f"Cake, slice {at}." for at in range(60)))
    on.settle(being)
    summaries = [uuid4() for _ in range(20)]
    with store.transaction() as tx:
        now = tx.execute("select memory.now() as now").fetchone()["now"]
        tx.execute(
            "insert into memory.search_queue (owner_id, stage, kind, item_id)"
            " select %s, 'meaning', 'summary', unnest(%s::uuid[])",
            [being.being_id, summaries],
        )
        before = _read(tx, "search_vectors")
        changed = [Document(being.being_id, "summary", one, None, now, now, False, [1], True) for one in summaries]
        documents.put(tx, changed)
        documents.put(tx, changed)
        seen = [UnembeddedDocument("summary", one, "{}", None, None) for one in summaries]
        vectors.keep(tx, being.being_id, on.embedders.wanted.model, {}, seen)
        assert not queue.owners_waiting(tx, "meaning", EMBED_TOLD, 10)
        read = _read(tx, "search_vectors") - before

    assert read == 0


def test_what_was_read_is_taken_from_the_queue_without_reading_all_that_waits(on, store, being):
    on.tell(being, *(f"Cake, slice {at}." for at in range(60)))
    with store.transaction() as tx:
        seen = queue.waiting(tx, [being.being_id], 3)
        before = _read(tx, "search_queue")
        assert len(queue.take(tx, seen)) == len(seen) == 3
        assert _read(tx, "search_queue") - before <= 2 * len(seen)


def _read(tx, table):
    """How many of a table's rows this connection has read since it last reported them."""
    rows = tx.execute(
        "select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_xact_all_tables where relname = %s",
        [table],
    ).fetchall()
    return rows[0]["rows"] if rows else 0


def _entries_read(tx, index):
    """How many of an index's entries this transaction has read."""
    return tx.value("select pg_stat_get_xact_tuples_returned(%s::regclass)", [f"memory.{index}"])
