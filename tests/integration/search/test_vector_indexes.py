"""A very large Being gets vector indexes of its own; here five vectors are very many."""

from datetime import timedelta

import numpy as np
import psycopg
import pytest

from memory.search import vector_indexes as upkeep
from schemas.ledger.kinds import INDEX_VECTORS
from schemas.settings import Settings
from store.accounts import erasure
from store.ledger import work
from store.nodes import finding
from store.search import vector_indexes
from tests.databases import as_superuser
from tests.scenes import EAST, MODEL, NORTH, make_being, remember, words

SETTINGS = Settings(vector_index_from=5)
SAID = ["My puppy chewed the slippers.", *(f"The train to Leeds is {late} minutes late." for late in range(9))]


@pytest.fixture
def keep_up(store):
    """Do as the tick does, and then the work that it asked for; returns whose."""

    def keeping_up(settings=SETTINGS):
        upkeep.ask_for_indexes(store, settings)
        done = []
        while True:
            with store.transaction() as tx:
                row = tx.execute(
                    "select owner_id from memory.work where kind = %s and state = 'ready' limit 1", [INDEX_VECTORS.name]
                ).fetchone()
                claim = row and work.claim(
                    tx, row["owner_id"], INDEX_VECTORS.name, "", lease=timedelta(minutes=1), attempts=3
                )
            if not claim:
                return done
            upkeep.build(store, settings, claim)
            done.append(row["owner_id"])

    return keeping_up


@pytest.fixture
def standing(store):
    """The names of the indexes, and whether each serves."""

    def looking():
        with store.transaction() as tx:
            return vector_indexes.existing(tx)

    return looking


def uses(store, table):
    """How often indexes of vectors on a table were read, as far as the server's statistics have got."""
    with store.transaction() as tx:
        tx.execute("select pg_stat_force_next_flush()")
    with store.transaction() as tx:
        return tx.execute(
            "select coalesce(sum(idx_scan), 0) as uses from pg_stat_all_indexes"
            " where relname = %s and indexrelname like '%%\\_hnsw\\_%%'",
            [table],
        ).fetchone()["uses"]


@pytest.fixture
def large(on, being):
    """A Being with ten messages that are searchable."""
    on.tell(being, *SAID)
    on.settle(being)
    return being


def test_a_very_large_being_is_searched_by_an_index_of_its_own(on, store, large, keep_up, standing, wait_until):
    before = on.find(large, "naughty dog", explain=True)
    assert uses(store, "search_vectors") == 0

    assert keep_up() == [large.being_id]

    assert list(standing().values()) == [True]
    assert on.find(large, "naughty dog", explain=True) == before
    wait_until(lambda: uses(store, "search_vectors") > 0)


def test_what_is_told_afterwards_is_in_the_index(on, large, keep_up):
    keep_up()
    on.tell(large, "The kitten tore the curtain.")
    on.settle(large)

    assert on.texts(large, "naughty cat", limit=1) == ["The kitten tore the curtain."]


@pytest.mark.usefixtures("large")
def test_a_being_with_fewer_has_none(keep_up, standing):
    keep_up(Settings(vector_index_from=11))

    assert standing() == {}


def test_it_is_built_once(large, keep_up):
    assert keep_up() == [large.being_id]
    assert keep_up() == []


def test_what_a_kill_left_half_built_serves_no_search_and_is_built_anew(on, url, large, keep_up, standing):
    keep_up()
    with psycopg.connect(as_superuser(url)) as server:
        server.execute(
            "update pg_index set indisvalid = false where indexrelid = to_regclass(%s)",
            ["memory." + next(iter(standing()))],
        )
    assert on.texts(large, "naughty dog", limit=1) == SAID[:1]

    assert keep_up() == [large.being_id]

    assert list(standing().values()) == [True]


def test_it_goes_with_its_being(store, large, keep_up, standing):
    keep_up()
    with store.transaction() as tx:
        erasure.erase_being(tx, large)
    keep_up()

    assert standing() == {}


@pytest.mark.usefixtures("large")
def test_it_stays_until_its_being_has_half_of_what_it_is_built_for(keep_up, standing):
    keep_up()
    keep_up(Settings(vector_index_from=20))
    assert len(standing()) == 1
    keep_up(Settings(vector_index_from=22))
    assert standing() == {}


def test_one_is_built_at_a_time(store, large, keep_up, standing):
    with store.maintenance() as other:
        other.execute("select pg_advisory_lock(hashtextextended('vector indexes', 0))")
        assert keep_up() == [large.being_id]
        assert standing() == {}

    assert keep_up() == [large.being_id]
    assert list(standing().values()) == [True]


def test_memories_have_theirs_and_recall_uses_it(on, store, user, keep_up, standing, wait_until):
    with store.transaction() as tx:
        being = make_being(tx, user)
        remember(
            tx, being, *(words(f"Morning {day}.", vector=NORTH) for day in range(6)), words("Sailed.", vector=EAST)
        )
    on.index(being.being_id)
    keep_up()
    assert [name.partition("_")[0] for name in standing()] == ["nodes"]

    with store.transaction() as tx:
        query = np.asarray(EAST, dtype=np.float32)
        ((node, similarity),) = finding.match(tx, being.being_id, MODEL, [query], threshold=0.35, limit=3)

    assert (node.scene["action"], similarity) == ("Sailed.", pytest.approx(1))
    wait_until(lambda: uses(store, "node_vectors") > 0)
