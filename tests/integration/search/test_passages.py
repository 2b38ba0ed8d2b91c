"""A chat with no key remembers: what was said before comes to mind when it matters, once, dated and within fences."""

import random
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from memory.context.assembly import assemble
from memory.context.assembly_request import AssemblyRequest
from memory.intake.retraction import retract
from memory.intake.turns import take_turn
from memory.search.passages import excerpt
from operations.context.contexts import show_context
from schemas.context.context import ContextRequest, Turn
from schemas.limits import PASSAGE_CHARACTERS
from schemas.settings import Settings
from schemas.talk.retraction import MessageSelection
from tests.databases import answer_of
from tests.planting.injections import INJECTIONS

SMALL_TALK = ["It rains again.", "I made soup.", "The bus was late.", "Work was quiet.", "My tea is cold."]


@pytest.fixture
def turn(on, being):
    """Take a turn, and get its context's regions by their names."""

    def taken(said, **options):
        asked = Turn(messages=[{"role": "user", "content": said}], format="text", **options)
        return take_turn(on.store, on.embedders, on.settings, being, asked, random.Random(1)).context

    return taken


def rag(context):
    """The text of the region `rag-context`."""
    _, _, rest = context.text.partition("<rag-context>")
    return rest.partition("</rag-context>")[0]


def chat(on, being, first, times=80):
    """Say something, talk of other things, and pause."""
    on.tell(being, first, *(f"{SMALL_TALK[at % len(SMALL_TALK)]} ({at})" for at in range(times)))
    on.settle(being)


def test_a_chat_without_a_key_remembers_what_was_said_long_ago(on, being, clock, turn):
    chat(on, being, "My sister Ingeborg is moving to Bergen.")
    day = clock.now().date()
    clock.advance(hours=30)

    shown = rag(turn("What is my sister's name?"))

    assert f'<passage day="{day}">' in shown
    assert shown.count("My sister Ingeborg is moving to Bergen.") == 1


def test_another_chat_is_memory_and_no_conversation(on, being):
    keeper = "The lighthouse keeper owes me forty herrings."
    on.tell(being, {"role": "user", "content": keeper, "conversation": "tab-1"})
    on.settle(being)
    asked = {"role": "user", "content": "Who owes me herrings?", "conversation": "tab-2"}
    turn = Turn(messages=[asked], format="text")
    context = take_turn(on.store, on.embedders, on.settings, being, turn, random.Random(1)).context

    assert keeper in rag(context)
    assert context.text.count(keeper) == 1
    assert "conversation" not in [one.region for one in context.regions]


def test_the_answer_comes_with_the_question_before_it(on, being, clock, turn):
    on.tell(
        being,
        {"role": "assistant", "content": "What is your sister called?"},
        "Ingeborg.",
        *(f"{SMALL_TALK[at % 5]} ({at})" for at in range(80)),
    )
    on.settle(being)
    clock.advance(hours=30)

    shown = rag(turn("Tell me my sister's name."))

    assert "Wren: What is your sister called?\nuser: Ingeborg." in shown


def test_what_the_conversation_shows_is_not_shown_again(on, being, turn):
    on.tell(being, "My sister Ingeborg is moving to Bergen.", *SMALL_TALK)
    on.settle(being)

    context = turn("What is my sister's name?")

    assert context.text.count("Ingeborg") == 1
    assert "<passage" not in context.text


def test_a_message_that_was_handed_in_beside_its_context_is_no_memory_for_itself(on, being, clock):
    chat(on, being, "My sister Ingeborg is moving to Bergen.")
    clock.advance(hours=30)
    asked = "What is my sister Ingeborg's new town?"
    on.tell(being, asked)
    on.settle(being)
    options = ContextRequest(process="chatFrontend", message=asked, format="text")

    context = assemble(
        on.store, on.embedders, on.settings, being, AssemblyRequest(options, options.message), random.Random(1)
    )

    assert "My sister Ingeborg is moving to Bergen." in rag(context)
    assert asked not in rag(context)


def test_what_has_nothing_to_do_with_the_message_is_left_out(on, being, clock, turn):
    chat(on, being, "My sister Ingeborg is moving to Bergen.")
    clock.advance(hours=30)
    on.settings = Settings(embedder="minilm", rag_tokens=200)

    assert "<passage" not in turn("Good morning!").text
    assert "<passage" not in turn("Tell me of the quarterly revenue of copper mines.").text


