"""The documents' pictures of the memory page, with the memory of the demo's month."""

from pathlib import Path

from playwright.sync_api import expect

from tests.processes.browser import DESKTOP, PHONE, Pages, running_chromium

# How a picture's name ends, its size and its colours.
PICTURES = (
    ("map", DESKTOP, "light"),
    ("dark", DESKTOP, "dark"),
    ("phone", PHONE, "dark"),
    ("phone-light", PHONE, "light"),
)
AHEAD = "12"


def photograph_page(url: str, token: str, folder: Path) -> None:
    """Log in to the memory page at this address, and take pictures of its map.

    Args:
        url: The API's address.
        token: A token of the user.
        folder: The folder of `page-….png`.
    """
    with running_chromium() as chromium, chromium.used() as browser:
        pages = Pages(browser)
        for name, size, colours in PICTURES:
            page = pages(size, color_scheme=colours, reduced_motion="reduce")
            page.goto(url)
            page.get_by_label("Access token").fill(token)
            page.keyboard.press("Enter")
            expect(page.locator("main")).to_have_attribute("data-shown", "map")
            slider = page.get_by_label("Look ahead")
            slider.fill(AHEAD)
            expect(page.locator(".ahead ol")).to_have_attribute("data-patrols", AHEAD)
            slider.blur()
            page.evaluate("window.scrollTo(0, 0)")
            page.screenshot(path=folder / f"page-{name}.png")
        pages.close()
