"""The Python client against a live API: every route, errors, retries, batches, progress."""

import asyncio
import inspect
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import flit_core
import pytest

from generator import document
from schemas.settings import CHECKOUT
from tests.acceptance.http.clients.conftest import secret_of
from tests.acceptance.http.intake.scenes import scene
from tests.documents.cloned import cloned
from tests.fakes.provider import Behaviour, running_provider
from tests.ports import free_port

NOWHERE = "00000000-0000-7000-8000-000000000000"
RULE = {"name": "kindness", "content": "Be kind to Ada."}


class Waiting:
    """An asynchronous client behind a synchronous face, so that each test runs against both."""

    def __init__(self, client) -> None:
        self._client = client
        self._loop = asyncio.new_event_loop()

    def __getattr__(self, name):
        method = getattr(self._client, name)

        def call(*args, **options):
            started = method(*args, **options)
            if inspect.isawaitable(started):
                return self._loop.run_until_complete(started)
            return self._listed(started)

        return call if callable(method) else method

    def _listed(self, items):
        async def listed():
            return [item async for item in items]

        return iter(self._loop.run_until_complete(listed()))

    def pages(self, route, *path, **options):
        return self._listed(self._client.pages(getattr(self._client, route), *path, **options))

    def close(self) -> None:
        self._loop.run_until_complete(self._client.aclose())
        self._loop.close()


class Direct:
    """A synchronous client whose pages are asked for by a route's name."""

    def __init__(self, client) -> None:
        self._client = client

    def __getattr__(self, name):
        return getattr(self._client, name)

    def pages(self, route, *path, **options):
        return self._client.pages(getattr(self._client, route), *path, **options)


