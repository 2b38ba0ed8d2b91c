"""No section of the page interprets a text: markup, script, bidirectional and control characters are shown."""

import json
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from schemas.text.visible_text import visible
from tests.acceptance.http.page.conftest import QUIET_SECTIONS, Mind, add_dead_work
from tests.full_being import fill

# One line, since lines of the diary are paragraphs of their own.
HOSTILE = (
    "<script>window.broken = 1</script><img src=x onerror='window.broken = 2'><h1>Big</h1>"
    "\u202egnirts\u202c \u2066isolated\u2069 \u200b \u0007 \u001b[31m \u0085 \U000e0041"
)
SHOWN = visible(HOSTILE)
# As the embedder's.
VECTOR = [1.0, *[0.0] * 383]
# One tells numbers, one how to begin, and one escapes texts as the prompt does.
WITHOUT_TEXTS = {"care", "start", "prompts"}


@pytest.fixture(scope="package")
def everything_hostile(shared_people):
    """A memory in which every text of every table is hostile."""
    person = shared_people()
    # The Being is chosen from a list.
    person.add_being("other")
    mind = Mind(person)
    fill(person.ledger, person.being, HOSTILE, vector=VECTOR)
    mind.execute("update memory.beings set name = %(text)s where being_id = %(being)s", text=HOSTILE)
    mind.execute(
        "update memory.users set name = %(text)s where user_id = %(user)s",
        text=f"{HOSTILE} {uuid4()}",
        user=person.user.user_id,
    )
    parts = {part: [HOSTILE] for part in ("what_mattered", "open_loops", "commitments", "people")}
    mind.execute(
        "update memory.session_summaries set content = %(content)s::jsonb where being_id = %(being)s",
        content=json.dumps({**parts, "one_liner": HOSTILE, "tone": HOSTILE}),
    )
    mind.execute("update memory.sessions set conversation = %(text)s where being_id = %(being)s", text=HOSTILE)
    mind.execute(
        "update memory.patrol_runs set state = 'failed', error = %(text)s where being_id = %(being)s", text=HOSTILE
    )
    mind.execute(
        """
        insert into memory.model_calls
            (user_id, being_id, purpose, provider, model, paid_with, day, input_tokens, output_tokens, cost)
        values (%(user)s, %(being)s, 'diary', 'any', %(text)s, 'platform', '2026-03-01', 1, 1, 0.004)
        """,
        user=person.user.user_id,
        text=HOSTILE,
    )
    add_dead_work(mind, HOSTILE)
    room = person.client.post("/v1/rooms", json={"name": HOSTILE, "beings": [person.being.slug], "people": [HOSTILE]})
    said = {"role": "other", "speaker": HOSTILE, "content": HOSTILE}
    assert person.client.post(f"/v1/rooms/{room.json()['room_id']}/messages", json=said).is_success
    # Pinned facts are in every prompt.
    for fact in mind.told("/facts")["facts"]:
        mind.told(f"/facts/{fact['fact_id']}", "PATCH", json={"pinned": True})
    mind.told("/context", json={"message": "What was sold?"})
    assert mind.settled()
    return mind


def places(mind):
    """Every section, and a view of each thing that can be opened."""
    fact = mind.told("/facts")["facts"][0]["fact_id"]
    session = mind.told("/sessions")["sessions"][0]["session_id"]
    context = mind.told("/contexts")["contexts"][0]["context_id"]
    nodes = [f"memory/{node['node_id']}" for node in mind.told("/nodes")["nodes"]]
    room = mind.person.client.get("/v1/rooms").json()["rooms"][0]["room_id"]
    opened = (f"facts/{fact}", f"talk/{session}", f"rooms/{room}", f"prompts/{context}")
    return [*QUIET_SECTIONS, *nodes, *opened]


def opened(page):
    """The text of the page with all that can be unfolded."""
    page.evaluate("document.querySelectorAll('main details').forEach((details) => { details.open = true; })")
    # A topic lists its memories when it opens.
    expect(page.locator(".topic .lines:empty")).to_have_count(0)
    versions = page.get_by_role("button", name="Versions")
    while versions.count():
        before = versions.count()
        versions.first.click()
        expect(versions).to_have_count(before - 1)
    return page.locator("body").inner_text()


def test_no_text_of_any_table_is_interpreted(everything_hostile, page_of, went):
    page = page_of(everything_hostile.token)
    faults = {}
    for place in places(everything_hostile):
        went(page, place)
        if place == "search":
            page.get_by_label("What to look for").fill("sold isolated")
            expect(page.locator(".result").first).to_be_visible()
        elif place == "prompts":
            page.get_by_label("A message of the user").fill("What was sold?")
            page.get_by_role("button", name="Assemble").click()
            expect(page.get_by_text("The prompt itself")).to_be_visible()
        text = opened(page)
        told = [
            "control characters" if visible(text) != text else None,
            "elements" if page.locator("main img, main script, main h1 h1, main h1:text-is('Big')").count() else None,
            "script" if page.evaluate("window.broken ?? null") else None,
            "not shown" if SHOWN not in page.locator("main").inner_text() and place not in WITHOUT_TEXTS else None,
        ]
        if any(told):
            faults[place] = [one for one in told if one]
    assert faults == {}
    assert page.faults == []
    assert visible(page.title()) == page.title()
