"""Messages are found over HTTP: real workers index them a moment after they were accepted, and then embed them."""

import re
from datetime import UTC, datetime
from json import dumps

from tests.acceptance.http.intake.scenes import scene
from tests.planting.long_text import ASKED, HIDING_PLACE, long_text

OTHERS = [f"Item {number}: the market square, the benches and the parking were talked about." for number in range(45)]
SAID = [
    {"id": "s1", "role": "user", "speaker": "Nora", "content": "My sister Ingeborg is moving to Bergen."},
    {"id": "s2", "role": "assistant", "content": "Will you help her move?"},
    {"id": "s3", "role": "user", "speaker": "Nora", "content": "Yes, and the puppy comes along."},
]


def found(person, **asked):
    answer = person.ask("POST", "/search", json=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_message_is_found_by_its_words_and_then_by_its_meaning(person, wait_until):
    assert person.ask("POST", "/messages", json=SAID).json()["accepted"] == 3

    wait_until(lambda: bool(found(person, query="sister Ingeborg")["results"]))
    one = found(person, query="sister Ingeborg", neighbours=1)["results"][0]
    assert (one["kind"], one["producer_id"], one["speaker"]) == ("message", "s1", "Nora")
    assert one["after"][0]["text"] == "Will you help her move?"
    assert datetime.fromisoformat(one["at"]) <= datetime.now(UTC)

    wait_until(lambda: found(person, query="dog")["unindexed"] == 0)
    best = found(person, query="a young dog", explain=True)
    assert best["results"][0]["producer_id"] == "s3"
    assert best["results"][0]["signals"]["meaning"]["share"] > 0
    assert best["degraded"] is False


def test_what_was_erased_is_not_found(person, wait_until):
    (message_id, *_) = person.ask("POST", "/messages", json=SAID).json()["ids"]
    wait_until(lambda: bool(found(person, query="Ingeborg")["results"]))

    assert person.ask("DELETE", f"/messages/{message_id}").is_success

    assert all("Ingeborg" not in one["text"] for one in found(person, query="Ingeborg")["results"])


def test_what_is_asked_wrongly_is_told(person, problem):
    problem(person.ask("POST", "/search", json={"query": " "}), 422)
    problem(person.ask("POST", "/search", json={"query": "x", "kinds": []}), 422)
    problem(person.ask("POST", "/search", json={"query": "x", "kinds": ["dreams"]}), 422)
    problem(person.ask("POST", "/search", json={"query": "x", "limit": 51}), 422)
    problem(person.ask("POST", "/search", json={"query": "x", "neighbours": 4}), 422)
    for moment in ("2026-03-02T00:00:00", "0001-01-01T00:00:00+14:00"):
        problem(person.ask("POST", "/search", json={"query": "x", "as_of": moment}), 422)


def test_a_being_s_language_is_set(person, problem):
    assert person.ask("PATCH", "", json={"language": "de"}).json()["language"] == "de"
    problem(person.ask("PATCH", "", json={"language": "tlh"}), 422)
    problem(person.ask("PATCH", "", json={"language": "xx"}), 422)


def test_a_long_message_and_memory_are_found_by_what_their_last_third_means(person, wait_until):
    said = [
        {"id": "long", "role": "user", "content": long_text()},
        *({"role": "user", "content": one} for one in OTHERS),
    ]
    person.ask("POST", "/messages", json=said)
    person.ask("POST", "/notes", json=scene(long_text()))
    person.patrol()
    wait_until(lambda: found(person, query="market")["unindexed"] == 0)

    assert found(person, query=ASKED, kinds=["message"])["results"][0]["producer_id"] == "long"
    assert found(person, query=ASKED, kinds=["node"], explain=True)["results"][0]["signals"]["meaning"]["value"] > 0.35
    assert HIDING_PLACE in person.ask("POST", "/recall", json={"query": ASKED}).json()["recalled"]
    context = person.ask("POST", "/context", json={"message": ASKED, "activate": False}).json()
    assert re.search(rf"<passage[^>]*>[^<]*{HIDING_PLACE}", dumps(context))
