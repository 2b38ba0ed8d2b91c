"""The call that summarises a closed session also draws scene notes from its messages, each message once."""

import json
import random
from datetime import UTC, datetime, timedelta

import pytest

from memory.accounts import erasure
from memory.context.rag_context import embed_message
from memory.context.selection import retrieve
from memory.intake import retraction
from memory.intake.notes import accept_notes
from memory.nodes import curation
from memory.nodes.node_erasure import erase_node
from memory.talk import session_summary
from memory.upkeep import periodic
from operations.accounts.beings import change_being
from providers.errors import Transient
from providers.thinkers import Thinkers
from schemas.accounts.accounts import BeingChanges
from schemas.ledger import kinds
from schemas.limits import SESSION_SCENES
from schemas.settings import Settings
from schemas.talk.retraction import MessageSelection
from store.accounts import beings
from store.intake import notes
from store.nodes import nodes
from tests.conversations import Talk, fact
from tests.fakes.provider import Behaviour
from tests.models.indexed import embed, index
from tests.models.walking import walk_patrol

BEGIN = datetime(2026, 3, 2, 12, tzinfo=UTC)
MOVED = ("I moved to Lisbon.", "I live in Alfama now.", "Isn't it lovely?")
SUMMARY = {
    "one_liner": "They talked.",
    "what_mattered": [],
    "open_loops": [],
    "commitments": [],
    "people": [],
    "tone": "calm",
}


@pytest.fixture
def talk(talk: Talk) -> Talk:
    """Scenes are drawn, as without any setting."""
    assert Settings().scenes == "auto"
    talk.settings = talk.settings.model_copy(update={"scenes": "auto", "join_short_sessions": True})
    with talk.store.transaction() as tx:
        tx.execute("update memory.beings set embedding_model = null where being_id = %s", [talk.being.being_id])
        talk.being = beings.get_being(tx, talk.being.being_id)
    return talk


def said_in(session, *contents, role="user", minutes=0):
    return [
        {
            "role": role,
            "content": content,
            "created_at": (BEGIN + timedelta(hours=session, minutes=minutes + place)).isoformat(),
        }
        for place, content in enumerate(contents)
    ]


def scene(*messages, action="The user moved to Lisbon.", **changes):
    usual = {
        "messages": list(messages),
        "action": action,
        "quote": None,
        "actors": ["the user"],
        "setting": None,
        "feeling": None,
        "themes": ["home"],
        "importance": 0.5,
        "realm": "real",
    }
    return usual | changes


def draws(talk, *scenes, when=None):
    said = json.dumps({**SUMMARY, "scenes": scenes})
    talk.provider.script(Behaviour(do="answer", on="messages", when=when, text=said))


def closed(talk):
    talk.do_due(talk.being.being_id, kinds.SESSION_SUMMARY, session_summary.summarise)


def wanted(talk):
    return [request.material.split("<scenes-wanted>\n")[1].split("\n")[0] for request in asked(talk)]


def asked(talk):
    return talk.provider.asked("SessionWithScenes")


def drawn(talk):
    """The scenes as notes, in order."""
    with talk.store.transaction() as tx:
        return notes.page(tx, talk.being.being_id, state=None, after=None, limit=100)


def actions(talk):
    return [note.content["action"] for note in drawn(talk)]


def marks(talk):
    with talk.store.transaction() as tx:
        rows = tx.execute(
            "select drawn from memory.messages where being_id = %s order by created_at", [talk.being.being_id]
        ).fetchall()
    return [row["drawn"] for row in rows]


def patrolled(talk):
    walk_patrol(talk.store, talk.embedders, talk.settings, talk.being.being_id, talk.thinkers)
    with talk.store.transaction() as tx:
        return nodes.page(tx, talk.being.being_id, limit=100)[::-1]


def rests_on(talk, node):
    return [one.content for one in curation.story(talk.store, talk.being.being_id, node.node_id).messages]


def chat(talk, *contents, session=0):
    """A session that is closed by the next one's first message."""
    ids = talk.says(*said_in(session, *(contents or MOVED)))
    talk.says(*said_in(session + 5, "."))
    return ids


