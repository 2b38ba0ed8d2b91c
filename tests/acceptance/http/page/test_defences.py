"""A browser that is logged in refuses what its policy forbids, and other sites can use its login for nothing."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

# No server is there; a request that the policy lets through would fail, and break no rule.
ELSEWHERE = "http://127.0.0.1:9"
ATTEMPTS = """
async (elsewhere) => {
    window.broken = [];
    document.addEventListener("securitypolicyviolation", (event) => window.broken.push(event.effectiveDirective));
    const add = (tag, attributes) => {
        const element = document.createElement(tag);
        Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
        document.body.append(element);
    };
    const attempts = {
        markup: () => { document.body.innerHTML = "<b>x</b>"; },
        script: () => { document.createElement("script").textContent = "1"; },
        handler: () => { document.body.setAttribute("onclick", "1"); },
        module: () => import(`${elsewhere}/x.js`),
        image: () => add("img", { src: `${elsewhere}/x.png`, alt: "" }),
        request: () => fetch(elsewhere),
        style: () => add("p", { style: "color: red" }),
        sheet: () => add("link", { rel: "stylesheet", href: `${elsewhere}/x.css` }),
        frame: () => add("iframe", { src: elsewhere, title: "x" }),
        base: () => add("base", { href: elsewhere }),
    };
    const failed = [];
    for (const [name, attempt] of Object.entries(attempts)) {
        try { await attempt(); } catch { failed.push(name); }
    }
    return failed;
}
"""
RULES = [
    *("base-uri", "connect-src", "frame-src", "img-src", "require-trusted-types-for"),
    *("script-src-elem", "style-src-attr", "style-src-elem"),
]


def test_the_browser_refuses_markup_scripts_and_other_hosts(mind, page_of):
    page = page_of(mind.token)
    assert {"markup", "script", "handler", "module", "request"} <= {*page.evaluate(ATTEMPTS, ELSEWHERE)}
    page.wait_for_function("(rules) => rules.every((rule) => window.broken.includes(rule))", arg=RULES)
    assert page.evaluate("document.querySelector('main h1').textContent") == "Mira"


class Attacker(BaseHTTPRequestHandler):
    """An empty page of another server."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>x</title>")

    def log_message(self, *_):
        """Log nothing."""


@pytest.fixture
def attacker():
    """The port of another server on this machine."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Attacker) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


# Another port of a host is the same site, for which browsers send even strict cookies.
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"], ids=["same site", "other site"])
def test_another_page_can_not_use_the_login(stack, tended, open_page, cookie_of, attacker, host):
    page = open_page()
    page.context.add_cookies([cookie_of(tended.token)])
    patrols = f"/v1/beings/{tended.person.being.being_id}/patrols"
    before = tended.told("/patrols")["patrols"]
    answers = []
    page.on("response", lambda answer: answer.url.startswith(stack.url) and answers.append(answer))
    page.goto(f"http://{host}:{attacker}/")
    told = page.evaluate(
        """async ([server, patrols]) => {
            const options = { credentials: "include" };
            await fetch(server + patrols, { ...options, method: "POST", mode: "no-cors" }).catch(() => {});
            await fetch(`${server}/v1/beings`, { ...options, mode: "no-cors" }).catch(() => {});
            return fetch(`${server}/v1/beings`, options).then((answer) => answer.text(), () => "unread");
        }""",
        [stack.url, patrols],
    )
    assert told == "unread"
    page.evaluate(
        """(server) => new Promise((loaded) => {
            const frame = document.createElement("iframe");
            frame.onload = loaded;
            frame.src = server;
            document.body.append(frame);
        })""",
        stack.url,
    )
    assert page.frame_locator("iframe").get_by_text("Skip to the content").count() == 0
    page.evaluate(
        """(target) => {
            const form = document.createElement("form");
            Object.assign(form, { method: "post", action: target });
            document.body.append(form);
            form.submit();
        }""",
        stack.url + patrols,
    )
    page.wait_for_url(f"**{patrols}")
    asked = [(answer.request.method, answer.status) for answer in answers if "/v1/" in answer.url]
    assert {("POST", 403), ("GET", 403)} <= {*asked} or host == "localhost"
    assert {status for _, status in asked} <= {401, 403}
    assert tended.told("/patrols")["patrols"] == before
