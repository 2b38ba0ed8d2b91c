"""The memory page in headless Chromium: the first paint of a month's memory, and the frames of a map of thousands.

Times depend on what else the machine does, processor time hardly does. So the time until the paint stands beside the
processor time of the page's main thread until then, and a frame is measured in that thread's processor time alone, both
from Chromium's own trace.
"""

import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

from bench.figures import Figure, Times
from bench.ground import Ground
from bench.memories import filled_being
from cli.demo import canned
from cli.operations import stack
from workers.embedded.supervisor import Supervisor

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]
SIZE = (1440, 900)
DIMENSIONS = 384
# The demo's month leaves some 150 memories in 21 topics.
MONTH, MONTH_TOPICS = 200, 21
MANY, MANY_TOPICS = 5_000, 60
VISITS = 15
TRACED = 5
PATROLS = 60
PAINT_MS, FRAME_MS = 300.0, 8.0
CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline", "loading", "blink.user_timing"]
# What a frame's script and layout are in a trace. Nested events are part of the outermost.
SCRIPT_AND_LAYOUT = frozenset(
    {
        *("FunctionCall", "EventDispatch", "TimerFire", "FireAnimationFrame", "RunMicrotasks", "XHRReadyStateChange"),
        *("UpdateLayoutTree", "Layout", "PrePaint", "IntersectionObserverController::computeIntersections"),
    }
)


