"""Requests not to be told of something, in any language: code checks the name and the words that a model found."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from memory.facts.confidence_rules import ShownMessage
from memory.facts.extraction_rules import Extraction
from memory.facts.spoken_requests.rules import RequestTargets, add_requests
from memory.grounding.setting import Setting
from schemas.facts.judgement import FoundRequest
from schemas.talk.messages import Message

ID = UUID(int=1)
AT = datetime(2026, 3, 2, 18, tzinfo=UTC)
ASKED = [
    ("en", "Please don't bring up Anna any more.", "Anna"),
    ("en", "let's not talk about anna", "Anna"),
    ("en", "Don't mention Will again.", "Will"),
    ("en", "Let's not talk about the house in Bergen.", "the house in Bergen"),
    ("de", "Lass uns nicht mehr von Anna reden.", "Anna"),
    ("de", "Erwähne bitte meinen Bruder Jürgen nicht.", "Jürgen"),
    ("fr", "Ne me parle plus d'Élodie, s'il te plaît.", "Élodie"),
    ("es", "No vuelvas a mencionar a José, por favor.", "José"),
    ("it", "Non parlarmi più di Giulia.", "Giulia"),
    ("pt", "Não fales mais da Conceição.", "Conceição"),
    ("nl", "Begin niet meer over Anna.", "Anna"),
    ("ru", "Больше не напоминай мне про Анну.", "Анну"),
    ("ja", "もうアンナの話はしないで。", "アンナ"),
    ("zh", "别再提安娜了。", "安娜"),
    ("ko", "안나 얘기는 이제 하지 마.", "안나"),
    ("ar", "لا تتحدث عن آنا بعد الآن.", "آنا"),
]
QUOTED = [
    ("She told me \u201c{}\u201d.", "don't bring up Anna", "Anna"),
    ("Sie sagte \u201e{}\u201c.", "erwähne Anna nicht", "Anna"),
    ("Elle a dit \u00ab {} \u00bb.", "ne parle plus d'Anna", "Anna"),
    ("彼女は\u300c{}\u300dと言った。", "アンナの話はしないで", "アンナ"),
    ("*whispers: {}*", "don't mention Anna", "Anna"),
]
NAMELESS = [
    ("en", "Don't bring it up again.", "it"),
    ("en", "Don't talk about him.", "him"),
    ("de", "Sprich das nicht mehr an.", "das"),
    ("de", "Rede nicht mehr von ihr.", "ihr"),
    ("fr", "Ne me parle plus de ça.", "ça"),
    ("fr", "Ne me parle plus de lui.", "lui"),
    ("es", "No me hables de eso.", "eso"),
    ("es", "No me hables de ella.", "ella"),
    ("it", "Non parlarmi più di lui.", "lui"),
    ("ru", "Больше не вспоминай про него.", "него"),
    ("ja", "それはもう言わないで。", "それ"),
    ("zh", "别再提他了。", "他"),
]


def checked(text, about, *, span=None, usual="en"):
    message = Message(
        message_id=ID, producer_id=None, session_id=ID, conversation=None, role="user", speaker=None, content=text,
        metadata={}, created_at=AT, received_at=AT, judged=False,
    )  # fmt: skip
    found = FoundRequest(
        message="m1", span=span or text, speaker="user", realm="real", confidence=0.9, wish="do not mention", means=[],
        statement=None, about=about,
    )  # fmt: skip
    extraction = Extraction()
    meanable = RequestTargets({}, {}, {"m1": ShownMessage(message, text)}, "Mira")
    add_requests(extraction, [found], meanable, [ID], Setting(usual=usual))
    return [one.about for one in extraction.requests], dict(extraction.dropped)


@pytest.mark.parametrize(("usual", "text", "name"), ASKED)
def test_who_is_not_to_be_mentioned_is_named_in_any_language(usual, text, name):
    assert checked(text, name, usual=usual) == ([name], {})
    assert checked(text, name) == ([name], {}), "the user's usual language is not known yet"


@pytest.mark.parametrize(("usual", "text", "name"), ASKED)
def test_a_name_that_the_message_does_not_say_is_not_muted(usual, text, name):
    assert name
    assert checked(text, "Quentin", usual=usual) == ([], {"means nothing known": 1})


@pytest.mark.parametrize(("text", "span", "name"), QUOTED)
def test_what_another_asked_is_not_muted(text, span, name):
    assert checked(text.format(span), name, span=span) == ([], {"quoted": 1})


@pytest.mark.parametrize(("usual", "text", "name"), NAMELESS)
def test_a_word_that_stands_for_anything_is_no_name_to_mute(usual, text, name):
    assert checked(text, name, usual=usual) == ([], {"means nothing known": 1})
