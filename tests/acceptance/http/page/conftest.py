"""A person with a memory, and browsers that are logged in to the memory page."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx2
import pytest
from playwright.sync_api import Page, expect

from memory.accounts import access
from store.database import Store
from store.facts import entities
from tests.acceptance.conftest import ALL_SCOPES, PATIENCE, Person, people
from tests.acceptance.http.intake.scenes import scene
from tests.processes.browser import DESKTOP, Chromium, Pages
from workers.embedded.processes import wait_until

# Markup, script, bidirectional and control characters, as users and producers may send them.
HOSTILE = (
    "<script>window.broken = 1</script>",
    "<img src=x onerror='window.broken = 2'>",
    '"><svg onload=window.broken=3>',
    "javascript:window.broken=4",
    "{{constructor.constructor('window.broken=5')()}} ${window.broken=6}",
    "\u202egnirts\u202c and \u2066isolated\u2069 \u200b hidden",
    "bell \u0007 escape \u001b[31m delete \u007f next \u0085",
    "tag \U000e0041\U000e0042 end",
    "اللغة العربية ثم English",
    "</textarea></title></style><h1>Not a heading</h1>",
)
BRIGHT = scene("Nadia lit the harbour lamp by hand.", importance=0.9, feeling="Warm.", themes=["lamp"])
FAINT = scene("A gull sat on the lamp for a while.", importance=0.06)
# It fades later than the gull.
OLD = scene("The rope on the quay was new that year.", importance=0.1)
DYING = scene("A dinghy was bailed out.", importance=0.04)
FACT = {"type": "PEOPLE", "content": "Nadia keeps the lamp.", "entity_refs": ["person:nadia"]}
OTHER = {"type": "PEOPLE", "content": "Aunt Odile plays the cello.", "entity_refs": ["person:odile", "thing:cello"]}
LOOPS = [
    {"type": "OPEN_LOOP", "content": "Whether the lamp needs oil."},
    {"type": "OPEN_LOOP", "content": "When the gull comes back."},
]
THIRD = {"type": "PEOPLE", "content": "Tove carries the oil.", "entity_refs": ["person:tove"]}
SAID = [
    {"id": "m1", "role": "user", "content": "The lamp is lit again."},
    {"id": "m2", "role": "assistant", "content": "How good to hear."},
]
# Of another session; the first two are retracted.
EARLIER = [
    {"id": f"e{number}", "role": "user", "content": text, "created_at": f"2026-03-01T10:0{number}:00Z"}
    for number, text in enumerate(["The oil is bad.", "The oil is thin.", "The wick is short."], 1)
]
KEPT = ("The lamp is never left alone.", "Storm warnings hang on the north mast.")
QUERY = "Who lit the lamp?"

QUIET_SECTIONS = (
    *("map", "timeline", "search", "facts", "entities", "talk", "rooms", "muted", "diary", "vault", "start", "care"),
    *("patrols", "prompts", "cost", "work"),
)


class Mind:
    """A person's first Being and its memory, and a token for each right."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.token, self.reading = (
            access.issue_token(person.ledger, person.user.user_id, being_id=None, scopes=scopes, lifetime=None)[0]
            for scopes in ([*ALL_SCOPES], ["read"])
        )

    def told(self, path: str, method: str | None = None, **options: Any) -> Any:
        """The API's answer about the Being."""
        answer = self.person.ask(method or ("POST" if "json" in options else "GET"), path, **options)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def node(self, action: str) -> dict[str, Any]:
        """The memory of an action."""
        return next(one for one in self.told("/nodes")["nodes"] if one["scene"]["action"] == action)

    def execute(self, statement: str, **named: Any) -> None:
        """Change the Being's rows from behind; the statement may name `being`."""
        with self.person.ledger.transaction() as tx:
            tx.execute(statement, {"being": self.person.being.being_id, **named})

    def settled(self) -> bool:
        """Wait until everything is searchable and every recall is counted; before, two answers may differ."""
        pending = "select count(*) from memory.pending_activations where being_id = %s"

        def over() -> bool:
            with self.person.ledger.transaction() as tx:
                waiting = tx.value(pending, [self.person.being.being_id])
            return not waiting and self.told("/search", json={"query": "lamp"})["unindexed"] == 0

        return becomes(over)


def filled(person: Person) -> Mind:
    """A small memory that has at least two of everything that the page lists."""
    mind = Mind(person)
    mind.told("/notes", json=[BRIGHT, FAINT, OLD, DYING])
    mind.told("/messages", json=[*EARLIER, *SAID])
    mind.told("/facts", json=[FACT, OTHER, THIRD, *LOOPS])
    mind.told("/vault", json=[{"text": text} for text in KEPT])
    mind.told("/messages/retract", json={"ids": ["e1", "e2"]})
    record = mind.told("/vault")["records"][0]["id"]
    mind.told(f"/vault/{record}", "PATCH", json={"text": "The lamp is watched at all times."})
    with person.ledger.transaction() as tx:
        entities.propose(tx, person.user.user_id, "person:nadia", "person:odile", 0.9)
        entities.propose(tx, person.user.user_id, "person:nadia", "person:tove", 0.8)
    person.patrol()
    person.patrol()
    for number in (1, 2):
        day = f"2026-03-0{number}"
        mind.execute(
            """
            insert into memory.diary (being_id, day, text, run_id, last_node_id)
            values (%(being)s, %(day)s, %(text)s, uuidv7(), uuidv7())
            """,
            day=day,
            text=f"The lamp burned on {day}.\nNobody came.",
        )
        mind.execute(
            """
            insert into memory.model_calls
                (user_id, being_id, purpose, provider, model, paid_with, day, input_tokens, output_tokens, cost)
            values (%(user)s, %(being)s, 'diary', 'anthropic', 'sonnet', 'platform', %(day)s, 1200, 30, 0.004)
            """,
            user=person.user.user_id,
            day=day,
        )
        mind.told("/context", json={"message": QUERY})
        add_dead_work(mind, f"ValueError in line {number}")
    mind.execute(
        "insert into memory.souls (being_id, think_md) values (%(being)s, '- Ask about the lamp.')"
        " on conflict (being_id) do update set think_md = excluded.think_md"
    )
    assert mind.settled()
    return mind


