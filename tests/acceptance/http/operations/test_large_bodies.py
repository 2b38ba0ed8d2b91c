"""No body costs much more than its bytes: each is refused, or answered in a bounded time and at a bounded length."""

import json
import os
import re
import socket
from itertools import repeat
from pathlib import Path

import pytest

from schemas.limits import BATCH_ITEMS, BATCH_VALUES, ITEM_BYTES
from tests.acceptance.conftest import PATIENCE
from tests.acceptance.http.intake.scenes import scene
from tests.acceptance.http.operations.test_problems import NOWHERE
from workers.embedded.processes import wait_until

JSON = {"Content-Type": "application/json"}
TWENTY_MB = 20 << 20
SECONDS = 0.5
GROWTH_BYTES = 150 << 20
ANSWER_BYTES = 64 * 1024


class Cost:
    """The use of the API's process: processor time in seconds, and memory in bytes at its highest."""

    def __init__(self, pid):
        self._process = Path(f"/proc/{pid}")
        self.reset()

    def reset(self):
        """Begin anew."""
        (self._process / "clear_refs").write_text("5")
        self._seconds, self._memory = self._used(), self._highest()

    def spent(self):
        """Processor time and growth of memory since then."""
        return self._used() - self._seconds, self._highest() - self._memory

    def _used(self):
        fields = (self._process / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _highest(self):
        (kilobytes,) = re.findall(r"VmHWM:\s+(\d+)", (self._process / "status").read_text())
        return int(kilobytes) * 1024


@pytest.fixture
def cost(stack):
    if not Path("/proc/self/stat").exists():
        pytest.skip("what a process has used is read from /proc")
    return Cost(stack.supervisor.pids["api"])


@pytest.fixture
def routes(person):
    """Every route with a body, as method, path, and media type."""
    document = person.client.get("/openapi.json").json()
    return [
        (method, re.sub(r"{\w+}", NOWHERE, path.replace("{being}", "mira")), media)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        # An operator's routes refuse the person's token before they read a body.
        if "An operator's token." not in operation["description"]
        for media in operation.get("requestBody", {}).get("content", {})
    ]


def test_twenty_megabytes_are_refused_on_every_json_route_for_next_to_nothing(person, routes, cost, problem):
    body = b" " * TWENTY_MB
    for method, path, media in routes:
        if media != "application/json":
            continue
        for content in (body, (body[: 1 << 18] for _ in range(80))):
            cost.reset()
            problem(person.client.request(method, path, content=content, headers=JSON), 413)
            seconds, growth = cost.spent()
            assert seconds < SECONDS, (method, path)
            assert growth < GROWTH_BYTES, (method, path)


FLOODS = {
    "unknown fields": lambda size: b"{%s}" % b",".join(b'"%x":1' % place for place in range(size // 10)),
    "numbers that are none": lambda size: b'{"query":[%s]}' % b",".join(repeat(b"NaN", size // 4 - 20)),
    "empty lists": lambda size: b"[%s]" % b",".join(repeat(b"[]", size // 3 - 20)),
    "objects in objects": lambda size: b'{"a":' * (size // 6) + b"1" + b"}" * (size // 6),
    "brackets": lambda size: b"[" * size,
    "digits": lambda size: b'{"limit":%s}' % (b"9" * (size - 20)),
    "a long name": lambda size: b'{"%s":[%s]}' % (b"k" * (size // 2), b",".join(repeat(b"NaN", size // 10))),
}


# As long as most routes let a body be, and as long as the longest; what is wrong in the beginning is found there.
SHORT, LONG = 60_000, 4_000_000
TO_THE_END = ("unknown fields", "objects in objects", "digits")


@pytest.mark.parametrize(
    ("flood", "size"), [(flood, SHORT) for flood in FLOODS] + [(flood, LONG) for flood in TO_THE_END]
)
def test_a_flood_is_answered_soon_and_briefly_on_every_route(person, routes, cost, flood, size):
    body = FLOODS[flood](size)
    for method, path, media in routes:
        cost.reset()
        answer = person.client.request(method, path, content=body, headers={"Content-Type": media})
        assert 400 <= answer.status_code < 500 or media != "application/json", (method, path, answer.text[:1000])
        assert len(answer.content) < ANSWER_BYTES, (method, path)
        seconds, growth = cost.spent()
        assert seconds < SECONDS, (method, path, seconds)
        assert growth < GROWTH_BYTES, (method, path, growth)


def as_sent(items):
    return json.dumps(items, separators=(",", ":")).encode()


def padded(item, length):
    """The same item, with spaces of meaning added until it is so long."""
    return {**item, "content": {**item["content"], "action": "x" * (length - len(as_sent(item)))}}


NANS = [float("nan")] * (ITEM_BYTES // 4 - 100)
WORST = {
    "small bad items": lambda: [scene(weather="rain", colour=index) for index in range(BATCH_ITEMS)],
    "large bad items": lambda: [padded(scene(weather="rain"), 15_000)] * BATCH_ITEMS,
    "no numbers": lambda: [scene(actors=NANS)] * (BATCH_VALUES // len(NANS) - 1),
    "unknown fields": lambda: [scene(**{f"k{place}": 1 for place in range(480)})] * BATCH_ITEMS,
    "fields of one sign": lambda: [scene(actors=[1] * 480)] * BATCH_ITEMS,
}


# One function reads the batches of all doors, each with the models of its own.
@pytest.mark.parametrize(
    ("door", "worst"),
    [("/notes", worst) for worst in WORST] + [("/messages", "unknown fields"), ("/vault", "unknown fields")],
)
def test_a_largest_batch_of_bad_items_is_answered_in_bounded_time_and_length(person, cost, problem, door, worst):
    items = WORST[worst]()
    told = problem(hand_in(person, cost, door, as_sent(items)), 422)
    assert [trouble["position"] for trouble in told["rejected"]] == list(range(20))
    assert told["more"] == len(items) - 20
    seconds, growth = cost.spent()
    assert seconds < 6
    assert growth < 3 * GROWTH_BYTES


def hand_in(person, cost, door, body):
    """Send a batch until its turn comes."""
    answers = []

    def answered():
        cost.reset()
        answers.append(person.ask("POST", door, content=body, headers=JSON))
        return answers[-1].status_code != 429

    assert wait_until(answered, PATIENCE, pause=0.5)
    return answers[-1]


def test_a_receipt_says_of_each_bad_item_what_is_wrong_and_no_more(person, cost):
    bad = scene(**{f"k{place}": 1 for place in range(400)})
    items = [scene(), *repeat(bad, BATCH_ITEMS - 1)]
    answer = hand_in(person, cost, "/notes", as_sent(items))
    assert answer.status_code == 202
    rejected = answer.json()["rejected"]
    assert [trouble["position"] for trouble in rejected] == list(range(1, BATCH_ITEMS))
    assert all(trouble["reason"].endswith("and 380 more") for trouble in rejected)
    assert len(answer.content) < 2 << 20


def test_an_item_that_is_much_too_long_does_not_spoil_the_others(person, cost):
    items = [scene(), padded(scene(), 3_000_000), scene("Another.")]
    receipt = hand_in(person, cost, "/notes", as_sent(items)).json()
    assert receipt["accepted"] == 2
    (trouble,) = receipt["rejected"]
    assert trouble["position"] == 1
    assert f"{ITEM_BYTES} is the most" in trouble["reason"]


def test_an_import_of_nothing_but_bad_lines_stops(person, cost):
    cost.reset()
    answer = person.ask("POST", "/vault/import", content=(b"x\n" * 500_000 for _ in range(40)))
    assert answer.status_code == 200, answer.text
    assert answer.json()["stopped_at"] == 1001
    assert len(answer.json()["rejected"]) == 1000
    seconds, growth = cost.spent()
    assert seconds < 2
    assert growth < GROWTH_BYTES


def test_an_import_that_is_too_long_is_refused(person, cost, problem):
    cost.reset()
    problem(person.ask("POST", "/vault/import", content=(b"\n" * (1 << 20) for _ in range(70))), 413)
    _, growth = cost.spent()
    assert growth < GROWTH_BYTES


def test_a_tool_s_request_is_limited_too(person, cost, problem):
    for body in (b" " * TWENTY_MB, b"[" + b"[]," * 80_000 + b"[]]"):
        cost.reset()
        problem(person.client.post("/mcp", content=body, headers=JSON), 413)
        seconds, _ = cost.spent()
        assert seconds < SECONDS


def test_scopes_are_checked_before_the_body_is_waited_for(person):
    url, token = person.client.base_url, person.with_token(["read"]).headers["Authorization"]
    for path in ("/notes", "/messages", "/vault", "/vault/import", "/working-memory/mine"):
        with socket.create_connection((url.host, url.port), timeout=PATIENCE) as connection:
            connection.sendall(
                f"POST /v1/beings/mira{path} HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n"
                f"Authorization: {token}\r\nContent-Length: 1000\r\n\r\n".encode()
            )
            answer = connection.makefile("rb").read()
        assert answer.startswith(b"HTTP/1.1 403 "), path
        assert b"lacks the scope" in answer
