"""The chat loop of the documents runs, with the real SDK, against a provider that is canned."""

import re

from memory.accounts import access
from schemas.settings import CHECKOUT
from tests.fakes.provider import Behaviour, running_provider

LINES = "Hello, Mira.\nThe oven failed again.\n"


def test_the_chat_loop_of_the_documents_runs(person, stack, run_program):
    (program,) = re.findall(r"```python\n(.*?)```", (CHECKOUT / "docs" / "context.md").read_text(), re.DOTALL)
    assert len(program.splitlines()) <= 45
    secret, _ = access.issue_token(
        person.ledger, person.user.user_id, being_id=person.being.being_id, scopes=["ingest", "read"], lifetime=None
    )
    person.ask("PATCH", "/soul", json={"personality": "Warm."})
    with running_provider() as provider:
        provider.script(
            Behaviour(do="answer", text="Good morning."), Behaviour(do="answer", text="Not on a market day!")
        )
        printed = run_program(
            program,
            LINES,
            MEMORY_URL=stack.url,
            MEMORY_TOKEN=secret,
            BEING=person.being.slug,
            ANTHROPIC_BASE_URL=provider.url,
            ANTHROPIC_API_KEY="any",
        )
        asked = [request.body for request in provider.requests]

    assert printed == "Good morning.\nNot on a market day!\n"
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
