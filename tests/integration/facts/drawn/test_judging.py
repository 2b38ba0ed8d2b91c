"""From messages to facts: each is judged once, with all that waits, and only if a thinker is configured."""

import json

import pytest
from pydantic import SecretStr

from memory.facts.extraction_rules import UNSHARED, UNSHARED_CONFIDENCE
from memory.grounding.grounding import NAME, NUMBER
from memory.llm import keys
from memory.talk import context_provenance, judging
from memory.upkeep import periodic
from providers.thinkers import Thinkers
from schemas.settings.keys_and_budgets import SECRET_CHARACTERS
from store.llm import drops
from store.llm import keys as kept_keys
from tests.conversations import fact, judgement, todo
from tests.fakes.provider import Behaviour


def test_a_fact_carries_the_words_that_support_it(talk):
    talk.hears("Well, I love   green tea, you know.", fact("I love green tea", "Loves green tea."))
    (known,) = talk.facts()
    assert (known.content, known.memory_key, known.source) == (
        "Loves green tea.",
        "profile|thing|tea|preference",
        "shadow_extraction",
    )
    assert talk.unjudged() == 0


def test_todos_are_the_beings_own(talk, other):
    talk.hears("I'll go for a walk tomorrow.", todos=(todo("I'll go for a walk", "Go for a walk.", due="tomorrow"),))
    (open_,) = talk.todos()
    assert (open_.kind, open_.content, open_.due) == ("commitment", "Go for a walk.", "tomorrow")
    assert other.todos() == []


def test_the_judge_is_shown_nothing_that_was_said_in_confidence_to_another_being(talk, other):
    named = [{"type": "thing", "name": "tea"}, {"type": "person", "name": "Quentin"}]
    talk.hears(
        "Between us, Quentin put me off tea. I'll see him in Zagreb.",
        fact("Quentin put me off tea", "Was put off tea by Quentin.", entities=named, in_confidence=True),
        todos=(todo("I'll see him in Zagreb", "See Quentin in Zagreb."),),
    )
    other.hears("I love tea.", fact("I love tea", "Loves tea."))
    talk.provider.reset()
    other.says("Only green tea.")
    other.answers(fact("Only green tea", "Drinks only green tea.", message="m2"))
    other.compares(("n0.1", "adds", None))
    other.judged()
    judge, reconcile = (request.prompt for request in talk.provider.requests)
    assert "Only green tea." in judge
    assert "Loves tea." in reconcile
    assert "Quentin" not in judge + reconcile
    assert "Zagreb" not in judge + reconcile


def test_a_todo_that_is_done_is_closed(talk):
    talk.hears("I'll call Mum.", todos=(todo("I'll call Mum", "Call Mum."),))
    talk.hears("I called Mum!", todos=(todo("I called Mum", message="m2", known="t1", done=True),))
    assert talk.todos() == []
    assert [done.content for done in talk.todos("DONE")] == ["Call Mum."]


def test_a_todo_that_the_judge_is_not_sure_of_is_dropped(talk):
    talk.hears("Mum might like a call.", todos=(todo("Mum might like a call", confidence=0.3),))
    assert (talk.todos(), talk.dropped()) == ([], {"not sure": 1})


def test_what_is_dropped_is_counted_by_reason(talk):
    tea = {"type": "drink", "name": "tea"}
    talk.hears(
        "I love green tea.",
        fact("I love green tea", "Loves green tea.", entities=[tea]),
        fact("I love coffee", "Loves coffee."),
        {"span": "I love green tea"},
    )
    with talk.store.transaction() as tx:
        found = drops.of_being(tx, talk.being.being_id)

    assert talk.contents() == ["Loves green tea."]
    assert (found.judged.messages, found.judged.facts, found.judged.todos) == (1, 1, 0)
    assert {(one.purpose, one.reason, one.items) for one in found.dropped} == {
        ("judge", "no such words", 1),
        ("judge", "a field is missing", 1),
        ("judge", "an unknown word", 1),
    }


