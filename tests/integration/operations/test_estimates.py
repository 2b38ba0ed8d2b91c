"""A Being that came after the tables were analyzed is worked on as fast as those that ANALYZE has seen."""

import pytest

from store.database import Store
from store.intake import notes
from store.nodes import nodes
from store.patrol import runs, steps
from store.talk import scenes
from tests.scenes import MODEL, make_being, make_user, note, words

SEEN = 3_000
NEW = 400
# A row is read to be found, changed and checked. If all were read for each, one table would have 80,000 reads and more.
FEW_TIMES = 40 * NEW
CONVERSATION = """
    with session as (
        insert into memory.sessions (being_id, session_id, started_at, last_activity_at)
        values (%(being)s, uuidv7(), memory.now(), memory.now())
        returning session_id
    ),
    said as (
        insert into memory.messages (being_id, message_id, session_id, role, content, content_hash, created_at)
        select %(being)s, uuidv7(), session_id, 'user', 'Said.', '', memory.now()
        from session, generate_series(1, %(many)s)
        returning message_id, session_id
    ),
    drawn as (
        insert into memory.notes (being_id, note_id, type, content, content_hash, state)
        select %(being)s, message_id, 'scene', '{}', '', 'remembered' from said
        returning note_id
    ),
    resting as (
        insert into memory.scene_messages (being_id, note_id, message_id)
        select %(being)s, note_id, note_id from drawn
    )
    select session_id from session
"""


@pytest.fixture(scope="module")
def analyzed(new_database):
    """A ledger that knew one Being when its tables were analyzed."""
    with new_database() as url, Store(url) as store:
        with store.transaction() as tx:
            being = make_being(tx, make_user(tx))
            remember(tx, being, SEEN)
            tx.execute(CONVERSATION, {"being": being.being_id, "many": SEEN})
        with store.transaction() as tx:
            tx.execute("analyze")
        yield store


@pytest.fixture
def tx(analyzed):
    """A transaction of which nothing is kept."""
    with analyzed.transaction() as tx:
        yield tx
        tx.rollback()


@pytest.fixture
def being(tx):
    """A Being that the statistics do not know."""
    return make_being(tx, make_user(tx))


def remember(tx, being, count):
    """Let a patrol take in so many notes."""
    new = [note({"action": f"Scene {number}"}) for number in range(count)]
    notes.insert(tx, being.being_id, new)
    run_id = runs.want(tx, being.being_id, demanded=True, notes=count)
    nodes.insert(tx, being.being_id, run_id, MODEL, [(one.note_id, words(str(one.content))) for one in new])
    notes.mark_remembered(tx, being.being_id, run_id, [one.note_id for one in new])
    unassigned = steps.unassigned(tx, being.being_id, MODEL)
    vectors = {node.node_id: node.vector for node in unassigned}
    steps.assign(tx, being.being_id, MODEL, vectors, dict.fromkeys(vectors, "Private"))
    runs.end(tx, being.being_id, run_id, notes=count)


def rows_read(tx, statement):
    """How many rows of all tables the server fetched while the statement ran, by table."""

    def counts():
        rows = tx.execute(
            "select relname, seq_tup_read + coalesce(idx_tup_fetch, 0) as rows"
            " from pg_stat_xact_all_tables where schemaname = 'memory'"
        )
        return {row["relname"]: row["rows"] for row in rows}

    before = counts()
    statement()
    return {table: rows - before.get(table, 0) for table, rows in counts().items() if rows > before.get(table, 0)}


def test_a_newcomers_patrol_reads_its_notes_and_nodes_a_few_times(tx, being):
    remember(tx, being, NEW)

    read = rows_read(tx, lambda: remember(tx, being, NEW))

    assert read["notes"] > NEW
    assert max(read.values()) <= FEW_TIMES, read


def test_scenes_of_a_newcomers_session_are_counted_among_its_messages(tx, being):
    (row,) = tx.execute(CONVERSATION, {"being": being.being_id, "many": NEW})
    counted = {}

    read = rows_read(tx, lambda: counted.update(scenes.count(tx, being.being_id, [row["session_id"]])))

    assert counted == {row["session_id"]: NEW}
    assert max(read.values()) <= FEW_TIMES, read


def test_analyzing_leaves_the_estimate_of_an_owners_rows(tx):
    rows = tx.execute(
        "select c.relname, s.n_distinct, s.most_common_vals::text as listed, a.attstattarget"
        " from pg_index as i"
        " join pg_class as c on c.oid = i.indrelid and c.relnamespace = 'memory'::regnamespace"
        " join pg_attribute as a on a.attrelid = c.oid and a.attnum = i.indkey[0]"
        " left join pg_stats as s on s.schemaname = 'memory' and s.tablename = c.relname and s.attname = a.attname"
        " where i.indisprimary and i.indnkeyatts > 1 and a.attname in ('being_id', 'user_id', 'owner_id')"
    ).fetchall()

    assert {"notes", "memory_nodes", "messages", "facts", "work"} <= {row["relname"] for row in rows}
    (kinds,) = tx.execute("select cardinality(enum_range(null::memory.search_kind)) as count")
    for row in rows:
        of_an_owner = kinds["count"] if row["relname"] == "search_statistics" else 1000
        assert row["n_distinct"] == pytest.approx(-1 / of_an_owner), row["relname"]
        assert row["listed"] is None, row["relname"]
        assert row["attstattarget"] == 0, row["relname"]
