"""Sixty dialogues about what a person has one of, or more: what must stand, whichever way a model compares."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from memory.facts.extraction_rules import ExtractedFact
from memory.facts.matters.matters import OF_REF, filed, matter_of
from memory.facts.reconciliation import replace_values
from schemas.talk.messages import Message
from store.facts.statements import KnownStatement, NewStatement

BEGIN = datetime(2026, 3, 2, tzinfo=UTC)
HOME, JOB, PARTNER, NAME, BIRTHDAY, AGE = "home", "job", "partner", "name", "birthday", "age"
# The matter; what is said and stated, one after the other, and the places of what stands at the end.
DIALOGUES = [
    (HOME, [("I live in Austin", "Lives in Austin."), ("I live in Berlin now", "Lives in Berlin.")], [1]),
    (HOME, [("I live in Austin", "Lives in Austin."), ("We moved to Berlin", "Lives in Berlin.")], [1]),
    (HOME, [("I live in Austin", "Lives in Austin."), ("I also have a flat in Rome", "Has a home in Rome.")], [0, 1]),
    (HOME, [("I live in Rome", "Lives in Rome."), ("On weekends I live in Bari", "Lives in Bari.")], [0, 1]),
    (HOME, [("I live in Rome", "Lives in Rome."), ("My second home is in Bari", "Has a home in Bari.")], [0, 1]),
    (HOME, [("I live in Rome", "Lives in Rome."), ("I used to live in Oslo", "Lived in Oslo.")], [0, 1]),
    (HOME, [("I live in Rome", "Lives in Rome."), ("I grew up in Oslo", "Grew up in Oslo.")], [0, 1]),
    (
        HOME,
        [
            ("I live in Austin", "Lives in Austin."),
            ("I also have a flat in Rome", "Has a home in Rome."),
            ("I moved from Austin to Hamburg", "Lives in Hamburg."),
        ],
        [1, 2],
    ),
    (HOME, [("I live in Austin", "Lives in Austin."), ("I no longer live in Austin", "Left Austin.")], [1]),
    (HOME, [("Ich wohne in Wien", "Wohnt in Wien."), ("Ich wohne jetzt in Köln", "Wohnt in Köln.")], [1]),
    (HOME, [("Ich wohne in Wien", "Wohnt in Wien."), ("Ich bin nach Graz umgezogen", "Wohnt in Graz.")], [1]),
    (HOME, [("Ich wohne in Wien", "Wohnt in Wien."), ("Am Wochenende wohne ich in Graz", "Wohnt in Graz.")], [0, 1]),
    (HOME, [("J'habite à Lyon", "Habite à Lyon."), ("J'ai déménagé à Lille", "Habite à Lille.")], [1]),
    (HOME, [("J'habite à Lyon", "Habite à Lyon."), ("J'ai aussi une maison à Nice", "Habite à Nice.")], [0, 1]),
    (HOME, [("Vivo en Lima", "Vive en Lima."), ("Me mudé a Quito", "Vive en Quito.")], [1]),
    (HOME, [("Vivo en Lima", "Vive en Lima."), ("También tengo casa en Quito", "Vive en Quito.")], [0, 1]),
    (HOME, [("Я живу в Москве", "Живёт в Москве."), ("Я переехала в Казань", "Живёт в Казани.")], [1]),
    (HOME, [("Я живу в Москве", "Живёт в Москве."), ("Теперь живу в Казани", "Живёт в Казани.")], [1]),
    (HOME, [("東京に住んでいます", "東京に住んでいる。"), ("大阪に引っ越しました", "大阪に住んでいる。")], [1]),
    (HOME, [("我住在北京", "住在北京。"), ("我搬到上海了", "住在上海。")], [1]),
    (HOME, [("我住在北京", "住在北京。"), ("我在上海也有房子", "住在上海。")], [0, 1]),
    (JOB, [("I work at Google", "Works at Google."), ("I started at Siemens", "Works at Siemens.")], [0, 1]),
    (JOB, [("I work at Google", "Works at Google."), ("I now work at Siemens", "Works at Siemens.")], [1]),
    (JOB, [("I work at Google", "Works at Google."), ("I just started at Siemens", "Works at Siemens.")], [1]),
    (JOB, [("I work at Google", "Works at Google."), ("I have a new job at Siemens", "Works at Siemens.")], [1]),
    (JOB, [("I work at Google", "Works at Google."), ("I quit Google", "Quit the job at Google.")], [1]),
    (JOB, [("I work as a nurse", "Works as a nurse."), ("I got laid off", "Was laid off.")], [1]),
    (JOB, [("I work as a nurse", "Works as a nurse."), ("I'm retired", "Is retired.")], [1]),
    (JOB, [("I work at Google", "Works at Google."), ("Evenings I work at Moe's", "Works at Moe's.")], [0, 1]),
    (JOB, [("I work at Google", "Works at Google."), ("I also teach at the ETH", "Works at the ETH.")], [0, 1]),
    (JOB, [("I work at Google", "Works at Google."), ("I have a side job at Moe's", "Works at Moe's.")], [0, 1]),
    (JOB, [("I work at Google", "Works at Google."), ("I used to work at IBM", "Worked at IBM.")], [0, 1]),
    (
        JOB,
        [
            ("I work at Google", "Works at Google."),
            ("I also work at Moe's", "Works at Moe's."),
            ("I quit Google", "Quit the job at Google."),
        ],
        [1, 2],
    ),
    (
        JOB,
        [("Ich arbeite bei BMW", "Arbeitet bei BMW."), ("Ich habe bei BMW gekündigt", "Hat bei BMW gekündigt.")],
        [1],
    ),
    (JOB, [("Ich arbeite bei BMW", "Arbeitet bei BMW."), ("Ich habe einen Nebenjob", "Arbeitet bei Aldi.")], [0, 1]),
    (
        JOB,
        [("Je travaille chez Renault", "Travaille chez Renault."), ("J'ai un nouveau boulot", "Travaille chez EDF.")],
        [1],
    ),
    (JOB, [("Trabajo en Zara", "Trabaja en Zara."), ("Ya no trabajo en Zara", "Dejó Zara.")], [1]),
    (JOB, [("Работаю в банке", "Работает в банке."), ("Я уволилась", "Уволилась.")], [1]),
    (JOB, [("銀行で働いています", "銀行で働いている。"), ("転職しました", "商社で働いている。")], [1]),
    (JOB, [("我在银行工作", "在银行工作。"), ("我辞职了", "辞职了。")], [1]),
    (JOB, [("我在银行工作", "在银行工作。"), ("我还在学校兼职", "在学校工作。")], [0, 1]),
    (
        PARTNER,
        [("Anna is my girlfriend", "Anna is the user's girlfriend."), ("Broke up with Anna", "Broke up with Anna.")],
        [1],
    ),
    (PARTNER, [("I'm dating Anna", "Is dating Anna."), ("I'm also seeing Ben", "Is seeing Ben.")], [0, 1]),
    (
        PARTNER,
        [
            ("I'm dating Anna", "Is dating Anna."),
            ("I'm also seeing Ben", "Is seeing Ben."),
            ("I broke up with Anna", "Broke up with Anna."),
        ],
        [1, 2],
    ),
    (PARTNER, [("I'm dating Anna", "Is dating Anna."), ("I'm single again", "Is single.")], [1]),
    (PARTNER, [("My wife is Anna", "Is married to Anna."), ("We got divorced", "Is divorced.")], [1]),
    (PARTNER, [("My boyfriend is Tom", "Is with Tom."), ("I'm now with Ben", "Is with Ben.")], [1]),
    (
        PARTNER,
        [("Wir sind poly, ich bin mit Anna", "Ist mit Anna zusammen."), ("und auch mit Ben", "Ist mit Ben zusammen.")],
        [0, 1],
    ),
    (
        PARTNER,
        [
            ("Ich bin mit Anna zusammen", "Ist mit Anna zusammen."),
            ("Anna und ich haben uns getrennt", "Ist von Anna getrennt."),
        ],
        [1],
    ),
    (PARTNER, [("Je sors avec Anna", "Sort avec Anna."), ("Anna et moi, on s'est séparés", "Est séparé d'Anna.")], [1]),
    (PARTNER, [("Mi novia es Ana", "Su novia es Ana."), ("Rompí con Ana", "Rompió con Ana.")], [1]),
    (
        PARTNER,
        [("Я встречаюсь с Анной", "Встречается с Анной."), ("Мы с Анной расстались", "Рассталась с Анной.")],
        [1],
    ),
    (PARTNER, [("彼女は花子です", "花子と付き合っている。"), ("花子と別れました", "花子と別れた。")], [1]),
    (PARTNER, [("我女朋友是小丽", "和小丽交往。"), ("我们分手了", "和小丽分手了。")], [1]),
    (NAME, [("I'm called Ana", "Is called Ana."), ("Call me Bea", "Is called Bea.")], [1]),
    (NAME, [("Ich heiße Ana", "Heißt Ana."), ("Nenn mich Bea", "Heißt Bea.")], [1]),
    (BIRTHDAY, [("My birthday is 3 May", "Was born on 3 May."), ("It's 4 May, sorry", "Was born on 4 May.")], [1]),
    (AGE, [("I'm 34", "Is 34 years old."), ("I turned 35", "Is 35 years old.")], [1]),
    (AGE, [("J'ai 34 ans", "A 34 ans."), ("J'ai 35 ans", "A 35 ans.")], [1]),
    (AGE, [("мне 34 года", "Ей 34 года."), ("мне 35 лет", "Ей 35 лет.")], [1]),
]
# Where the words tell nothing, the model's comparison decides.
UNTOLD = {("I work at Google", "I started at Siemens")}


def statement(span, content, place):
    return NewStatement(
        statement_id=uuid4(),
        scope=None,
        type="PROFILE",
        entity_label="",
        fact_type="fact",
        mentioned_refs=["thing:x"],
        content=content,
        source="shadow_extraction",
        confidence=1,
        importance=1,
        told_at=BEGIN + timedelta(days=place),
        span=span,
    )


def standing(matter, said, *, contradicts, late):
    """The places of what stands when a model says of each two that they contradict each other, or that both can be."""
    statements = [statement(span, content, place) for place, (span, content) in enumerate(said)]
    arrival = statements[::-1] if late else statements
    conflicts = set()
    for place, new in enumerate(arrival):
        others = [one.statement_id for one in arrival[:place]] if contradicts else []
        settled = {
            new.statement_id: NewStatement(
                **{**{name: getattr(new, name) for name in NewStatement.__slots__}, "contradicts": tuple(others)}
            )
        }
        group = [KnownStatement(one.statement_id, one.content, one.told_at, one.span) for one in arrival[: place + 1]]
        replace_values(settled, matter, group)
        conflicts |= {frozenset({new.statement_id, other}) for other in settled[new.statement_id].contradicts}
    return [
        place
        for place, one in enumerate(statements)
        if not any(frozenset({one.statement_id, later.statement_id}) in conflicts for later in statements[place + 1 :])
    ]


@pytest.mark.parametrize("late", [False, True], ids=["in order", "an import"])
@pytest.mark.parametrize("contradicts", [False, True], ids=["adds", "contradicts"])
def test_what_stands_at_the_end_does_not_depend_on_the_model(contradicts, late):
    assert len(DIALOGUES) == 60
    wrong = {
        tuple(span for span, _ in said): found
        for matter, said, expected in DIALOGUES
        if (found := standing(matter, said, contradicts=contradicts, late=late)) != expected
        and tuple(span for span, _ in said) not in UNTOLD
    }
    assert wrong == {}


def told(type_, ref, content, span):
    message = Message.model_construct(message_id=uuid4(), created_at=BEGIN, content=span, role="user")
    return ExtractedFact(message, span, type_, content, "preference", {ref: ref.partition(":")[2]}, 1, 1.0)


@pytest.mark.parametrize(
    ("type_", "ref", "content", "span", "matter"),
    [
        ("PROFILE", "place:austin", "Lives in Austin.", "I live in Austin", HOME),
        ("PROFILE", "place:berlin", "Moved to Berlin.", "I moved to Berlin", HOME),
        ("PROFILE", "thing:residence", "Has a flat.", "I have a flat", HOME),
        ("PROFILE", "org:google", "Works at Google.", "I work at Google", JOB),
        ("PROFILE", "thing:partner", "Is with Anna.", "I'm with Anna", PARTNER),
        ("PEOPLE", "person:anna", "Anna is the user's girlfriend.", "my girlfriend Anna", PARTNER),
        ("PROFILE", "thing:34", "Is 34 years old.", "I'm 34", AGE),
        ("PROFILE", "person:mia", "Is called Mia.", "I'm Mia", NAME),
        ("PEOPLE", "person:anna", "Anna is Tom's wife.", "Tom's wife Anna", None),
        ("PEOPLE", "person:mom", "Mom lives in Seattle.", "Mom lives in Seattle", None),
        ("PROFILE", "place:rome", "Has been to Rome.", "I've been to Rome", None),
        ("PROFILE", "thing:tea", "Loves tea.", "I love tea", None),
        ("PROJECT", "project:lighthouse", "Lives in a repository.", "It lives in a repository", None),
    ],
)
def test_a_matter_is_the_same_whatever_entity_a_model_names(type_, ref, content, span, matter):
    assert matter_of(type_, ref, content, span) == matter
    fact = filed(told(type_, ref, content, span))
    assert OF_REF.get(next(iter(fact.refs))) == matter
    assert ref in fact.refs or OF_REF.get(ref) == matter