def test_a_name_or_number_that_its_words_do_not_say_drops_an_item_and_a_paraphrase_is_less_sure(talk):
    meat = {"entities": [{"type": "thing", "name": "meat"}]}
    talk.hears(
        "I had walnuts. I don't eat meat.",
        fact("I had walnuts", "Starts at the Seattle Aquarium.", entities=[{"type": "thing", "name": "job"}]),
        fact("I don't eat meat", "Is vegetarian.", **meat),
        todos=(todo("I had walnuts", "Pay 300 euros."), todo("I had walnuts", "Call Ludmila.")),
    )
    (known,) = talk.facts()
    assert (known.content, talk.todos()) == ("Is vegetarian.", [])
    assert known.confidence == pytest.approx(0.9 * UNSHARED_CONFIDENCE)
    assert talk.dropped() == {NAME: 2, NUMBER: 1}
    with talk.store.transaction() as tx:
        found = drops.of_being(tx, talk.being.being_id)
    assert {(one.reason, one.items) for one in found.dropped} == {(NAME, 2), (NUMBER, 1), (UNSHARED, 1)}


def test_an_answer_without_confidences_is_asked_for_again_and_at_last_is_all_in_confidence(talk):
    told = judgement(fact("I love green tea", "Loves green tea."))
    text = json.dumps({name: value for name, value in json.loads(told).items() if name != "confidences"})
    talk.provider.script(*(Behaviour(do="answer", on="messages", text=text) for _ in range(3)))
    talk.says("I love green tea.")
    talk.judged()

    assert len(talk.provider.requests) == 3
    assert [known.being_id for known in talk.facts()] == [talk.being.being_id]


def test_what_a_context_showed_is_no_evidence(talk):
    shown = "The user has three sisters, who all live in the old mill by the river."
    with talk.store.transaction() as tx:
        context_provenance.record_context(tx, talk.being.being_id, "externalDialog", [shown])
    talk.hears(
        f"You said: {shown} And I love tea.",
        fact("The user has three sisters", "Has three sisters."),
        fact("I love tea", "Loves tea."),
    )
    assert (talk.contents(), talk.dropped()) == (["Loves tea."], {"no such words": 1})


def test_what_the_user_said_before_a_context_showed_it_is_told_again(talk, clock):
    said = "I am allergic to walnuts and always carry an injector with me in my bag."
    walnuts = {"entities": [{"type": "thing", "name": "walnuts"}], "fact_type": "fact"}
    talk.hears(said, fact("I am allergic to walnuts", "Is allergic to walnuts.", **walnuts))
    with talk.store.transaction() as tx:
        context_provenance.record_context(tx, talk.being.being_id, "externalDialog", [said])
    clock.advance(days=1)
    talk.says(said)
    talk.answers(fact("I am allergic to walnuts", "Is allergic to walnuts.", message="m2", **walnuts))
    talk.judged()
    (known,) = talk.facts()
    assert (known.mentions, known.sessions, talk.dropped()) == (2, 2, {})


def test_the_users_words_beside_another_shown_piece_or_in_a_fence_are_an_echo(talk):
    said = "I am allergic to walnuts and always carry an injector with me in my bag."
    other = "The user has three sisters, who all live in the old mill by the river."
    walnuts = {"entities": [{"type": "thing", "name": "walnuts"}], "fact_type": "fact"}
    talk.hears(said, fact("I am allergic to walnuts", "Is allergic to walnuts.", **walnuts))
    with talk.store.transaction() as tx:
        context_provenance.record_context(tx, talk.being.being_id, "externalDialog", [said, other])
    for pasted in (f"{said} {other}", f"<recalled_memory>{said}</recalled_memory> Well."):
        talk.hears(pasted, fact("I am allergic to walnuts", "Is allergic to walnuts.", message="m2", **walnuts))
    assert [known.mentions for known in talk.facts()] == [1]


