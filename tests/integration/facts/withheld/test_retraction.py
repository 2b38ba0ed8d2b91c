"""Retracted words were never said: retraction, restoration, edits, and what is derived again."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from pydantic import ValidationError

from memory.accounts import erasure
from memory.intake import retraction
from memory.intake.messages import accept_messages
from memory.intake.retraction import ErasedForGood
from memory.talk import judging, session_summary, sessions
from memory.talk.context_provenance import record_context
from memory.upkeep import periodic
from schemas.accounts.accounts import Being
from schemas.errors import NotFound
from schemas.ledger import kinds
from schemas.talk.retraction import MessageSelection
from store.accounts import users
from store.facts import facts, todos
from store.ledger import work
from store.llm import calls, responses
from store.talk import messages
from store.talk import retraction as stored
from store.talk import rolling as session_states
from tests.conversations import fact, judgement, todo
from tests.fakes.provider import Behaviour
from tests.scenes import make_being, make_user

DAY = "2026-03-02T"
DIARY = "The piano was out of tune all morning, and he played the slow movement twice."


def said(id_, minute, content, role="user", conversation=None):
    """A message at so many minutes past noon."""
    moment = f"{DAY}{12 + minute // 60:02}:{minute % 60:02}:00+00:00"
    message = {"id": id_, "role": role, "content": content, "created_at": moment}
    return message | ({"conversation": conversation} if conversation else {})


@pytest.fixture
def retract(talk):
    """Retract messages by their ids, or as a selection says."""
    return lambda *ids, **selection: retraction.retract(
        talk.store,
        talk.settings,
        talk.embedders,
        [talk.being],
        MessageSelection(ids=list(ids) or None, **selection),
    )


@pytest.fixture
def restore(talk):
    """Restore messages by their ids, or as a selection says."""
    return lambda *ids, **selection: retraction.restore(
        talk.store, talk.settings, [talk.being], MessageSelection(ids=list(ids) or None, **selection)
    )


@pytest.fixture
def accept(talk):
    """Hand messages in; returns the receipt."""
    return lambda *items: accept_messages(talk.store, talk.settings, talk.being.being_id, items)


@pytest.fixture
def standing(talk):
    """The contents of the sessions, in order."""

    def of_sessions():
        being_id = talk.being.being_id
        with talk.store.transaction() as tx:
            found = sorted(messages.sessions(tx, being_id, before=None, limit=100), key=lambda one: one.started_at)
            told = [(one, messages.of_session(tx, being_id, one.session_id)) for one in found]
        for session, within in told:
            assert session.turn_count == sum(message.role != "other" for message in within)
            assert (session.started_at, session.last_activity_at) == (within[0].created_at, within[-1].created_at)
        return [[message.content for message in within] for _, within in told]

    return of_sessions


def test_a_selection_of_ids_in_a_conversation_leaves_other_conversations_alone(accept, retract, restore, standing):
    accept(said("a", 0, "One.", conversation="x"), said("b", 1, "Two.", conversation="y"))
    answer = retract("a", "b", "c", conversation="x")
    assert (answer.retracted, answer.unchanged, answer.awaited) == (1, 2, 0)
    assert standing() == [["Two."]]
    retract("b")
    answer = restore("a", "b", "c", conversation="y")
    assert (answer.restored, answer.unknown) == (1, [0, 2])
    assert standing() == [["Two."]]


def test_a_conversation_is_taken_back_but_for_what_is_kept(accept, retract, restore, standing):
    accept(*(said(id_, minute, f"{id_}.", conversation="x") for minute, id_ in enumerate("abcd")), said("e", 9, "e."))
    assert retract(conversation="x", after="a", keep=["c", "nothing"]).retracted == 2
    assert standing() == [["a.", "c."], ["e."]]
    assert restore(conversation="x", keep=["b"]).restored == 1
    assert standing() == [["a.", "c.", "d."], ["e."]]


def test_a_retracted_message_is_gone_with_its_facts_and_comes_back_with_them(talk, retract, restore, standing):
    talk.says(said("a", 0, "I love green tea."), said("b", 1, "I live in Lyon."))
    talk.answers(
        fact("I love green tea"),
        fact("I live in Lyon", message="m2", entities=[{"type": "thing", "name": "home"}]),
    )
    talk.judged()
    assert talk.contents() == ["I love green tea", "I live in Lyon"]

    talk.answers(fact("I live in Lyon", entities=[{"type": "thing", "name": "home"}]))
    answer = retract("a")
    talk.judged()

    assert (answer.retracted, answer.unchanged, answer.awaited) == (1, 0, 0)
    assert answer.rebuilds.messages == 1
    assert standing() == [["I live in Lyon."]]
    assert talk.contents() == ["I live in Lyon"]

    talk.answers(fact("I love green tea"))
    assert restore("a").restored == 1
    talk.judged()
    assert standing() == [["I love green tea.", "I live in Lyon."]]
    assert sorted(talk.contents()) == ["I live in Lyon", "I love green tea"]


def test_messages_judged_beside_a_retracted_one_are_judged_again_without_it(talk, retract):
    """A user's yes means something else when the question was never asked."""
    talk.says(said("q", 0, "Do you live in Lyon?", role="assistant"), said("a", 1, "Yes."))
    talk.answers(fact("Yes", "Lives in Lyon.", message="m2"))
    talk.judged()
    assert talk.contents() == ["Lives in Lyon."]

    talk.answers()
    assert retract("q").rebuilds.messages == 1
    talk.judged()

    assert talk.contents() == []
    assert talk.unjudged() == 0
    assert "Lyon" not in talk.provider.requests[-1].body


