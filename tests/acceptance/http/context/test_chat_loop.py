"""The chat loop of the documents runs, with the real SDK, against a provider that is canned."""

import os
import re
import subprocess
import sys

from memory.accounts import access
from schemas.settings import CHECKOUT
from tests.acceptance.conftest import PATIENCE
from tests.fakes.provider import Behaviour, running_provider

LINES = "Hello, Mira.\nThe oven failed again.\n"


def test_the_chat_loop_of_the_documents_runs(person, stack, tmp_path):
    (program,) = re.findall(r"```python\n(.*?)```", (CHECKOUT / "docs" / "context.md").read_text(), re.DOTALL)
    assert len(program.splitlines()) <= 45
    (tmp_path / "chat.py").write_text(program)
    secret, _ = access.issue_token(
        person.ledger, person.user.user_id, being_id=person.being.being_id, scopes=["ingest", "read"], lifetime=None
    )
    person.ask("PATCH", "/soul", json={"personality": "Warm."})
    with running_provider() as provider:
        provider.script(
            Behaviour(do="answer", text="Good morning."), Behaviour(do="answer", text="Not on a market day!")
        )
        environment = {
            "PATH": os.environ["PATH"],
            "MEMORY_URL": stack.url,
            "MEMORY_TOKEN": secret,
            "BEING": person.being.slug,
            "ANTHROPIC_BASE_URL": provider.url,
            "ANTHROPIC_API_KEY": "any",
        }
        ran = subprocess.run(
            [sys.executable, tmp_path / "chat.py"],
            input=LINES,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        asked = [request.body for request in provider.requests]

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "Good morning.\nNot on a market day!\n"
    assert asked[0]["system"] == asked[1]["system"]
    assert "Warm." in asked[0]["system"][0]["text"]
    assert [message["role"] for message in asked[1]["messages"]] == ["user", "assistant", "user"]
    (session,) = person.ask("GET", "/sessions").json()["sessions"]
    said = person.ask("GET", f"/sessions/{session['session_id']}/messages").json()["messages"]
    assert [message["content"] for message in said] == [
        "Hello, Mira.",
        "Good morning.",
        "The oven failed again.",
        "Not on a market day!",
    ]