def test_the_call_that_summarises_a_session_draws_its_scenes(talk):
    chat(talk)
    draws(talk, scene("m1", "m2", quote="I live in Alfama now.", feeling="I am glad.", importance=0.7))
    closed(talk)
    assert len(asked(talk)) == 1
    assert talk.provider.asked("ClosedSession") == []
    (note,) = drawn(talk)
    assert (note.origin, note.state) == ("talk", "pending")
    assert note.content == {
        "action": "The user moved to Lisbon.",
        "actors": ["the user"],
        "when": ["2026-03-02"],
        "dialogue": ["I live in Alfama now."],
        "feeling": "I am glad.",
        "importance": 0.7,
        "themes": ["home"],
    }
    assert marks(talk) == [True, True, True, False]


def test_a_patrol_makes_a_memory_of_it_which_tells_the_words_that_it_rests_on(talk):
    chat(talk)
    draws(talk, scene("m1", "m2"))
    closed(talk)
    (node,) = patrolled(talk)
    assert node.scene["action"] == "The user moved to Lisbon."
    assert rests_on(talk, node) == ["I moved to Lisbon.", "I live in Alfama now."]


@pytest.mark.parametrize(
    "unfounded",
    [
        scene(),
        scene("m9"),
        scene("m2"),
        scene("m1", action="The user moved in 1999."),
        scene("m1", action=" "),
        scene("m1", realm="elsewhere"),
        scene("m1", actors=["x" * 301], themes=[""], action=""),
    ],
)
def test_a_scene_without_evidence_is_dropped_and_the_summary_stays(talk, unfounded):
    talk.says(*said_in(0, "I moved to Lisbon."), *said_in(0, "You did!", role="assistant", minutes=1))
    talk.says(*said_in(0, "And I like it.", minutes=2), *said_in(2, "."))
    draws(talk, unfounded, scene("m3", action="The user likes it."))
    closed(talk)
    assert actions(talk) == ["The user likes it."]
    assert len(asked(talk)) == 1


def test_a_scene_rests_on_the_messages_that_exist(talk):
    chat(talk)
    draws(talk, scene("m1", "m9"))
    closed(talk)
    assert actions(talk) == ["The user moved to Lisbon."]


def test_a_session_has_at_most_six_scenes_over_all_portions(talk):
    chat(talk, *(f"This is message {place} of a long evening." for place in range(120)))
    for _ in range(3):
        draws(talk, *(scene(f"m{place}", action="Something happened.") for place in range(1, 8)))
    closed(talk)
    assert wanted(talk) == ["2", "3", "1"]
    assert len(drawn(talk)) == SESSION_SCENES
    talk.says(*said_in(0, "One more thing.", minutes=121))
    closed(talk)
    assert len(drawn(talk)) == SESSION_SCENES
    assert len(asked(talk)) == len(talk.provider.asked("ClosedSession")) == 3


def test_what_a_portion_leaves_the_later_ones_may_have(talk):
    chat(talk, *(f"This is message {place} of a long evening." for place in range(120)))
    closed(talk)
    assert wanted(talk) == ["2", "4", "6"]


def test_late_messages_are_drawn_from_once(talk):
    chat(talk)
    draws(talk, scene("m1"))
    closed(talk)
    talk.says(*said_in(0, "My cat came along.", minutes=5))
    draws(talk, scene("m1", action="The cat came along."))
    closed(talk)
    assert actions(talk) == ["The user moved to Lisbon.", "The cat came along."]
    late = asked(talk)[1].material
    assert 'ref="m1" own="u4" by="user" at="2026-03-02 12:05"' in late
    assert "ref=" not in late.split("My cat")[0].rsplit("<message ", 1)[0]
    assert marks(talk) == [True, True, True, True, False]


def test_short_sessions_are_drawn_from_in_their_joint_call(talk):
    talk.says(*(one for session in range(20) for one in said_in(session, f"I saw heron {session} at the pond.")))
    talk.says(*said_in(20, "."))
    talk.summed_up()
    (question,) = talk.provider.asked("SessionsWithScenes")
    assert len(set(question.material.split('ref="m')[1:])) == 20
    assert sum(marks(talk)) == 20


