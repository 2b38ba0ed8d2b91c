"""A request's key is sent what came with it, and what its Being knows; nothing that waits, nothing of others.

Each test says words with a key or without, lets workers think, and looks at which words went to which account.
"""

from datetime import timedelta
from hashlib import sha256

import pytest

from memory.intake.messages import accept_messages
from memory.intake.notes import accept_notes
from memory.llm import keys
from memory.nodes.curation import correct
from memory.talk.judging import MESSAGES_AT_ONCE
from providers.embedders import Embedders
from providers.thinkers import Thinkers
from store.accounts import beings
from tests.conversations import Talk
from tests.models.thinking import KEY as PLATFORM
from tests.models.thinking import REFERENCE, thinking_life

BROUGHT = "sk-ant-of-the-request-0123456789"
ANOTHER = "sk-ant-of-another-request-0123456"
SECRET = "one secret of thirty-two letters or more"  # noqa: S105  # of these tests alone


@pytest.fixture
def life(store, user):
    """A Being whose platform pays, unless a test says otherwise."""
    with thinking_life(store, user, topic_birth=False, secret_key=SECRET, judge_messages=1) as made:
        yield made


@pytest.fixture
def brought(life, user):
    """The id of a key that came with a request."""
    return lambda key=BROUGHT: keys.store_request_key(life.store, life.settings, user.user_id, "anthropic", key)


@pytest.fixture
def talk(life):
    """A conversation with the same Being."""
    with life.store.transaction() as tx:
        being = beings.get_being(tx, life.being_id)
    return lambda settings=life.settings: Talk(
        life.store, life.provider, being, settings, Thinkers(settings), Embedders(settings)
    )


@pytest.fixture
def keyless(life):
    """The settings of a platform without a key of its own."""
    return life.settings.model_copy(update={"anthropic_api_key": None})


def says(life, *words, key=None):
    """Send messages in one request, with a key or without."""
    said = [{"role": "user", "content": word} for word in words]
    assert not accept_messages(life.store, life.settings, life.being_id, said, paid_by=key).rejected


def tells(life, *words, key=None):
    """Hand scenes in by one request, with a key or without."""
    scenes = [{"action": word, "actors": ["Pip"], "when": ["2026-03-02"]} for word in words]
    notes = [{"type": "scene", "content": scene} for scene in scenes]
    assert not accept_notes(life.store, life.settings, life.being_id, notes, paid_by=key).rejected


def seen(life, key=BROUGHT):
    """All that was sent to the account behind a key."""
    hashed = sha256(key.encode()).hexdigest()
    return " ".join(request.prompt for request in life.answers.asked if request.key_sha256 == hashed)


def test_a_key_pays_for_judging_what_came_with_it(life, brought, talk):
    says(life, "I love marzipan.", key=brought())
    talk().judged()

    assert "marzipan" in seen(life)
    assert seen(life, PLATFORM) == ""


def test_what_waits_already_is_not_judged_by_a_key_that_comes_later(life, brought, talk):
    says(life, "I love marzipan.")
    says(life, "I love nougat.", key=brought())
    talk().judged()

    assert seen(life) == ""
    assert "marzipan" in seen(life, PLATFORM)
    assert "nougat" in seen(life, PLATFORM)


def test_two_keys_that_each_came_with_a_part_pay_for_nothing(life, brought, talk):
    says(life, "I love marzipan.", key=brought())
    says(life, "I love nougat.", key=brought(ANOTHER))
    talk().judged()

    assert seen(life) == seen(life, ANOTHER) == ""


def test_messages_that_wait_for_a_key_are_not_sent_as_context(life, brought, talk, keyless):
    says(life, "I love marzipan.")
    talk(keyless).judged()
    says(life, "I love nougat.", key=brought())
    talk(keyless).judged()

    assert "nougat" in seen(life)
    assert "marzipan" not in seen(life)
    assert talk().unjudged() == 1


@pytest.mark.parametrize("waits_already", [True, False])
def test_many_messages_without_a_key_do_not_hold_up_one_with_a_key(life, brought, talk, keyless, waits_already):
    says(life, *(f"I love marzipan {number}." for number in range(MESSAGES_AT_ONCE)))
    if waits_already:
        talk(keyless).judged()
    says(life, "I love nougat.", key=brought())
    talk(keyless).judged()

    assert "nougat" in seen(life)
    assert "marzipan" not in seen(life)
    assert talk().unjudged() == MESSAGES_AT_ONCE


