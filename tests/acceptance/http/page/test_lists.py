"""Every list of the page shows what the API lists: in its order, page by page to the last, and with the same words."""

import re

import pytest
from playwright.sync_api import expect

from tests.acceptance.http.page.conftest import Mind, becomes

MEMORY = "Nadia lit the harbour lamp by hand."
# The section, its items and their button, the API's list, and where that has the items' ids.
LISTS = [
    ("map", ".ahead ol > li", ".ahead .more", "/fading?patrols=60", "nodes", None),
    ("memory/{node}", ".prompts > li", ".prompts + .more", "/contexts?shows={node}", "contexts", "context_id"),
    ("facts", ".facts li", ".facts .more", "/facts", "facts", "fact_id"),
    ("facts", ".todos li", ".todos .more", "/todos", "todos", "todo_id"),
    ("entities", ".scroll tbody tr", ".scroll + .more", "/entities", "entities", "entity_ref"),
    ("entities", ".proposals > li", ".proposals + .more", "/entities/merges", "proposals", "merge_id"),
    ("talk", ".sessions > li", ".sessions + .more", "/sessions", "sessions", "session_id"),
    ("talk", ".talk > li", ".talk + .more", "/retracted-messages", "messages", "message_id"),
    ("talk/{session}", ".talk > li", ".talk + .more", "/sessions/{session}/messages", "messages", "message_id"),
    ("diary", ".diary > article", ".diary + .more", "/diary", "entries", "day"),
    ("prompts", ".prompts > li", ".prompts + .more", "/contexts", "contexts", "context_id"),
    ("patrols", ".patrols > li", ".patrols + .more", "/patrols", "patrols", "run_id"),
    ("work", ".dead > li", ".dead + .more", "/v1/work", "work", "work_id"),
]


@pytest.fixture
def names(mind):
    """The ids of the memory and the session that are looked at."""
    sessions = mind.told("/sessions")["sessions"]
    return {"node": mind.node(MEMORY)["node_id"], "session": sessions[0]["session_id"]}


def one_item_a_page(page):
    """Let the page ask for lists item by item."""
    page.route("**/v1/**", lambda route: route.continue_(url=re.sub(r"limit=\d+", "limit=1", route.request.url)))
    return page


def test_each_list_goes_on_to_its_last_item(mind, page_of, went, names):
    page = one_item_a_page(page_of(mind.token))
    page.get_by_label("Look ahead").fill("60")
    expect(page.locator(".ahead ol")).to_have_attribute("data-patrols", "60")
    page.get_by_text("Which ones").click()
    for section, items, button, list_, key, identity in LISTS:
        if section != "map":
            went(page, section.format(**names))
        path = list_.format(**names)
        told = (mind.person.client.get(path).json() if path.startswith("/v1/") else mind.told(path))[key]
        shown, more = page.locator(items), page.locator(button)
        assert len(told) > 1, list_
        for already in range(1, len(told)):
            expect(shown).to_have_count(already)
            more.click()
        expect(shown).to_have_count(len(told))
        expect(more).to_be_hidden()
        if identity:
            assert [one.get_attribute("data-id") for one in shown.all()] == [one[identity] for one in told], list_
    assert page.faults == []


def test_the_search_goes_on_to_the_most_that_the_api_finds(tended, page_of, went):
    # Enough that the words of one question are found in more than the first page holds.
    tended.told(
        "/messages", json=[{"id": f"oar {n}", "role": "user", "content": f"Oar number {n}."} for n in range(25)]
    )
    found = {"query": "Oar number", "kinds": ["message"], "limit": 50}
    assert becomes(lambda: len(tended.told("/search", json=found)["results"]) >= 25)
    assert tended.settled()
    page = went(page_of(tended.token), "search")
    page.get_by_label("What to look for").fill("Oar number")
    for kind in ("Memories", "Facts", "Summaries", "Diary"):
        page.get_by_label(kind).uncheck()
    expect(page.locator(".result")).to_have_count(20)
    page.get_by_role("button", name="Show more").click()
    found = [one["id"] for one in tended.told("/search", json=found)["results"]]
    expect(page.locator(".result")).to_have_count(len(found))
    assert sorted(one.get_attribute("data-id") for one in page.locator(".result").all()) == sorted(found)


def test_opened_pages_stay_open_after_a_change(tended, page_of, went):
    page = one_item_a_page(page_of(tended.token))
    went(page, "facts")
    page.locator(".facts .more").click()
    second = page.locator(".facts li").nth(1)
    content = second.locator("p").first.inner_text()
    second.get_by_role("button", name="Pin", exact=True).click()
    expect(page.locator(".facts li", has_text=content).get_by_role("button", name="Unpin")).to_be_visible()
    expect(page.locator(".facts li")).to_have_count(2)
    page.locator("#undo").click()
    expect(page.locator(".facts li", has_text=content).get_by_role("button", name="Pin", exact=True)).to_be_visible()


