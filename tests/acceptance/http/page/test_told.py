"""The page tells of a change what is true: what is derived again, what stays, and where a correction is found."""

import re
from itertools import pairwise
from uuid import uuid4

from playwright.sync_api import expect

from tests.acceptance.http.intake.scenes import scene
from tests.acceptance.http.page.conftest import QUERY, Mind
from tests.processes.browser import DESKTOP, PHONE, accessibility_faults


def test_taking_back_and_restoring_say_what_is_derived_again(tended, page_of, went):
    name = uuid4().hex
    tended.told("/messages", json=[{"id": name, "role": "user", "content": f"The boat {name} is in."}])
    session = tended.told("/sessions")["sessions"][0]["session_id"]
    page = went(page_of(tended.token), f"talk/{session}")
    told = page.locator("#told")
    page.locator("li", has_text=name).get_by_role("button", name="Retract").click()
    expect(told).to_contain_text(re.compile("counts as never said. (Derived again|Nothing had been derived)"))
    page.locator("#undo").click()
    expect(told).to_contain_text("Undone: Retracted. Derived again in the background")
    # It goes with the page that it is about, sooner than after its time.
    went(page, "facts")
    expect(told).to_be_empty(timeout=5000)


def test_a_being_that_is_off_the_record_says_so_on_every_page_until_it_is_on_it_again(tended, page_of, went):
    page = went(page_of(tended.token), "talk")
    notice = page.locator(".off-the-record")
    expect(notice).to_have_count(0)
    page.get_by_role("button", name="Go off the record").click()
    expect(notice).to_contain_text("Off the record.")
    assert tended.told("/messages", json={"role": "user", "content": "Kept by nobody."})["off_the_record"] == [0]
    expect(went(page, "facts").locator(".off-the-record")).to_have_count(1)
    page.get_by_role("button", name="Go on the record").click()
    expect(notice).to_have_count(0)
    assert tended.told("/messages", json={"role": "user", "content": "Kept again."})["off_the_record"] == []


def test_a_correction_is_in_the_story_of_the_fact(tended, page_of, went):
    before, after = f"Pier {uuid4().hex} is closed.", f"Pier {uuid4().hex} is open."
    (fact,) = tended.told("/facts", json=[{"type": "PROFILE", "content": before}])["fact_ids"]
    page = went(page_of(tended.token), f"facts/{fact}")
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("The fact, in one statement").fill(after)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".story li").last).to_contain_text(f"was corrected: {before} {after}")
    page.locator("#undo").click()
    expect(page.locator("#told")).to_contain_text("both corrections stay in its story")
    expect(page.locator(".story li").last).to_contain_text(f"was corrected: {after} {before}")
    page.get_by_role("button", name="Pin", exact=True).click()
    expect(page.locator(".story li", has_text="was pinned")).to_have_count(1)
    page.locator("#undo").click()
    expect(page.locator("#told")).to_contain_text("Undone: Pinned. What was done and undone stays in its story.")
    expect(page.locator(".story li", has_text="was unpinned")).to_have_count(1)
    tended.told(f"/facts/{fact}", "DELETE")


def test_the_trial_of_a_prompt_shows_what_it_found_by_its_text(mind, page_of, went):
    page = went(page_of(mind.token), "prompts")
    page.get_by_label("A message of the user").fill(QUERY)
    page.get_by_role("button", name="Assemble").click()
    asked = {"message": QUERY, "activate": False, "explain": True}
    explained = mind.told("/context", json=asked)["explanation"]
    texts = [one["text"] for kind in ("memories", "facts", "passages") for one in explained[kind]]
    assert any("Nadia lit the harbour lamp" in text for text in texts)
    lines = page.locator(".recalled > li > :first-child")
    expect(lines).to_have_text(texts)


def test_every_section_is_reached_on_a_phone_and_what_opens_closes(mind, page_of):
    page = page_of(mind.token, PHONE, touch=True)
    links = page.locator("#sections a")
    opener = page.get_by_role("button", name="All sections")
    for number in range(links.count()):
        opener.tap()
        link = links.nth(number)
        link.tap()
        expect(page.locator("main")).to_have_attribute("data-shown", link.get_attribute("href").split("/")[-1])
        expect(page.get_by_role("heading", level=1)).to_be_in_viewport()
        expect(opener).to_have_attribute("aria-expanded", "false")
    menu = page.locator(".menu")
    page.get_by_label("Menu").tap()
    expect(menu).to_have_attribute("open", "")
    page.touchscreen.tap(20, PHONE[1] - 40)
    expect(menu).not_to_have_attribute("open", "")
    page.get_by_label("Menu").tap()
    page.keyboard.press("Escape")
    expect(menu).not_to_have_attribute("open", "")
    assert page.faults == []


