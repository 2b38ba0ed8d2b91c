"""What the page says of a change is true: what is derived again, what stays, and where a correction is found."""

import re
from uuid import uuid4

from playwright.sync_api import expect

from tests.acceptance.http.page.conftest import QUERY
from tests.browser import PHONE


def test_taking_back_and_restoring_say_what_is_derived_again(tended, page_of, went):
    name = uuid4().hex
    tended.told("/messages", json=[{"id": name, "role": "user", "content": f"The boat {name} is in."}])
    session = tended.told("/sessions")["sessions"][0]["session_id"]
    page = went(page_of(tended.token), f"talk/{session}")
    told = page.locator("#told")
    page.locator("li", has_text=name).get_by_role("button", name="Take back").click()
    expect(told).to_contain_text(re.compile("counts as never said. (Derived again|Nothing had been derived)"))
    page.locator("#undo").click()
    expect(told).to_contain_text("Undone: Taken back. Derived again in the background")
    # It goes with the page that it is about, sooner than after its time.
    went(page, "facts")
    expect(told).to_be_empty(timeout=5000)


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


def test_the_timeline_has_each_memory_in_its_month(mind, page_of, went):
    page = went(page_of(mind.token), "timeline")
    nodes = mind.told("/nodes")["nodes"]
    months = {one.get_attribute("data-month") for one in page.locator(".timeline > li").all()}
    assert months == {(node["scene"]["when"] or [node["created_at"]])[0][:7] for node in nodes}
    shown = page.locator(".timeline .lines > li > a").all_text_contents()
    assert sorted(shown) == sorted(node["scene"]["action"] for node in nodes)