def add_dead_work(mind: Mind, error: str) -> None:
    """Add a step of a patrol that has failed for good."""
    mind.execute(
        """
        insert into memory.work (owner_id, kind, key, queue, state, attempts, error, finished_at)
        values (%(being)s, 'patrol.merge', %(key)s, 'patrol', 'dead', 3, %(error)s, clock_timestamp())
        """,
        key=str(uuid4()),
        error=error,
    )


@pytest.fixture(scope="package")
def shared_people(stack: Any, ledger: Store) -> Iterator[Callable[[], Person]]:
    """Make a person for all tests of this process."""
    with people(ledger) as make:
        yield partial(make, stack)


@pytest.fixture(scope="package")
def mind(shared_people: Callable[[], Person]) -> Mind:
    """A memory that tests only look at."""
    return filled(shared_people())


@pytest.fixture(scope="package")
def tended(shared_people: Callable[[], Person]) -> Mind:
    """A memory that tests change; each looks only at what it has made, or restores it."""
    return filled(shared_people())


@pytest.fixture(scope="package")
def hostile(shared_people: Callable[[], Person]) -> Mind:
    """A memory whose every text is hostile."""
    person = shared_people()
    mind = Mind(person)
    mind.told("/notes", json=[scene(text, feeling=text, themes=[text], setting=text) for text in HOSTILE])
    mind.told("/messages", json=[{"role": "user", "content": text} for text in HOSTILE])
    mind.told("/facts", json=[{"type": "PROFILE", "content": text, "entity_label": text} for text in HOSTILE])
    person.patrol()
    return mind


@pytest.fixture(scope="package")
def cookie_of(stack: Any) -> Callable[[str], dict[str, str]]:
    """The cookie of a token's login, made once."""
    cookies: dict[str, dict[str, str]] = {}

    def made(token: str) -> dict[str, str]:
        if token not in cookies:
            answer = httpx2.post(
                f"{stack.url}/page/session", headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE
            )
            assert answer.status_code == 200
            ((name, secret),) = answer.cookies.items()
            cookies[token] = {"name": name, "value": secret, "url": stack.url}
        return cookies[token]

    return made


@pytest.fixture(scope="package")
def kept_pages(stack: Any, chromium: Chromium) -> Iterator[dict[object, Page]]:  # noqa: ARG001  # they end with it
    """The pages that tests of the system share: opening one takes twice the processor time of loading it anew."""
    kept: dict[object, Page] = {}
    yield kept
    with chromium.used():
        for page in kept.values():
            page.context.close()


@pytest.fixture
def page_of(
    stack: Any, chromium: Chromium, kept_pages: dict[object, Page], cookie_of: Callable[[str], Any]
) -> Iterator[Callable[..., Page]]:
    """Load the memory page anew in a browser that is logged in; `faults` has what it must never do.

    Tests with the same login, size and options get the same page, one after the other.
    """

    def opened(token: str, size: tuple[int, int] = DESKTOP, **options: Any) -> Page:
        key = (token, size, *sorted(options.items()))
        if key not in kept_pages:
            kept_pages[key] = made(token, size, **options)
        page = kept_pages[key]
        page.unroute_all()
        page.faults.clear()
        page.goto(stack.url)
        expect(page.locator("main")).to_have_attribute("data-shown", "map")
        return page

    def made(token: str, size: tuple[int, int], **options: Any) -> Page:
        page = Pages(browser)(size, **options)
        page.faults = []
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on("console", lambda line: "Content Security" in line.text and page.faults.append(line.text))
        page.on("dialog", lambda dialog: page.faults.append(dialog.message))
        host = urlsplit(stack.url).netloc
        page.on(
            "request",
            lambda request: urlsplit(request.url).netloc not in {host, ""} and page.faults.append(request.url),
        )
        page.context.add_cookies([cookie_of(token)])
        return page

    with chromium.used() as browser:
        yield opened


@pytest.fixture
def went() -> Callable[[Page, str], Page]:
    """Go to a section of the first Being, and wait until it is shown."""

    def go(page: Page, section: str) -> Page:
        page.evaluate("where => { location.hash = where; }", f"#/mira/{section}")
        expect(page.locator("main")).to_have_attribute("data-shown", section)
        return page

    return go


def becomes(condition: Callable[[], object]) -> bool:
    """Whether a condition comes true in time."""
    return wait_until(lambda: bool(condition()), PATIENCE, pause=0.2)
