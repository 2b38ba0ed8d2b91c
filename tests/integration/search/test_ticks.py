"""Ticks index and embed what waits of many owners; where two of them meet, no task follows."""

from datetime import timedelta
from time import monotonic
from uuid import uuid4

import pytest

from memory.search import embedding, indexing
from memory.search.ticks import take_turns
from schemas.ledger.kinds import INDEX_WORDS
from store.accounts import beings
from store.database import Store
from store.ledger import work
from tests.scenes import make_user

LEASE = timedelta(minutes=1)


class Counted(Store):
    """A store that counts its transactions."""

    transactions = 0

    def transaction(self, **options):
        self.transactions += 1
        return super().transaction(**options)


@pytest.fixture
def new_being(store):
    """Adds a Being of a user of its own."""

    def add():
        with store.transaction() as tx:
            return beings.add_being(tx, make_user(tx).user_id, "wren", "Wren")

    return add


@pytest.fixture
def sent():
    return []


@pytest.fixture
def ticking(url, sent):
    with Counted(url, send=sent.extend) as store:
        yield store


def test_what_one_tick_has_begun_another_leaves_to_it(on, being, ticking, sent):
    on.tell(being, "Plum jam.")
    with ticking.transaction() as tx:
        (begun,) = work.begin_idle(tx, [being.being_id], INDEX_WORDS, lease=LEASE)
        # Each has read the list before the other began.
        assert work.begin_idle(tx, [being.being_id], INDEX_WORDS, lease=LEASE) == []

    indexing.index_waiting(ticking, LEASE)
    assert on.texts(being, "plum", kinds=["message"]) == []
    indexing.index(ticking, begun)

    assert on.texts(being, "plum", kinds=["message"]) == ["Plum jam."]
    assert sent == []


def test_many_owners_take_one_tick_no_more_transactions_than_one(on, new_being, ticking, sent):
    few = new_being()
    on.tell(few, "Plum jam.")
    indexing.index_waiting(ticking, LEASE)
    of_one, ticking.transactions = ticking.transactions, 0
    many = [new_being() for _ in range(20)]
    for each in many:
        on.tell(each, "Plum jam.", "Pear jam.")

    indexing.index_waiting(ticking, LEASE)

    assert all("Pear jam." in on.texts(each, "pear", kinds=["message"]) for each in many)
    # The owners before and behind the random one with whom a tick begins are read in turn.
    assert ticking.transactions <= 2 * of_one
    assert sent == []


def test_more_owners_than_a_portion_holds_are_all_indexed_by_one_tick(on, new_being, ticking, monkeypatch):
    monkeypatch.setattr(indexing, "MOST_OWNERS", 2)
    monkeypatch.setattr(indexing, "PORTION", 2)
    monkeypatch.setattr(indexing, "LEAST_OF_EACH", 1)
    told = [new_being() for _ in range(5)]
    for each in told:
        on.tell(each, "Plum jam.", "Pear jam.", "Fig jam.")

    indexing.index_waiting(ticking, LEASE)

    assert all(len(on.texts(each, "jam", kinds=["message"])) == 3 for each in told)


def test_a_text_that_fails_gives_each_owner_beside_it_a_task_of_its_own(on, new_being, ticking, sent, monkeypatch):
    sound, broken = new_being(), new_being()
    on.tell(sound, "Plum jam.")
    on.tell(broken, "Broken jam.")
    of = indexing.text_of

    def failing(kind, content, feeling):
        if "Broken" in content:
            raise ValueError("unreadable")
        return of(kind, content, feeling)

    monkeypatch.setattr(indexing, "text_of", failing)

    indexing.index_waiting(ticking, LEASE)

    assert {(one.owner_id, one.kind) for one in sent} == {(each.being_id, INDEX_WORDS.name) for each in (sound, broken)}
    for each in (sound, broken):
        with ticking.transaction() as tx:
            claim = work.claim(tx, each.being_id, INDEX_WORDS.name, "", lease=LEASE, attempts=3)
        if each is sound:
            indexing.index(ticking, claim)
        else:
            with pytest.raises(ValueError, match="unreadable"):
                indexing.index(ticking, claim)
    assert on.texts(sound, "plum", kinds=["message"]) == ["Plum jam."]


def test_a_tick_waits_for_nobody_who_changes_the_documents_of_one_owner(on, new_being, ticking, store):
    busy, idle = new_being(), new_being()
    for each in (busy, idle):
        on.tell(each, "Plum jam.")
        on.settle(each)
        on.tell(each, "Pear jam.")
    with store.transaction() as tx:
        tx.execute("select from memory.search_statistics where owner_id = %s for update", [busy.being_id])
        indexing.index_waiting(ticking, LEASE)
        assert "Pear jam." in on.texts(idle, "pear", kinds=["message"])
        assert "Pear jam." not in on.texts(busy, "pear", kinds=["message"])

    indexing.index_waiting(ticking, LEASE)

    assert "Pear jam." in on.texts(busy, "pear", kinds=["message"])


def test_an_item_that_another_transaction_has_locked_is_left(on, being, ticking, store):
    on.tell(being, "Plum jam.")
    on.settle(being)
    on.tell(being, "Pear jam.", "Fig jam.")
    with store.transaction() as tx:
        locked = tx.value(
            "select item_id from memory.search_queue where stage = 'words' order by item_id limit 1 for update",
        )
        indexing.index_waiting(ticking, LEASE)
        left = tx.value("select item_id from memory.search_queue where stage = 'words'")

    indexing.index_waiting(ticking, LEASE)

    assert left == locked
    assert {"Fig jam.", "Pear jam."} <= set(on.texts(being, "pear fig", kinds=["message"]))


def test_work_that_is_given_up_is_not_begun(on, being, ticking):
    on.tell(being, "Plum jam.")
    with ticking.transaction() as tx:
        (claim,) = work.begin_idle(tx, [being.being_id], INDEX_WORDS, lease=LEASE)
        work.fail(tx, claim, attempts=1, error="It failed.")

    indexing.index_waiting(ticking, LEASE)

    assert on.texts(being, "plum", kinds=["message"]) == []


def test_work_is_not_begun_for_an_owner_who_is_gone(ticking):
    with ticking.transaction() as tx:
        assert work.begin_idle(tx, [uuid4()], INDEX_WORDS, lease=LEASE) == []


def test_an_owner_costs_a_tick_that_embeds_four_transactions(on, new_being, ticking, sent):
    told = [new_being() for _ in range(3)]
    for each in told:
        on.tell(each, "Plum jam.")
        on.index(each.being_id)
    embedding.embed_waiting(ticking, on.embedders, LEASE)

    assert all(on.texts(each, "marmalade", kinds=["message"]) == ["Plum jam."] for each in told)
    # Those behind the random owner with whom a tick begins are listed, then those before it, and then nobody.
    assert ticking.transactions <= 4 * len(told) + 4
    assert sent == []


def test_each_owner_is_served_whoever_is_the_first():
    owners = sorted(uuid4() for _ in range(7))
    firsts = set()
    for _ in range(100):
        served = []

        def serve_after(after, served=served):
            page = [owner for owner in owners if owner > after and owner not in served][:2]
            served += page
            return page[-1] if page else None

        take_turns(serve_after, ends=monotonic() + 60)
        assert sorted(served) == owners
        firsts.add(served[0])
    assert len(firsts) > 1


def test_nobody_is_served_when_the_turn_is_over():
    take_turns(lambda _: pytest.fail("served"), ends=monotonic() - 1)
