"""The daily tasks, done by keyboard on a desktop and some by touch on a phone; each change can be undone."""

import re
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from tests.acceptance.http.page.conftest import add_dead_work
from tests.processes.browser import DESKTOP, PHONE

# A patrol waits for workers, which may be busy with other tests' memories.
PATIENCE_MS = 120_000
ACTION = "Nadia lit the harbour lamp by hand."
# By touch are done the tasks that together press each sort of control: a heading that opens, a button of a list, one
# in a dialog, and the one that undoes.
BY_BOTH = pytest.mark.parametrize("hand", ["keyboard", "touch"], indirect=True)


class Hand:
    """Presses what a person sees, by the keyboard alone or by touch."""

    def __init__(self, page, *, touch):
        self.page = page
        self._touch = touch

    def press(self, target):
        """Press a button, a link or a heading that opens."""
        # A change shows the section anew; what stood there before can't be pressed.
        expect(self.page.locator("main")).to_have_attribute("data-shown", re.compile("."))
        # Both scroll to the target, and look it up again where the section was shown anew meanwhile.
        if self._touch:
            target.tap()
        else:
            target.press("Enter")

    def button(self, name, within=None):
        self.press((within or self.page.locator("main")).get_by_role("button", name=name, exact=True).first)

    def undo(self):
        self.press(self.page.locator("#undo"))


@pytest.fixture
def hand(request, tended, page_of):
    touch = getattr(request, "param", "keyboard") == "touch"
    page = page_of(tended.token, PHONE if touch else DESKTOP, touch=touch)
    yield Hand(page, touch=touch)
    assert page.faults == []


@pytest.fixture
def said(tended):
    """A message of a session that has one more, and the session."""
    name = uuid4().hex
    texts = [f"The boat {name} is in.", f"How good, the boat {name}."]
    tended.told("/messages", json=[{"id": f"{name} {text}", "role": "user", "content": text} for text in texts])
    (session,) = [
        one["session_id"]
        for one in tended.told("/sessions")["sessions"]
        if any(
            text["content"] == texts[0]
            for text in tended.told(f"/sessions/{one['session_id']}/messages", params={"limit": 200})["messages"]
        )
    ]
    return texts, session


def test_a_memory_is_found_on_the_map_pinned_forgotten_revived_and_corrected(hand, tended):
    def node():
        return tended.told(f"/nodes/{node_id}")

    node_id = tended.node(ACTION)["node_id"]
    chip = hand.page.locator(".state .chip")
    for topic in hand.page.locator(".topic > summary").all():
        hand.press(topic)
    hand.press(hand.page.locator(".topic .lines a", has_text=ACTION))
    expect(hand.page.get_by_role("heading", level=1)).to_have_text(ACTION)

    hand.button("Pin")
    expect(chip).to_have_text("pinned")
    assert node()["pinned"]
    hand.button("Unpin")
    expect(chip).to_have_text("active")
    assert not node()["pinned"]
    hand.undo()
    expect(chip).to_have_text("pinned")
    assert node()["pinned"]
    hand.undo()
    expect(chip).to_have_text("active")
    assert not node()["pinned"]

    before = node()
    hand.button("Forget")
    expect(chip).to_have_text("forgotten")
    assert node()["status"] == "dead"
    hand.button("Revive")
    expect(chip).to_have_text("active")
    hand.undo()
    expect(chip).to_have_text("forgotten")
    assert node()["forgotten_at"]
    hand.button("Revive")
    expect(chip).to_have_text("active")
    hand.undo()
    expect(chip).to_have_text("forgotten")
    tended.told(f"/nodes/{node_id}/revive", "POST")
    hand.page.reload()
    expect(chip).to_have_text("active")
    hand.button("Forget")
    expect(chip).to_have_text("forgotten")
    hand.undo()
    expect(chip).to_have_text("active")
    assert node()["status"] == before["status"]

    hand.button("Correct")
    dialog = hand.page.get_by_role("dialog")
    dialog.get_by_label("What happened").fill("Nadia lit the lamp with a match.")
    hand.button("Save", dialog)
    expect(hand.page.get_by_role("heading", level=1)).to_have_text("Nadia lit the lamp with a match.")
    hand.undo()
    expect(hand.page.get_by_role("heading", level=1)).to_have_text(ACTION)
    assert node()["scene"]["action"] == ACTION


