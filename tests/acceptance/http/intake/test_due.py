"""A companion waits for what comes due, and others are answered meanwhile."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from time import monotonic

REMINDER = {"type": "reminder", "content": "Water the ferns."}


def test_a_long_poll_ends_with_a_notice_once_and_holds_nothing_up(person):
    first = person.ask("GET", "/due/notices").json()
    assert first == {"notices": [], "cursor": None}
    with ThreadPoolExecutor(40) as pool:
        waiting = [pool.submit(person.ask, "GET", "/due/notices", params={"wait": 50}) for _ in range(8)]
        now = datetime.now(UTC)
        person.ask("POST", "/notes", json=[REMINDER | {"due_at": (now + timedelta(seconds=2)).isoformat()}])
        began = monotonic()
        assert person.ask("GET", "/due", params={"until": (now + timedelta(hours=1)).isoformat()}).json()["due"]
        assert monotonic() - began < 5
        answers = [each.result().json() for each in waiting]
    assert [[one["content"] for one in each["notices"]] for each in answers] == [["Water the ferns."]] * 8
    cursor = answers[0]["cursor"]
    began = monotonic()
    assert person.ask("GET", "/due/notices", params={"wait": 1, "cursor": cursor}).json()["notices"] == []
    assert 0.9 < monotonic() - began < 10


def test_a_time_to_wait_is_bounded(person, problem):
    problem(person.ask("GET", "/due/notices", params={"wait": 61}), 422)
