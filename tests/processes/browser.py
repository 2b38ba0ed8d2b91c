"""A headless Chromium for tests, one for each test process, and axe, which checks a page's accessibility.

Playwright drives the Chromium of the machine (`tests.processes.programs`); it downloads no browser. A test gets pages
by the fixture `open_page`, each in a browser context of its own: cookies and storage of other tests are not in it.
"""

from asyncio import _set_running_loop, get_running_loop
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.processes.programs import program

# Chromium's own sandbox needs rights that a container does not give; the pages under test are our own.
ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]
PATIENCE_MS = 30_000
DESKTOP = (1440, 900)
PHONE = (390, 844)
AXE = Axe()

# Its own limit of 5 s is for quiet machines, and no option of a context's.
expect.set_options(timeout=PATIENCE_MS)


class Chromium:
    """A running browser, and the event loop of the driver.

    Playwright's synchronous interface leaves its event loop marked as running in this thread, so that `asyncio.run` in
    another test would refuse to start. The mark is therefore set only while a test uses the browser.
    """

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self._loop = get_running_loop()
        _set_running_loop(None)

    def mark_loop(self) -> None:
        """Mark the driver's event loop as running in this thread, as the driver left it."""
        _set_running_loop(self._loop)

    @contextmanager
    def used(self) -> Iterator[Browser]:
        """Let this thread use the browser for the duration of the block."""
        self.mark_loop()
        try:
            yield self.browser
        finally:
            _set_running_loop(None)


@contextmanager
def running_chromium() -> Iterator[Chromium]:
    """Run a browser for the duration of the block; the test is skipped where no Chromium is installed."""
    path = program("chromium-headless-shell")
    with sync_playwright() as driver:
        chromium = Chromium(driver.chromium.launch(executable_path=path, args=ARGUMENTS))
        try:
            yield chromium
        finally:
            with chromium.used() as browser:
                browser.close()
            chromium.mark_loop()


class Pages:
    """Opens pages, each in a context of its own.

    Args:
        browser: The running browser.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list[BrowserContext] = []

    def __call__(self, size: tuple[int, int] = DESKTOP, *, touch: bool = False, **options: Any) -> Page:
        """Open an empty page.

        Args:
            size: Its width and height in CSS pixels.
            touch: Whether it is on a touch screen.
            options: Further options of Playwright's `Browser.new_context`, such as `color_scheme="dark"`. Motion is
                reduced unless they say otherwise: frames of an animation cost processor time.
        """
        context = self._browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            has_touch=touch,
            is_mobile=touch,
            **{"reduced_motion": "reduce", **options},
        )
        context.set_default_timeout(PATIENCE_MS)
        self._contexts.append(context)
        return context.new_page()

    def close(self) -> None:
        """Close all pages."""
        for context in self._contexts:
            context.close()


def accessibility_faults(page: Page, within: str | None = None) -> list[str]:
    """Return what axe finds against WCAG and its best practices, a line for each element; empty if all is well."""
    if page.evaluate("typeof axe === 'undefined'"):
        page.evaluate(AXE.axe_script)
    answer = page.evaluate(
        "(within) => axe.run(within ?? document, { resultTypes: ['violations'] }).then((told) => told.violations)",
        within,
    )
    return [
        f"{violation['id']}: {' '.join(map(str, element['target']))}: {element['failureSummary']}"
        for violation in answer
        for element in violation["nodes"]
    ]