LINES = [f"{line[:-1]}, {at}." for at, line in enumerate(2 * SMALL_TALK)]


@pytest.mark.parametrize("said", ["Good morning!", "What is my sister's name?"])
def test_earlier_talk_that_fits_is_shown_whole_and_in_order(on, being, clock, said):
    for start in (0, 5):
        on.tell(being, *LINES[start : start + 5], {"role": "assistant", "content": f"I see, {start}."})
        clock.advance(hours=2)
    on.settle(being)
    first = [{"role": "user", "content": said, "conversation": "another"}]
    asked = Turn(messages=first, format="text")

    contexts = [take_turn(on.store, on.embedders, on.settings, being, asked, random.Random(seed)) for seed in (1, 2)]

    told = [f"user: {line}" for line in LINES]
    told = "\n".join([*told[:5], "Wren: I see, 0."]), "\n".join([*told[5:], "Wren: I see, 5."])
    for taken in contexts:
        shown = rag(taken.context)
        assert shown.count("<passage") == 2
        assert shown.index(told[0]) < shown.index(told[1])


def test_passages_fill_a_target_from_as_many_conversations_as_matter(on, being, clock):
    for place in ("Bergen", "Oslo", "Tromsø", "Narvik"):
        chat(on, being, f"My sister Ingeborg once lived in {place}, and I went to see her in {place}.", times=12)
        clock.advance(hours=30)
    asked = AssemblyRequest(ContextRequest(process="chatFrontend"), "Where did my sister Ingeborg live?")

    def region(tokens, **options):
        settings = Settings(embedder="minilm", rag_tokens=tokens)
        wanted = replace(asked, options=ContextRequest(process="chatFrontend", **options))
        context = assemble(on.store, on.embedders, settings, being, wanted, random.Random(1))
        (report,) = [report for report in context.regions if report.region == "rag-context"]
        return rag(context), report.tokens

    shown, length = region(250)
    assert all(place in shown for place in ("Bergen", "Oslo", "Tromsø", "Narvik"))
    assert 150 < length <= 250
    assert region(120)[1] <= 120 < region(120, budget_tokens=32_000)[1]
    assert region(250, budget_tokens=300)[1] <= 300 - 100


def test_a_passage_stays_in_its_fence(on, being, clock, turn):
    chat(on, being, f"My sister Ingeborg says: {' '.join(INJECTIONS[:5])}")
    clock.advance(hours=30)

    shown = rag(turn("What is my sister's name?"))

    assert shown.count("<passage") == shown.count("</passage>") == 1


def test_a_context_explains_its_passages(on, being, clock):
    chat(on, being, "My sister Ingeborg is moving to Bergen.")
    clock.advance(hours=30)
    request = AssemblyRequest(ContextRequest(explain=True), "What is my sister's name?")

    context = assemble(on.store, on.embedders, on.settings, being, request, random.Random(1))

    assert len(context.explanation["passages"]) >= 1


def test_what_was_retracted_is_read_out_of_no_receipt(on, being, clock, turn):
    chat(on, being, {"id": "moving", "role": "user", "content": "My sister Ingeborg is moving to Bergen."})
    clock.advance(hours=30)
    context = turn("What is my sister's name?")
    shown = partial(answer_of, on.store, show_context, being, muted=True, context_id=context.context_id)
    assert "Bergen" in shown().passages[0].text

    retract(on.store, on.settings, on.embedders, [being], MessageSelection(ids=["moving"]))

    assert "Bergen" not in shown().model_dump_json()


def test_of_a_long_message_the_stretch_that_matters_is_shown():
    long = "Lorem ipsum dolor sit amet. " * 80 + "My sister is called Ingeborg. " + "Sed do eiusmod tempor. " * 80

    shown = excerpt(long, "What is my sister's name?", None)

    assert "Ingeborg" in shown
    assert "Ingeborg" in excerpt(long, "How are my relatives called?", long.index("My sister"))
    assert len(shown) <= PASSAGE_CHARACTERS + len("…  …")


def test_a_passage_is_dated_by_when_it_was_said(on, being, clock, turn):
    said_at = clock.now() - timedelta(days=400)
    on.tell(being, {"role": "user", "content": "My sister Ingeborg came by.", "created_at": said_at.isoformat()})
    for start in (0, 40):
        on.tell(being, *(f"{SMALL_TALK[at % 5]} ({at})" for at in range(start, start + 40)))
    on.settle(being)

    assert f'<passage day="{said_at.date()}">' in rag(turn("What is my sister's name?"))