def test_facts_with_their_evidence_and_history(mind, page_of, went):
    page = went(page_of(mind.token), "facts")
    for fact in mind.told("/facts")["facts"]:
        card = page.locator(f".facts li[data-id='{fact['fact_id']}']")
        expect(card).to_contain_text(fact["content"])
        expect(card).to_contain_text(f"{fact['entity_label']} · told {fact['mentions']} time")
    detail = mind.told(f"/facts/{fact['fact_id']}")
    went(page, f"facts/{fact['fact_id']}")
    statements = page.locator(".statements > li")
    expect(statements).to_have_count(len(detail["statements"]))
    for shown, statement in zip(statements.all(), detail["statements"], strict=True):
        expect(shown).to_contain_text(statement["content"])
        spans = shown.locator("blockquote > :first-child").all_inner_texts()
        assert spans == [evidence["span"] for evidence in statement["evidence"]]
    expect(page.locator(".story > li")).to_have_count(len(detail["history"]))


def test_entities_and_what_may_be_one(mind, page_of, went):
    page = went(page_of(mind.token), "entities")
    for entity in mind.told("/entities")["entities"]:
        cells = page.locator(f"tr[data-id='{entity['entity_ref']}']").locator("th, td").all_inner_texts()
        kind = entity["entity_ref"].split(":")[0]
        assert cells == [entity["label"], kind, str(entity["facts"]), "Mute"]
    for merge in mind.told("/entities/merges?state=proposed")["proposals"]:
        card = page.locator(f".proposals > li[data-id='{merge['merge_id']}']")
        expect(card).to_contain_text(f"proposed · similarity {merge['similarity']:.2f}")
    page.get_by_role("link", name="1 fact of this entity").first.click()
    ref = mind.told("/entities")["entities"][0]["entity_ref"]
    expect(page.locator("main")).to_have_attribute("data-shown", f"facts/of/{ref}")
    of = mind.told(f"/facts?entity={ref}")["facts"]
    assert [one.get_attribute("data-id") for one in page.locator(".facts li").all()] == [fact["fact_id"] for fact in of]


def test_talk_by_session_and_what_was_taken_back(mind, page_of, went):
    page = went(page_of(mind.token), "talk")
    for session in mind.told("/sessions")["sessions"]:
        line = page.locator(f".sessions > li[data-id='{session['session_id']}']")
        expect(line).to_contain_text(f"{session['turn_count']} turn")
        expect(line.get_by_role("link")).to_have_text(session["one_liner"] or session["first_words"])
    taken = [one["content"] for one in mind.told("/retracted-messages")["messages"]]
    assert page.locator(".talk > li p").all_inner_texts() == taken
    for session in mind.told("/sessions")["sessions"]:
        went(page, f"talk/{session['session_id']}")
        said = mind.told(f"/sessions/{session['session_id']}/messages")["messages"]
        assert page.locator(".talk > li p").all_inner_texts() == [one["content"] for one in said]
        names = {"user": mind.person.user.name, "assistant": mind.person.being.name}
        speakers = [one["speaker"] or names[one["role"]] for one in said]
        assert [text.split(" · ")[0] for text in page.locator(".talk > li > .hint").all_inner_texts()] == speakers


def test_a_room_shows_who_was_there_at_each_line_and_where_the_being_was_not(person, page_of, went):
    client, being, other = person.client, person.being, person.add_being("olga")
    room = client.post("/v1/rooms", json={"name": "The mole", "beings": [being.slug, other.slug]}).json()
    path = f"/v1/rooms/{room['room_id']}/messages"
    said = [
        {"role": "user", "content": "Is the lamp lit?"},
        {"speaker_being": other.slug, "content": "It is."},
        {"role": "user", "content": "Olga, a word.", "present": [other.slug]},
    ]
    assert client.post(path, json=said).is_success

    page = went(page_of(Mind(person).token), "rooms")
    page.get_by_role("link", name="The mole").click()
    expect(page.locator("main")).to_have_attribute("data-shown", f"rooms/{room['room_id']}")
    expect(page.locator("main .lead")).to_have_text(f"{being.name} was there at 2 of 3 lines.")
    lines = page.locator(".talk > li")
    assert lines.locator("p").all_inner_texts() == ["Olga, a word.", "It is.", "Is the lamp lit?"]
    expect(lines.nth(0)).to_have_class("gap")
    expect(lines.nth(0)).to_contain_text(f"there: olga · {being.name} was not there")
    expect(lines.nth(1)).to_have_class("assistant")
    expect(lines.nth(1)).to_contain_text("Olga · ")
    expect(lines.nth(1)).to_contain_text(f"there: {being.slug} and olga")
    lines.nth(1).get_by_role("button", name="Retract for all").click()
    expect(lines).to_have_count(2)
    assert len(client.get(path).json()["messages"]) == 2

    page.get_by_role("button", name="Remove this room").click()
    dialog = page.get_by_role("dialog", name="Remove this room?")
    expect(dialog).to_contain_text("What each Being heard there stays its own.")
    dialog.get_by_role("button", name="Cancel").click()
    assert len(client.get("/v1/rooms").json()["rooms"]) == 1
    page.get_by_role("button", name="Remove this room").click()
    dialog.get_by_role("button", name="Remove it").click()
    expect(page.locator("main")).to_have_attribute("data-shown", "rooms")
    expect(page.locator("main .empty")).to_be_visible()
    assert client.get("/v1/rooms").json()["rooms"] == []


