"""Bad notes are refused by their place and with a reason; what is good beside them is taken."""

import gzip
import json
import socket

import pytest

from tests.acceptance.conftest import PATIENCE
from tests.acceptance.http.intake.scenes import scene

GOOD = scene("A good one among bad ones.")


def without(field):
    note = scene()
    del note["content"][field]
    return note


BAD = {
    "an unknown field": ({**scene(), "colour": "red"}, "colour"),
    "an unknown field of the scene": (scene(weather="rain"), "content.weather"),
    "a wrong type": (scene(actors="Mira"), "content.actors"),
    "a wrong type deep inside": (scene(when=["2026-03-02", {"date": 3, "action": "x"}]), "content.when[1]"),
    "a missing action": (without("action"), "content.action"),
    "an empty action": (scene(action=" "), "content.action"),
    "a number as content": ({"type": "scene", "content": 3}, "content"),
    "no type": ({"content": "x"}, "type"),
    "an unknown type": ({"type": "poem", "content": "x"}, "type"),
    "a reminder without a time": ({"type": "reminder", "content": "x"}, "due_at"),
    "a reminder without a time zone": ({"type": "reminder", "content": "x", "due_at": "2026-05-02T09:00:00"}, "due_at"),
    "an importance of NaN": (scene(importance=float("nan")), "content.importance"),
    "an endless number": (scene(importance=float("inf")), "content.importance"),
    "an emotion out of bounds": (
        scene(emotion=dict.fromkeys(("valence", "arousal", "dominance", "safety", "novelty", "trust"), 2)),
        "content.emotion.valence",
    ),
    "65 KB": (scene("x" * 65 * 1024), "65536 is the most"),
    "too much metadata": ({**scene(), "metadata": {"a": "x" * 5000}}, "metadata"),
    "too long an id": ({**scene(), "id": "x" * 201}, "id"),
    "no object": ("The oven failed.", "object"),
    "nothing": (None, "object"),
}


def hand_in(person, body, **headers):
    """Send JSON that a careful client would not send."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return person.ask("POST", "/notes", content=content, headers={"Content-Type": "application/json", **headers})


def test_bad_ones_among_good_ones_are_refused_by_position(person):
    answer = hand_in(person, [GOOD, *(bad for bad, _ in BAD.values()), {**GOOD, "id": "third"}])
    assert answer.status_code == 202, answer.text
    receipt = answer.json()
    assert receipt["accepted"] == 2
    for position, (trouble, (named, (_, place))) in enumerate(zip(receipt["rejected"], BAD.items(), strict=True), 1):
        assert trouble["position"] == position, named
        assert place in trouble["reason"], named
    assert [id_ is None for id_ in receipt["ids"]] == [False, *[True] * len(BAD), False]
    assert len(person.ask("GET", "/notes").json()["notes"]) == 2


@pytest.mark.parametrize("named", ["a missing action", "no object", "nothing"])
def test_alone_it_is_refused_with_its_reason(person, problem, named):
    bad, place = BAD[named]
    told = problem(hand_in(person, bad), 422)
    assert place in told["detail"]
    assert told["rejected"] == [{"position": 0, "reason": told["detail"]}]
    assert person.ask("GET", "/notes").json()["notes"] == []


def test_a_list_of_nothing_but_bad_ones_is_refused_with_the_first_twenty_reasons(person, problem):
    told = problem(hand_in(person, [bad for bad, _ in BAD.values()] * 2), 422)
    assert [trouble["position"] for trouble in told["rejected"]] == list(range(20))
    assert told["more"] == 2 * len(BAD) - 20


def test_importance_is_moved_to_the_nearer_end(person):
    assert hand_in(person, [scene("heavy", importance=7), scene("light", importance=-7)]).json()["accepted"] == 2
    person.patrol()
    nodes = person.ask("GET", "/nodes").json()["nodes"]
    assert {node["scene"]["action"]: node["importance"] for node in nodes} == {"heavy": 1.0, "light": 0.0}


def test_an_empty_batch_is_refused(person, problem):
    assert "empty" in problem(hand_in(person, []), 422)["detail"]


def test_a_thousand_are_taken_and_one_more_is_refused_whole(person, problem):
    todo = {"type": "todo", "content": "Call the oven repair."}
    told = problem(hand_in(person, [todo] * 1001), 413)
    assert "1001" in told["detail"]
    assert "1000 is the most" in told["detail"]
    assert person.ask("GET", "/notes").json()["notes"] == []
    assert hand_in(person, [todo] * 1000).json()["accepted"] == 1000


@pytest.mark.parametrize(
    ("body", "place"),
    [
        (b'{"type": "scene", "content": "\xff"}', "byte 30"),
        (b'[{"type": "scene"},\n {"type": scene}]', "line 2, column 11"),
        (b"", "body"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"metadata": {"n": ' + b"9" * 5000 + b"}}", "digits"),
    ],
    ids=["no UTF-8", "no JSON", "nothing", "deep", "a long number"],
)
def test_a_body_that_can_not_be_read_says_where(person, problem, body, place):
    answer = hand_in(person, body)
    told = problem(answer, 400 if body else 422)
    assert place in told["detail"]
    assert "scene" not in told["detail"]


def test_an_item_that_is_nested_too_deeply_does_not_spoil_the_others(person):
    deep = {"type": "todo", "content": "x", "metadata": {}}
    inner = deep["metadata"]
    for _ in range(400):
        inner["a"] = {}
        inner = inner["a"]
    receipt = hand_in(person, [deep, GOOD]).json()
    assert "nested" in receipt["rejected"][0]["reason"]
    assert receipt["ids"][1] is not None


def test_only_json_is_read(person, problem):
    told = problem(person.ask("POST", "/notes", data={"type": "scene"}), 415)
    assert "application/json" in told["detail"]


def test_a_body_that_never_ends_is_cut_off(person, problem):
    def endless():
        yield b"["
        while True:
            yield b" " * 1024 * 1024

    answer = person.ask("POST", "/notes", content=endless(), headers={"Content-Type": "application/json"})
    assert "too-large" in problem(answer, 413)["type"]


def test_a_body_that_says_it_is_too_long_is_not_waited_for(person):
    url = person.client.base_url
    with socket.create_connection((url.host, url.port), timeout=PATIENCE) as connection:
        connection.sendall(
            f"POST /v1/beings/mira/notes HTTP/1.1\r\nHost: {url.host}\r\nContent-Type: application/json\r\n"
            f"Authorization: {person.client.headers['Authorization']}\r\nContent-Length: {10**9}\r\n\r\n".encode()
        )
        answer = connection.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 413")
    assert b"application/problem+json" in answer


def test_a_compressed_body_is_refused_for_what_it_is(person, problem):
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    packed = gzip.compress(json.dumps(scene()).encode())
    told = problem(person.ask("POST", "/notes", content=packed, headers=headers), 415)
    assert "not compressed" in told["detail"]
    headers["Content-Encoding"] = "identity"
    assert person.ask("POST", "/notes", content=json.dumps(scene()), headers=headers).status_code == 202
