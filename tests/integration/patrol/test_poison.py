"""Whatever comes in, it stands alone: nothing that one note holds, or one person does, stops the others."""

from datetime import timedelta

import pytest

from memory.intake.notes import accept_notes
from providers.embedders import Embedders
from schemas.errors import NotFound
from schemas.ledger.kinds import CURATE
from schemas.settings import Settings
from store.accounts import beings, users
from store.intake import notes
from store.ledger import retention, work
from store.patrol import runs
from tests.models.walking import ATTEMPTS, LEASE, walk_patrol
from tests.scenes import make_user

SETTINGS = Settings(embedder="minilm")


@pytest.fixture(scope="module")
def embedders():
    return Embedders(SETTINGS)


@pytest.fixture
def being_id(store):
    with store.transaction() as tx:
        return beings.add_being(tx, make_user(tx).user_id, "mizzen", "Mizzen").being_id


def scene(content):
    return {"type": "scene", "content": content}


@pytest.mark.parametrize(
    "poison",
    [
        '{"action": "Too many digits.", "actors": [], "when": [], "importance": ' + "1" * 5000 + "}",
        "[" * 5000,
        '{"action": "No number.", "actors": [], "when": [], "importance": NaN}',
    ],
    ids=["digits", "nesting", "NaN"],
)
def test_a_poisonous_note_is_marked_and_the_others_are_remembered(store, embedders, being_id, poison):
    good = {"action": "Mira baked buns.", "actors": ["Mira"], "when": ["2026-03-02"]}
    accept_notes(store, SETTINGS, being_id, [scene(poison), scene(good)])
    run = walk_patrol(store, embedders, SETTINGS, being_id)
    assert (run.state, run.steps["embed"]["nodes"], run.steps["embed"]["parse_failed"]) == ("done", 1, 1)


@pytest.mark.parametrize("escape", ["\\u0000", "\\ud800", "\\ude00\\ud83d"])
def test_a_note_with_characters_that_are_none_is_remembered(store, embedders, being_id, escape):
    accept_notes(store, SETTINGS, being_id, [scene(f'{{"action": "Mira {escape} baked.", "actors": [], "when": []}}')])
    run = walk_patrol(store, embedders, SETTINGS, being_id)
    assert (run.steps["embed"]["nodes"], run.steps["embed"]["parse_failed"]) == (1, 0)


@pytest.mark.parametrize(
    "moment", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00", "2026-03-02T12:00:00+23:59"]
)
def test_no_moment_that_is_taken_breaks_a_later_reading(store, being_id, moment):
    items = [{"type": "reminder", "content": "Call.", "due_at": moment}, {"type": "todo", "content": "Bake."}]
    accepted = accept_notes(store, SETTINGS, being_id, items)
    assert accepted.accepted + len(accepted.rejected) == 2
    with store.transaction() as tx:
        kept = notes.page(tx, being_id, state=None, after=None, limit=10)
    assert "Bake." in [note.content for note in kept]


def test_what_backs_off_is_not_hurried_by_others(store, being_id):
    with store.transaction() as tx:
        work.ask(tx, being_id, CURATE)
        claim = work.claim(tx, being_id, CURATE.name, "", lease=LEASE, attempts=ATTEMPTS)
        work.back_off(tx, claim, wait=timedelta(minutes=10), error="busy")
        assert not work.ask(tx, being_id, CURATE)
        assert work.claim(tx, being_id, CURATE.name, "", lease=LEASE, attempts=ATTEMPTS) is None


def test_removing_a_user_in_the_middle_of_a_step_leaves_no_work(store, being_id):
    with store.transaction() as tx:
        run_id = runs.want(tx, being_id, demanded=True, notes=10)
        claim = work.claim(tx, being_id, "patrol.embed", str(run_id), lease=LEASE, attempts=1)
        user_id = beings.get_being(tx, being_id).user_id
    with store.transaction() as tx:
        gone = users.erase_user(tx, user_id)
    with pytest.raises(NotFound), store.finishing(claim) as tx:
        runs.lock_for_step(tx, being_id, run_id)
    with store.transaction() as tx:
        assert runs.end(tx, being_id, run_id, notes=10, error="its Being is gone") is None
        retention.remove_all(tx, gone)
        assert work.state(tx, being_id, "patrol.embed", str(run_id)) is None