def test_the_link_to_the_content_leaves_what_is_shown(mind, page_of):
    page = page_of(mind.token, PHONE, touch=True)
    page.evaluate("document.querySelector('.skip').focus()")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text(mind.person.being.name)
    bars = page.locator("#sections").bounding_box()
    assert heading.bounding_box()["y"] >= bars["y"] + bars["height"]


def test_a_tie_of_two_names_leads_to_its_other_end_by_the_keyboard(mind, page_of, went):
    page = went(page_of(mind.token), "entities")
    labels = {one["entity_ref"]: one["label"] for one in mind.told("/entities")["entities"]}
    ties = [page.locator(f".tie[data-id='{ref}']") for ref in ("person:odile", "thing:cello")]
    expect(page.locator(".tie")).to_have_count(2)
    assert sorted(page.locator(".ties text").all_text_contents()) == sorted(
        labels[ref] for ref in ("person:odile", "thing:cello")
    )
    ties[0].locator("summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(ties[1].locator("summary")).to_be_focused()
    expect(ties[1]).to_contain_text(labels["thing:cello"])
    expect(ties[1].get_by_role("link")).to_have_text("Aunt Odile plays the cello.")
    assert page.faults == []


def test_the_timeline_tells_what_happened_and_what_faded_or_was_merged_in_each_month(person, page_of, went):
    mind = Mind(person)
    notes = ("Nadia lit the lamp.", "Nadia lit the lamp by hand.", "A dinghy was bailed out.", "The rope was new.")
    long = "Gulls sat on each post of the pier. " * 5
    mind.told("/notes", json=[scene(text, when=["2026-02-03"]) for text in (*notes, long)])
    person.patrol()
    lamp, again, dinghy, rope = (mind.node(text)["node_id"] for text in notes)
    mind.told(f"/nodes/{rope}", "DELETE")
    for node, status, survivor, reactivations in ((dinghy, "dying", None, None), (again, "dead", lamp, 0)):
        mind.execute(
            """
            update memory.memory_nodes
            set status = %(status)s, absorbed_into = %(survivor)s, reactivations_at_death = %(reactivations)s,
                final_session_count = 3, session_count_base = null
            where being_id = %(being)s and node_id = %(node)s
            """,
            node=node,
            status=status,
            survivor=survivor,
            reactivations=reactivations,
        )
    # Each became what it is in a month of its own.
    for node, month in ((again, "03"), (dinghy, "04"), (rope, "05")):
        mind.execute(
            "update memory.node_history set happened_at = %(at)s where being_id = %(being)s and node_id = %(node)s",
            at=f"2025-{month}-12T12:00:00Z",
            node=node,
        )
    page = went(page_of(mind.token), "timeline")
    expect(page.get_by_role("heading", level=2)).to_have_text(["February 2026", "May 2025", "April 2025", "March 2025"])
    page.locator(".timeline details").evaluate_all("groups => groups.forEach((group) => { group.open = true; })")
    lines = {
        (month.get_attribute("data-month"), group.get_attribute("class")): group.locator("li").all_inner_texts()
        for month in page.locator(".timeline > li").all()
        for group in month.locator("details").all()
    }
    assert {place: sorted(told) for place, told in lines.items()} == {
        ("2026-02", "happened"): [
            f"{notes[2]}\nfading away since Apr 12, 2025",
            f"{long[:159]}…",
            notes[0],
            f"{notes[3]}\nforgotten on May 12, 2025",
        ],
        ("2025-05", "faded"): [f"{notes[3]}\nforgotten on May 12, 2025"],
        ("2025-04", "faded"): [f"{notes[2]}\nfading away since Apr 12, 2025"],
        ("2025-03", "merged"): [f"{notes[1]}\non Mar 12, 2025, into {notes[0]}"],
    }
    assert accessibility_faults(page) == []
    assert page.faults == []


def test_long_names_of_a_graph_can_be_read_on_a_desktop_and_a_phone(person, page_of, went):
    mind = Mind(person)
    refs = [f"person:wilhelmina_mummenschanz_{number}" for number in range(8)]
    mind.told(
        "/facts",
        json=[
            {"type": "PEOPLE", "content": f"The two meet at the mill, pair {number}.", "entity_refs": list(pair)}
            for number, pair in enumerate(pairwise(refs))
        ],
    )
    for size in (DESKTOP, PHONE):
        drawing = went(page_of(mind.token, size), "entities").locator(".ties svg")
        box = drawing.bounding_box()
        names = [text.bounding_box() for text in drawing.locator("text").all()]
        assert len(names) == len(refs)
        for name in names:
            assert box["x"] <= name["x"]
            assert name["x"] + name["width"] <= box["x"] + box["width"]
            assert name["height"] >= 12