def test_a_game_is_drawn_as_one_and_shown_as_one(talk):
    chat(talk)
    draws(talk, scene("m1", action="The user slew a dragon.", realm="role-play"))
    closed(talk)
    (node,) = patrolled(talk)
    assert node.scene["realm"] == "role-play"
    assert "[role-play] The user slew a dragon." in curation.story(talk.store, talk.being.being_id, node.node_id).text


@pytest.mark.parametrize(
    ("setting", "own", "expected"),
    [("off", None, 0), ("off", "on", 1), ("on", "off", 0), ("auto", None, 1), ("auto", "off", 0)],
)
def test_a_beings_own_choice_comes_before_the_setting(talk, setting, own, expected):
    talk.settings = talk.settings.model_copy(update={"scenes": setting})
    change_being.call(talk, talk.being, BeingChanges(scenes=own))
    chat(talk)
    closed(talk)
    assert len(asked(talk)) == expected
    assert len(talk.provider.asked("ClosedSession")) == 1 - expected


def own_scene(talk, origin="producer", day="2026-03-02"):
    content = {"action": "Rain.", "actors": ["Pip"], "when": [day]}
    note = {"type": "scene", "content": content}
    accept_notes(talk.store, talk.settings, talk.being.being_id, [note], origin=origin)


@pytest.mark.parametrize(
    ("setting", "origin", "day", "expected"),
    [
        ("auto", "producer", "2026-03-02", 0),
        ("auto", "producer", "2026-03-03", 1),
        ("auto", "mcp", "2026-03-02", 1),
        ("auto", "import", "2026-03-02", 1),
        ("on", "producer", "2026-03-02", 1),
    ],
)
def test_auto_leaves_a_session_to_a_producer_with_scenes_of_its_own(talk, setting, origin, day, expected):
    talk.settings = talk.settings.model_copy(update={"scenes": setting})
    own_scene(talk, origin, day)
    chat(talk)
    closed(talk)
    assert len(asked(talk)) == expected
    assert any(marks(talk)) == bool(expected)


def test_erasing_a_message_removes_its_scenes_and_draws_from_the_others_again(talk):
    talk.settings = talk.settings.model_copy(update={"join_short_sessions": False})
    first, _, _ = chat(talk)
    draws(talk, scene("m1", "m2"), scene("m3", action="It is lovely."))
    closed(talk)
    assert len(patrolled(talk)) == 2
    erased = erasure.erase_messages(talk.store, talk.settings, talk.embedders, [talk.being], [first])
    assert erased.scenes == 1
    assert actions(talk) == ["It is lovely."]
    assert marks(talk) == [False, True, False]
    draws(talk, scene("m1", action="The user lives in Alfama."))
    closed(talk)
    assert actions(talk) == ["It is lovely.", "The user lives in Alfama."]


def test_a_memory_that_took_in_an_erased_scene_returns_to_its_own_words(talk):
    first, _, _ = chat(talk)
    draws(talk, scene("m1"), scene("m3", action="It is lovely."))
    closed(talk)
    gone, survivor = patrolled(talk)
    with talk.store.transaction() as tx:
        tx.execute(
            "update memory.memory_nodes set status = 'dead', absorbed_into = %s, final_session_count = 0,"
            " session_count_base = null, reactivations_at_death = 0 where node_id = %s",
            [survivor.node_id, gone.node_id],
        )
        tx.execute(
            'update memory.memory_nodes set pinned = true, scene = scene || \'{"action": "Lovely Lisbon."}\''
            " where node_id = %s",
            [survivor.node_id],
        )
    assert rests_on(talk, survivor) == ["I moved to Lisbon.", "Isn't it lovely?"]
    erasure.erase_messages(talk.store, talk.settings, talk.embedders, [talk.being], [first])
    with talk.store.transaction() as tx:
        (left,) = nodes.page(tx, talk.being.being_id, limit=9)
    assert (left.node_id, left.pinned, left.scene["action"]) == (survivor.node_id, True, "It is lovely.")


def test_a_person_who_erases_a_memory_gets_it_back_by_no_later_drawing(talk):
    chat(talk)
    draws(talk, scene("m1", "m2"))
    closed(talk)
    (node,) = patrolled(talk)
    erase_node(talk.store, talk.settings, talk.embedders, talk.being, node.node_id)
    talk.says(*said_in(0, "It is home now.", minutes=4))
    draws(talk, scene("m1"), scene("m1", action="It is home."))
    closed(talk)
    assert actions(talk) == ["It is home."]


