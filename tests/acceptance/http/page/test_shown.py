"""The page shows what the API says, and a text is shown as a text, whatever it contains."""

import re
from urllib.parse import quote

from playwright.sync_api import expect

from schemas.text.visible_text import visible
from tests.acceptance.http.page.conftest import HOSTILE, QUERY


def test_the_map_has_each_living_memory_under_its_topic(mind, page_of):
    page = page_of(mind.token)
    shown = page.locator(".chart").evaluate(
        "chart => chart.drawing.map.seeds.map(({ node, disc }) => [node.action, disc.group.cluster.name])"
    )
    topics = {cluster["cluster_id"]: cluster["name"] for cluster in mind.told("/clusters")["clusters"]}
    nodes = mind.told("/nodes")["nodes"]
    assert sorted(map(tuple, shown)) == sorted((node["scene"]["action"], topics[node["cluster_id"]]) for node in nodes)
    for topic in page.locator(".topic > summary").all():
        topic.click()
    # A topic's lines are made when it opens, after the click.
    expect(page.locator(".topic .lines a")).to_have_count(len(nodes))
    assert sorted(page.locator(".topic .lines a").all_inner_texts()) == sorted(
        node["scene"]["action"] for node in nodes
    )


def test_the_slider_shows_what_the_forecast_of_the_api_says(mind, page_of):
    page = page_of(mind.token)
    slider = page.get_by_label("Look ahead")
    today = [node for node in mind.told("/nodes")["nodes"] if node["status"] == "dying"]
    assert today
    for patrols in (0, 1, 5, 60):
        slider.evaluate("(range, value) => { range.value = value; range.dispatchEvent(new Event('input')); }", patrols)
        fading = mind.told("/fading", params={"patrols": patrols})["nodes"]
        expect(page.locator(".ahead ol")).to_have_attribute("data-patrols", str(patrols))
        assert page.locator(".ahead ol a").all_text_contents() == [node["scene"]["action"] for node in fading]
        told = (
            rf"\b{len(fading)} more memor.*: {len(today) + len(fading)} in all" if patrols else rf"\b{len(today)} memor"
        )
        expect(page.locator(".ahead-told")).to_contain_text(re.compile(told))
        hollow = page.locator(".chart").evaluate(
            "({ drawing }) => drawing.fading.flat().map((one) => one.node.node_id)"
        )
        assert sorted(hollow) == sorted(node["node_id"] for node in (*today, *fading))


def test_a_memory_shows_its_strength_its_note_and_its_story(mind, page_of, went):
    node = mind.node("Nadia lit the harbour lamp by hand.")
    page = went(page_of(mind.token), f"memory/{node['node_id']}")
    story = mind.told(f"/nodes/{node['node_id']}/history")
    expect(page.get_by_role("heading", level=1)).to_have_text(node["scene"]["action"])
    expect(page.locator(".state")).to_contain_text(f"strength {node['effective_importance']:.2f} of 0.90")
    assert page.locator(".story li").count() == len(story["history"])
    expect(page.get_by_text("Warm.")).to_be_visible()


def test_a_merged_memory_shows_its_dates_with_their_words(mind, page_of, went):
    node = mind.node("Nadia lit the harbour lamp by hand.")
    history = [{"date": "2026-02-27", "action": "She looked for matches."}, "2026-03-01"]
    mind.told(f"/nodes/{node['node_id']}", method="PATCH", json={"when": history})
    page = went(page_of(mind.token), f"memory/{node['node_id']}")
    expect(page.locator(".when")).to_contain_text("2026-02-27 She looked for matches.")
    expect(page.locator(".when")).to_contain_text("2026-03-01")
    mind.told(f"/nodes/{node['node_id']}", method="PATCH", json={"when": node["scene"]["when"]})


def test_a_search_shows_each_signal_with_its_share(mind, page_of, went, wait_until):
    def searched():
        return mind.told("/search", json={"query": QUERY, "limit": 20, "explain": True})

    # The page and the test search the same index.
    wait_until(lambda: not searched()["unindexed"])
    page = went(page_of(mind.token), "search")
    page.get_by_label("What to look for").press_sequentially(QUERY)
    expect(page.locator(".results")).to_have_attribute("data-query", QUERY)
    found = searched()["results"]
    assert [one.get_attribute("data-id") for one in page.locator(".result").all()] == [one["id"] for one in found]
    for shown, one in zip(page.locator(".result").all(), found, strict=True):
        shares = {name: f"{signal['share']:.2f}" for name, signal in one["signals"].items() if signal["share"]}
        bars = {
            bar.get_attribute("data-signal"): bar.locator("dd").last.text_content()
            for bar in shown.locator("[data-signal]").all()
        }
        assert bars == shares


def test_why_a_memory_was_in_a_prompt_is_shown(mind, page_of, went):
    node = mind.node("Nadia lit the harbour lamp by hand.")
    context = mind.told("/contexts", params={"shows": node["node_id"]})["contexts"][0]
    told = mind.told(f"/contexts/{context['context_id']}")
    (memory,) = [one for one in told["memories"] if one["node_id"] == node["node_id"]]
    page = went(page_of(mind.token), f"memory/{node['node_id']}")
    page.locator("section", has_text="In prompts").get_by_role("link").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Prompt of")
    expect(page.get_by_role("listitem").filter(has_text="Nadia lit")).to_contain_text(
        f"recalled by the message, similarity {memory['similarity']:.2f}"
    )


def test_hostile_texts_are_shown_as_texts(hostile, page_of, went):
    page = page_of(hostile.token)
    for topic in page.locator(".topic > summary").all():
        topic.click()
    nodes = hostile.told("/nodes")["nodes"]
    expect(page.locator(".topic .lines a")).to_have_count(len(nodes))
    shown = page.locator("main").inner_text()
    assert [text for text in HOSTILE if visible(text) not in shown] == []
    went(page, "facts")
    facts = page.locator("main").inner_text()
    assert [text for text in HOSTILE if visible(text) not in facts] == []
    for node in nodes:
        went(page, f"memory/{quote(node['node_id'])}")
        expect(page.get_by_role("heading", level=1)).to_have_text(visible(node["scene"]["action"]))
    (session,) = hostile.told("/sessions")["sessions"]
    went(page, f"talk/{session['session_id']}")
    talk = page.locator("main").inner_text()
    assert [text for text in HOSTILE if visible(text) not in talk] == []
    for section in ("search", "entities", "patrols", "prompts", "work", "care"):
        went(page, section)
    assert page.evaluate("window.broken ?? null") is None
    assert page.locator("main script, main img[src=x], main svg, main h1:has-text('Not a heading')").count() == 0
    assert page.faults == []


def test_text_stands_in_its_own_direction(hostile, page_of, went):
    page = went(page_of(hostile.token), "facts")
    arabic = page.locator("main a", has_text="اللغة").locator("[dir=auto]")
    assert arabic.evaluate("element => getComputedStyle(element).direction") == "rtl"
