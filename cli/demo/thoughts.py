"""The demo's reports: a language model's changes, known facts, the vault's records, and search in the chat."""

from itertools import groupby

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from cli.console.failures import Failure
from cli.console.output import count, day, say, short, table, words
from cli.demo.month import PATIENCE
from cli.demo.report import EXAMPLES, title
from cli.patrol.diary import diary_view
from memory.nodes.curation import story
from memory.search.search import search
from operations.declaration import FindsMuted, answered
from operations.patrol.diary import read_diary
from schemas.accounts.accounts import Being
from schemas.nodes.nodes import Node
from schemas.search import EverythingRequest, Neighbour, SearchResult
from schemas.vault.records import SHARED
from store import vault
from store.database import Store
from store.facts import entities, facts, todos
from store.nodes import nodes
from workers.embedded.processes import wait_until
from workers.runtime.resources import Resources

ENTRIES = 2
ALL = 10_000
ENTITIES = 8
QUESTIONS = ("Who is the tortoise beside the lunch?", "Who wanted forty umbrellas?")


def show_thoughts(store: Store, being: Being) -> None:
    """Show merged memories, dead ones, and the diary."""
    with store.transaction() as tx:
        everything = nodes.page(tx, being.being_id, limit=ALL)
        pages = answered(read_diary.call(tx, being, FindsMuted(True), limit=ENTRIES))
    by_id = {str(node.node_id): node for node in everything}
    absorbed = sorted((node for node in everything if node.absorbed_into), key=_survivor)
    merges = [(by_id[survivor], list(others)) for survivor, others in groupby(absorbed, key=_survivor)]
    title("Merged memories")
    say(f"{len(absorbed)} memories were absorbed into {len(merges)} others." + (" Some of them:" if merges else ""))
    for survivor, others in merges[:EXAMPLES]:
        say(_merge(survivor, others))
    gone = [node for node in everything if node.status == "dead" and node.absorbed_into is None]
    title("Dead memories")
    say(f"{len(gone)} that had faded and were not absorbed." + (" The last of them:" if gone else ""))
    say(
        *(
            Text(f"  {words(node.scene['action'])}", style="dim", no_wrap=True, overflow="ellipsis")
            for node in gone[:EXAMPLES]
        )
    )
    title("The diary")
    say(*diary_view(pages))


def show_sources(store: Store, being: Being) -> str:
    """Show a memory that was drawn from talk with the words that it rests on; returns the end of its id."""
    with store.transaction() as tx:
        drawn = [node for node in nodes.page(tx, being.being_id, limit=ALL) if node.status == "active"]
    node = max(drawn, key=lambda one: (one.importance, one.node_id))
    found = story(store, being.being_id, node.node_id)
    title("The sources of a memory")
    say(Text(words(found.text), style="bold"))
    for message in found.messages[:EXAMPLES]:
        say(Text(f"  {day(message.created_at)}  {message.role}: {words(message.content)}", style="dim"))
    return short(node.node_id)


def _survivor(node: Node) -> str:
    return str(node.absorbed_into)


def _merge(survivor: Node, others: list[Node]) -> Table:
    shown = Table.grid(padding=(0, 1))
    shown.add_column(no_wrap=True, overflow="ellipsis")
    shown.add_row(Text(words(survivor.scene["action"]), style="bold"))
    for other in others:
        shown.add_row(Text(f"  ← {words(other.scene['action'])}", style="dim"))
    return shown


def show_facts(store: Store, being: Being) -> None:
    """Show facts from the chat, the people and things that they name, and open todos."""
    with store.transaction() as tx:
        page = facts.page(tx, being.user_id, being.being_id, limit=ALL)
        open_ones = todos.page(tx, being.being_id, kind="commitment", limit=ALL)
        named = entities.listed(tx, being.user_id, being.being_id, after=None, limit=ENTITIES)
    title("Facts from the chat")
    say(f"{count(len(page), 'fact')}, each with its quotations. The most important of them:")
    say(*(Text(f"  {words(fact.content)}") for fact in sorted(page, key=lambda fact: -fact.importance)[:EXAMPLES]))
    say("", "People and things, and how many facts name them:")
    say(table(">facts", "entity", "*name", rows=((one.facts, one.entity_ref, one.label) for one in named)))
    if open_ones:
        say("", f"{count(len(open_ones), 'todo')} of the user's. Some of them:")
        say(*(Text(f"  {words(todo.content)}") for todo in open_ones[:EXAMPLES]))


def show_vault(store: Store, being: Being) -> None:
    """Show the vault's records, which every prompt contains and which do not fade."""
    kept = store.run(vault.live, being, [SHARED, being.slug])
    title("The vault")
    for record in kept:
        say(Text.assemble((f"  {words(record.scope):<8}", "dim"), words(record.text)))


def show_search(on: Resources, being: Being) -> None:
    """Search for messages of the sample's chat."""
    title("Messages found by the search")
    for question in QUESTIONS:
        best = _best(on, being, question)
        say(Text(question, style="bold"))
        around: list[Neighbour | SearchResult] = [*best.before, best, *best.after]
        for one in around:
            style = "italic cyan" if one is best else "dim"
            line = f"{day(one.at)}  {words(one.speaker)}: {words(one.text)}"
            say(Padding(Text(line, style=style), (0, 0, 0, 2)))


def _best(on: Resources, being: Being, question: str) -> SearchResult:
    """The best result, as soon as a worker has indexed the messages.

    Raises:
        Failure: No worker does.
    """
    request = EverythingRequest(query=question, kinds=["message"], limit=1, neighbours=1)
    found: list[SearchResult] = []

    def indexed() -> bool:
        found.extend(search(on.store, on.embedders, being, request).results)
        return bool(found)

    if not wait_until(indexed, PATIENCE):
        raise Failure("The messages are not found: the worker has not indexed them.")
    return found[0]
