"""A patrol costs what changed: with 5,000 rows that are not concerned, each statement reads those that are."""

import re
from datetime import timedelta

import pytest

from schemas.ledger.kinds import CURATE
from store.database import Store
from store.intake import notes
from store.ledger import metrics, work
from store.nodes import nodes
from store.patrol import steps
from tests.scenes import MODEL, activate, make_being, make_user, root

BYSTANDERS = 5_000
CONCERNED = 10
# Index entries are read a page at a time, and a row may be looked at once to be found and once to be changed.
ORDER_OF_TEN = 5 * CONCERNED


@pytest.fixture(scope="module")
def crowd(new_database):
    """A ledger with a Being that remembers 5,000 scenes, ten of which the next patrol lets fade."""
    with new_database() as url, Store(url) as store:
        with store.transaction() as tx:
            being = make_being(tx, make_user(tx))
            born = {
                "being": being.being_id,
                "many": BYSTANDERS,
                "few": CONCERNED,
                "model": MODEL,
                "root": root(tx, being),
            }
            tx.execute(
                "insert into memory.notes (being_id, note_id, type, content, content_hash, state)"
                " select %(being)s, uuidv7(), 'scene', '{}', '', 'remembered' from generate_series(1, %(many)s)",
                born,
            )
            tx.execute(
                "insert into memory.memory_nodes (being_id, note_id, run_id, cluster_id, scene, importance,"
                " session_count_base, text_hash)"
                " select %(being)s, note_id, uuidv7(), %(root)s, '{}',"
                " case when row_number() over () <= %(few)s then 0.0501 else 1 end, 0, ''"
                " from memory.notes where being_id = %(being)s",
                born,
            )
            tx.execute(
                "insert into memory.node_vectors (being_id, node_id, embedding_model, living, standing, vector)"
                " select being_id, node_id, %(model)s, true, true, '[1,0,0]' from memory.memory_nodes"
                " where being_id = %(being)s",
                born,
            )
            tx.execute(
                "insert into memory.work (owner_id, kind, key, queue, state, finished_at)"
                " select %(being)s, 'patrol.embed', uuidv7()::text, 'patrol', 'done', clock_timestamp()"
                " from generate_series(1, %(many)s)",
                born,
            )
        with store.transaction() as tx:
            tx.execute("analyze memory.memory_nodes, memory.node_vectors, memory.notes, memory.work")
        yield store, being


@pytest.fixture
def tx(crowd):
    """A transaction over the crowd, of which nothing is kept."""
    store, _ = crowd
    with store.transaction() as tx:
        yield tx
        tx.rollback()


@pytest.fixture
def being(crowd):
    _, being = crowd
    return being


def rows_read(tx, table, statement):
    """How many rows of a table the server fetched or changed while the statement ran."""

    def count():
        (row,) = tx.execute(
            "select seq_tup_read + coalesce(idx_tup_fetch, 0) + n_tup_ins + n_tup_upd + n_tup_del as rows"
            " from pg_stat_xact_all_tables where schemaname = 'memory' and relname = %s",
            [table],
        )
        return row["rows"]

    before = count()
    statement()
    return count() - before


def scans(tx, statement, parameters):
    """The nodes of the executed plan that read tables or indexes."""

    def walk(plan):
        if "Relation Name" in plan or "Index Name" in plan:
            yield plan
        for below in plan.get("Plans", []):
            yield from walk(below)

    (row,) = tx.execute(f"explain (analyze, buffers, format json) {statement}", parameters)
    return list(walk(row["QUERY PLAN"][0]["Plan"]))


def body(tx, function):
    """The source of an SQL function."""
    (row,) = tx.execute(
        "select prosrc from pg_proc where proname = %s and pronamespace = 'memory'::regnamespace", [function]
    )
    return row["prosrc"]


def test_a_plan_for_one_changed_node_serves_all_of_a_being_s_and_the_other_way_round(tx, being):
    nodes_of = "select node_id from memory.memory_nodes where being_id = %s"
    some = tx.column(f"{nodes_of} limit 3", [being.being_id])

    def change(which):
        tx.execute(
            "update memory.memory_nodes set fresh = not fresh, revision = revision + 1 where node_id = any(%s)"
            " and being_id = %s",
            [which, being.being_id],
        )

    # In a loop within a loop, all of them take more than a minute.
    tx.execute("set local statement_timeout = '20s'; discard plans")
    for node_id in some:
        change([node_id])
    change(tx.column(nodes_of, [being.being_id]))

    tx.execute("discard plans")
    change(tx.column(nodes_of, [being.being_id]))
    for table in ("memory_nodes", "node_vectors"):
        assert rows_read(tx, table, lambda: change(some[:1])) <= 5


def test_flagging_reads_only_what_dies(tx, being):
    steps.raise_counter(tx, being.being_id)

    assert rows_read(tx, "memory_nodes", lambda: steps.flag_dying(tx, being.being_id)) <= ORDER_OF_TEN
    (row,) = tx.execute("select count(*) as dying from memory.memory_nodes where status = 'dying'")
    assert row["dying"] == CONCERNED