@pytest.mark.parametrize("tag", ["summary", "context", "core", "instructions", "skills"])
def test_what_a_person_puts_in_tags_of_their_own_is_evidence(talk, tag):
    talk.hears(
        f"Here is my day: <{tag}>I live in Bern. I love chess.</{tag}>",
        fact("I live in Bern", "Lives in Bern."),
        fact("I love chess", "Loves chess."),
    )
    assert sorted(" ".join(talk.contents()).split(". ")) == ["Lives in Bern", "Loves chess."]


def test_a_burst_is_judged_in_one_call(talk):
    talk.says(*(f"This is message {number}." for number in range(40)))
    talk.judged()
    assert len(talk.provider.requests) == 1
    assert talk.unjudged() == 0


def test_a_hundred_messages_at_chat_pace_cost_at_most_twelve_calls(talk, clock, sent):
    talk.settings = talk.settings.model_copy(update={"judge_messages": 8})
    for number in range(50):
        talk.says(f"This is message {number}.", {"role": "assistant", "content": "I see."})
        talk.judged()
    assert (len(talk.provider.requests), talk.unjudged()) == (6, 2)
    clock.advance(minutes=31)
    ended = sent.by(lambda: periodic.end_idle_sessions(talk.store, talk.settings))
    assert [message.kind for message in ended] == ["shadow.judge", "session_close.summarise"]
    talk.judged()
    assert (len(talk.provider.requests), talk.unjudged()) == (7, 0)


def test_a_hundred_messages_in_bulk_cost_at_most_three_calls(talk):
    talk.says(
        *({"role": role, "content": f"This is {number}."} for number in range(50) for role in ("user", "assistant"))
    )
    talk.judged()
    assert (len(talk.provider.requests), talk.unjudged()) == (1, 0)


def test_without_a_key_messages_wait_and_nothing_is_sent(talk, settings, sent):
    with_key, talk.thinkers = talk.thinkers, Thinkers(settings.model_copy(update={"thinker": "none"}))
    talk.says("I love tea.")
    talk.judged()
    talk.says("And coffee.")
    assert (talk.unjudged(), work_states(talk)) == (2, ["done"])

    assert sent.by(lambda: judging.request_waiting(talk.store, talk.thinkers)) == []
    assert len(sent.by(lambda: judging.request_waiting(talk.store, with_key))) == 1
    talk.thinkers = with_key
    talk.answers(fact("I love tea"))
    talk.judged()
    assert (talk.unjudged(), talk.contents()) == (0, ["I love tea"])


def work_states(talk):
    with talk.store.transaction() as tx:
        return [row["state"] for row in tx.execute("select state from memory.work where kind = 'shadow.judge'")]


def test_one_message_that_cannot_be_judged_spoils_no_other(talk):
    talk.provider.script(Behaviour(do="refuse", on="messages", when="POISON", times=None))
    talk.provider.script(Behaviour(do="answer", on="messages", when="I love tea", text=judgement(fact("I love tea"))))
    talk.says("POISON", "I love tea.", "Nothing more.")
    talk.judged()
    assert talk.unjudged() == 0
    with talk.store.transaction() as tx:
        rows = tx.execute("select content from memory.messages where judging_error is not null").fetchall()
    assert [row["content"] for row in rows] == ["POISON"]


@pytest.mark.parametrize("platform", [True, False])
def test_a_session_whose_users_key_is_refused_is_woken_when_the_key_is_tried_again(talk, user, platform, sent):
    talk.settings = talk.settings.model_copy(update={"secret_key": SecretStr("a" * SECRET_CHARACTERS)})
    key = keys.add(talk.store, talk.settings, user.user_id, "anthropic", "sk-ant-of-the-user-0123")
    with talk.store.transaction() as tx:
        kept_keys.refuse(tx, user.user_id, key.key_id, "The account may not spend.")
    talk.says("I love tea.")
    talk.judged()
    with_key = talk.thinkers if platform else Thinkers(talk.settings.model_copy(update={"anthropic_api_key": None}))
    assert sent.by(lambda: judging.request_waiting(talk.store, with_key)) == [], (
        "it would find no thinker, and wait again"
    )

    with talk.store.transaction() as tx:
        tx.execute("update memory.provider_keys set refused_at = refused_at - %s", [kept_keys.REFUSAL_HOLDS])
    assert len(sent.by(lambda: judging.request_waiting(talk.store, with_key))) == 1
    talk.judged()
    assert talk.unjudged() == 0


