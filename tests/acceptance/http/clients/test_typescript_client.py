"""The TypeScript client: built, packed, installed from the packed file, and run with Node.js against a live API."""

import json
import os
import re
import shutil
import subprocess

import pytest

from generator import document
from schemas.settings import CHECKOUT
from tests.acceptance.http.clients.conftest import secret_of
from tests.documents.cloned import cloned
from tests.fakes.provider import Behaviour, running_provider
from tests.processes.programs import npm, program

NOWHERE = "00000000-0000-7000-8000-000000000000"
SOURCE = CHECKOUT / "clients" / "typescript"


USE = """
import { MemoryPatrol, type RunReport, type Receipt } from "memory-patrol-client";
const memory = new MemoryPatrol({ url: "http://127.0.0.1", token: "t" });
export async function use(): Promise<string> {
  const receipt: Receipt = await memory.handInMessages("mira", { role: "user", content: "Hi." });
  for await (const report of memory.patrol("mira")) { const all: RunReport = report; all.steps[0]?.counts; }
  const recalled = await memory.recallMemories("mira", { query: "x", format: "nodes" });
  const being: { slug: string; language: string } = await memory.showBeing("mira");
  // @ts-expect-error a field that answers do not have
  being.other;
  // @ts-expect-error a role that messages can't have
  await memory.handInMessages("mira", { role: "tool", content: "Hi." });
  // @ts-expect-error a field is missing
  await memory.handInMessages("mira", { role: "user" });
  return `${receipt.ids.length} ${"nodes" in recalled ? recalled.nodes.length : recalled.recalled}`;
}
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A project with the client installed from its packed file, and the compiler beside it."""
    folder = tmp_path_factory.mktemp("typescript-client")
    built = cloned(folder / "clone", "clients/typescript", "openapi.json") / "clients" / "typescript"
    npm("pack", "--pack-destination", folder, folder=built)
    project = folder / "project"
    project.mkdir()
    (project / "package.json").write_text('{"type": "module", "private": true}')
    (packed,) = folder.glob("*.tgz")
    npm("install", "--no-package-lock", "--offline", str(packed), folder=project)
    return project, built / "node_modules" / ".bin" / "tsc"


def node(project, *arguments, stdin="", **environment):
    """Run Node.js in the project; returns what it printed."""
    done = subprocess.run(
        [program("nodejs"), *arguments],
        cwd=project,
        input=stdin,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def camel(name):
    """A method's name in TypeScript."""
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def call_of(operation):
    """How the client's test calls a method: with ids of nothing, and a body that says nothing."""
    mira = "mira" if operation.name != "erase_being" else NOWHERE
    path = [mira if field.name == "being" else NOWHERE for field in operation.in_path]
    body = None if operation.body is None else "" if operation.media == document.LINES else {}
    return {"name": camel(operation.name), "path": path, "body": body, "lines": operation.lines}


def test_it_works_against_a_live_api(installed, person, stack):
    project, _ = installed
    shutil.copy(SOURCE / "test" / "client.test.mjs", project)
    calls = [call_of(operation) for operation in document.operations(document.read())]
    (project / "operations.json").write_text(json.dumps(calls))
    told = node(project, "--test", "client.test.mjs", MEMORY_URL=stack.url, MEMORY_TOKEN=secret_of(person))
    assert re.search(r"pass 10\b", told), told


def test_its_types_are_exact(installed):
    project, tsc = installed
    (project / "use.ts").write_text(USE)
    options = ["--noEmit", "--strict", "--skipDefaultLibCheck", "--module", "nodenext", "--target", "es2022"]
    done = subprocess.run([tsc, *options, "use.ts"], cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_readmes_chat_remembers(installed, person, stack):
    project, _ = installed
    (chat,) = re.findall(r"```js\n(.*?)```", (SOURCE / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(chat.splitlines()) <= 20
    (project / "chat.mjs").write_text(chat)
    with running_provider() as provider:
        provider.script(Behaviour(do="answer", text="Oh no."), Behaviour(do="answer", text="Your oven is."))
        printed = node(
            project,
            "chat.mjs",
            stdin="My oven is broken.\nWhat is broken?\n",
            MEMORY_URL=stack.url,
            MEMORY_TOKEN=secret_of(person),
            MODEL_URL=f"{provider.url}/v1",
            MODEL_KEY="any",
        )
        asked = [request.body for request in provider.requests]
    assert printed == "Oh no.\nYour oven is.\n"
    assert "My oven is broken." in str(asked[1]["messages"])
    (session,) = person.ask("GET", "/sessions").json()["sessions"]
    said = person.ask("GET", f"/sessions/{session['session_id']}/messages").json()["messages"]
    assert [message["role"] for message in said] == ["user", "assistant", "user", "assistant"]
