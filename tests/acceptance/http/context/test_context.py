"""A chat backend asks once a turn: messages in, context out."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.acceptance.conftest import without_passages


def turn(person, *messages, **how):
    return person.ask("POST", "/turns", json={"messages": list(messages), **how})


def test_a_turn_takes_messages_in_and_answers_with_a_context(person):
    first = turn(person, {"role": "user", "content": "The oven failed."}).json()
    second = turn(
        person,
        {"role": "assistant", "content": "On a market day, too."},
        {"role": "user", "content": "Again!"},
        format="anthropic",
    ).json()

    assert first["receipt"]["accepted"] == 1
    assert second["receipt"]["accepted"] == 2
    assert first["context"]["session_id"] == second["context"]["session_id"]
    assert [message["role"] for message in second["context"]["messages"]] == ["user", "assistant", "user"]
    assert "<message>\nAgain!\n</message>" in second["context"]["messages"][-1]["content"][-1]["text"]
    assert "text" not in second["context"]


def test_a_turn_that_is_sent_again_changes_nothing_and_is_answered_again(person):
    said = {"id": "turn-1", "role": "user", "content": "The oven failed."}
    turn(person, said)
    again = turn(person, said).json()

    assert again["receipt"]["duplicates"] == 1
    assert again["context"]["text"].count("The oven failed.") == 1


def test_a_message_that_can_not_be_taken_is_said(person, problem):
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    told = problem(turn(person, {"role": "user", "content": "Too early.", "created_at": tomorrow}), 422)

    assert "future" in told["detail"]


def test_a_turn_needs_both_scopes(person, problem):
    body = {"messages": [{"role": "user", "content": "Hello."}]}
    for scope in ("ingest", "read"):
        client = person.with_token([scope])
        problem(client.post(f"/v1/beings/{person.being.being_id}/turns", json=body), 403)


def test_a_context_takes_nothing_in(person):
    context = person.ask("POST", "/context", json={"message": "Hello?", "format": "openai", "explain": True}).json()

    assert [message["role"] for message in context["messages"]] == ["system", "user"]
    assert context["explanation"] == {"memories": [], "passages": [], "facts": []}
    assert person.ask("GET", "/sessions").json()["sessions"] == []


@pytest.mark.parametrize("body", [{"process": "daydream"}, {"session": "00000000-0000-0000-0000-000000000000"}])
def test_what_there_is_not_is_not_found(person, problem, body):
    problem(person.ask("POST", "/context", json=body), 404)


def test_profiles_are_set_and_reset(person, problem):
    assert {profile["process"] for profile in person.ask("GET", "/profiles").json()["profiles"]} >= {
        "externalDialog",
        "decision",
    }
    lacking = problem(person.ask("PUT", "/profiles/decision", json={"regions": ["default"]}), 422)
    assert "lack the explanation of the tags" in lacking["detail"]
    regions = ["instructions", "default"]
    person.ask("PUT", "/profiles/decision", json={"regions": regions, "instructions": "Choose."})
    chosen = person.ask("POST", "/context", json={"process": "decision", "message": "A?"}).json()
    assert [region["region"] for region in chosen["regions"]] == regions
    assert person.ask("DELETE", "/profiles/decision").status_code == 204
    problem(person.ask("DELETE", "/profiles/decision"), 404)
    problem(person.ask("PUT", "/profiles/decision", json={"regions": ["core", "core"]}), 422)
    problem(person.ask("PUT", "/profiles/no%20name", json={"regions": ["core"]}), 422)


def test_working_memory_is_filled_by_messages_and_by_callers(person, problem):
    person.ask("POST", "/messages", json={"role": "user", "content": "Hello."})
    held = person.ask("PUT", "/working-memory/userNotes", json=[{"content": "Is an expert."}]).json()["entries"]
    assert [entry["content"] for entry in held] == ["Is an expert."]
    person.ask("POST", "/working-memory/userNotes", json=[{"content": "Is in a hurry."}])
    regions = [(entry["region"], entry["content"]) for entry in person.ask("GET", "/working-memory").json()["entries"]]

    assert regions == [("conversation", "Hello."), ("userNotes", "Is an expert."), ("userNotes", "Is in a hurry.")]
    problem(person.ask("PUT", "/working-memory/core", json=[{"content": "Somebody else."}]), 422)
    assert person.ask("PUT", "/working-memory/userNotes", json=[]).json()["entries"] == []


def test_each_chat_has_lines_regions_and_contexts_of_its_own(person, problem):
    turn(person, {"role": "user", "content": "We sail at noon.", "conversation": "tab-1"})
    in_tab_1 = {"conversation": "tab-1"}
    for params, note in ((in_tab_1, "Is on a boat."), ({}, "Is at home.")):
        person.ask("PUT", "/working-memory/userNotes", params=params, json=[{"content": note}])
    person.ask("POST", "/working-memory/userNotes", params=in_tab_1, json=[{"content": "Is seasick."}])

    def held(**params):
        entries = person.ask("GET", "/working-memory", params=params).json()["entries"]
        assert {entry["conversation"] for entry in entries} <= {params.get("conversation")}
        return [entry["content"] for entry in entries]

    assert held(conversation="tab-1") == ["We sail at noon.", "Is on a boat.", "Is seasick."]
    assert held() == ["Is at home."]
    assert held(conversation="tab-2") == []

    other = turn(person, {"role": "user", "content": "Hello.", "conversation": "tab-2"}).json()["context"]
    assert other["conversation"] == "tab-2"
    # What was said in other chats is memory, and no line of this one.
    own = without_passages(other["text"])
    assert not any(word in own for word in ("sail", "boat", "home", "message before"))
    asked = person.ask("POST", "/context", json={"message": "When?", **in_tab_1}).json()
    assert all(word in asked["text"] for word in ("We sail at noon.", "Is on a boat.", "message before"))
    unnamed = person.ask("POST", "/context", json={"message": "When?"}).json()
    assert "Is at home." in unnamed["text"]
    assert "session_id" not in unnamed
    of_session = person.ask("POST", "/context", json={"session": asked["session_id"]}).json()
    assert of_session["conversation"] == "tab-1"
    wrong = {"session": asked["session_id"], "conversation": "tab-2"}
    problem(person.ask("POST", "/context", json=wrong), 404)

    def shown(**params):
        return [one["context_id"] for one in person.ask("GET", "/contexts", params=params).json()["contexts"]]

    assert shown(conversation="tab-2") == [other["context_id"]]
    assert shown(conversation="") == [unnamed["context_id"]]
    assert len(shown()) == 5
    assert person.ask("GET", f"/contexts/{other['context_id']}").json()["conversation"] == "tab-2"
    person.ask("PUT", "/working-memory/userNotes", json=[])
    assert held(conversation="tab-1")[1:] == ["Is on a boat.", "Is seasick."]
    for path in ("/working-memory", "/contexts"):
        problem(person.ask("GET", path, params={"conversation": "x" * 201}), 422)
        # As in messages, NUL is mended.
        assert person.ask("GET", path, params={"conversation": "a\0b"}).status_code == 200


def test_notes_are_read_changed_and_removed(person, problem):
    ids = person.ask(
        "POST",
        "/notes",
        json=[
            {"type": "todo", "content": "Call the oven repair."},
            {"type": "reminder", "content": "Jon's birthday", "due_at": "2026-05-02T09:00:00+02:00"},
            {"type": "knowledge", "title": "The starter", "content": "It is fed at six."},
            {"type": "scene", "content": "A scene."},
        ],
    ).json()["ids"]
    todo, reminder, knowledge, scene = (f"/notes/{note_id}" for note_id in ids)

    assert "Call the oven repair." in person.ask("GET", "/snapshot").json()["content"]
    assert person.ask("PATCH", todo, json={"read": True}).json()["read_at"] is not None
    snapshot = person.ask("GET", "/snapshot").json()
    assert "Call the oven repair." not in snapshot["content"]
    assert 'due="2026-05-02 07:00"' in snapshot["content"]
    assert snapshot["made_from"]["notes"] == ids[1:3]
    assert person.ask("PATCH", todo, json={"read": False}).json()["read_at"] is None
    assert person.ask("PATCH", knowledge, json={"title": "Rye", "content": "At seven."}).json()["title"] == "Rye"
    assert person.ask("PATCH", reminder, json={"due_at": "2026-05-03T09:00:00Z"}).json()["due_at"][:10] == "2026-05-03"
    problem(person.ask("PATCH", todo, json={"due_at": "2026-05-03T09:00:00Z"}), 409)
    problem(person.ask("PATCH", scene, json={"content": "Another."}), 409)
    problem(person.ask("DELETE", scene), 409)
    assert person.ask("DELETE", todo).status_code == 204
    problem(person.ask("GET", todo), 404)
    assert person.ask("GET", knowledge).json()["content"] == "At seven."


def test_nothing_is_taken_in_for_a_process_that_there_is_not(person, problem):
    problem(turn(person, {"role": "user", "content": "Hello."}, process="daydream"), 404)
    assert person.ask("GET", "/sessions").json()["sessions"] == []