def test_flagging_walks_the_index_of_what_fades(tx, being):
    steps.raise_counter(tx, being.being_id)
    statement = re.search(r"update memory\.memory_nodes.*?;", body(tx, "flag_dying_nodes"), re.DOTALL)[0]
    statement = statement.replace("p_being_id", "%(being)s").replace("v_counter", "%(counter)s")

    (scan, *rest) = [
        plan for plan in scans(tx, statement, {"being": being.being_id, "counter": 1}) if "Scan" in plan["Node Type"]
    ]

    assert not rest
    assert scan["Index Name"] == "memory_nodes_fading"
    assert scan["Actual Rows"] == CONCERNED
    assert scan["Shared Hit Blocks"] + scan["Shared Read Blocks"] <= ORDER_OF_TEN


def test_a_session_that_has_planned_often_goes_on_reading_little(tx, being):
    steps.raise_counter(tx, being.being_id)
    for _ in range(10):  # the sixth execution is the first that may use a plan made for any parameters
        steps.flag_dying(tx, being.being_id)
        steps.revive_dead(tx, being.being_id)

    assert rows_read(tx, "memory_nodes", lambda: steps.flag_dying(tx, being.being_id)) == 0
    assert rows_read(tx, "memory_nodes", lambda: steps.revive_dead(tx, being.being_id)) == 0


def test_activating_looks_up_what_was_found(tx, being):
    rows = tx.execute("select node_id from memory.memory_nodes limit 3").fetchall()
    found = [row["node_id"] for row in rows]
    for _ in range(10):  # plans that are kept included
        assert rows_read(tx, "memory_nodes", lambda: activate(tx, being.being_id, found)) <= ORDER_OF_TEN


def test_session_counts_rise_with_one_row(tx, being):
    assert rows_read(tx, "memory_nodes", lambda: steps.raise_counter(tx, being.being_id)) == 0
    assert rows_read(tx, "beings", lambda: steps.raise_counter(tx, being.being_id)) <= 2


def test_revival_reads_only_what_revives(tx, being):
    tx.execute(
        "update memory.memory_nodes as n set status = 'dead', final_session_count = 0, session_count_base = null,"
        " reactivations_at_death = 0, reactivation_count = case when place <= %s then 2 else 0 end"
        " from (select node_id, row_number() over (order by node_id desc) as place from memory.memory_nodes) as ranked"
        " where n.being_id = %s and n.node_id = ranked.node_id and place <= %s",
        [CONCERNED, being.being_id, 50 * CONCERNED],
    )

    assert rows_read(tx, "memory_nodes", lambda: steps.revive_dead(tx, being.being_id)) <= ORDER_OF_TEN
    (row,) = tx.execute("select count(*) as active from memory.memory_nodes where status = 'active'")
    assert row["active"] == BYSTANDERS - 49 * CONCERNED


def test_the_sweep_passes_over_what_is_done(tx, being):
    for key in range(CONCERNED):
        work.ask(tx, being.being_id, CURATE, str(key))
    tx.execute("update memory.work set dispatched_at = null where dispatched_at is not null")

    assert rows_read(tx, "work", lambda: work.take_due(tx, limit=1000)) <= ORDER_OF_TEN
    assert work.take_due(tx, limit=1000) == []
    assert rows_read(tx, "work", lambda: metrics.unknown_due(tx)) <= ORDER_OF_TEN


def test_a_claim_reads_its_own_row(tx, being):
    work.ask(tx, being.being_id, CURATE)

    def claim():
        assert work.claim(tx, being.being_id, CURATE.name, "", lease=timedelta(seconds=30), attempts=5)

    assert rows_read(tx, "work", claim) <= 5


def test_pending_notes_are_counted_among_the_pending(tx, being):
    assert rows_read(tx, "notes", lambda: notes.pending(tx, being.being_id, 1000)) == 0


def test_a_run_finds_its_notes_among_the_stamped(tx, being):
    assert rows_read(tx, "notes", lambda: notes.stamped(tx, being.being_id, being.being_id)) == 0


def test_new_nodes_are_aged_without_reading_the_others(tx, being):
    rows = tx.execute(
        "update memory.notes set ages_from = memory.now() - interval '3 days' where being_id = %s and note_id in"
        " (select note_id from memory.notes where being_id = %s order by note_id limit %s) returning note_id",
        [being.being_id, being.being_id, CONCERNED],
    )
    aged = [row["note_id"] for row in rows]

    def age():
        nodes.age_new(tx, being.being_id, aged, timedelta(days=1))

    assert CONCERNED <= rows_read(tx, "memory_nodes", age) <= ORDER_OF_TEN
    assert rows_read(tx, "notes", age) <= ORDER_OF_TEN