def test_nor_its_summaries(life, brought, talk, keyless):
    says(life, *(f"I love marzipan {number}." for number in range(MESSAGES_AT_ONCE)))
    says(life, *(f"I love nougat {number}." for number in range(4)), key=brought())
    life.answers.said["RollingSummary"] = {"summary": "They love it."}
    talk(keyless).summed_up()

    assert "nougat 3" in seen(life)
    assert "marzipan" not in seen(life)


def test_no_summary_of_words_that_came_without_the_key_is_paid_by_it(life, brought, talk, keyless, clock):
    says(life, *(f"I love marzipan {number}." for number in range(3)))
    says(life, *(f"I love nougat {number}." for number in range(3)), key=brought())
    talk(keyless).judged()
    clock.advance(hours=1)
    says(life, "A new day.")
    talk(keyless).summed_up()

    assert "marzipan" not in seen(life)
    summed = [request for request in life.answers.asked if request.purpose in {"RollingSummary", "ClosedSession"}]
    assert summed == [], "three are too few for the one, and the other goes whole or not at all"


def test_a_rolling_summary_takes_in_what_the_key_pays_for(life, brought, talk, keyless):
    says(life, *(f"I love marzipan {number}." for number in range(4)))
    says(life, *(f"I love nougat {number}." for number in range(4)), key=brought())
    life.answers.said["RollingSummary"] = {"summary": "They love it."}
    talk(keyless).summed_up()

    assert "nougat 3" in seen(life)
    assert "marzipan" not in seen(life)
    with life.store.transaction() as tx:
        left = tx.execute("select content from memory.messages where rolling_version is null").fetchall()
    assert [row["content"][:15] for row in left] == ["I love marzipan"] * 4


def test_a_patrol_of_what_came_with_the_key_is_paid_by_it(life, brought):
    tells(life, "The roof leaks", "The roof drips", key=brought())
    life.patrol()

    assert {"Consolidation", "DiaryPages"} <= {request.purpose for request in life.answers.asked}
    assert seen(life, PLATFORM) == ""
    assert "roof" in seen(life)


def test_notes_of_others_in_the_same_patrol_are_not_sent_to_the_key(life, brought):
    tells(life, "The roof leaks")
    tells(life, "The cellar is wet", key=brought())
    life.patrol()

    assert seen(life) == ""
    assert "roof" in seen(life, PLATFORM)


def test_fresh_memories_of_an_earlier_patrol_wait_for_another_key(life, brought):
    life.answers.said["Classification"] = lambda material: {"business": REFERENCE.findall(material), "private": []}
    # Examples of the root Private, so that the first patrol, without a model, puts them there.
    tells(life, "The cat stole a piece of fish from the table.", "Twice the cat stole a piece of fish from the table.")
    life.patrol(anthropic_api_key=None)
    tells(life, "A ship came in", "A ship went out", key=brought())
    life.patrol(anthropic_api_key=None)

    assert "ship" in seen(life)
    assert "fish" not in seen(life)
    assert {node.scene["action"][:6] for node in life.nodes() if node.fresh} == {"The ca", "Twice "}


def test_a_demand_hands_nothing_in_so_that_a_key_could_pay_for_nothing(life, brought):
    tells(life, "The roof leaks", "The roof drips", key=brought())
    tells(life, "The cellar is wet", key=brought(ANOTHER))
    life.patrol()

    assert seen(life) == seen(life, ANOTHER) == ""


def test_a_memory_that_a_person_reworded_did_not_come_with_the_key(life, brought):
    tells(life, "The roof leaks", "The roof drips", key=brought())
    life.patrol(anthropic_api_key=None, request_key_life=timedelta(0))
    life.answers.asked.clear()
    node = life.node("The roof leaks")
    correct(life.store, Embedders(life.settings), life.being_id, node.node_id, {"action": "The safe is open"})
    with life.store.transaction() as tx:
        tx.execute("update memory.memory_nodes set fresh = true where being_id = %s", [life.being_id])
    life.patrol()

    assert seen(life) == ""
    assert "safe" in seen(life, PLATFORM)
