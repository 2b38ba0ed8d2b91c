"""A question over HTTP: its answer whole, and part by part as the client reads it."""

import json

from tests.acceptance.http.clients.conftest import secret_of

NORA = "My sister Ingeborg moved to Bergen, she has a flat with 3 rooms there."


def test_an_answer_comes_whole_and_in_parts_with_its_quotations(patrol, stack, person, problem, wait_until):
    (message_id,) = person.ask("POST", "/messages", json=[{"id": "s1", "role": "user", "content": NORA}]).json()["ids"]
    question = {"question": "Where does Ingeborg live?"}
    wait_until(lambda: bool(person.ask("POST", "/ask", json=question).json()["known"]))
    asked = person.ask("POST", "/ask", json=question).json()

    assert (asked["method"], asked["cost"]["calls"]) == ("extract", 0)
    assert asked["answer"][0]["cites"][0] | {"at": None} == {
        "kind": "message",
        "id": message_id,
        "quote": NORA,
        "at": None,
        "until": None,
        "speaker": "user",
    }
    shown = person.ask("GET", f"/contexts/{asked['context_id']}").json()
    assert (shown["process"], [one["message_ids"] for one in shown["passages"]]) == ("ask", [[message_id]])

    streamed = person.ask("POST", "/ask/stream", json=question)
    assert streamed.headers["content-type"].startswith("text/event-stream")
    events = [event.split("\n") for event in streamed.text.strip().split("\n\n")]
    assert [name for name, _ in events] == ["event: looked_at", "event: sentence", "event: answer"]
    whole = json.loads(events[-1][1].removeprefix("data: "))
    assert whole["answer"] == asked["answer"]

    with patrol.MemoryPatrol(stack.url, secret_of(person)) as memory:
        parts = list(memory.ask_in_parts(person.being.slug, question))
    assert [name for name, _ in parts] == ["looked_at", "sentence", "answer"]
    assert parts[-1][1]["answer"] == asked["answer"]

    problem(person.ask("POST", "/ask", json={"question": " "}), 422)
    problem(person.ask("POST", "/ask", json={"question": "x", "as_of": "2026-03-02T00:00:00"}), 422)
    problem(person.ask("POST", "/ask/stream", json={"question": "x", "budget_tokens": 1}), 422)
