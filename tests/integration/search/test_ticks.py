"""Ticks work off what waits to be indexed; where two of them meet, no task follows."""

from datetime import timedelta

from memory.search import indexing
from store.database import Store
from store.search import queue

LEASE = timedelta(minutes=1)


def test_what_one_tick_has_begun_another_leaves_to_it(on, being, url, monkeypatch):
    on.tell(being, "Plum jam.")
    # Each read the list before the other began.
    monkeypatch.setattr(queue, "owners_waiting", lambda *_: [being.being_id])
    index, sent = indexing.index, []

    def index_beside_another_tick(store, claim):
        monkeypatch.setattr(indexing, "index", index)
        indexing.index_waiting(store, LEASE, attempts=3)
        index(store, claim)

    monkeypatch.setattr(indexing, "index", index_beside_another_tick)
    with Store(url, send=sent.extend) as store:
        indexing.index_waiting(store, LEASE, attempts=3)

    assert sent == []
    assert on.texts(being, "plum", kinds=["message"]) == ["Plum jam."]