def test_a_fact_that_is_found_again_keeps_its_id_and_its_pin(talk, retract):
    talk.says(said("q", 0, "So?", role="assistant"), said("a", 1, "I love green tea."))
    talk.answers(fact("I love green tea", message="m2"))
    talk.judged()
    (before,) = talk.facts()
    with talk.store.transaction() as tx:
        facts.pin(tx, talk.being.user_id, before.fact_id, pinned=True)

    talk.answers(fact("I love green tea", "Loves green tea."))
    retract("q")
    talk.judged()

    (after,) = talk.facts()
    assert (after.fact_id, after.content, after.pinned) == (before.fact_id, "Loves green tea.", True)


def test_words_that_a_context_has_shown_since_are_still_those_of_their_message(talk, retract):
    """A context shows passages of earlier talk: a message that is judged again is no echo of itself."""
    words = "My sister Ana keeps two old goats behind the house in Porto."
    talk.says(said("q", 0, "So?", role="assistant"), said("a", 1, words))
    talk.answers(fact(words, message="m2"))
    talk.judged()
    with talk.store.transaction() as tx:
        record_context(tx, talk.being.being_id, "externalDialog", [words])

    talk.answers(fact(words))
    retract("q")
    talk.judged()

    assert talk.contents() == [words]


def test_an_edit_may_repeat_what_a_context_showed_of_the_words_before(talk, retract):
    words = "My sister Ana keeps two old goats behind the house in {}."
    talk.says(said("a", 0, words.format("Porto")))
    with talk.store.transaction() as tx:
        record_context(tx, talk.being.being_id, "externalDialog", [words.format("Porto"), DIARY])
    talk.says(said("echo", 1, f"You said: {DIARY}", role="assistant"))

    retract("a", "echo")
    talk.says(said("a", 0, words.format("Braga")))
    talk.answers(fact(words.format("Braga")), fact("out of tune", message="m2"))
    talk.says(said("b", 2, DIARY))
    talk.judged()

    assert talk.contents() == [words.format("Braga")]


def test_a_todo_that_is_found_again_keeps_what_a_person_did_with_it(talk, retract):
    talk.says(said("q", 0, "So?", role="assistant"), said("a", 1, "I'll call the dentist, and water the plants."))
    talk.answers(
        todos=(
            todo("I'll call the dentist", "Call the dentist", message="m2"),
            todo("water the plants", "Water the plants", message="m2"),
        )
    )
    talk.judged()
    first, second = talk.todos()
    with talk.store.transaction() as tx:
        todos.change(tx, talk.being.being_id, first.todo_id, {"content": "Call Dr Lee", "pinned": True})
        todos.change(tx, talk.being.being_id, second.todo_id, {"status": "DONE"})

    talk.answers(todos=(todo("I'll call the dentist", "Call a dentist"), todo("water the plants", "Water the plants")))
    retract("q")
    talk.judged()

    kept = {one.todo_id: one for one in talk.todos(status=None)}
    assert kept.keys() == {first.todo_id, second.todo_id}
    assert (kept[first.todo_id].content, kept[first.todo_id].pinned) == ("Call Dr Lee", True)
    assert kept[second.todo_id].status == "DONE"