def test_a_fact_is_added_edited_where_it_stands_and_each_step_undone(hand, tended, went):
    def facts():
        return {fact["content"] for fact in tended.told("/facts")["facts"]}

    went(hand.page, "facts")
    told, edited = f"Pier {uuid4().hex} is closed.", f"Pier {uuid4().hex} is open."
    hand.button("Add a fact")
    dialog = hand.page.get_by_role("dialog")
    dialog.get_by_label("One statement").fill(told)
    hand.button("Save", dialog)
    # The link is the fact; beside it stands the entity, which an added fact names by its own words.
    card = hand.page.locator(".facts li", has=hand.page.locator("a", has_text=told))
    expect(card).to_be_visible()
    assert told in facts()

    hand.button("Edit", card)
    hand.page.get_by_label("The fact, in one statement").fill(edited)
    hand.button("Save")
    # The field that it was typed into is gone.
    expect(hand.page.locator(".facts li a", has_text=edited)).to_be_visible()
    assert edited in facts()
    hand.undo()
    expect(card).to_be_visible()
    assert told in facts()

    hand.button("Archive", card)
    expect(card).to_have_count(0)
    hand.undo()
    expect(card).to_be_visible()

    hand.button("Keep in confidence", card)
    expect(card).to_contain_text("in confidence")
    hand.undo()
    expect(card).not_to_contain_text("· in confidence")

    hand.button("Mute", card)
    expect(card.get_by_role("button", name="Unmute")).to_be_visible()
    hand.undo()
    expect(card.get_by_role("button", name="Mute")).to_be_visible()

    hand.undo()
    expect(card).to_have_count(0)
    assert not facts() & {told, edited}


@BY_BOTH
def test_a_topic_is_renamed(hand, tended):
    name, renamed = f"Boats {uuid4().hex}", f"Ships {uuid4().hex}"
    tended.execute(
        """
        with topic as (
            insert into memory.clusters (being_id, name, parent_id, arrivals_since_split)
            select being_id, %(name)s, cluster_id, 0 from memory.clusters
            where being_id = %(being)s and name = 'Private'
            returning cluster_id
        )
        update memory.memory_nodes set cluster_id = (select cluster_id from topic)
        where being_id = %(being)s and scene ->> 'action' = %(action)s
        """,
        name=name,
        action=ACTION,
    )
    hand.page.reload()
    topic = hand.page.locator(".topic", has_text=name)
    hand.press(topic.locator("summary"))
    hand.button("Rename the topic", topic)
    dialog = hand.page.get_by_role("dialog")
    dialog.get_by_label("Name").fill(renamed)
    hand.button("Save", dialog)
    expect(hand.page.locator(".topic", has_text=renamed)).to_be_visible()
    assert renamed in {cluster["name"] for cluster in tended.told("/clusters")["clusters"]}
    hand.undo()
    expect(topic).to_be_visible()
    assert name in {cluster["name"] for cluster in tended.told("/clusters")["clusters"]}


@BY_BOTH
def test_a_todo_is_done_and_opened_again(hand, tended, went):
    def open_todos():
        return {todo["content"] for todo in tended.told("/todos")["todos"]}

    went(hand.page, "facts")
    content = "Whether the lamp needs oil."
    hand.button("Done", hand.page.locator(".todos li", has_text=content))
    expect(hand.page.locator(".todos li", has_text=content)).to_have_count(0)
    assert content not in open_todos()
    hand.undo()
    expect(hand.page.locator(".todos li", has_text=content)).to_be_visible()
    assert content in open_todos()


def test_two_names_are_merged_kept_apart_and_merged_again(hand, tended, went):
    names = {"kept_ref": "person:nadia", "merged_ref": "person:odile"}
    merge = tended.told("/entities/merges", json=names)
    card = hand.page.locator(f"li[data-id='{merge['merge_id']}']")

    def shows(state):
        expect(card).to_contain_text(state)
        (found,) = [one for one in tended.told("/entities/merges")["proposals"] if one["merge_id"] == merge["merge_id"]]
        return found["state"] == state

    went(hand.page, "entities")
    hand.button("Keep them apart", card)
    assert shows("declined")
    hand.undo()
    assert shows("proposed")
    hand.button("They are one", card)
    assert shows("merged")
    hand.button("Undo the merge", card)
    assert shows("undone")
    hand.undo()
    assert shows("merged")
    hand.undo()
    assert shows("undone")


@BY_BOTH
def test_a_message_is_taken_back_and_restored(hand, tended, went, said):
    (first, second), session = said
    taken = lambda: {one["content"] for one in tended.told("/retracted-messages")["messages"]}  # noqa: E731  # a condition
    went(hand.page, f"talk/{session}")
    hand.button("Retract", hand.page.locator("li", has_text=second))
    expect(hand.page.locator("main")).not_to_contain_text(second)
    assert second in taken()
    hand.undo()
    expect(hand.page.locator("main")).to_contain_text(second)
    assert second not in taken()
    hand.button("Retract", hand.page.locator("li", has_text=first))
    expect(hand.page.locator("main")).not_to_contain_text(first)
    went(hand.page, "talk")
    hand.button("Restore", hand.page.locator("li", has_text=first))
    expect(hand.page.locator("li", has_text=first)).to_have_count(0)
    assert first not in taken()


