"""Conversations and how they go on, read at the terminal; without a key nothing is summed up, and it says so."""

import json


def test_conversations_are_listed_and_their_state_is_told(account):
    said = [
        {"id": "m1", "role": "user", "content": "The oven failed.", "created_at": "2026-03-02T12:00:00Z"},
        {"id": "m2", "role": "assistant", "content": "Again?", "created_at": "2026-03-02T12:01:00Z"},
        {"id": "m3", "role": "user", "content": "It works.", "created_at": "2026-03-02T18:00:00Z"},
    ]
    account("messages", "add", "-", given="\n".join(map(json.dumps, said)).encode())
    later, earlier = account.json("sessions", "list")["sessions"]
    assert (earlier["turn_count"], later["turn_count"]) == (2, 1)
    ending = earlier["session_id"][-8:]
    assert ending in account("sessions", "list").stdout
    assert account.json("sessions", "show", ending)["summary"] is None
    assert "no summary yet" in account("sessions", "show", ending).stderr
    assert "There is no session" in account("sessions", "show", "nowhere", code=1).stderr
    state = account.json("sessions", "state")["state"]
    assert (state["messageCount"], state["lastUserMessage"]) == (3, "It works.")
    assert account("sessions", "state").stdout.startswith("3 messages")
    assert "no spine yet" in account("sessions", "spine").stderr