def test_the_diary_and_what_is_kept_for_next_time(mind, page_of, went):
    page = went(page_of(mind.token), "diary")
    told = mind.told("/diary")
    shown = ["\n".join(one.locator("p").all_inner_texts()) for one in page.locator(".diary > article").all()]
    assert shown == [entry["text"] for entry in told["entries"]]
    assert [f"- {line}" for line in page.locator(".next li").all_inner_texts()] == told["think_md"].split("\n")


def test_the_vault_with_its_versions_and_its_room(mind, page_of, went):
    page = went(page_of(mind.token), "vault")
    stats = mind.told("/vault/stats")
    expect(page.locator(".lead")).to_contain_text(f"{stats['active']} records of {stats['max']}")
    records = mind.told("/vault")["records"]
    for card, record in zip(page.locator(".records > li").all(), records, strict=True):
        assert card.get_attribute("data-id") == record["id"]
        expect(card).to_contain_text(record["text"])
        expect(card).to_contain_text(f"{record['tier']} · {record['category']}")
        card.get_by_role("button", name="Versions").click()
        versions = mind.told(f"/vault/{record['id']}")["records"]
        expect(card.locator(".story li")).to_have_count(len(versions))
        assert card.locator(".story [dir]").all_inner_texts() == [version["text"] for version in versions]
    assert {record["version"] for record in records} == {1, 2}


def test_patrols_with_what_each_did(mind, page_of, went):
    page = went(page_of(mind.token), "patrols")
    for run in mind.told("/patrols")["patrols"]:
        card = page.locator(f".patrols > li[data-id='{run['run_id']}']")
        assert card.get_attribute("data-state") == run["state"]
        names = [one.get_attribute("data-step") for one in card.locator(".steps li").all()]
        assert names == [step["step"] for step in run["steps"]]
        done = [step["step"] for step in run["steps"] if step["outcome"] == "done"]
        assert [one.get_attribute("data-step") for one in card.locator(".steps li.done").all()] == done
        amounts = [str(amount) for amount in run["counts"].values() if amount]
        told = card.locator(".counts").inner_text().split(" · ") if amounts else []
        assert [text.split(" ")[0] for text in told] == amounts
        reasons = card.locator(".reasons").all_text_contents()
        assert all(f"{step['reason']}: " in reasons[0] for step in run["steps"] if step["reason"])
        assert len(reasons) == any(step["reason"] for step in run["steps"])


def test_cost_by_day_and_purpose(mind, page_of, went):
    page = went(page_of(mind.token), "cost")
    spending = mind.told("/cost")["spending"]
    days = {one["day"] for one in spending}
    expect(page.locator(".days span")).to_have_count(len(days))
    expect(page.locator(".by-day tr")).to_have_count(len(days))
    # The numbers for those who look after the system stand apart, until they are opened.
    purposes = page.locator(".by-purpose tr")
    expect(purposes.first).to_be_hidden()
    page.get_by_text("By purpose and model").click()
    rows = purposes.all()
    assert [(row.get_attribute("data-day"), row.get_attribute("data-purpose")) for row in rows] == [
        (one["day"], one["purpose"]) for one in spending
    ]
    assert [row.locator("td").all_inner_texts() for row in rows] == [
        [
            f"the diary\n{one['model']} · {one['input_tokens']:,} tokens in, {one['output_tokens']:,} out",
            f"${float(one['cost']):.3f}",
            f"{one['calls']:,}",
        ]
        for one in spending
    ]
    (budget,) = (each for each in mind.told("/cost")["budgets"] if each["budget"] == "being")
    said = f"${float(budget['spent_cost']):.2f} of ${float(budget['limit_cost']):.2f}"
    expect(page.get_by_text(f"This companion's: {said}, open.")).to_be_visible()


def test_dead_work_with_its_reason(mind, page_of, went):
    page = went(page_of(mind.token), "work")
    for work in mind.person.client.get("/v1/work").json()["work"]:
        card = page.locator(f".dead > li[data-id='{work['work_id']}']")
        expect(card).to_contain_text("Patrol: join small topics")
        expect(card).to_contain_text(work["kind"])
        expect(card).to_contain_text(work["error"])
        expect(card).to_contain_text(f"{work['attempts']} attempts")


def test_what_the_being_holds(mind, page_of, went):
    page = went(page_of(mind.token), "care")
    holds = mind.told("/overview")
    shown = dict(row.locator("dt, dd").all_inner_texts() for row in page.locator(".pairs > div").all())
    assert shown == {
        "Memories": str(holds["nodes_active"] + holds["nodes_dying"] + holds["nodes_dead"]),
        "Topics": str(holds["topics"]),
        "Messages": str(holds["messages"]),
        "Conversations": str(holds["sessions"]),
        "Facts that it knows": str(holds["facts"]),
        "Open todos": str(holds["todos"]),
        "Vault records": str(holds["vault_records"]),
        "Patrols": str(holds["patrols"]),
    }