def test_a_fresh_clone_is_installed_without_the_servers_packages(python_client, tmp_path):
    """`pip install ./clients/python`, without the network: what the build needs lies beside an empty environment."""
    clean, tools = tmp_path / "clean", tmp_path / "tools"
    venv.create(clean)
    shutil.copytree(Path(flit_core.__file__).parent, tools / "flit_core")
    sources = cloned(tmp_path / "clone", "clients/python", "openapi.json") / "clients" / "python"
    install = ["install", "--no-deps", "--no-index", "--no-build-isolation", sources]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--python", clean / "bin" / "python", *install],
        env={**os.environ, "PYTHONPATH": str(tools)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (installed,) = clean.glob("lib/*/site-packages/memory_patrol")
    built = python_client / "memory_patrol"
    names = {path.relative_to(built) for path in built.rglob("*.py")}
    assert names == {path.relative_to(installed) for path in installed.rglob("*.py")}
    assert Path("types.py") in names
    for name in names:
        assert (installed / name).read_text() == (built / name).read_text()


@pytest.fixture(params=["synchronous", "asynchronous"])
def connect(request, patrol, person, stack) -> Callable:
    """Make a client of the person's, of both kinds in turn."""
    quick = patrol.Retries(attempts=4, first_wait=0.01, longest_wait=0.05)
    with ExitStack() as opened:

        def make(url=stack.url, token=None):
            token = token or secret_of(person)
            if request.param == "synchronous":
                client = Direct(patrol.MemoryPatrol(url, token, retries=quick))
            else:
                client = Waiting(patrol.AsyncMemoryPatrol(url, token, retries=quick))
            opened.callback(client.close)
            return client

        yield make


def test_every_route_is_reached(connect, patrol):
    """No method asks for a path or a method that the API does not have."""
    memory = connect()
    for operation in document.operations(document.read()):
        arguments = ["mira" if field.name == "being" else NOWHERE for field in operation.in_path]
        if operation.body is not None:
            arguments.append(b"" if operation.media == document.LINES else {})
        if operation.name == "erase_being":
            arguments = [NOWHERE]
        refusal = refused(memory, operation, arguments, patrol)
        assert refusal is None or refusal.status in {403, 404, 409, 422, 503}, (operation.name, refusal)
        assert refusal is None or refusal.detail != "There is no route at this path.", operation.name


def refused(memory, operation, arguments, patrol):
    """The error that the API answers to a call, if it does."""
    try:
        answer = getattr(memory, operation.name)(*arguments)
        if operation.lines:
            list(answer)
    except patrol.ApiError as error:
        return error
    return None


def test_an_error_has_the_problems_type_and_detail(connect, patrol):
    with pytest.raises(patrol.NotFound, match="no Being") as caught:
        connect().show_being("nobody")
    assert caught.value.type == "urn:memory-patrol:problem:not-found"
    assert caught.value.status == 404
    assert caught.value.request_id
    with pytest.raises(patrol.Invalid) as caught:
        connect().recall_memories("mira", {"limit": 0})
    assert {error["place"] for error in caught.value.members["errors"]} >= {"body.query"}
    with pytest.raises(patrol.Unauthorized):
        connect(token="patrol_unknown").list_beings()  # noqa: S106  # no token


def test_lost_answers_double_nothing_and_lose_nothing(connect, lossy, person):
    """A server that dies in mid-answer: whatever was asked happened once, and the client got its answer."""
    memory = connect(lossy.url)
    lossy.losses = 2
    receipt = memory.hand_in_notes("mira", [scene("One."), scene("Two.")])
    lossy.losses = 2
    entry = memory.add_persona("mira", "partner_rules", RULE)
    lossy.losses = 2
    run = memory.demand_patrol("mira")
    lossy.losses = 1
    being = memory.create_being({"slug": "wren", "name": "Wren"})
    lossy.losses = 1
    memory.remove_persona("mira", "partner_rules", entry["entry_id"])
    assert lossy.lost == 8
    notes = person.ask("GET", "/notes").json()["notes"]
    assert sorted(note["note_id"] for note in notes) == sorted(receipt["ids"])
    assert person.ask("GET", "/persona/partner_rules").json()["entries"] == []
    assert [each["run_id"] for each in person.ask("GET", "/patrols").json()["patrols"]] == [run["run_id"]]
    assert {each["being_id"] for each in memory.list_beings()["beings"]} == {
        str(person.being.being_id),
        being["being_id"],
    }


def test_a_server_that_never_answers_is_told(connect, lossy, patrol):
    lossy.losses = 100
    with pytest.raises(patrol.Unreachable, match=rf"^No answer from {lossy.url} to GET, after 4 attempts: \S.+\.$"):
        connect(lossy.url).list_beings()
    assert lossy.lost == 4


def test_where_no_server_listens_the_address_and_the_reason_are_told(connect, patrol):
    url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(patrol.Unreachable) as told:
        connect(url).list_beings()
    assert str(told.value).startswith(f"No answer from {url} to GET, after 4 attempts: ")
    assert "onnect" in str(told.value)


def test_any_number_of_notes_goes_in_batches_and_comes_back_in_pages(connect):
    memory = connect()
    notes = [{**scene(f"{number}."), "id": f"n{number}"} for number in range(25)]
    receipts = [*memory.note_batches("mira", iter(notes), size=10)]
    assert [receipt["accepted"] for receipt in receipts] == [10, 10, 5]
    pages = [*memory.pages("list_notes", "mira", limit=10)]
    assert [len(page["notes"]) for page in pages] == [10, 10, 5]
    assert [note["producer_id"] for page in pages for note in page["notes"]] == [note["id"] for note in notes]


def test_a_patrols_progress_is_seen_until_it_is_done(connect):
    memory = connect()
    memory.hand_in_notes("mira", [scene()])
    reports = [*memory.patrol("mira", every=0.05)]
    assert reports[-1]["state"] == "done"
    assert len({str(report) for report in reports}) == len(reports)
    assert len(reports[-1]["steps"]) == 9


def test_an_export_arrives_line_by_line(connect):
    lines = [*connect().export_being("mira")]
    assert re.match(r'{"(kind|format|version)', lines[0])


@pytest.mark.usefixtures("patrol")
def test_the_readmes_chat_remembers(run_program, person, stack):
    readme = (CHECKOUT / "clients" / "python" / "README.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", readme, flags=re.DOTALL)
    assert len(program.splitlines()) <= 20
    with running_provider() as provider:
        provider.script(Behaviour(do="answer", text="Oh no."), Behaviour(do="answer", text="Your oven is."))
        told = {
            "MEMORY_URL": stack.url,
            "MEMORY_TOKEN": secret_of(person),
            "ANTHROPIC_BASE_URL": provider.url,
            "ANTHROPIC_API_KEY": "any",
        }
        printed = run_program(program, "My oven is broken.\nWhat is broken?\n", **told)
        asked = [request.body for request in provider.requests]
    assert printed == "Oh no.\nYour oven is.\n"
    assert [message["role"] for message in asked[1]["messages"]] == ["user", "assistant", "user"]
    (session,) = person.ask("GET", "/sessions").json()["sessions"]
    messages = person.ask("GET", f"/sessions/{session['session_id']}/messages").json()["messages"]
    assert [message["content"] for message in messages] == [
        "My oven is broken.",
        "Oh no.",
        "What is broken?",
        "Your oven is.",
    ]
