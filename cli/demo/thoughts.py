"""What thinking did to the month: what became one, which topics came apart, what the diary says."""

from itertools import groupby

from rich.table import Table
from rich.text import Text

from cli.demo.report import EXAMPLES, title
from cli.diary import told
from cli.output import count, say, words
from memory.diary import diary_page
from schemas.rows import Being, Node
from store import nodes
from store.database import Store

ENTRIES = 2
ALL = 10_000


def what_was_thought(store: Store, being: Being) -> None:
    """Show merges, what was let go, and the diary."""
    with store.transaction() as tx:
        everything = nodes.page(tx, being.being_id, limit=ALL)
    by_id = {str(node.node_id): node for node in everything}
    absorbed = sorted((node for node in everything if node.absorbed_into), key=_survivor)
    merges = [(by_id[survivor], list(others)) for survivor, others in groupby(absorbed, key=_survivor)]
    title("What became one")
    say(f"{len(absorbed)} memories went into {len(merges)} others. Some of them:")
    for survivor, others in merges[:EXAMPLES]:
        say(_merge(survivor, others))
    gone = [node for node in everything if node.status == "dead" and node.absorbed_into is None]
    title("What was let go")
    say(f"{count(len(gone), 'slight thing')} that had faded and went into nothing else, the last of them:")
    say(
        *(
            Text(f"  {words(node.scene['action'])}", style="dim", no_wrap=True, overflow="ellipsis")
            for node in gone[:EXAMPLES]
        )
    )
    title("What the diary says")
    say(*told(diary_page(store, being.being_id, before=None, limit=ENTRIES)))


def _survivor(node: Node) -> str:
    return str(node.absorbed_into)


def _merge(survivor: Node, others: list[Node]) -> Table:
    shown = Table.grid(padding=(0, 1))
    shown.add_column(no_wrap=True, overflow="ellipsis")
    shown.add_row(Text(words(survivor.scene["action"]), style="bold"))
    for other in others:
        shown.add_row(Text(f"  ← {words(other.scene['action'])}", style="dim"))
    return shown
