"""The map: on a phone it stands above its slider, and a memory is opened by mouse, by touch and by keyboard."""

from uuid import uuid4

import pytest
from playwright.sync_api import expect

from tests.processes.browser import DESKTOP, PHONE

ACTION = "Nadia lit the harbour lamp by hand."
# A phone whose browser shows its own bars.
BARS = (PHONE[0], 640)
TOPICS = 10


def with_topics(page):
    """Let the map have as many topics as the demo's month."""

    def answer(route):
        told = route.fetch().json()
        node = told["nodes"][0]
        roots = [cluster for cluster in told["clusters"] if cluster["is_parent"]]
        topics = [
            {**roots[0], "cluster_id": str(uuid4()), "name": f"Topic number {number}", "is_parent": False}
            | {"parent_id": roots[number % 2]["cluster_id"]}
            for number in range(TOPICS)
        ]
        clusters = [*roots, *topics]
        nodes = [
            {**node, "node_id": str(uuid4()), "cluster_id": cluster["cluster_id"]}
            for cluster in clusters
            for _ in "123"
        ]
        route.fulfill(json={"clusters": clusters, "nodes": nodes, "cursor": None})

    page.route("**/map", answer)
    page.reload()
    expect(page.locator(".chart[data-drawn] .labels span")).to_have_count(TOPICS + 2)


@pytest.mark.parametrize("size", [PHONE, BARS], ids=["phone", "phone with bars"])
def test_a_phone_shows_the_map_and_its_slider_together(mind, page_of, size):
    page = page_of(mind.token, size, touch=True)
    with_topics(page)
    chart, slider = page.locator(".chart").bounding_box(), page.locator(".ahead .bar").bounding_box()
    bottom = slider["y"] + slider["height"]
    assert bottom <= size[1]
    assert slider["y"] - chart["y"] >= 220
    if size == PHONE:
        assert chart["y"] + chart["height"] <= slider["y"]
    # Scrolled to the end of the map, the slider is still below it.
    page.locator(".chart").evaluate(
        "chart => window.scrollTo(0, chart.offsetTop + chart.offsetHeight - innerHeight + 150)"
    )
    slider = page.locator(".ahead .bar").bounding_box()
    assert slider["y"] + slider["height"] <= size[1]


def test_names_of_topics_fit_their_places(mind, page_of):
    for size, options in ((DESKTOP, {}), (PHONE, {"touch": True})):
        page = page_of(mind.token, size, **options)
        with_topics(page)
        chart = page.locator(".chart").bounding_box()
        boxes = [label.bounding_box() for label in page.locator(".labels span").all()]
        for box in boxes:
            assert chart["x"] <= box["x"]
            assert box["x"] + box["width"] <= chart["x"] + chart["width"]
            assert chart["y"] <= box["y"]
            apart = [
                other["x"] >= box["x"] + box["width"] or other["x"] + other["width"] <= box["x"]
                for other in boxes
                if other is not box and abs(other["y"] - box["y"]) < box["height"]
            ]
            assert all(apart)


def place_of(page, action):
    """The place of a memory on the map."""
    x, y = page.locator(".chart").evaluate(
        """(chart, action) => {
            const seed = chart.drawing.map.seeds.find((one) => one.node.action === action);
            const box = chart.drawing.canvas.getBoundingClientRect();
            return [box.left + seed.x, box.top + seed.y];
        }""",
        action,
    )
    return x, y


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_memories_lie_within_the_disc_of_their_topic(mind, page_of, size):
    page = page_of(mind.token, size)
    with_topics(page)
    room = page.locator(".chart").evaluate(
        """chart => chart.drawing.map.seeds.map(
            ({ x, y, r, disc }) => disc.r - Math.hypot(x - disc.x, y - disc.y) - r)"""
    )
    assert len(room) == 3 * (TOPICS + 2)
    assert min(room) >= 0


def test_a_memory_is_opened_from_the_drawing_by_mouse(mind, page_of):
    page = page_of(mind.token)
    place = place_of(page, ACTION)
    page.mouse.move(*place)
    expect(page.locator(".tip")).to_contain_text(ACTION)
    page.mouse.move(1, 1)
    expect(page.locator(".tip")).to_be_hidden()
    page.mouse.click(*place)
    expect(page.get_by_role("heading", level=1)).to_have_text(ACTION)


def test_a_memory_is_opened_from_the_drawing_by_two_taps(mind, page_of):
    page = page_of(mind.token, PHONE, touch=True)
    place = place_of(page, ACTION)
    page.touchscreen.tap(*place)
    expect(page.locator(".tip")).to_contain_text(ACTION)
    expect(page.locator("main")).to_have_attribute("data-shown", "map")
    page.touchscreen.tap(*place)
    expect(page.get_by_role("heading", level=1)).to_have_text(ACTION)


def test_a_long_name_of_a_user_leaves_the_header_as_high_as_it_is(mind, page_of):
    page = page_of(mind.token, PHONE, touch=True)
    assert len(mind.person.user.name) > 30
    assert page.locator("#top").bounding_box()["height"] <= 60
