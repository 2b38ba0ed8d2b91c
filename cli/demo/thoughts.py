"""The demo's report on what a language model changes: merges, deaths, the diary."""

from itertools import groupby

from rich.table import Table
from rich.text import Text

from cli.console.output import day, say, short, words
from cli.demo.report import EXAMPLES, title
from cli.patrol.diary import diary_view
from memory.nodes.curation import story
from operations.declaration import FindsMuted, answered
from operations.patrol.diary import read_diary
from schemas.accounts.accounts import Being
from schemas.nodes.nodes import Node
from store.database import Store
from store.nodes import nodes

ENTRIES = 2
ALL = 10_000


def what_was_thought(store: Store, being: Being) -> None:
    """Show merged memories, dead ones, and the diary."""
    with store.transaction() as tx:
        everything = nodes.page(tx, being.being_id, limit=ALL)
        pages = answered(read_diary.call(tx, being, FindsMuted(True), limit=ENTRIES))
    by_id = {str(node.node_id): node for node in everything}
    absorbed = sorted((node for node in everything if node.absorbed_into), key=_survivor)
    merges = [(by_id[survivor], list(others)) for survivor, others in groupby(absorbed, key=_survivor)]
    title("What was merged")
    say(f"{len(absorbed)} memories were absorbed into {len(merges)} others." + (" Some of them:" if merges else ""))
    for survivor, others in merges[:EXAMPLES]:
        say(_merge(survivor, others))
    gone = [node for node in everything if node.status == "dead" and node.absorbed_into is None]
    title("What became dead")
    say(f"{len(gone)} that had faded and were not absorbed." + (" The last of them:" if gone else ""))
    say(
        *(
            Text(f"  {words(node.scene['action'])}", style="dim", no_wrap=True, overflow="ellipsis")
            for node in gone[:EXAMPLES]
        )
    )
    title("What the diary says")
    say(*diary_view(pages))


def what_it_rests_on(store: Store, being: Being) -> str:
    """Show a memory that was drawn from talk with the words that it rests on; returns the end of its id."""
    with store.transaction() as tx:
        drawn = [node for node in nodes.page(tx, being.being_id, limit=ALL) if node.status == "active"]
    node = max(drawn, key=lambda one: (one.importance, one.node_id))
    found = story(store, being.being_id, node.node_id)
    title("What a memory rests on")
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