def test_a_call_that_showed_a_message_retracted_meanwhile_has_no_effect(talk, retract, monkeypatch):
    talk.says(said("q", 0, "Do you live in Lyon?", role="assistant"), said("a", 1, "Yes."))
    talk.answers(fact("Yes", "Lives in Lyon.", message="m2"))
    extract = judging.extract

    def retracted_meanwhile(*args):
        extracted = extract(*args)
        retract("q")
        return extracted

    monkeypatch.setattr(judging, "extract", retracted_meanwhile)
    talk.judged()

    assert talk.contents() == []
    assert talk.unjudged() == 0


def test_what_a_retraction_moves_meanwhile_is_judged_once_where_it_went(talk, retract, monkeypatch):
    """The call did not show the message that held the session together, so its findings would seem to be good."""
    talk.says(said("first", 0, "Hello."), said("bridge", 25, "Still here."))
    talk.says(*(said(f"m{minute}", minute, "Hm.") for minute in range(50, 58)))
    talk.answers()
    talk.judged()
    (moved,) = talk.says(said("x", 58, "I live in Lyon."))
    extract = judging.extract

    def retracted_meanwhile(*args):
        extracted = extract(*args)
        monkeypatch.setattr(judging, "extract", extract)
        retract("bridge")
        # Another worker is faster.
        talk.judged()
        return extracted

    monkeypatch.setattr(judging, "extract", retracted_meanwhile)
    talk.provider.script(
        Behaviour(
            do="answer",
            on="messages",
            when="I live in Lyon",
            times=None,
            text=judgement(fact("I live in Lyon", message="m7")),
        )
    )
    talk.judged()

    assert talk.unjudged() == 0
    with talk.store.transaction() as tx:
        judged = tx.value("select count(*) from memory.judgements where %s = any(judged_ids)", [moved])
    assert judged == 1


def test_a_judging_waits_for_the_talk_before_it_locks_its_work(talk, wait_until):
    """A retraction locks the talk, and then requests judging: it would wait for a judging that waits for it."""
    talk.says(said("a", 0, "I love green tea."))
    talk.answers(fact("I love green tea"))
    with talk.store.transaction() as tx, ThreadPoolExecutor(1) as pool:
        session_states.lock(tx, talk.being.being_id)
        finished = pool.submit(talk.judged)
        try:
            wait_until(lambda: _waits_for_the_talk(talk.store))
            tx.execute("set local lock_timeout = '5s'")
            session_id = tx.value("select session_id from memory.messages")
            work.ask(tx, talk.being.being_id, kinds.JUDGE, str(session_id))
        finally:
            tx.commit()
        finished.result()
    assert talk.contents() == ["I love green tea"]


def _waits_for_the_talk(store):
    with store.transaction() as tx:
        return tx.value("select count(*) from pg_locks where not granted") > 0


def test_what_others_said_goes_with_the_only_message_that_had_it_judged(talk, retract):
    talk.says({**said("o", 0, "I am a nurse.", role="other"), "speaker": "Ana"}, said("a", 1, "She is."))
    talk.answers(
        fact(
            "I am a nurse",
            "Is a nurse.",
            speaker="Ana",
            subject="Ana",
            type="PEOPLE",
            entities=[{"type": "person", "name": "Ana"}],
            fact_type="fact",
        )
    )
    talk.judged()
    assert talk.contents() == ["Is a nurse."]

    retract("a")
    assert talk.contents() == []


def test_an_edit_is_a_new_version_and_the_words_before_stay_retracted(retract, restore, accept, standing):
    accept(said("a", 0, "First."))
    assert accept(said("a", 0, "Second.")).conflicts
    retract("a")
    edited = accept(said("a", 0, "Second."))
    again = accept(said("a", 0, "First."))

    assert (edited.accepted, again.accepted, again.duplicates) == (1, 0, 1)
    assert standing() == [["Second."]]
    assert [one.reason for one in restore(str(again.ids[0])).conflicts] == [retraction.ANOTHER_STANDS]

    retract("a")
    assert restore(str(again.ids[0])).restored == 1
    assert standing() == [["First."]]


