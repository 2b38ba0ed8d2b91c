"""A sentence of an answer stands in what it quotes, in whatever language it is written; what is not quoted falls."""

from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from memory.asking.checking import SentenceCheck
from memory.asking.sources import Key, Source
from memory.grounding.setting import Setting
from schemas.context.asking import DraftCite, DraftSentence

SETTING = Setting("Europe/Berlin", "en", frozenset({"Mira", "Wren"}))
SAID_AT = datetime(2026, 3, 2, 18, 10, tzinfo=ZoneInfo("Europe/Berlin"))


def stands(words, sentence):
    """Whether a sentence stands that quotes these words, which Mira said on 2 March 2026."""
    source = Source(Key("message", UUID(int=1)), "1", words, at=SAID_AT, speaker="Mira")
    check = SentenceCheck(SETTING, "?", {"e1": source})
    kept, _ = check.standing(
        [DraftSentence(sentence=sentence, cites=[DraftCite(ref="e1", quote=words)])], {source.key: source}
    )
    return bool(kept)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("annem bugün geldi", "2 Mart 2026'da annesi geldi."),
        ("여동생이 오늘 이사했어요", "여동생은 2026년 3월 2일에 이사했다."),
        ("انتقلت أختي اليوم إلى دبي", "انتقلت أختها إلى دبي في 2 مارس 2026."),
        ("मेरी बहन आज दिल्ली गई", "उसकी बहन 2 मार्च 2026 को दिल्ली गई।"),
        ("minha irmã mudou-se hoje", "A irmã de Mira mudou-se em 2 de março de 2026."),
        ("mijn zus is vandaag verhuisd", "De zus van Mira verhuisde op 2 maart 2026."),
        ("moja siostra dziś się przeprowadziła", "Siostra Miry przeprowadziła się 2 marca 2026."),
        ("trabajo de noche en el hospital", "Según Mira, trabaja de noche en el hospital."),
        ("ich habe im Krankenhaus gearbeitet", "Früher hat Mira im Krankenhaus gearbeitet."),
        ("je travaillais à l'hôpital", "Après, Mira travaillait à l'hôpital."),
        ("lavoro di notte in ospedale", "Secondo il suo messaggio, Mira lavora di notte in ospedale."),
        ("het regent in de tuin", "Het regent in de tuin van Mira."),
    ],
)
def test_a_date_of_the_source_and_words_that_begin_sentences_need_not_be_quoted(words, sentence):
    assert stands(words, sentence)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("annem bugün geldi", "3 Mart 2026'da annesi geldi."),
        ("여동생이 오늘 이사했어요", "여동생은 2026년 4월 2일에 이사했다."),
        ("minha irmã mudou-se hoje", "A irmã de Mira mudou-se em 2 de maio de 2026."),
        ("mijn zus is vandaag verhuisd", "Sanne verhuisde op 2 maart 2026."),
        ("she lives in Lyon", "Mia lives in Lyon."),
    ],
)
def test_another_date_or_name_falls(words, sentence):
    assert not stands(words, sentence)