@BY_BOTH
def test_an_erasure_shows_first_what_would_go(hand, tended, went, said):
    (first, second), session = said
    went(hand.page, f"talk/{session}")
    hand.button("Erase …", hand.page.locator("li", has_text=first))
    dialog = hand.page.get_by_role("dialog")
    expect(dialog.locator(".preview li").first).to_have_text("1 message")
    hand.button("Cancel", dialog)
    contents = lambda: {  # noqa: E731  # a condition
        one["content"] for one in tended.told(f"/sessions/{session}/messages", params={"limit": 200})["messages"]
    }
    assert {first, second} <= contents()
    hand.button("Erase …", hand.page.locator("li", has_text=first))
    hand.button("Erase for good", dialog)
    expect(hand.page.locator("main")).not_to_contain_text(first)
    assert first not in contents()


def test_a_gate_of_the_vault_says_why_it_refuses(hand, tended, went):
    def texts():
        return {record["text"] for record in tended.told("/vault")["records"]}

    before = texts()
    went(hand.page, "vault")
    hand.press(hand.page.locator("summary", has_text="Add a statement"))
    hand.page.get_by_label("Statement").fill(min(before))
    hand.button("Add")
    expect(hand.page.locator("form [role=alert]")).to_contain_text("gate")
    added = "Boats whistle twice at the pier on Sundays."
    hand.page.get_by_label("Statement").fill(added)
    hand.button("Add")
    card = hand.page.locator(".records > li", has_text=added)
    expect(card).to_be_visible()
    edited = "Boats whistle three times at the pier on Sundays."
    hand.button("Edit", card)
    dialog = hand.page.get_by_role("dialog")
    dialog.get_by_label("Statement").fill(edited)
    hand.button("Save", dialog)
    expect(hand.page.locator(".records > li", has_text=edited)).to_be_visible()
    assert texts() == before | {edited}
    hand.undo()
    expect(card).to_be_visible()
    assert texts() == before | {added}
    hand.button("Delete", card)
    expect(card).to_have_count(0)
    hand.undo()
    expect(card).to_be_visible()
    assert texts() == before | {added}
    hand.button("Delete", card)
    expect(card).to_have_count(0)
    assert texts() == before


def test_a_patrol_is_seen_as_it_runs(hand, tended, went):
    went(hand.page, "patrols")
    known = {one["run_id"] for one in tended.told("/patrols")["patrols"]}
    hand.button("Run a patrol now")
    newest = hand.page.locator(".patrols > li").first
    expect(newest).not_to_have_attribute("data-id", re.compile("|".join(known)), timeout=PATIENCE_MS)
    expect(newest).to_have_attribute("data-state", "done", timeout=PATIENCE_MS)
    assert tended.told("/patrols")["patrols"][0]["state"] == "done"


def test_dead_work_tells_its_reason_and_is_replayed(hand, tended, went):
    reason = f"ValueError in merge, line {uuid4().int}"
    add_dead_work(tended, reason)
    went(hand.page, "work")
    card = hand.page.locator(".dead > li", has_text=reason)
    hand.button("Try again", card)
    expect(card).to_have_count(0)
    assert reason not in {work["error"] for work in tended.person.client.get("/v1/work").json()["work"]}


def test_an_export_is_downloaded(hand, went):
    went(hand.page, "care")
    with hand.page.expect_download() as download:
        hand.button("Download the export")
    with open(download.value.path(), encoding="utf-8") as lines:  # noqa: PTH123  # a path of the driver's
        assert ACTION in lines.read()


def test_keys_undo_and_open_the_search(tended, page_of, went):
    page = went(page_of(tended.token), "facts")
    card = page.locator(".facts li").first
    card.get_by_role("button", name="Pin", exact=True).click()
    expect(card.get_by_role("button", name="Unpin")).to_be_visible()
    page.keyboard.press("Control+z")
    expect(card.get_by_role("button", name="Pin", exact=True)).to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_label("What to look for")).to_be_focused()
    page.keyboard.press("/")
    expect(page.get_by_label("What to look for")).to_have_value("/")


def test_the_first_tab_skips_to_the_content(mind, page_of):
    page = page_of(mind.token)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