def test_what_was_answered_before_a_kill_is_not_paid_for_again(talk, monkeypatch):
    chat(talk)
    draws(talk, scene("m1"))

    def killed(*_args, **_kwargs):
        raise Transient("killed")

    with monkeypatch.context() as patched:
        patched.setattr("memory.talk.scene_drawing.keep", killed)
        with pytest.raises(Transient):
            closed(talk)
    assert drawn(talk) == []
    assert marks(talk) == [False] * 4
    # What arrives meanwhile changes no question of the interrupted work.
    own_scene(talk)
    with talk.store.transaction() as tx:
        tx.execute("update memory.work set state = 'ready', lease_until = null where state = 'running'")
    closed(talk)
    assert len(asked(talk)) == 1
    assert sorted(actions(talk)) == ["Rain.", "The user moved to Lisbon."]


def test_without_a_key_the_session_waits_and_nothing_is_marked(talk):
    talk.settings = talk.settings.model_copy(update={"anthropic_api_key": None, "thinker": "none"})
    talk.thinkers = Thinkers(talk.settings)
    chat(talk)
    closed(talk)
    assert not any(marks(talk))
    assert drawn(talk) == []


def test_the_choice_is_shown_with_the_being(talk):
    change_being.call(talk, talk.being, BeingChanges(scenes="off"))
    with talk.store.transaction() as tx:
        assert beings.get_being(tx, talk.being.being_id).scenes == "off"
    change_being.call(talk, talk.being, BeingChanges(scenes=None))
    with talk.store.transaction() as tx:
        assert beings.get_being(tx, talk.being.being_id).scenes is None


def told_and_drawn(talk):
    """A fact and a memory of one message, and a memory of another; returns the messages' ids."""
    ids = talk.says(*said_in(0, "I moved to Lisbon.", "I adopted a cat called Miso.", "It is lovely to be here."))
    talk.answers(fact("I moved to Lisbon.", "The user lives in Lisbon."))
    talk.judged()
    talk.says(*said_in(5, "."))
    draws(talk, scene("m1"), scene("m2", action="The user adopted a cat called Miso."))
    closed(talk)
    assert len(patrolled(talk)) == 2
    talk.embedded()
    index(talk.store, talk.being.being_id, talk.being.user_id)
    embed(talk.store, talk.embedders, talk.being.being_id, talk.being.user_id)
    return ids


def retrieved(talk, in_prompt=frozenset()):
    """The memories that come to mind beside a prompt that shows these messages."""
    with talk.store.transaction() as tx:
        being = beings.get_being(tx, talk.being.being_id)
        question = "I moved to Lisbon, and what is my cat Miso up to?"
        message = embed_message(talk.embedders, being, question, being.embedding_model, being.embedding_model)
        return retrieve(tx, talk.settings, being, message, random.Random(1), 1500, in_prompt, in_prompt)


def times_told(found):
    """How often Lisbon and Miso are in what comes to mind."""
    texts = [piece.text for piece in found.pieces()]
    return [sum("Lisbon" in text for text in texts), sum("Miso" in text for text in texts)]


def test_a_context_shows_the_same_words_once(talk):
    """As a fact, else as a memory, else as a passage."""
    told_and_drawn(talk)
    found = retrieved(talk)
    assert times_told(found) == [1, 1]
    assert [node.scene["action"] for node in found.recalled.nodes] == ["The user adopted a cat called Miso."]


def test_a_context_repeats_nothing_that_rests_on_what_the_prompt_shows(talk):
    moved, adopted, lovely = told_and_drawn(talk)
    assert times_told(retrieved(talk, frozenset({moved, adopted, lovely}))) == [0, 0]
    assert times_told(retrieved(talk, frozenset({adopted}))) == [1, 0]
    # The memory comes to mind in place of the fact only if something that the prompt lacks is in it.
    assert times_told(retrieved(talk, frozenset({moved}))) == [0, 1]
    # What was told elsewhere as well is no repetition.
    with talk.store.transaction() as tx:
        tx.execute(
            """
            insert into memory.fact_evidence (user_id, statement_id, being_id, message_id, span, told_at)
            select user_id, statement_id, being_id, %s, span, told_at from memory.fact_evidence where message_id = %s
            """,
            [lovely, moved],
        )
    assert [one.content for one in retrieved(talk, frozenset({moved})).retrieved.facts] == ["The user lives in Lisbon."]