def page(ground: Ground) -> Iterator[Figure]:
    """First paint with a month, warm and with an empty cache, and frames with 5,000 memories; needs Chromium."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        sys.stderr.write(
            "There is no Chromium here, so the page is not measured; on Debian: apt-get install chromium\n"
        )
        return
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  # installed for development only

    month, many = _being(ground, MONTH, MONTH_TOPICS), _being(ground, MANY, MANY_TOPICS)
    with Supervisor(ground.home / "logs") as supervisor, sync_playwright() as driver:
        port = canned.free_port()
        process = stack.api(canned.HOST, port, 1, lambda _: None)
        supervisor.start([replace(process, env={**process.env, "PATROL_LOG_LEVEL": "WARNING"})])
        url = f"http://{canned.HOST}:{port}"
        browser = driver.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield from _first_paint(browser, url, month)
        yield from _frames(browser, url, many)
        browser.close()


def _being(ground: Ground, memories: int, topics: int) -> str:
    """Make a Being with so many memories in so many topics; returns a token."""
    being_id = filled_being(ground, memories, DIMENSIONS)
    named = {"being": being_id, "topics": topics}
    with ground.store.transaction() as tx:
        tx.execute(
            """
            with made as (
                insert into memory.clusters (being_id, name, parent_id, arrivals_since_split)
                select %(being)s, 'Topic number ' || place, cluster_id, 0
                from memory.clusters, generate_series(1, %(topics)s) as place
                where being_id = %(being)s and name = case place %% 3 when 0 then 'Business' else 'Private' end
                returning cluster_id
            ),
            numbered as (select cluster_id, row_number() over () as place from made)
            update memory.memory_nodes as n
            set cluster_id = numbered.cluster_id,
                importance = 0.2 + 0.8 * ((position * 7919) %% 1000) / 1000.0
            from (
                select node_id, row_number() over (order by node_id) as position
                from memory.memory_nodes where being_id = %(being)s
            ) as ordered
            join numbered on numbered.place = 1 + ordered.position %% %(topics)s
            where n.being_id = %(being)s and n.node_id = ordered.node_id
            """,
            named,
        )
    return ground.token(being_id)


def _open(browser: "Browser", url: str, token: str) -> "Page":
    page = browser.new_context(viewport={"width": SIZE[0], "height": SIZE[1]}).new_page()
    page.goto(url)
    page.get_by_label("Access token").fill(token)
    page.keyboard.press("Enter")
    _drawn(page)
    return page


def _drawn(page: "Page") -> None:
    """Wait until the map is drawn."""
    page.locator(".chart[data-drawn]").wait_for()


def _first_paint(browser: "Browser", url: str, token: str) -> Iterator[Figure]:
    page = _open(browser, url, token)
    warm, drawn = [], []
    for _ in range(VISITS):
        page.reload()
        _drawn(page)
        paint, map_ = _times(page)
        warm.append(paint)
        drawn.append(map_)
    requests = page.evaluate("performance.getEntriesByType('resource').filter((one) => one.transferSize > 0).length")
    cold = []
    for _ in range(VISITS):
        # Without its cache, the browser fetches every file; the login stays.
        session = page.context.new_cdp_session(page)
        session.send("Network.clearBrowserCache")
        page.reload()
        _drawn(page)
        cold.append(_times(page)[0])
    spent = []
    for _ in range(TRACED):
        browser.start_tracing(page=page, categories=CATEGORIES)
        page.reload()
        _drawn(page)
        spent.append(time_until_marks(json.loads(browser.stop_tracing())["traceEvents"]))
    page.context.close()
    for what, took in (
        ("first paint of a month", warm),
        ("the same with an empty cache", cold),
        ("its map drawn", drawn),
    ):
        times = Times(took)
        yield Figure(what=f"{what}, p50", measured=times.p50, unit="ms", limit=PAINT_MS, against="goal")
        yield Figure(what=f"{what}, p95", measured=times.p95, unit="ms", limit=PAINT_MS, against="goal")
    for place, what in enumerate(("first paint", "drawn map")):
        yield Figure(
            what=f"processor time of the page's thread until the {what}",
            measured=median(each[place] for each in spent),
            unit="ms",
            limit=PAINT_MS,
            against="goal",
            remark=f"median of {TRACED}; {requests} requests to the server beside the HTML" if not place else "",
        )


def _times(page: "Page") -> tuple[float, float]:
    """Seconds from the start of the navigation to the first paint, and to the drawn map."""
    times = page.evaluate(
        "['first-contentful-paint', 'map drawn'].map((name) => performance.getEntriesByName(name)[0].startTime)"
    )
    return times[0] / 1000, times[1] / 1000


def _frames(browser: "Browser", url: str, token: str) -> Iterator[Figure]:
    page = _open(browser, url, token)
    browser.start_tracing(page=page, categories=CATEGORIES)
    for patrols in range(0, PATROLS + 1, 4):
        page.evaluate(
            """(patrols) => new Promise((done) => {
                const range = document.querySelector(".ahead input");
                range.value = patrols;
                range.dispatchEvent(new Event("input"));
                setTimeout(done, 250);
            })""",
            patrols,
        )
    costs = frame_costs(json.loads(browser.stop_tracing())["traceEvents"])
    page.context.close()
    for what, cost in (
        ("p50", median(costs)),
        ("p95", quantiles(costs, n=20, method="inclusive")[-1]),
        ("highest", max(costs)),
    ):
        yield Figure(
            what=f"script and layout of a frame, {MANY:,} memories, {what}",
            measured=cost,
            unit="ms",
            limit=FRAME_MS,
            against="goal",
            remark=f"processor time, {len(costs)} frames" if what == "p50" else "",
        )


def frame_costs(events: list[dict[str, Any]]) -> list[float]:
    """Milliseconds of processor time of script and layout on the page's main thread, for each frame of a trace."""
    drawing = [event for event in events if event["name"] == "FireAnimationFrame"]
    if not drawing:
        raise RuntimeError("The trace holds no frame.")
    thread = (drawing[0]["pid"], drawing[0]["tid"])
    whole = [event for event in events if event["ph"] == "X" and (event["pid"], event["tid"]) == thread]
    begins = sorted(event["ts"] for event in whole if event["name"] == "FireAnimationFrame")
    outermost, end = [], 0.0
    for event in sorted((one for one in whole if one["name"] in SCRIPT_AND_LAYOUT), key=lambda one: one["ts"]):
        if event["ts"] >= end:
            outermost.append(event)
            end = event["ts"] + event["dur"]
    costs = []
    for begin, following in pairwise(begins):
        inside = [event for event in outermost if begin <= event["ts"] < following]
        costs.append(sum(event["tdur"] for event in inside) / 1000)
    return costs


def time_until_marks(events: list[dict[str, Any]]) -> tuple[float, float]:
    """Milliseconds of processor time of a page's main thread until its first paint, and until its map is drawn."""
    (drawn,) = [event for event in events if event["name"] == "map drawn"]
    thread = (drawn["pid"], drawn["tid"])
    (painted,) = [event for event in events if event["name"] == "firstContentfulPaint" and event["pid"] == drawn["pid"]]
    tasks = [event for event in events if event["name"] == "RunTask" and (event["pid"], event["tid"]) == thread]
    until_paint, until_drawn = (
        sum(task["tdur"] for task in tasks if task["ts"] < mark["ts"]) / 1000 for mark in (painted, drawn)
    )
    return until_paint, until_drawn
