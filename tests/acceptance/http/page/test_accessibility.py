"""Every section passes axe, in light on a desktop and in dark on a phone, and fits the width of both."""

import pytest

from tests.acceptance.http.page.conftest import QUIET_SECTIONS
from tests.processes.browser import DESKTOP, PHONE, accessibility_faults


@pytest.mark.long
@pytest.mark.parametrize(
    ("size", "options"),
    [(DESKTOP, {"color_scheme": "light"}), (PHONE, {"color_scheme": "dark", "touch": True})],
    ids=["desktop, light", "phone, dark"],
)
def test_each_section_can_be_read_by_everybody(mind, page_of, went, open_page, stack, size, options):
    outside = open_page(size, **options)
    outside.goto(stack.url)
    outside.get_by_label("Access token").wait_for()
    faults = {"login": accessibility_faults(outside)}
    context_id = mind.told("/contexts")["contexts"][0]["context_id"]
    page = page_of(mind.token, size, **options)
    ids = {
        "memory": mind.node("Nadia lit the harbour lamp by hand.")["node_id"],
        "facts": mind.told("/facts")["facts"][0]["fact_id"],
        "talk": mind.told("/sessions")["sessions"][0]["session_id"],
        "prompts": context_id,
    }
    for section in [*QUIET_SECTIONS, *(f"{name}/{id_}" for name, id_ in ids.items())]:
        went(page, section)
        page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
        faults[section] = accessibility_faults(page)
        hidden = page.locator(".scroll").evaluate_all(
            "tables => tables.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.ariaLabel)"
        )
        assert hidden == [], f"{section} hides a part of these tables beside the screen"
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide == 0, f"{section} is wider than the screen by {wide} pixels"
    assert {section: found for section, found in faults.items() if found} == {}


def test_motion_can_be_turned_off(mind, page_of):
    for still, setting in ((False, "no-preference"), (True, "reduce")):
        page = page_of(mind.token, reduced_motion=setting)
        assert page.locator(".chart").evaluate("chart => chart.drawing.still") is still
    page = page_of(mind.token, reduced_motion="no-preference")
    page.get_by_label("Menu").click()
    page.get_by_label("Motion").select_option("Off")
    assert page.locator(".chart").evaluate("chart => chart.drawing.still") is True
    page.get_by_label("Motion").select_option("As the system")
    assert page.locator(".chart").evaluate("chart => chart.drawing.still") is False
