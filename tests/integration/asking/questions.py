"""120 questions over an invented talk, each with the words that answer it, if there are any."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

WORDS = {
    "people": "Odalys Brannoc Sunniva Tiberiu Marwa Kasimir Ylva Dragan Fenna Ruadhan Isaura Jovan Nkechi Lubos"
    " Perpetua Anselm Zofia Eskil Thandiwe Corentin Mirela Oisin Hedvig Baptiste Yaroslav Imogen Casimiro Grietje"
    " Tomasz Leocadia",
    "strangers": "Quillon Zephyrine Wolmar Ondrea Halvard Benoite Uriel Ximena Fridolin Severa Torvald Amabel",
    "places": "Bergen Coimbra Ostrava Galway Ravenna Tartu Graz Porto Leiden Cork Turin Vilnius Bilbao Zagreb Utrecht"
    " Siena Aarhus Debrecen Nantes Plovdiv",
    "jobs": "beekeeper bookbinder surveyor glazier pharmacist saddler translator welder florist locksmith",
    "things": "accordion canoe loom telescope motorbike harpsichord caravan kiln typewriter sledge",
    "exams": "sailing pottery physics driving Latin beekeeping welding chemistry diving piano",
    "pets": "Mumpitz Bricole Tarantel Pimpinel Bagatelle Krakeel Ficelle Schnipsel Farfadet Wirsing",
}
PEOPLE, STRANGERS, PLACES, JOBS, THINGS, EXAMS, PETS = (words.split() for words in WORDS.values())
BEGIN = datetime(2026, 1, 5, 9, tzinfo=UTC)


@dataclass(frozen=True)
class Asked:
    """A question.

    Attributes:
        kind: The difficulty.
        question: Its words.
        told: The messages that answer it, in order; none if nothing does.
        right: The sentences of a right answer, each with its quotations: the place among `told`, and the words.
    """

    kind: str
    question: str
    told: Sequence[dict[str, Any]] = ()
    right: Sequence[tuple[str, Sequence[tuple[int, str]]]] = field(default_factory=tuple)


def questions() -> list[Asked]:
    """All of them, in a fixed order."""
    made = [
        one for make in (_single, _several, _time, _contradiction, _third_person, _language, _unknown) for one in make()
    ]
    assert len(made) == 120
    return made


def _said(place: int, text: str, **changes: Any) -> dict[str, Any]:
    at = BEGIN + timedelta(days=place % 97, hours=place % 5, minutes=place)
    return {"role": "user", "content": text, "created_at": at.isoformat(), "conversation": f"c{place % 97}", **changes}


def _single() -> Iterator[Asked]:
    for n in range(25):
        name, job, place, count = PEOPLE[n], JOBS[n % 10], PLACES[n % 20], 11 + n
        words = f"{name} works as a {job} in {place}"
        told = _said(n, f"{words}, and keeps {count} clocks in the kitchen.")
        if n % 2:
            yield Asked("single", f"What does {name} do for a living?", [told], [(f"{words}.", [(0, words)])])
        else:
            right = (f"{name} keeps {count} clocks.", [(0, f"{words}, and keeps {count} clocks in the kitchen.")])
            yield Asked("single", f"How many clocks does {name} have?", [told], [right])


def _several() -> Iterator[Asked]:
    for n in range(16):
        name, thing, place, price = PEOPLE[n], THINGS[n % 10], PLACES[(n + 7) % 20], 210 + 13 * n
        bought, sold = f"{name} bought a {thing} in {place}", f"{name} sold the {thing} for {price} euros"
        told = [_said(30 + n, f"{bought} at the market."), _said(60 + n, f"Guess what, {sold}!")]
        right = f"{name} bought the {thing} in {place} and sold it for {price} euros."
        yield Asked(
            "several sessions", f"What became of the {thing} of {name}?", told, [(right, [(0, bought), (1, sold)])]
        )


def _time() -> Iterator[Asked]:
    for n in range(16):
        name, exam = PEOPLE[29 - n], EXAMS[n % 10]
        words = f"{name} passed the {exam} exam yesterday"
        told = _said(101 + n, f"{words}, at last.")
        day = datetime.fromisoformat(told["created_at"]) - timedelta(days=1)
        right = f"{name} passed the {exam} exam on {day.day} {day:%B %Y}."
        yield Asked("time", f"When did {name} pass the {exam} exam?", [told], [(right, [(0, words)])])


def _contradiction() -> Iterator[Asked]:
    for n in range(16):
        name, old, new = STRANGERS[n % 12] + ("a" if n > 11 else ""), PLACES[n], PLACES[(n + 9) % 20]
        before, after = f"{name} has a flat in {old} now", f"{name} has moved from {old} to {new}"
        told = [_said(120 + n, f"{before}, with a view."), _said(170 + n, f"News: {after}.")]
        day = datetime.fromisoformat(told[1]["created_at"])
        right = [
            (f"{name} had a flat in {old} until {day.day} {day:%B %Y}.", [(0, before), (1, after)]),
            (f"Since {day.day} {day:%B %Y} {name} lives in {new}.", [(1, after)]),
        ]
        yield Asked("contradiction", f"Where does {name} have a flat?", told, right)


def _third_person() -> Iterator[Asked]:
    for n in range(16):
        name, count, place = f"{PEOPLE[n][:-1]}ette", 31 + 2 * n, PLACES[(n + 3) % 20]
        words = f"I raise {count} goats near {place}"
        told = _said(200 + n, f"{words}, since the spring.", role="other", speaker=name)
        yield Asked(
            "third person",
            f"How many goats does {name} raise?",
            [told],
            [(f"{name} raises {count} goats.", [(0, words)])],
        )


def _language() -> Iterator[Asked]:
    for n in range(16):
        name, pet, count = f"{PEOPLE[29 - n]}", PETS[n % 10], 3 + n
        german = f"{name} hat einen Hund namens {pet}"
        english = f"{name} planted {count} pear trees"
        if n % 2:
            told = _said(230 + n, f"{german}, der bellt den ganzen Tag.")
            question, right = f"What is the dog of {name} called?", f"{name} has a dog named {pet}."
            yield Asked("other language", question, [told], [(right, [(0, german)])])
        else:
            told = _said(230 + n, f"{english} behind the house.")
            question, right = f"Wie viele Birnbäume hat {name}?", f"{name} hat {count} Birnbäume gepflanzt."
            yield Asked("other language", question, [told], [(right, [(0, english)])])


def _unknown() -> Iterator[Asked]:
    wanted = ["the boat", "the doctor", "the first school", "the lawyer", "the landlord"]
    for n in range(15):
        yield Asked("not known", f"What is the name of {wanted[n % 5]} of {PEOPLE[n]}?")