def test_a_pinned_fact_is_shown_beside_the_words_it_rests_on(talk):
    moved, *_ = told_and_drawn(talk)
    with talk.store.transaction() as tx:
        tx.execute("update memory.facts set pinned = true where user_id = %s", [talk.being.user_id])
    found = retrieved(talk, frozenset({moved}))
    assert [one.content for one in found.facts] == ["The user lives in Lisbon."]
    assert found.retrieved.facts == []


def test_a_scene_has_the_day_that_was_spoken_of_beside_the_words(talk):
    talk.says(*said_in(0, "Yesterday I moved to Lisbon.", "I live in Alfama now.", "Isn't it lovely?"))
    talk.says(*said_in(2, "Hello again."))
    draws(talk, scene("m1"), scene("m2", action="Lives in Alfama."))
    closed(talk)
    with talk.store.transaction() as tx:
        rows = tx.execute("select content from memory.notes where being_id = %s", [talk.being.being_id]).fetchall()
    spoken, plain = sorted((row["content"]["when"] for row in rows), key=len, reverse=True)
    (day,) = plain
    before = datetime.fromisoformat(day) - timedelta(days=1)
    assert spoken == [f"{before:%Y-%m-%d}", f"\u201cYesterday\u201d, said on {day}"]


def test_what_is_handed_in_as_aged_has_aged_by_the_ticks_since(talk, clock):
    now = clock.now()
    old = now - timedelta(days=100)
    content = {"action": "It rained.", "actors": ["Pip"], "when": [f"{old:%Y-%m-%d}"], "importance": 0.5}
    items = [{"type": "scene", "content": content, "aged": True}, {"type": "scene", "content": content}]
    accept_notes(talk.store, talk.settings, talk.being.being_id, items)
    talk.says(
        {"role": "user", "content": "I moved.", "created_at": old.isoformat(), "aged": True},
        {"role": "user", "content": "To Lisbon.", "created_at": old.isoformat()},
        {"role": "user", "content": "With a cat.", "created_at": old.isoformat()},
        {"role": "user", "content": "Now.", "created_at": now.isoformat()},
    )
    talk.settings = talk.settings.model_copy(update={"scenes": "on"})
    draws(talk, scene("m1"))
    closed(talk)
    counts = sorted(node.session_count for node in patrolled(talk))
    # This patrol counts as well.
    assert counts[0] == 1
    assert counts[1:] in ([100, 101], [101, 101], [101, 102])


def test_what_is_taken_back_is_still_aged_when_it_is_restored(talk, clock):
    """A scene that is drawn again from restored messages has the age that it would have had."""
    old = clock.now() - timedelta(days=40)

    def births():
        with talk.store.transaction() as tx:
            return [
                row["ages_from"]
                for row in tx.execute("select ages_from from memory.notes where being_id = %s", [talk.being.being_id])
            ]

    talk.says(
        {"id": "a", "role": "user", "content": MOVED[0], "created_at": old.isoformat(), "aged": True},
        {"id": "b", "role": "user", "content": MOVED[1], "created_at": old.isoformat(), "aged": True},
        {"id": "c", "role": "user", "content": MOVED[2], "created_at": old.isoformat()},
    )
    periodic.end_idle_sessions(talk.store, talk.settings)
    draws(talk, scene("m1"))
    closed(talk)
    assert births() == [old]

    selection = MessageSelection(ids=["a"])
    told = retraction.retract(talk.store, talk.settings, talk.embedders, [talk.being], selection)
    assert (told.rebuilds.scenes, births()) == (1, [])
    retraction.restore(talk.store, talk.settings, [talk.being], selection)
    draws(talk, scene("m1"))
    closed(talk)
    assert births() == [old]


def test_an_aged_scene_needs_a_date(talk):
    content = {"action": "It rained.", "actors": ["Pip"], "when": ["long ago"]}
    receipt = accept_notes(
        talk.store, talk.settings, talk.being.being_id, [{"type": "scene", "content": content, "aged": True}]
    )
    assert "needs a date" in receipt.rejected[0].reason