def test_words_from_both_sides_of_an_echo_are_no_span(talk):
    echo = "<recalled_memory>\nthe smell of\n</recalled_memory>"
    talk.hears(f"I hate {echo} cats.", fact("I hate cats", "Hates cats."))
    assert (talk.facts(), talk.dropped()) == ([], {"no such words": 1})


RECIPE = "You could soak the beans. I'll ask you on Sunday how the stew went."


def promise(span, content=None, **changes):
    return todo(span, content, kind="promise", speaker="companion", **changes)


def asked_about_stew(talk):
    talk.says("How do I cook beans?", {"role": "assistant", "content": RECIPE})
    talk.answers(todos=(promise("I'll ask you on Sunday", "Ask how the stew went.", message="m2", due="on Sunday"),))
    talk.judged()


def test_what_the_being_promises_is_kept_with_its_words(talk, other):
    asked_about_stew(talk)
    (kept,) = talk.todos()
    assert (kept.kind, kept.content, kept.due) == ("promise", "Ask how the stew went.", "on Sunday")
    assert other.todos() == []
    with talk.store.transaction() as tx:
        assert tx.value("select span from memory.todo_evidence") == "I'll ask you on Sunday"


@pytest.mark.parametrize(
    ("role", "said", "speaker"),
    [("assistant", "How did the stew go?", "companion"), ("user", "Thanks for asking, the stew went well.", "user")],
)
def test_a_promise_that_was_kept_is_closed(talk, role, said, speaker):
    asked_about_stew(talk)
    talk.says({"role": role, "content": said}, "And now?")
    talk.answers(todos=(promise(said, message="m3", known="t1", done=True) | {"speaker": speaker},))
    talk.judged()
    assert [known.status for known in talk.todos("DONE")] == ["DONE"]
    assert talk.todos() == []


def test_the_beings_words_are_evidence_of_its_promises_alone(talk):
    talk.hears("I'll call Mum.", todos=(todo("I'll call Mum", "Call Mum."),))
    talk.says({"role": "assistant", "content": "You love tea. You called Mum, and I'll sing."}, "I'll sing too.")
    talk.answers(
        fact("love tea", "Loves tea.", message="m2"),
        fact("love tea", "Loves tea.", message="m2", speaker="companion"),
        todos=(
            todo("You called Mum", message="m2", known="t1", done=True, speaker="companion"),
            todo("I'll sing", "Sing.", message="m2", speaker="companion"),
            todo("I'll sing", "Sing.", message="m2", kind="promise"),
            todo("I'll sing too", "Sing too.", message="m3", kind="promise"),
        ),
    )
    talk.judged()
    assert [(one.kind, one.content) for one in talk.todos()] == [("commitment", "Call Mum.")]
    assert talk.facts() == []
    assert talk.dropped() == {"no such message": 2, "another's todo": 3, "another's words": 1}


def test_a_promise_that_ends_a_session_is_judged_with_its_end(talk, clock, sent):
    talk.says("How do I cook beans?")
    talk.answers()
    talk.judged()
    talk.says({"role": "assistant", "content": RECIPE})
    talk.judged()
    assert len(talk.provider.requests) == 1
    clock.advance(minutes=31)
    sent.by(lambda: periodic.end_idle_sessions(talk.store, talk.settings))
    talk.answers(todos=(promise("I'll ask you on Sunday", "Ask how the stew went.", message="m2"),))
    talk.judged()
    assert [kept.content for kept in talk.todos()] == ["Ask how the stew went."]
