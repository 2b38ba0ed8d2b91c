"""One character, a length or a clock loses no message and no request: text is mended, long text keeps its beginning."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from schemas.limits import ITEM_BYTES

JSON = {"Content-Type": "application/json"}
BROKEN = "cut \ud83d off\0 \ude00\ud83d"
MENDED = "cut \ufffd off\ufffd \ufffd\ufffd"


def said(content="Hello.", **fields):
    return {"role": "user", "content": content, **fields}


def send(person, body, path="/messages", method="POST"):
    """Send JSON as many clients write it: halves of pairs as escapes."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return person.ask(method, path, content=content, headers=JSON)


def stored(person):
    """All messages as they are stored, in their order."""
    sessions = person.ask("GET", "/sessions").json()["sessions"]
    return [
        message
        for session in reversed(sessions)
        for message in person.ask("GET", f"/sessions/{session['session_id']}/messages").json()["messages"]
    ]


def test_halves_and_nul_are_mended_wherever_a_message_has_text(person):
    broken = said(
        BROKEN, id=f"id {BROKEN}", speaker=BROKEN, conversation=BROKEN, metadata={BROKEN: [BROKEN, {"x": BROKEN}]}
    )
    receipt = send(person, [said("Before."), broken, said("After.")]).json()
    assert (receipt["accepted"], receipt["rejected"]) == (3, [])
    (message,) = (one for one in stored(person) if one["speaker"])
    assert (message["content"], message["speaker"], message["conversation"]) == (MENDED, MENDED, MENDED)
    assert message["producer_id"] == f"id {MENDED}"
    assert message["metadata"] == {MENDED: [MENDED, {"x": MENDED}]}
    again = send(person, broken).json()
    assert (again["accepted"], again["duplicates"], again["conflicts"]) == (0, 1, [])
    gone = send(person, {"ids": [f"id {BROKEN}"]}, "/messages/retract").json()
    assert gone["retracted"] == 1, "the same id is mended the same way"


@pytest.mark.parametrize(
    "body",
    [
        b'{"role": "user", "content": "\\ud83d\\ude00"}',
        b'{"role": "user", "content": "\xed\xa0\xbd\xed\xb8\x80"}',
        b'\xef\xbb\xbf{"role": "user", "content": "\xf0\x9f\x98\x80"}',
    ],
    ids=["escaped", "encoded alone", "byte order mark"],
)
def test_halves_of_one_character_are_joined(person, body):
    assert send(person, body).json()["accepted"] == 1
    assert [message["content"] for message in stored(person)] == ["\U0001f600"]


@pytest.mark.parametrize("unit", ["x", 'é"', "\n🙂", "\0"])
@pytest.mark.parametrize("length", [ITEM_BYTES, 1_500_000])
def test_a_long_message_keeps_its_beginning_and_the_answer_says_so(person, unit, length):
    words = (unit * length)[:length]
    long = said(words, id="long", metadata={"a": "b" * 4000}, conversation="c")
    receipt = send(person, [said("Before."), long]).json()
    assert (receipt["accepted"], receipt["rejected"], receipt["shortened"]) == (2, [], [1])
    kept = max((message["content"] for message in stored(person)), key=len)
    assert words.replace("\0", "\ufffd").startswith(kept)
    size = len(json.dumps({**long, "content": kept}, ensure_ascii=False, separators=(",", ":")).encode())
    assert ITEM_BYTES - 8 < size <= ITEM_BYTES
    assert send(person, long).json()["duplicates"] == 1
    assert send(person, {**long, "content": f"{words}!"}).json()["conflicts"], "another text with the same beginning"


def test_a_long_name_of_a_speaker_is_shortened_too(person):
    receipt = send(person, said(role="other", speaker="Serafina " * 40)).json()
    assert (receipt["accepted"], receipt["shortened"]) == (1, [0])
    assert [message["speaker"] for message in stored(person)] == [("Serafina " * 40)[:200]]


def test_what_shortening_does_not_mend_is_refused_by_its_position(person):
    filled = {str(number): "x" for number in range(9000)}
    receipt = send(person, [said("Before."), said(metadata=filled), said("x", id="i" * 70_000)]).json()
    assert receipt["accepted"] == 1
    assert [trouble["position"] for trouble in receipt["rejected"]] == [1, 2]


def test_a_time_up_to_an_hour_ahead_is_now_and_a_later_one_is_refused(person):
    began = datetime.now(UTC)

    def at(minutes):
        return said(f"In {minutes}.", id=str(minutes), created_at=(began + timedelta(minutes=minutes)).isoformat())

    receipt = send(person, [at(59), at(1), at(7), at(6), at(62)]).json()
    assert [trouble["position"] for trouble in receipt["rejected"]] == [4]
    messages = stored(person)
    assert [message["content"] for message in messages] == ["In 1.", "In 6.", "In 7.", "In 59."]
    assert all(began <= datetime.fromisoformat(message["created_at"]) <= datetime.now(UTC) for message in messages)
    assert send(person, [at(59), at(6)]).json()["duplicates"] == 2, "the same was sent, whatever the clock says"


def test_notes_are_mended_too(person):
    scene = {"action": f"Mira baked {BROKEN}.", "actors": [BROKEN], "when": ["2026-03-02"]}
    notes = [
        {"type": "scene", "content": scene, "metadata": {BROKEN: BROKEN}},
        {"type": "scene", "content": json.dumps(scene)},
        {"type": "knowledge", "content": BROKEN, "title": BROKEN},
    ]
    assert send(person, notes, "/notes").json()["accepted"] == 3
    person.patrol()
    nodes = person.ask("GET", "/nodes").json()["nodes"]
    assert [(node["scene"]["action"], node["scene"]["actors"]) for node in nodes] == [
        (f"Mira baked {MENDED}.", [MENDED])
    ] * 2


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/recall", {"query": BROKEN}),
        ("/search", {"query": BROKEN}),
        ("/search_memory", {"query": BROKEN}),
        ("/facts", [{"type": "PROFILE", "content": f"Likes {BROKEN}", "entity_label": BROKEN}]),
        ("/facts/retrieve", {"query": BROKEN}),
        ("/context", {"message": BROKEN}),
        ("/turns", {"messages": [said(BROKEN)]}),
        ("/vault", {"text": f"Their favourite colour is {BROKEN}.", "tags": [BROKEN]}),
        ("/vault/search", {"query": BROKEN}),
        ("/working-memory/mine", [{"content": BROKEN}]),
        ("/knowledge", {"items": [{"namespace": [BROKEN], "key": BROKEN, "value": {BROKEN: BROKEN}}]}),
    ],
)
def test_no_request_fails_for_a_character(person, path, body):
    answer = send(person, body, path)
    assert answer.status_code < 300, answer.text


def test_a_name_is_mended(person):
    answer = person.client.post("/v1/beings", content=json.dumps({"slug": "jon", "name": BROKEN}), headers=JSON)
    assert answer.json()["name"] == MENDED


def test_a_nul_in_an_address_is_answered(person):
    for path in ("/facts?entity=a%00b", "/sessions?cursor=a%00b", "/vault?scope=a%00b", "/notes?cursor=%00"):
        assert person.ask("GET", path).status_code < 500, path
    assert person.client.get("/v1/beings/a%00b/nodes").status_code == 404
