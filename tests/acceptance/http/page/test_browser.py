"""The browser of the tests: axe finds faults, and other tests' event loops are left alone."""

import asyncio

from tests.processes.browser import DESKTOP, PHONE, accessibility_faults

GOOD = "<!doctype html><html lang=en><title>A</title><main><h1>A</h1><p>Words</p></main></html>"


def test_axe_finds_a_picture_without_words(open_page):
    page = open_page()
    page.set_content(GOOD)
    assert accessibility_faults(page) == []
    page.set_content(GOOD.replace("Words", "<img src='data:,'>"))
    assert [fault.partition(":")[0] for fault in accessibility_faults(page)] == ["image-alt"]


def test_pages_have_the_size_and_the_touch_that_was_asked_for(open_page):
    for size, touch in ((DESKTOP, False), (PHONE, True)):
        page = open_page(size, touch=touch)
        assert page.evaluate("[screen.width, navigator.maxTouchPoints > 0]") == [size[0], touch]


def test_an_event_loop_can_run_between_tests_of_the_browser(chromium):
    async def answer():
        await asyncio.sleep(0)
        return 42

    with chromium.used() as browser:
        assert browser.is_connected()
    assert asyncio.run(answer()) == 42
    with chromium.used() as browser:
        context = browser.new_context()
        assert context.new_page().evaluate("6 * 7") == 42
        context.close()
