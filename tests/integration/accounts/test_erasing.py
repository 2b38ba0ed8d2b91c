"""Erased words are in no table any more, and what was made of them is made again or gone too."""

import json
from datetime import timedelta

import pytest

from memory.accounts.erasure import erase_being, erase_messages, erase_user
from memory.intake import retraction
from memory.intake.messages import accept_messages
from memory.intake.notes import accept_notes
from memory.nodes import node_erasure
from memory.nodes.creation import embed_scenes, read_scenes
from memory.nodes.node_erasure import erase_node, erase_note
from providers.embedders import Embedders
from schemas.errors import LeaseLost, NotFound
from schemas.ledger.kinds import ACTIVATE, CLEAN_STREAMS
from schemas.settings import Settings
from schemas.talk.retraction import MessageSelection
from store.accounts import beings
from store.intake import notes
from store.ledger import retention, work
from store.nodes import nodes
from store.patrol import runs
from tests.full_being import fill, tables_with
from tests.scenes import make_topic, make_user, note, remember, root, seen, words

MINUTE = timedelta(minutes=1)
# What the user's own texts stand in: no Being's, and said to none.
OF_THE_USER = {
    "mutes": 1,
    "user_models": 1,
    "user_seeds": 1,
    "vault_records": 1,
    "facts": 1,
    "fact_statements": 1,
    "fact_evidence": 1,
    "entity_aliases": 1,
    "entity_labels": 1,
}
# The streams may hold something addressed to a Being that is gone.
CLEANINGS = {"work": 2}


@pytest.fixture
def embedders():
    return Embedders(Settings(embedder="minilm"))


@pytest.fixture
def companion(store, user):
    """A Being without vectors yet, whose embedder is there to be asked."""
    with store.transaction() as tx:
        being = beings.add_being(tx, user.user_id, "companion", "Companion")
        beings.adopt_model(tx, being.being_id, "all-MiniLM-L6-v2")
        return beings.get_being(tx, being.being_id)


def test_of_an_erased_being_no_word_is_left_but_its_users_own(store, being):
    fill(store, being, "marzipan")
    erased = erase_being(store, being)
    assert (erased.nodes, erased.notes, erased.messages, erased.facts, erased.vault_records) == (3, 7, 4, 3, 1)
    with store.transaction() as tx:
        assert tables_with(tx, "marzipan") == OF_THE_USER
        assert tables_with(tx, str(being.being_id)) == CLEANINGS


def test_of_an_erased_user_no_word_is_left(store, being, user):
    fill(store, being, "marzipan")
    erased = erase_user(store, user)
    assert (erased.beings, erased.facts) == (1, 4)
    with store.transaction() as tx:
        assert tables_with(tx, "marzipan") == {}
        assert tables_with(tx, str(user.user_id)) == {}


def test_others_keep_what_they_have(store, being, user):
    fill(store, being, "marzipan")
    with store.transaction() as tx:
        other = make_user(tx)
        others = beings.add_being(tx, other.user_id, "other", "Other")
        beings.adopt_model(tx, others.being_id, "three-d")
    fill(store, others, "nougat")
    with store.transaction() as tx:
        before = tables_with(tx, "nougat")
    erase_being(store, being)
    erase_user(store, user)
    with store.transaction() as tx:
        assert tables_with(tx, "nougat") == before


def test_a_being_that_is_erased_while_a_step_runs_leaves_no_work(store, being):
    with store.transaction() as tx:
        run_id = runs.want(tx, being.being_id, demanded=True, notes=10)
        claim = work.claim(tx, being.being_id, "patrol.embed", str(run_id), lease=MINUTE, attempts=1)
    erase_being(store, being)
    with pytest.raises(LeaseLost), store.finishing(claim):
        pass
    with store.transaction() as tx:
        assert tables_with(tx, str(being.being_id)) == CLEANINGS
    with pytest.raises(NotFound):
        erase_being(store, being)


def test_work_whose_owner_is_gone_is_cleared(store, being):
    with store.transaction() as tx:
        work.ask(tx, being.being_id, ACTIVATE)
        tx.execute("delete from memory.beings where being_id = %s", [being.being_id])
        assert retention.remove_orphaned(tx, timedelta(0), 10) == 1


def absorbed_scene(store, being):
    """A memory that took in two others, one of which is to be erased, and is told of beside them."""
    with store.transaction() as tx:
        kept, freed, erased = remember(
            tx,
            being,
            words("Bread was baked."),
            words("Flour came."),
            words("Marzipan was bought."),
            cluster=root(tx, being),
        )
        tx.execute("update memory.node_vectors set vector = %s", [f"[{','.join(['0.05'] * 384)}]"])
        response = tx.value(
            "insert into memory.model_responses"
            " (user_id, being_id, kind, key, prompt_hash, purpose, model, completion, retained)"
            " values (%s, %s, 'patrol.consolidate', 'r', 'x', 'consolidate', 'any', 'marzipan', true)"
            " returning response_id",
            [being.user_id, being.being_id],
        )
        tx.execute("select set_config('memory.response_id', %s, true)", [str(response)])
        tx.execute("select memory.absorb_nodes(%s, %s, %s)", [being.being_id, kept, [freed, erased]])
        scene = {"action": "Bread with marzipan was baked.", "actors": ["Mira"], "when": ["2026-03-02"]}
        tx.execute(
            "update memory.memory_nodes set scene = %s::jsonb, text_hash = 'of marzipan'"
            " where being_id = %s and node_id = %s",
            [json.dumps(scene), being.being_id, kept],
        )
        tx.execute(
            "insert into memory.diary (being_id, day, text, run_id, last_node_id)"
            " values (%s, '2026-03-02', 'Marzipan!', uuidv7(), %s), (%s, '2026-03-03', 'Rain.', uuidv7(), uuidv7())",
            [being.being_id, erased, being.being_id],
        )
        tx.execute("insert into memory.souls (being_id, think_md) values (%s, 'marzipan')", [being.being_id])
        make_topic(tx, being, "Marzipan", [kept], named_from=[kept, erased])
    return kept, freed, erased


