"""The demo's chat: what was said in it is found again, whether or not a model has made anything of it."""

from rich.padding import Padding
from rich.text import Text

from cli.console.failures import Failure
from cli.console.output import day, say, words
from cli.demo.month import PATIENCE
from cli.demo.report import title
from memory.search.search import search
from schemas.accounts.accounts import Being
from schemas.search import EverythingRequest, Neighbour, Result
from workers.embedded.processes import wait_until
from workers.runtime.resources import Resources

QUESTIONS = ("Who is the tortoise beside the lunch?", "Who wanted forty umbrellas?")


def what_was_said(on: Resources, being: Being) -> None:
    """Ask for things that were said in the sample's chat."""
    title("What was said is found, word for word")
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