def test_restoring_an_edited_message_brings_its_last_version_back(retract, restore, accept, standing):
    for content in ("First.", "Second."):
        accept(said("a", 0, content))
        retract("a")
    assert restore("a").restored == 1
    assert standing() == [["Second."]]
    assert restore("a").unchanged == 1


def test_a_retraction_that_overtakes_its_message_waits_for_it(retract, restore, accept, standing):
    assert retract("late").awaited == 1
    assert retract("late").unchanged == 1
    receipt = accept(said("late", 0, "Never said."), said("other", 1, "Said."))

    assert receipt.accepted == 2
    assert standing() == [["Said."]]
    assert accept(said("late", 0, "Never said.")).duplicates == 1
    assert restore("late").ids == [receipt.ids[0]]
    assert standing() == [["Never said.", "Said."]]


def test_restoring_an_awaited_message_lets_it_stand_when_it_arrives(retract, restore, accept, standing):
    retract("late")
    assert restore("late").no_longer_awaited == 1
    accept(said("late", 0, "Said."))
    assert standing() == [["Said."]]


def test_a_request_that_is_handed_in_again_does_not_take_the_edit_back(talk, accept, standing):
    selection = MessageSelection(ids=["a"])

    def again():
        return retraction.retract(talk.store, talk.settings, talk.embedders, [talk.being], selection, request_id="once")

    accept(said("a", 0, "First."))
    assert again().retracted == 1
    accept(said("a", 0, "Second."))
    assert (again().retracted, again().unchanged) == (0, 1)
    assert standing() == [["Second."]]


def test_conversations_have_sessions_of_their_own_and_are_taken_back_from_a_message_on(
    retract, restore, accept, standing
):
    accept(
        said("a1", 0, "A one.", conversation="a"),
        said("b1", 1, "B one.", conversation="b"),
        said("a2", 2, "A two.", conversation="a"),
        said("a3", 3, "A three.", conversation="a"),
        said("n", 4, "None."),
    )
    assert standing() == [["A one.", "A two.", "A three."], ["B one."], ["None."]]

    assert retract(conversation="a", after="a1").retracted == 2
    assert standing() == [["A one."], ["B one."], ["None."]]
    with pytest.raises(NotFound):
        retract(conversation="b", after="a1")
    assert restore(conversation="a", after="a2").restored == 1
    assert retract(conversation="a").retracted == 2
    assert standing() == [["B one."], ["None."]]


def test_a_session_falls_apart_without_the_message_that_held_it_together(talk, retract, accept, standing):
    accept(*(said(f"m{minute}", minute, f"{minute}") for minute in (0, 25, 50, 60)))
    retract("m25")
    assert standing() == [["0"], ["50", "60"]]

    state = sessions.state(talk.store, talk.being.being_id).state
    assert (state.message_count, state.last_user_message) == (3, "60")
    retract("m60", "m50", "m0")
    assert standing() == []
    state = sessions.state(talk.store, talk.being.being_id).state
    assert (state.message_count, state.last_user_message, state.last_interaction) == (0, None, None)


def test_summaries_are_written_again_without_it(talk, retract, clock):
    talk.says(*(said(f"m{n}", n, f"Words {n}.") for n in range(4)))
    clock.advance(minutes=60)
    with talk.store.transaction() as tx:
        messages.end_idle_sessions(tx, 10)
        session_summary.request_due(tx, talk.being.being_id)
    talk.summed_up()
    before = sessions.state(talk.store, talk.being.being_id).rolling_summary
    assert before

    answer = retract("m3")

    assert (answer.rebuilds.summaries, answer.rebuilds.rolling_summary, answer.rebuilds.spine) == (1, True, False)
    assert sessions.state(talk.store, talk.being.being_id).rolling_summary is None
    talk.says(said("m4", 5, "Words 4."))
    talk.summed_up()
    assert sessions.state(talk.store, talk.being.being_id).rolling_summary


def answered_with(tx, owner, kind, words):
    """Store a model's answer to a question of a kind of work, whose owner is a Being or its user."""
    owner_id = owner.being_id if isinstance(owner, Being) else owner.user_id
    account = calls.Account(owner_id, kind.name, "", "platform")
    responses.put(tx, account, words.encode(), purpose="any", model="any", completion=words, defect=None)


