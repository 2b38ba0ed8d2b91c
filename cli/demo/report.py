"""The demo's report on the month."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from shlex import quote
from uuid import UUID

from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from cli.console.output import console, count, day, likeness, say, shown, table, words
from cli.nodes.history import story_view
from cli.nodes.topics import cluster_tree
from cli.operations.page import show_way_in
from cli.operations.stack import address
from memory.accounts import user_accounts
from memory.nodes.curation import story
from memory.nodes.recall import RecallQuery, recall
from schemas.accounts.accounts import Being
from schemas.intake.notes import Note
from schemas.ledger.kinds import PATROL_STEPS
from schemas.limits import RECALL_NODES, RECALL_SIMILARITY
from schemas.nodes.nodes import Cluster, Node
from store.database import Store
from store.intake import notes
from store.nodes import clusters, nodes
from workers.runtime.resources import Resources

EXAMPLES = 5
LINE = 90
NAME = 20
FRAGMENTS = 270
FADING_SOON = 5
ALL = 1000
# How long the link to the page is valid.
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Outcome:
    """The state of memory after the month, read before the report's own recalls activate nodes."""

    clusters: list[Cluster]
    names: dict[UUID, str]
    dying: list[Node]
    fading: list[Node]
    failed: list[Note]


@dataclass(frozen=True)
class Door:
    """The future address of the API of the demo's memory, and the option that gives it where settings do not."""

    host: str
    port: int
    option: str


def introduce(home: Path, days: int, *, canned: bool, talk: bool) -> None:
    """Describe the demo."""
    who = (
        (("Lumen", "bold cyan"), " is a companion that Noor chats with, and nothing but these messages is handed in.")
        if talk
        else (("Mizzen", "bold cyan"), " lives in an old wireless in an umbrella workshop, and remembers.")
    )
    what = "messages are accepted, scenes are drawn from them" if talk else "notes and messages are accepted"
    model = (
        "A local provider that answers by simple rules stands in for a language model."
        if canned
        else "No language model is used."
    )
    say(
        Text.assemble(*who),
        f"{count(days, 'day')} of March 2026: each day's {what}, and a patrol runs over them.",
        "A memory is active, dying once it has faded, and dead once it is let go or merged into another one.",
        Text(
            f"Embedded Postgres and Redis in {shown(home)}, a Celery worker and beat, and MiniLM on this machine. "
            "No key is used, even if one is set.",
            style="dim",
        ),
        Text(model, style="yellow" if canned else "dim"),
    )


def show_outcome(on: Resources, being: Being, questions: Sequence[str]) -> None:
    """Show topics, fading memories, unreadable notes, three recalls, and one memory's history."""
    outcome = _outcome(on.store, being.being_id)
    title(f"What {being.name} remembers")
    say(cluster_tree(being.name, outcome.clusters), *_freshness(outcome.clusters))
    if outcome.dying or outcome.fading:
        title("Fading memories")
        _show_fading(outcome)
    if outcome.failed:
        title("Notes that could not be parsed, and are kept unchanged")
        say(*(_failure(note) for note in outcome.failed))
    title("Results of recall")
    for question in questions:
        _ask(on, being, question)
    if outcome.dying:
        title("A dying memory that was recalled just now, and its history")
        _bring_back(on, being, outcome)


def show_durations(days: int, lived: float, total: float) -> None:
    """Show the durations in seconds: of playing the days, and of all."""
    say(
        "",
        f"{count(days, 'patrol')} of {len(PATROL_STEPS)} Celery tasks in {lived:.1f} s, {lived / days:.2f} s for each; "
        f"{total:.1f} s in all.",
    )


def next_steps(on: Resources, home: Path, being: Being, door: Door, question: str, node: str) -> None:
    """Show commands to try next, each to be pasted as it is shown, and a way in to the memory's page."""
    patrol = f"PATROL_HOME={quote(shown(home))} ./patrol"
    title("Next steps")
    say(Text(f"{being.name} lives on, with its page, if you start it here:", style="dim"))
    _show_command(f"PATROL_EMBEDDER=minilm {patrol} up --detach{door.option}")
    owner = user_accounts.show(on.store, being.user_id)
    show_way_in(on, address(door.host, door.port), [owner], DAY, f"{patrol} page{door.option}")
    say(Text("Ask it, look ahead, and see where a memory comes from:", style="dim"))
    _show_command(f"{patrol} recall --being {being.slug} {quote(question)}")
    _show_command(f"{patrol} fading --being {being.slug} --patrols 5")
    _show_command(f"{patrol} why --being {being.slug} {node}")
    say(Text("And end it:", style="dim"))
    _show_command(f"{patrol} down")


