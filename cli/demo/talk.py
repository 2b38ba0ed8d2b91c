"""The demo's chat: what was said in it is found again, though no model has made anything of it."""

import json
from datetime import date

from rich.padding import Padding
from rich.text import Text

from cli.console.failures import Failure
from cli.console.output import count, day, say, words
from cli.demo.month import PATIENCE, SAMPLES
from cli.demo.report import title
from memory.intake.messages import accept_messages
from memory.search.search import search
from schemas.accounts.accounts import Being
from schemas.search import EverythingRequest, Neighbour, Result
from workers.embedded.processes import wait_until
from workers.runtime.resources import Resources

QUESTIONS = ("Who is the tortoise beside the lunch?", "Who wanted forty umbrellas?")


def what_was_said(on: Resources, being: Being, last: date) -> None:
    """Hand in the sample's chat up to a day, and ask for things that were said in it."""
    lines = (SAMPLES / "conversation.jsonl").read_text(encoding="utf-8").splitlines()
    said = [message for message in map(json.loads, lines) if message["created_at"][:10] <= last.isoformat()]
    receipt = accept_messages(on.store, on.settings, being.being_id, said)
    title("What a chat without a model remembers")
    say(Text(f"{count(receipt.accepted, 'message')} of a chat were handed in just now, and are found:", style="dim"))
    for question in QUESTIONS:
        best = _best(on, being, question)
        say(Text(question, style="bold"))
        around: list[Neighbour | Result] = [*best.before, best, *best.after]
        for one in around:
            style = "italic cyan" if one is best else "dim"
            line = f"{day(one.at)}  {words(one.speaker)}: {words(one.text)}"
            say(Padding(Text(line, style=style), (0, 0, 0, 2)))


def _best(on: Resources, being: Being, question: str) -> Result:
    """The best result, as soon as a worker has indexed what was said.

    Raises:
        Failure: No worker does.
    """
    request = EverythingRequest(query=question, kinds=["message"], limit=1, neighbours=1)
    found: list[Result] = []

    def indexed() -> bool:
        found.extend(search(on.store, on.embedders, being, request).results)
        return bool(found)

    if not wait_until(indexed, PATIENCE):
        raise Failure("What was said is not found: the worker has not indexed it.")
    return found[0]