@pytest.mark.parametrize("withdrawn", ["retracted", "erased", "with its Being"])
def test_no_answer_about_the_user_s_facts_outlives_the_words(talk, retract, accept, withdrawn):
    """A model may quote what it was shown, and facts are shown to the user's work, and where other Beings judge."""
    receipt = accept(said("a", 0, "I play the zither."))
    with talk.store.transaction() as tx:
        user = users.get_user(tx, talk.being.user_id)
        other, stranger = make_being(tx, user), make_being(tx, make_user(tx))
        answered_with(tx, user, kinds.CURATE, "The fold: a zither.")
        answered_with(tx, user, kinds.COMPARE_SEEDS, "The comparison: a zither.")
        answered_with(tx, other, kinds.JUDGE, "What another judged: a zither.")
        # It was summarised in a session that it does not stand in any more.
        answered_with(tx, talk.being, kinds.SESSION_SUMMARY, "The summary: a zither.")
        answered_with(tx, stranger, kinds.JUDGE, "A stranger's own zither.")

    if withdrawn == "retracted":
        retract("a")
    elif withdrawn == "erased":
        erasure.erase_messages(talk.store, talk.settings, talk.embedders, [talk.being], receipt.ids)
    else:
        erasure.erase_being(talk.store, talk.being)

    with talk.store.transaction() as tx:
        kept = tx.execute("select completion from memory.model_responses").fetchall()
    assert [row["completion"] for row in kept] == ["A stranger's own zither."]


def test_erasure_is_final_for_every_version(talk, retract, restore, accept, standing):
    accept(said("a", 0, "First."), said("b", 1, "Other."))
    retract("a")
    receipt = accept(said("a", 0, "Second."))
    gone = erasure.erase_messages(talk.store, talk.settings, talk.embedders, [talk.being], receipt.ids)

    assert gone.messages == 2
    for id_ in ("a", str(receipt.ids[0])):
        with pytest.raises(ErasedForGood):
            restore(id_)
        assert (retract(id_).awaited, retract(id_).unchanged) == (0, 1)
    for content in ("First.", "Second."):
        assert accept(said("a", 0, content)).erased == [0]
        assert accept(said("new", 0, content)).erased == [0]
    assert standing() == [["Other."]]


def test_a_retracted_message_can_be_erased_and_its_words_stay_away(talk, retract, restore, accept):
    receipt = accept(said("a", 0, "First."), said("copy", 1, "Kept words."))
    retract("a", "copy")
    erasure.erase_messages(talk.store, talk.settings, talk.embedders, [talk.being], [receipt.ids[0]])
    with pytest.raises(ErasedForGood):
        restore("a", "copy")
    assert restore("copy").restored == 1


def test_what_this_being_never_had_can_not_be_restored(restore, accept):
    with pytest.raises(NotFound):
        restore("nothing")
    accept(said("a", 0, "Here."))
    answer = restore("a", "nothing")
    assert (answer.unchanged, answer.unknown) == (1, [1])


@pytest.mark.parametrize(
    "selection",
    [
        {},
        {"ids": []},
        {"ids": [""]},
        {"after": "a"},
        {"keep": ["a"]},
        {"ids": ["a"], "after": "b"},
        {"ids": ["a"], "conversation": "c", "after": "b"},
        {"ids": ["a"], "conversation": "c", "keep": ["b"]},
    ],
)
def test_a_selection_is_of_ids_or_a_conversation(selection):
    with pytest.raises(ValidationError):
        MessageSelection.model_validate(selection)


def test_retracted_messages_are_kept_as_long_as_the_setting_says(talk, retract, restore, accept, clock):
    accept(said("a", 0, "Old."))
    retract("a", "awaited")
    settings = talk.settings.model_copy(update={"keep_retracted": timedelta(days=30)})
    clock.advance(days=29)
    periodic.expire(talk.store, settings)
    with talk.store.transaction() as tx:
        assert len(stored.page(tx, talk.being.being_id, conversation=None, before=None, limit=10)) == 1
    clock.advance(days=2)
    periodic.expire(talk.store, talk.settings)
    periodic.expire(talk.store, settings)
    with pytest.raises(NotFound):
        restore("a")
    assert accept(said("a", 0, "Old."), said("awaited", 1, "New.")).accepted == 2