def _show_command(command: str) -> None:
    # In one line, however wide the terminal is, so that it can be pasted.
    console().print(Text(f"  {command}", style="bold"), soft_wrap=True)


def _outcome(store: Store, being_id: UUID) -> Outcome:
    with store.transaction() as tx:
        return Outcome(
            clusters=clusters.live(tx, being_id),
            names=clusters.names(tx, being_id),
            dying=nodes.page(tx, being_id, status="dying", limit=ALL),
            fading=[node for _, node in nodes.fading(tx, being_id, patrols=FADING_SOON, limit=EXAMPLES)],
            failed=notes.page(tx, being_id, state="parse_failed", after=None, limit=EXAMPLES),
        )


def title(text: str) -> None:
    """Print the heading of a part of the report."""
    say("", Rule(Text(text, style="bold"), align="left", style="cyan"))


def _freshness(found: Sequence[Cluster]) -> list[Text]:
    fresh = sum(one.fresh_nodes for one in found)
    if not fresh:
        return []
    explanation = f"{fresh} are fresh: with a model key, patrols consolidate them and let dying ones become dead. "
    return [Text(f"{explanation}Without one, none dies. `make demo` shows it with canned answers.", style="dim")]


def _show_fading(outcome: Outcome) -> None:
    if outcome.dying:
        say(f"{len(outcome.dying)} memories faded. The youngest of them, with their number of patrols:")
        _show_memories(outcome.dying[:EXAMPLES], outcome, "patrols", lambda node: node.session_count)
    if outcome.fading:
        say("Next to fade if they are not recalled, with the number of further patrols:")
        _show_memories(outcome.fading, outcome, "left", lambda node: node.patrols_left or 0)


def _show_memories(found: Sequence[Node], outcome: Outcome, column: str, patrols: Callable[[Node], int]) -> None:
    rows = table("born", f">{column}", "kept in", "*memory")
    rows.columns[-1].no_wrap, rows.columns[-1].overflow = True, "ellipsis"
    for node in found:
        kept_in = words(outcome.names[node.cluster_id]) if node.cluster_id else ""
        rows.add_row(day(node.created_at), str(patrols(node)), _cut(kept_in, NAME), words(node.scene["action"]))
    say(rows)


def _failure(note: Note) -> Text:
    return Text.assemble(
        (f"{words(note.producer_id)}  [PARSE_FAILED] {words(note.reason)}\n", "yellow"),
        (f"  {_cut(words(str(note.content)), LINE)}", "dim"),
    )


def _ask(on: Resources, being: Being, question: str) -> None:
    query = RecallQuery(question, RECALL_NODES, RECALL_SIMILARITY)
    found = recall(on.store, on.embedders, being, query, random.SystemRandom())
    say(Text(question, style="bold"))
    fragments = _cut(words(found.fragments), FRAGMENTS) or "Nothing was found."
    say(Padding(Text(fragments, style="italic cyan"), (0, 0, 0, 2)))
    rows = Table.grid(padding=(0, 2))
    for node, similarity in zip(found.nodes, found.similarities, strict=True):
        action = Text(words(node.scene["action"]), style="dim", no_wrap=True, overflow="ellipsis")
        rows.add_row("", likeness(similarity), day(node.created_at), action)
    say(rows, "")


def _bring_back(on: Resources, being: Being, outcome: Outcome) -> None:
    """Recall a dying memory by its own words, and show its history."""
    roots = {one.cluster_id for one in outcome.clusters if one.is_parent}
    moved = [node for node in outcome.dying if node.cluster_id not in roots]
    node = max(moved or outcome.dying, key=lambda one: one.importance)
    recall(
        on.store,
        on.embedders,
        being,
        RecallQuery(node.scene["action"], 1, RECALL_SIMILARITY),
        random.SystemRandom(),
    )
    say(*story_view(story(on.store, being.being_id, node.node_id), outcome.names))


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1].rstrip()}…"
