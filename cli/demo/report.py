"""What became of the month, in a few pictures."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from cli.demo.month import read_questions
from cli.output import count, day, likeness, say, shown, table, words
from cli.overview import cluster_tree
from cli.why import told
from memory.curation import story
from memory.recall import Asked, recall
from schemas.limits import RECALL_NODES, RECALL_SIMILARITY
from schemas.rows import Being, Cluster, Node, Note
from schemas.work import PATROL_STEPS
from store import clusters, nodes, notes
from store.database import Store
from workers.resources import Resources

EXAMPLES = 5
LINE = 90
NAME = 20
FRAGMENTS = 270
QUESTIONS = 3
FADING_SOON = 5
ALL = 1000


@dataclass(frozen=True)
class Outcome:
    """What there is when the month is over, before anybody asks and thereby keeps something alive."""

    clusters: list[Cluster]
    names: dict[UUID, str]
    dying: list[Node]
    fading: list[Node]
    failed: list[Note]


def introduce(home: Path, days: int, *, canned: bool) -> None:
    """Say what is going to happen."""
    who = (
        "Who thinks is canned: simple rules behind a fake provider stand in for a model. See the way, not the wit."
        if canned
        else "Nobody thinks."
    )
    say(
        Text.assemble(("Mizzen", "bold cyan"), " lives in an old wireless in an umbrella workshop, and remembers."),
        f"{count(days, 'day')} of March 2026 will be lived: notes are handed in, and each evening a patrol goes round.",
        Text(
            f"Embedded Postgres and Redis in {shown(home)}, a real Celery worker and beat, and MiniLM on this machine: "
            "no key is used, even if you have one.",
            style="dim",
        ),
        Text(who, style="yellow" if canned else "dim"),
    )


def what_became(on: Resources, being: Being) -> None:
    """Show topics, what fades, what could not be read, three answers, and one memory's story."""
    outcome = _outcome(on.store, being.being_id)
    title("What Mizzen remembers")
    say(cluster_tree(being.name, outcome.clusters), *_freshness(outcome.clusters))
    if outcome.dying or outcome.fading:
        title("What slips away")
        _show_fading(outcome)
    if outcome.failed:
        title("What could not be understood, and is kept as it came")
        say(*(_failure(note) for note in outcome.failed))
    title("What comes to mind")
    for question in read_questions(QUESTIONS):
        _ask(on, being, question)
    if outcome.dying:
        title("Nearly gone, and asked for just now: one memory's whole story")
        _bring_back(on, being, outcome)


def conclude(home: Path, *, days: int, lived: float, total: float) -> None:
    """Say what it took, and what to try next."""
    place = f"PATROL_HOME={shown(home)}"
    title("And now you")
    say(
        f"{count(days, 'patrol')} of {len(PATROL_STEPS)} Celery tasks in {lived:.1f} s: {lived / days:.2f} s a day; "
        f"{total:.1f} s from nothing to here.",
        "",
        Text.assemble(("./patrol up", "bold"), ("                              a memory of your own", "dim")),
        Text.assemble((f"{place} PATROL_EMBEDDER=minilm ./patrol up", "bold")),
        Text.assemble("  keeps Mizzen alive; in another terminal then, with ", (place, "bold"), ":", style="dim"),
        Text("  ./patrol recall 'Who is Terence?'", style="bold"),
        Text("  ./patrol fading --patrols 5", style="bold"),
        Text("  ./patrol why month:001", style="bold"),
    )


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
    """Begin another part of the report."""
    say("", Rule(Text(text, style="bold"), align="left", style="cyan"))


def _freshness(found: Sequence[Cluster]) -> list[Text]:
    fresh = sum(one.fresh_nodes for one in found)
    if not fresh:
        return []
    told = f"{fresh} are fresh still: with a key, patrols consolidate them, and let what is dying go. Without one, "
    return [Text(f"{told}nothing dies. See it done by canned thinking: make demo-llm", style="dim")]


def _show_fading(outcome: Outcome) -> None:
    if outcome.dying:
        say(f"{count(len(outcome.dying), 'slight thing')} faded, having lived so many patrols. The youngest of them:")
        _show_memories(outcome.dying[:EXAMPLES], outcome, "lived", lambda node: node.session_count)
    if outcome.fading:
        say("Next to fade, with so many patrols left unless somebody thinks of them:")
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
    asked = Asked(question, RECALL_NODES, RECALL_SIMILARITY)
    found = recall(on.store, on.embedders, being.being_id, asked, random.SystemRandom())
    say(Text(question, style="bold"))
    fragments = _cut(words(found.fragments), FRAGMENTS) or "Nothing, so far."
    say(Padding(Text(fragments, style="italic cyan"), (0, 0, 0, 2)))
    rows = Table.grid(padding=(0, 2))
    for node, similarity in zip(found.nodes, found.similarities, strict=True):
        action = Text(words(node.scene["action"]), style="dim", no_wrap=True, overflow="ellipsis")
        rows.add_row("", likeness(similarity), day(node.created_at), action)
    say(rows, "")


def _bring_back(on: Resources, being: Being, outcome: Outcome) -> None:
    """Recall what is dying by its own words, and tell what its life has been."""
    roots = {one.cluster_id for one in outcome.clusters if one.is_parent}
    moved = [node for node in outcome.dying if node.cluster_id not in roots]
    node = max(moved or outcome.dying, key=lambda one: one.importance)
    recall(
        on.store,
        on.embedders,
        being.being_id,
        Asked(node.scene["action"], 1, RECALL_SIMILARITY),
        random.SystemRandom(),
    )
    say(*told(story(on.store, being.being_id, node.node_id), outcome.names))


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1].rstrip()}…"
