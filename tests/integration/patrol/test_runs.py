"""A Being has one patrol at a time, and requests that come meanwhile are served by one more run."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from uuid import UUID, uuid4

import pytest

from schemas.errors import NotFound
from store.intake import notes
from store.ledger import work
from store.patrol import runs
from tests.scenes import make_being, note

MANY = 1000


@pytest.fixture
def want(store, being, sent):
    """Want a patrol; says which run will do it, and whether it began."""

    def wanting(*, demanded=True, at_most=MANY):
        with store.transaction() as tx:
            run_id = runs.want(tx, being.being_id, demanded=demanded, notes=at_most)
        return run_id, [UUID(message.key) for message in sent.take()] == [run_id]

    return wanting


@pytest.fixture
def end(store, being, sent):
    """End a run; says which began then."""

    def ending(run_id, **how):
        with store.transaction() as tx:
            began = runs.end(tx, being.being_id, run_id, notes=MANY, **how)
        begun = [UUID(message.key) for message in sent.take()]
        assert begun == ([began] if began else [])
        return begun

    return ending


@pytest.fixture
def look(store, being):
    """A run as it is now."""

    def looking(run_id):
        with store.transaction() as tx:
            return runs.get(tx, being.being_id, run_id)

    return looking


@pytest.fixture
def send(store, being):
    """Send notes in, oldest first; says their ids."""

    def sending(*contents, **changes):
        new = [note(content, note_id=ordered(), **changes) for content in contents]
        with store.transaction() as tx:
            notes.insert(tx, being.being_id, new)
        return [each.note_id for each in new]

    def ordered():
        with store.transaction() as tx:
            return tx.execute("select uuidv7() as id").fetchone()["id"]

    return sending


@pytest.fixture
def stamped(store, being):
    """The notes that a run works on."""

    def looking(run_id):
        with store.transaction() as tx:
            return [each.note_id for each in notes.stamped(tx, being.being_id, run_id)]

    return looking


def states(store, being):
    with store.transaction() as tx:
        return [run.state for run in runs.newest(tx, being.being_id, 10)]


def test_a_wanted_run_begins_at_once_and_asks_for_its_first_step(store, being, want, look):
    run_id, began = want()

    assert began
    assert look(run_id).state == "running"
    with store.transaction() as tx:
        assert runs.under_way(tx, being.being_id, run_id)["kind"] == "patrol.embed"


def test_wanting_during_a_run_queues_exactly_one_more(store, being, want):
    want()
    second, began = want()
    assert not began

    assert want() == (second, False)
    assert want() == (second, False)
    assert states(store, being) == ["queued", "running"]


def test_the_run_that_waits_begins_when_the_one_before_it_ends(want, end, look):
    first, _ = want()
    second, _ = want()

    assert end(first) == [second]
    assert (look(first).state, look(second).state) == ("done", "running")
    assert end(second) == []


def test_a_demand_makes_a_waiting_run_a_demanded_one(want, look):
    want(demanded=False)
    second, _ = want(demanded=False)
    assert not look(second).demanded

    want(demanded=True)
    assert look(second).demanded
    want(demanded=False)
    assert look(second).demanded


def test_of_many_who_want_a_run_at_once_one_begins_it_and_all_others_share_the_next(store, being, want):
    crowd = 6
    together = Barrier(crowd)

    def demand():
        together.wait()
        return want()

    with ThreadPoolExecutor(crowd) as pool:
        wanted = [future.result() for future in [pool.submit(demand) for _ in range(crowd)]]

    assert sorted(began for _, began in wanted) == [False] * (crowd - 1) + [True]
    assert len({run_id for run_id, _ in wanted}) == 2
    assert states(store, being) == ["queued", "running"]


def test_ending_a_run_twice_ends_it_once(want, end, look):
    first, _ = want()
    second, _ = want()
    end(first)

    assert end(first, error="too late") == []
    assert (look(first).state, look(second).state) == ("done", "running")


def test_a_run_takes_the_notes_that_wait_when_it_begins_and_no_others(want, send, stamped):
    before = send("One.", "Two.")
    run_id, _ = want()
    send("Three.")

    assert stamped(run_id) == before


def test_a_waiting_run_takes_what_came_until_it_begins(want, end, send, stamped):
    first, _ = want()
    second, _ = want()
    late = send("Late.")

    end(first)

    assert stamped(second) == late


def test_a_run_takes_no_more_than_it_may_and_the_oldest_first(want, send, stamped):
    oldest, *_ = send("One.", "Two.", "Three.")
    run_id, _ = want(at_most=1)

    assert stamped(run_id) == [oldest]


def test_what_was_imported_in_bulk_waits_for_what_lives(want, send, stamped):
    send("An old diary page.", bulk=True)
    (live,) = send("Just now.")
    run_id, _ = want(at_most=1)

    assert stamped(run_id) == [live]


def test_only_scenes_are_for_the_patrol(want, send, stamped):
    send("Buy bread.", type="todo")
    run_id, _ = want()

    assert stamped(run_id) == []


def test_a_failed_run_gives_back_the_notes_that_it_did_not_remember(store, being, want, end, look, send, stamped):
    first_note, second_note = send("One.", "Two.")
    failed, _ = want()
    with store.transaction() as tx:
        notes.mark_remembered(tx, being.being_id, failed, [first_note])

    end(failed, error="a step was poisonous")

    assert (look(failed).state, look(failed).error) == ("failed", "a step was poisonous")
    again, _ = want()
    assert stamped(again) == [second_note]


def test_a_failed_run_frees_the_being_for_the_run_that_waits(want, end, send, stamped):
    (only,) = send("One.")
    failed, _ = want()
    waiting, _ = want()

    assert end(failed, error="a step was poisonous") == [waiting]
    assert stamped(waiting) == [only]


def test_a_run_keeps_the_time_at_which_it_began(want, look, clock):
    run_id, _ = want()
    as_of = look(run_id).as_of
    clock.advance(days=2)

    assert look(run_id).as_of == as_of
    assert clock.now() - as_of >= timedelta(days=2)


def test_beings_are_patrolled_side_by_side(store, user, want, sent):
    want()
    with store.transaction() as tx:
        other = make_being(tx, user)
        runs.want(tx, other.being_id, demanded=True, notes=MANY)

    assert [message.owner_id for message in sent] == [other.being_id]


def test_a_run_for_an_unknown_being_is_refused(store):
    with pytest.raises(NotFound), store.transaction() as tx:
        runs.want(tx, uuid4(), demanded=True, notes=MANY)


def test_a_step_reports_what_it_did(store, being, want, look):
    run_id, _ = want()
    with store.transaction() as tx:
        claim = work.claim(tx, being.being_id, "patrol.embed", str(run_id), lease=timedelta(seconds=30), attempts=5)
    with store.finishing(claim) as tx:
        runs.note_step(tx, being.being_id, run_id, "embed", {"outcome": "done", "nodes": 3})

    assert look(run_id).steps["embed"]["nodes"] == 3
    assert "finished_at" in look(run_id).steps["embed"]


def test_a_tick_is_due_once_a_tick_of_the_domains_time_has_passed(store, being, clock):
    tick = timedelta(hours=24)
    with store.transaction() as tx:
        assert runs.tick_due(tx, being.being_id, tick)
        tx.execute("select memory.increment_session_counts(%s)", [being.being_id])
    clock.advance(hours=23)
    with store.transaction() as tx:
        assert not runs.tick_due(tx, being.being_id, tick)
    clock.advance(hours=1)
    with store.transaction() as tx:
        assert runs.tick_due(tx, being.being_id, tick)
        assert runs.beings_due(tx, tick, 10) == [being.being_id]
