"""Messages are taken in once, by the time at which they were said."""

from datetime import UTC, datetime, timedelta

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def said(minutes, content="The oven failed again.", **changes):
    created_at = (NOON + timedelta(minutes=minutes)).isoformat()
    return {"role": "user", "content": content, "created_at": created_at, **changes}


def hand_in(person, *messages):
    return person.ask("POST", "/messages", json=list(messages))


def sessions(person):
    return person.ask("GET", "/sessions").json()["sessions"]


def contents(person, session):
    listed = person.ask("GET", f"/sessions/{session['session_id']}/messages").json()
    return [message["content"] for message in listed["messages"]]


def test_what_is_said_within_half_an_hour_is_one_session(person):
    assert hand_in(person, said(0), said(30), said(60)).json()["accepted"] == 3
    (session,) = sessions(person)
    assert session["turn_count"] == 3


def test_half_an_hour_of_silence_ends_a_session(person):
    hand_in(person, said(0, "Before."), said(31, "After."))
    later, earlier = sessions(person)
    assert (contents(person, earlier), contents(person, later)) == (["Before."], ["After."])
    assert earlier["ended_at"] is not None


def test_messages_are_in_the_order_in_which_they_were_said(person):
    hand_in(person, said(10, "Third."))
    hand_in(person, said(0, "First."), said(5, "Second.", role="assistant"))
    (session,) = sessions(person)
    assert contents(person, session) == ["First.", "Second.", "Third."]


def test_another_speaker_in_the_room_is_kept_and_not_counted(person):
    hand_in(person, said(0), said(1, "Hello!", role="other", speaker="Jon"))
    (session,) = sessions(person)
    assert session["turn_count"] == 1
    assert len(contents(person, session)) == 2


def test_the_same_message_twice_is_one_message(person):
    message = said(0, id="turn-1")
    assert hand_in(person, message, message).json()["duplicates"] == 1
    assert hand_in(person, message).json()["duplicates"] == 1
    (session,) = sessions(person)
    assert session["turn_count"] == 1


def test_what_can_not_be_taken_is_named_by_its_place(person):
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    receipt = hand_in(
        person,
        said(0),
        {"role": "user", "content": "Too early.", "created_at": tomorrow},
        {"role": "narrator", "content": "Once upon a time."},
        {"role": "user", "content": " "},
        {"role": "user", "content": "Without an offset.", "created_at": "2026-03-02T12:00:00"},
    ).json()
    assert receipt["accepted"] == 1
    reasons = {trouble["position"]: trouble["reason"] for trouble in receipt["rejected"]}
    assert "future" in reasons[1]
    assert reasons[2].startswith("role")
    assert reasons[3].startswith("content")
    assert reasons[4].startswith("created_at")


def test_an_unknown_session_is_not_found(person, problem):
    problem(person.ask("GET", "/sessions/00000000-0000-0000-0000-000000000000/messages"), 404)


def test_what_others_in_the_room_said_is_listed_by_itself(person, problem):
    jon = [said(minutes, f"Jon's {minutes}", role="other", speaker="Jon") for minutes in range(3)]
    hand_in(person, *jon, said(4, "Mine."))
    latest = person.ask("GET", "/party-messages?limit=2").json()
    rest = person.ask("GET", f"/party-messages?cursor={latest['cursor']}").json()

    assert [message["content"] for message in latest["messages"]] == ["Jon's 2", "Jon's 1"]
    assert [message["content"] for message in rest["messages"]] == ["Jon's 0"]
    assert {message["speaker"] for message in rest["messages"]} == {"Jon"}
    assert rest["cursor"] is None
    problem(person.ask("GET", "/party-messages?cursor=nonsense"), 422)
