"""Conversations and how they go on, read at the terminal; without a key nothing is summed up, and it says so."""

import json


def test_conversations_are_listed_and_their_state_is_told(somebody):
    said = [
        {"id": "m1", "role": "user", "content": "The oven failed.", "created_at": "2026-03-02T12:00:00Z"},
        {"id": "m2", "role": "assistant", "content": "Again?", "created_at": "2026-03-02T12:01:00Z"},
        {"id": "m3", "role": "user", "content": "It works.", "created_at": "2026-03-02T18:00:00Z"},
    ]
    somebody("messages", "add", "-", given="\n".join(map(json.dumps, said)).encode())
    later, earlier = somebody.json("sessions", "list")["sessions"]
    assert (earlier["turn_count"], later["turn_count"]) == (2, 1)
    ending = earlier["session_id"][-8:]
    assert ending in somebody("sessions", "list").stdout
    assert somebody.json("sessions", "show", ending)["summary"] is None
    assert "no summary yet" in somebody("sessions", "show", ending).stderr
    assert "There is no session" in somebody("sessions", "show", "nowhere", code=1).stderr
    state = somebody.json("sessions", "state")["state"]
    assert (state["messageCount"], state["lastUserMessage"]) == (3, "It works.")
    assert somebody("sessions", "state").stdout.startswith("3 messages")
    assert "no spine yet" in somebody("sessions", "spine").stderr