def test_an_erased_memory_leaves_no_word_and_who_had_taken_it_in_says_its_own_again(store, companion, embedders):
    kept, freed, erased = absorbed_scene(store, companion)
    done = erase_node(store, Settings(), embedders, companion, erased)
    assert done.model_dump() == {
        "nodes": 1,
        "notes": 1,
        "reworded": 1,
        "parted": 1,
        "diary_entries": 1,
        "renamed": 1,
    }
    with store.transaction() as tx:
        assert tables_with(tx, "marzipan") == {}
        assert nodes.get(tx, companion.being_id, erased) is None
        assert seen(tx, companion, kept).scene["action"] == "Bread was baked."
        free = seen(tx, companion, freed)
        assert (free.status, free.fresh, free.absorbed_into) == ("active", True, None)
        assert tx.value("select count(*) from memory.diary where being_id = %s", [companion.being_id]) == 1
        # The vector of its own words is the memory's, and is not kept for a memory to come.
        assert tx.value("select count(*) from memory.embeddings") == 0


def test_a_version_that_comes_while_its_message_is_erased_goes_too(store, companion, embedders, monkeypatch):
    said = {"id": "m1", "role": "user", "content": "I live in Quince Street."}
    erased = accept_messages(store, Settings(), companion.being_id, [said]).ids
    plan = node_erasure.plan

    def edited_meanwhile(*planned):
        monkeypatch.undo()
        selection = MessageSelection(ids=["m1"])
        retraction.retract(store, Settings(), embedders, [companion], selection)
        accept_messages(store, Settings(), companion.being_id, [{**said, "content": "I live in Medlar Street."}])
        return plan(*planned)

    monkeypatch.setattr(node_erasure, "plan", edited_meanwhile)
    assert erase_messages(store, Settings(), embedders, [companion], erased).messages == 2
    with store.transaction() as tx:
        assert tables_with(tx, "Medlar") == {}


def test_a_memory_goes_with_what_it_took_in(store, companion, embedders):
    kept, _, _ = absorbed_scene(store, companion)
    assert erase_node(store, Settings(), embedders, companion, kept).nodes == 3
    with store.transaction() as tx:
        assert tables_with(tx, "marzipan") == tables_with(tx, "flour") == {}
        sums = tx.execute("select nodes, vector_state from memory.clusters where being_id = %s", [companion.being_id])
        assert {(row["nodes"], *row["vector_state"]) for row in sums} == {(0, 0)}
    with pytest.raises(NotFound):
        erase_node(store, Settings(), embedders, companion, kept)


def test_a_note_that_is_erased_while_it_is_embedded_does_not_come_back(store, companion, embedders):
    with store.transaction() as tx:
        scene = {"actors": ["Mira"], "when": ["2026-03-02"]}
        two = [note({"action": f"{what} came.", **scene}) for what in ("Marzipan", "Rye")]
        notes.insert(tx, companion.being_id, two)
        run_id = runs.want(tx, companion.being_id, demanded=True, notes=10)
        stamped = notes.stamped(tx, companion.being_id, run_id)
    scenes = read_scenes(stamped, [], lambda _: {})
    remembered = embed_scenes(store, embedders.wanted, companion.being_id, scenes)
    assert erase_note(store, Settings(), embedders, companion, two[0].note_id).notes == 1
    with store.transaction() as tx:
        runs.lock_for_step(tx, companion.being_id, run_id)
        assert remembered.keep(tx, companion.being_id, run_id, Settings().tick)["nodes"] == 1
        assert tables_with(tx, "marzipan") == {}
    with pytest.raises(NotFound):
        erase_note(store, Settings(), embedders, companion, two[0].note_id)


@pytest.mark.parametrize(
    ("accept", "item"),
    [
        (accept_notes, {"type": "knowledge", "content": "Locks.", "title": "Doors"}),
        (accept_notes, {"type": "scene", "content": "They met."}),
        (accept_messages, {"role": "user", "content": "Hello."}),
    ],
)
def test_who_hands_in_while_a_being_is_erased_is_told_that_it_is_gone(store, being, accept, item):
    erase_being(store, being)
    with pytest.raises(NotFound, match="no such Being"):
        accept(store, Settings(), being.being_id, [item])
    with store.transaction() as tx:
        kinds = tx.execute("select distinct kind from memory.work where owner_id = %s", [being.being_id]).fetchall()
    assert [row["kind"] for row in kinds] == [CLEAN_STREAMS.name]
