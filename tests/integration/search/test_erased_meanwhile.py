"""Words erased while they are indexed or wait for their vector leave nothing behind, and let all else go on."""

from concurrent.futures import ThreadPoolExecutor

from store.search import queue
from store.talk import retraction
from workers.embedded.processes import wait_until

PATIENCE = 30


def waits(store, count):
    """Whether so many transactions wait for a lock."""

    def are_waiting():
        with store.transaction() as tx:
            return tx.value("select count(*) from pg_locks where not granted") == count

    return wait_until(are_waiting, PATIENCE)


def test_a_message_that_is_erased_while_its_indexing_commits_waits_for_no_vector(on, store, being):
    on.tell(being, "Lavender is something else.")
    on.settle(being)
    ids = on.tell(being, "The combination is lavender.")

    with ThreadPoolExecutor(2) as pool:
        with store.transaction() as tx:
            tx.execute("select from memory.search_terms where owner_id = %s for update", [being.being_id])
            indexing = pool.submit(on.index, being.being_id)
            assert waits(store, 1)
            erasing = pool.submit(erase, store, being, ids)
            assert waits(store, 2)
        indexing.result(PATIENCE)
        erasing.result(PATIENCE)

    with store.transaction() as tx:
        assert queue.unindexed(tx, [being.being_id], ["message"]) == 0
    assert on.texts(being, "lavender") == ["Lavender is something else."]


def test_what_is_gone_keeps_nothing_behind_it_from_its_vector(on, store, being):
    on.tell(being, "The combination is lavender.")
    on.index(being.being_id)
    with store.transaction() as tx:
        # More than one portion, before what waits in truth.
        tx.execute("create temporary table waits on commit drop as select * from memory.search_queue")
        tx.execute("delete from memory.search_queue")
        tx.execute(
            "insert into memory.search_queue (owner_id, stage, kind, item_id)"
            " select %s, 'meaning', 'message', uuidv7() from generate_series(1, 1000)",
            [being.being_id],
        )
        tx.execute("insert into memory.search_queue select * from waits")
    for _ in range(1 + 1000 // on.embedders.wanted.portion):
        on.embed(being.being_id)

    with store.transaction() as tx:
        assert queue.unindexed(tx, [being.being_id], ["message"]) == 0
        assert tx.value("select count(*) from memory.search_vectors") == 1


def erase(store, being, ids):
    with store.transaction() as tx:
        retraction.erase(tx, being.being_id, ids)
