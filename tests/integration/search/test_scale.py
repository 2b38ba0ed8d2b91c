"""A search reads what its words name, however much else there is."""

import pytest

from memory.search.search import search_understood
from schemas.search import EverythingRequest
from store.search import lexical
from store.talk import retraction
from tests.chaos.audit import inconsistencies


@pytest.fixture
def most_read(monkeypatch):
    """Let a search read this many postings of a word."""
    return lambda most: monkeypatch.setattr(lexical, "MOST_READ", most)


def test_no_table_of_the_index_is_read_from_end_to_end(on, store, being):
    on.tell(being, "Plum jam.", "Plum cake and plum tart.", "Bread.")
    on.settle(being)
    question = EverythingRequest(query="plum cake", kinds=["message", "node", "fact", "summary", "diary", "vault"])
    understood = on.understand(being, question)

    with store.transaction() as tx:
        # Tables as small as these are read whole by any plan that may.
        tx.execute("analyze")
        assert search_understood(tx, being, question, understood).results
        scanned = tx.execute(
            """
            select relname from pg_stat_xact_all_tables
            where schemaname = 'memory' and seq_scan > 0 and (relname like 'search%' or relname = 'messages')
            """
        ).fetchall()

    assert scanned == []


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


def test_each_word_s_number_of_documents_follows_what_is_told_and_erased(on, store, being):
    ids = on.tell(being, "Plum jam.", "Plum cake and plum tart.", "Bread.")
    on.settle(being)
    assert not inconsistencies(store)

    with store.transaction() as tx:
        retraction.erase(tx, being.being_id, [ids[1]])

    with store.transaction() as tx:
        rows = tx.execute("select documents from memory.search_terms where owner_id = %s", [being.being_id]).fetchall()
    assert [row["documents"] for row in rows] == [1, 1, 1]
