"""The demo's swipe: an answer is retracted and another given, and nothing that rests on the first remains."""

from collections.abc import Callable
from datetime import timedelta

from rich.table import Table
from rich.text import Text

from cli.console.failures import Failure
from cli.console.output import count, say, words
from cli.demo.month import PATIENCE
from cli.demo.report import title
from memory.intake import retraction
from memory.intake.messages import accept_messages
from memory.search.search import search
from memory.upkeep import periodic
from schemas.accounts.accounts import Being
from schemas.search import EverythingRequest
from schemas.talk.retraction import MessageSelection
from store import clock
from store.database import Store
from store.facts import facts, todos
from store.talk import messages, session_summaries
from workers.embedded.processes import wait_until
from workers.runtime.resources import Resources

CHAT = "the way to Inchkeith"
QUESTION = ("user", "How do I get out to the Inchkeith mast tomorrow?")
SWIPED = (("assistant", "I will book the yellow ferry."), ("user", "Good. I like the yellow ferry very much."))
INSTEAD = (("assistant", "I will hire the old lifeboat."), ("user", "Good. I like the old lifeboat very much."))
AGO = timedelta(minutes=50)
LIMIT = 100
PLACES = ("messages found", "facts", "promises", "the summary")


def show_retraction(on: Resources, being: Being, meanwhile: Callable[[], None]) -> None:
    """Hold a short conversation, retract it from its question on, hold another, and count the traces of each.

    Raises:
        Failure: The workers have not processed a conversation in time.
    """
    title("Retracted messages count as never sent")
    with on.store.transaction() as tx:
        # Half an hour after the last message the conversation is over, and is summarised.
        begun = clock.now(tx) - AGO

    def say_all(lines: tuple[tuple[str, str], ...], first: int) -> None:
        items = [
            {
                "id": f"swipe:{number}",
                "role": role,
                "content": content,
                "conversation": CHAT,
                "created_at": (begun + timedelta(minutes=number)).isoformat(),
            }
            for number, (role, content) in enumerate(lines, first)
        ]
        accept_messages(on.store, on.settings, being.being_id, items)
        periodic.end_idle_sessions(on.store, on.settings)

    say_all((QUESTION, *SWIPED), 1)
    before = _traces(on, being, "ferry", meanwhile)
    selection = MessageSelection(conversation=CHAT, after="swipe:1")
    outcome = retraction.retract(on.store, on.settings, on.embedders, [being], selection)
    say_all(INSTEAD, 4)
    instead = _traces(on, being, "lifeboat", meanwhile)
    after = _found(on, being, "ferry")
    talk = Table.grid(padding=(0, 3))
    for (role, content), became in (
        (QUESTION, ""),
        *((line, "retracted") for line in SWIPED),
        *((line, "said instead") for line in INSTEAD),
    ):
        talk.add_row(f"{role}: {content}", Text(became, style="dim"), style="dim" if became == "retracted" else "")
    say(talk)
    say(
        "",
        f"{count(outcome.retracted, 'message')} behind the question were retracted, and others said instead. "
        "So many items of each kind had the words, and have them now:",
    )
    rows = Table.grid(padding=(0, 3))
    rows.add_row("", *(Text(head, style="bold") for head in ("ferry before", "ferry now", "lifeboat now")))
    for place in PLACES:
        rows.add_row(words(place), *(f"{one[place]:>6}" for one in (before, after, instead)))
    say(rows)


def _traces(on: Resources, being: Being, word: str, meanwhile: Callable[[], None]) -> dict[str, int]:
    found: dict[str, int] = {}

    def everywhere() -> bool:
        meanwhile()
        found.update(_found(on, being, word))
        return all(found.values())

    if not wait_until(everywhere, PATIENCE):
        raise Failure("The conversation is not processed: see the workers' logs.")
    return found


def _found(on: Resources, being: Being, word: str) -> dict[str, int]:
    """The number of occurrences of a word of the conversation in each part of memory."""
    request = EverythingRequest(query=word, kinds=["message"], limit=10)
    found = [one.text for one in search(on.store, on.embedders, being, request).results]
    with on.store.transaction() as tx:
        known = [fact.content for fact in facts.page(tx, being.user_id, being.being_id, limit=LIMIT)]
        promised = [todo.content for todo in todos.page(tx, being.being_id, kind="promise", limit=LIMIT)]
    texts = (found, known, promised, _summaries(on.store, being))
    return {place: sum(word in text for text in some) for place, some in zip(PLACES, texts, strict=True)}


def _summaries(store: Store, being: Being) -> list[str]:
    with store.transaction() as tx:
        held = [
            one for one in messages.sessions(tx, being.being_id, before=None, limit=LIMIT) if one.conversation == CHAT
        ]
        summaries = [session_summaries.newest(tx, being.being_id, one.session_id) for one in held]
    return [str(summary) for summary in summaries if summary is not None]
