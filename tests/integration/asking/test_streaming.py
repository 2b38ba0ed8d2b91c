"""Sentences are told while the model writes; however its answer ends, the answer to the question has a defined end."""

from decimal import Decimal

import pytest

from memory.asking.answering import answered_in_parts
from memory.intake import retraction
from memory.talk.context_provenance import Utterance, shown_parts
from schemas.context.asking import AskAnswer, AskRequest, LookedAt, Sentence
from schemas.settings import Settings
from schemas.talk.retraction import MessageSelection
from store import clock
from tests.fakes.provider import Behaviour
from tests.integration.asking.conftest import ref_of, sentence

PEOPLE = {"Nora": "Lisbon", "Bram": "Lyon", "Ines": "Porto", "Odile": "Ghent"}
SAID = {name: f"{name} moved to {place}, with a dog and two bicycles." for name, place in PEOPLE.items()}
TOLD = {name: f"{name} moved to {place}." for name, place in PEOPLE.items()}
WRITING = {"on": None, "when": "DraftAnswer"}


@pytest.fixture(params=["anthropic", "openai"])
def writing(request, asking):
    """A Being that was told where four people moved, and a writer of one of the providers that says so."""
    if request.param == "openai":
        asking.settings = Settings(
            embedder="minilm",
            thinker="openai",
            openai_api_key="any",
            openai_base_url=asking.provider.openai_url,
            openai_thinking_model="claude-sonnet-5-5",
        )
    asking.ids = asking.tell(*SAID.values())
    asking.answer = lambda material: {
        "sentences": [sentence(TOLD[name], (ref_of(material, name), TOLD[name].removesuffix("."))) for name in PEOPLE]
    }
    return asking


def parts_of(asking):
    parts = answered_in_parts(asking.asked(AskRequest(question="Where did everyone move to?")))
    assert isinstance(next(parts), LookedAt)
    return parts


def writers_call(asking):
    """How the writer's call was settled, and what it cost."""
    with asking.store.transaction() as tx:
        return tx.execute(
            "select outcome::text, cost, input_tokens, output_tokens from memory.model_calls where purpose = 'ask'"
        ).fetchone()


def test_a_sentence_is_told_while_the_model_still_writes(writing):
    writing.provider.script(Behaviour(do="pause", **WRITING))
    parts = parts_of(writing)
    first = next(parts)
    assert (first.sentence, writers_call(writing)["outcome"]) == (TOLD["Nora"], "unknown")
    writing.provider.release()
    *sentences, whole = parts

    assert [one.sentence for one in (first, *sentences)] == list(TOLD.values())
    assert isinstance(whole, AskAnswer)
    assert (whole.answer, whole.dropped, whole.cost.calls) == ([first, *sentences], {}, 2)
    assert whole.cost.dollars > 0
    assert writers_call(writing)["outcome"] == "answered"


@pytest.mark.parametrize("ending", ["break", "fault", "truncate"])
def test_an_answer_that_ends_early_keeps_its_whole_sentences_and_is_paid_for(writing, ending):
    writing.provider.script(Behaviour(do=ending, **WRITING))
    *sentences, whole = parts_of(writing)

    assert 0 < len(sentences) < len(TOLD)
    assert isinstance(whole, AskAnswer)
    assert (whole.answer, whole.method) == (sentences, "model")
    assert whole.dropped == {"the end was cut off": 1}
    call = writers_call(writing)
    assert call["outcome"] == "answered"
    assert call["cost"] > 0
    assert call["output_tokens"] > 20


def test_an_answer_that_breaks_off_before_a_sentence_is_whole_leaves_passages(writing):
    writing.answer = {"sentences": [sentence("Nora " * 30, ("e1", "Nora"))]}
    writing.provider.script(Behaviour(do="break", **WRITING))
    *_, whole = parts_of(writing)

    assert (whole.method, whole.known) == ("extract", True)
    assert whole.cost.calls == 2
    assert writers_call(writing)["cost"] > 0


def test_a_client_that_leaves_ends_the_call_and_pays_for_what_was_written(writing):
    writing.provider.script(Behaviour(do="pause", **WRITING))
    parts = parts_of(writing)
    next(parts)
    reserved = writers_call(writing)["cost"]
    parts.close()

    call = writers_call(writing)
    assert call["outcome"] == "answered"
    assert Decimal(0) < call["cost"] < reserved
    with writing.store.transaction() as tx:
        repeated = Utterance(SAID["Nora"], None, clock.now(tx))
        assert shown_parts(tx, writing.being.being_id, [repeated]) == [[]]
        assert tx.value("select count(*) from memory.receipts where process = 'ask'") == 1


def test_a_provider_that_sends_no_stream_is_read_when_it_has_answered(writing):
    writing.provider.script(Behaviour(do="whole", **WRITING))
    *sentences, whole = parts_of(writing)

    assert [one.sentence for one in sentences] == list(TOLD.values())
    assert (whole.answer, whole.dropped) == (sentences, {})
    assert writers_call(writing)["outcome"] == "answered"


def test_what_is_withdrawn_after_the_first_sentence_ends_what_the_model_says(writing):
    writing.provider.script(Behaviour(do="pause", **WRITING))
    parts = parts_of(writing)
    first = next(parts)
    chosen = MessageSelection(ids=[str(writing.ids[0])])
    retraction.retract(writing.store, writing.settings, writing.embedders, [writing.being], chosen)
    writing.provider.release()
    *rest, whole = parts

    assert isinstance(first, Sentence)
    # What was read together with the first sentence was checked with it, before the withdrawal.
    later = [one for one in rest if one.sentence not in TOLD.values()]
    assert TOLD["Odile"] not in [one.sentence for one in rest]
    assert (whole.method, whole.answer) == ("extract", later)
    assert "Nora" not in whole.model_dump_json(include={"answer"})
    assert writers_call(writing)["outcome"] == "answered"


@pytest.mark.parametrize("writing", ["openai"], indirect=True)
def test_a_server_that_refuses_streams_is_asked_without_one(writing):
    refused = Behaviour(do="fail", status=400, message="Unknown parameter: 'stream_options'.", **WRITING)
    writing.provider.script(refused)
    *sentences, whole = parts_of(writing)

    assert [one.sentence for one in sentences] == list(TOLD.values())
    assert (whole.method, whole.cost.calls) == ("model", 2)
