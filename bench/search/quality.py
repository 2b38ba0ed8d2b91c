"""`make quality`: how much of the evidence for a question the search finds, on conversations with known answers.

Each conversation becomes a Being: its messages and scene notes are handed in, indexed and embedded as workers do it,
and its questions are asked. Coverage is the mean, over the questions of categories 1 to 4, of the share of the messages
that answer a question which stand among the first ten results; a node stands for the messages that its note names as
evidence.

What callers get is measured beside it (`doors.py`): how much of the evidence is in the prompt, and which conversations
are found for turns in the middle of long chats; and how questions in other languages fare with each local encoder
(`languages.py`).

A folder holds a folder for each conversation with `messages.jsonl`, `queries.jsonl` and, if there are any,
`notes.jsonl`, in this project's wire format; the questions carry `category` and `evidence`, or `as_of` and `sessions`.
"""

import argparse
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.search.doors import conversations_found, evidence_in_prompts
from bench.search.languages import found_in_languages
from bench.search.working import do_work, index
from memory.intake.messages import accept_messages
from memory.intake.notes import accept_notes
from memory.patrol import demand
from memory.patrol import steps as patrol
from memory.search import ranking
from memory.search import search as searching
from memory.search.candidates import candidates as candidates_of
from providers.embedders import Embedders
from providers.thinkers import Thinkers
from schemas.accounts.accounts import Being
from schemas.ledger.kinds import STEPS
from schemas.limits import BATCH_ITEMS
from schemas.search import EverythingRequest, Kind
from schemas.settings import Settings
from store import clock
from store.accounts import beings, users
from store.database import Store
from store.migrate import migrate
from store.search import result_texts
from workers.embedded.postgres import EmbeddedPostgres
from workers.runtime.logs import configure_logs

FIRST = 10
CATEGORIES = {1: "several sessions", 2: "when", 3: "inference", 4: "one session"}
KINDS: tuple[Kind, Kind] = ("message", "node")
AFTERWARDS = timedelta(hours=1)
# What cross-validation tries for each weight, the others as they are.
FACTORS = (0.5, 0.75, 1.0, 1.5, 2.0)
ROUNDS = 2


@dataclass(frozen=True)
class Asked:
    """A question with the signals of its candidates, whatever weights these are ranked by.

    Attributes:
        category: Which kind of question it is.
        evidence: The messages that answer it, by their producer's ids.
        values: Each signal's value for each candidate that may be answered.
        stands_for: The messages that each of these candidates stands for.
    """

    category: int
    evidence: frozenset[str]
    values: Mapping[str, ranking.Numbers]
    stands_for: Sequence[frozenset[str]]

    def coverage(self, weights: Mapping[str, float]) -> float:
        """The share of the evidence among the first ten."""
        best = np.argsort(-ranking.weighted(self.values, weights), kind="stable")[:FIRST]
        found = frozenset[str]().union(*(self.stands_for[at] for at in best))
        return len(found & self.evidence) / len(self.evidence)


@dataclass(frozen=True)
class Conversation:
    """One conversation with its questions, for each kind of result, and what callers got for each question."""

    name: str
    by_kind: Mapping[Kind, Sequence[Asked]]
    got: Mapping[str, Sequence[float]]


def main() -> None:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m bench.search.quality", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", help="folders of conversations")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    arguments = parser.parse_args()
    configure_logs(Settings(log_level="ERROR"))
    console = Console(width=None if Console().is_terminal else 120)
    with _store() as store:
        figures = {"six languages": found_in_languages(store)}
        console.print(_table("questions in six languages", figures["six languages"]))
        conversations = [
            _read(store, Embedders(Settings(embedder="minilm")), folder)
            for each in arguments.folders
            for folder in sorted(each.iterdir())
        ]
    figures["callers get"] = _got(conversations)
    console.print(_table("what callers get", figures["callers get"]))
    for kind in KINDS:
        with_evidence = [(one.name, one.by_kind[kind]) for one in conversations if one.by_kind[kind]]
        if with_evidence:
            figures[kind] = _figures(with_evidence)
            console.print(_table(f"{kind}s: evidence in the first {FIRST}", figures[kind]))
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


@contextmanager
def _store() -> Iterator[Store]:
    """A database of its own, gone when the block ends."""
    with tempfile.TemporaryDirectory(prefix="patrol-quality-") as home:
        sockets = Path(home) / "run"
        sockets.mkdir()
        with EmbeddedPostgres(Path(home) / "postgres", sockets, durable=False) as server:
            migrate(server.url)
            with Store(server.url) as store:
                yield store


def _read(store: Store, embedders: Embedders, folder: Path) -> Conversation:
    """Hand a conversation in, have it indexed, and ask its questions."""
    settings = Settings(embedder="minilm")
    messages = _lines(folder / "messages.jsonl")
    with store.transaction() as tx:
        # It is asked when all has been said.
        clock.set_to(tx, datetime.fromisoformat(messages[-1]["created_at"]) + AFTERWARDS)
    notes = _lines(folder / "notes.jsonl") if (folder / "notes.jsonl").exists() else []
    with store.transaction() as tx:
        user = users.add_user(tx, folder.name, "UTC")
        being_id = beings.add_being(tx, user.user_id, "being", "Being").being_id
    for batch in _batches(messages):
        accept_messages(store, settings, being_id, batch)
    for batch in _batches(notes):
        accept_notes(store, settings, being_id, batch)
    with closing(Thinkers(settings)) as thinkers:
        run = demand.demand(store, settings, being_id)
        do_work(
            store,
            being_id,
            STEPS["embed"],
            lambda claim: patrol.embed(store, embedders, thinkers, settings, claim),
            key=str(run),
        )
    index(store, embedders, being_id)
    being = store.run(beings.get_being, being_id)
    evidence = {note["id"]: frozenset(note.get("metadata", {}).get("evidence", ())) for note in notes}
    lines = _lines(folder / "queries.jsonl")
    questions = [one for one in lines if one["category"] in CATEGORIES and one["evidence"]]
    kinds = [kind for kind in KINDS if kind == "message" or notes]
    texts = {message["id"]: message["content"] for message in messages}
    return Conversation(
        folder.name,
        {
            kind: [_asked(store, embedders, being, kind, one, evidence) for one in questions] if kind in kinds else []
            for kind in KINDS
        },
        {
            **evidence_in_prompts(store, embedders, being, questions, texts),
            **conversations_found(store, embedders, being, [one for one in lines if "sessions" in one], FIRST),
        },
    )


def _asked(
    store: Store,
    embedders: Embedders,
    being: Being,
    kind: Kind,
    one: Mapping[str, Any],
    evidence: Mapping[str, frozenset[str]],
) -> Asked:
    question = EverythingRequest(query=one["query"], kinds=[kind], limit=FIRST)
    query_vectors = searching.embed_question(store, embedders, being, question.query, question.kinds)
    with store.transaction() as tx:
        candidates = candidates_of(tx, being, question, query_vectors)
        texts = result_texts.texts_of(
            tx, being.being_id, being.user_id, [(row.kind, row.item_id) for row in candidates.rows]
        )
    stands_for = {
        each.item_id: frozenset([each.producer_id]) if kind == "message" else evidence.get(each.producer_id or "")
        for each in texts
        if each.producer_id
    }
    values = ranking.signals(candidates.query, candidates.rows)
    # What is equal goes newest first.
    order = [
        at
        for at in sorted(range(len(candidates.rows)), key=lambda at: ranking.newest_first(candidates.rows[at]))
        if candidates.rows[at].document_id in candidates.wanted
    ]
    return Asked(
        category=one["category"],
        evidence=frozenset(one["evidence"]),
        values={name: column[order] for name, column in values.items()},
        stands_for=[stands_for.get(candidates.rows[at].item_id) or frozenset() for at in order],
    )


def _coverage(questions: Iterable[Asked], weights: Mapping[str, float] = ranking.WEIGHTS) -> float:
    return mean(one.coverage(weights) for one in questions)


def _got(conversations: Sequence[Conversation]) -> dict[str, dict[str, float]]:
    """The mean of what callers got, over all questions and for each conversation."""
    figures: dict[str, dict[str, float]] = {}
    for what in dict.fromkeys(what for one in conversations for what in one.got):
        parts = {one.name: one.got[what] for one in conversations if what in one.got}
        everything = [value for values in parts.values() for value in values]
        figures[what] = {"all": mean(everything), **{name: mean(values) for name, values in parts.items()}}
    return figures


def _figures(conversations: Sequence[tuple[str, Sequence[Asked]]]) -> dict[str, dict[str, float]]:
    """The coverage of all questions, of each category, of each signal alone, without each, and cross-validated."""
    parts: dict[str, Sequence[Asked]] = {
        "all": [one for _, questions in conversations for one in questions],
        **dict(conversations),
    }
    figures = {"all signals": {name: _coverage(questions) for name, questions in parts.items()}}
    for category, name in CATEGORIES.items():
        of_it = {part: [one for one in questions if one.category == category] for part, questions in parts.items()}
        figures[f"category {category}: {name}"] = {
            part: _coverage(questions) for part, questions in of_it.items() if questions
        }
    for signal in ranking.WEIGHTS:
        alone = {name: weight * (name == signal) for name, weight in ranking.WEIGHTS.items()}
        figures[f"{signal} alone"] = {part: _coverage(questions, alone) for part, questions in parts.items()}
        without = {name: weight * (name != signal) for name, weight in ranking.WEIGHTS.items()}
        figures[f"without {signal}"] = {part: _coverage(questions, without) for part, questions in parts.items()}
    tested = {
        part: _coverage(
            parts[part], _tuned([one for other, questions in conversations if other != part for one in questions])
        )
        for part, _ in conversations
        if len(conversations) > 1
    }
    if tested:
        figures["tuned on the others, tested here"] = tested
    return figures


def _tuned(questions: Sequence[Asked]) -> dict[str, float]:
    """Weights by coordinate ascent from those that stand, on these questions alone."""
    weights = dict(ranking.WEIGHTS)
    best = _coverage(questions, weights)
    for name in list(weights) * ROUNDS:
        for factor in FACTORS:
            tried = {**weights, name: ranking.WEIGHTS[name] * factor}
            reached = _coverage(questions, tried)
            if reached > best:
                weights, best = tried, reached
    return weights


def _table(title: str, figures: Mapping[str, Mapping[str, float]]) -> Table:
    parts = list(dict.fromkeys(part for of_parts in figures.values() for part in of_parts))
    table = Table(title=title, title_justify="left")
    table.add_column("what")
    for part in parts:
        table.add_column(part, justify="right")
    for what, values in figures.items():
        table.add_row(what, *(f"{values[part]:.3f}" if part in values else "" for part in parts))
    return table


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _batches(items: Sequence[dict[str, Any]]) -> Iterator[Sequence[dict[str, Any]]]:
    for start in range(0, len(items), BATCH_ITEMS):
        yield items[start : start + BATCH_ITEMS]


if __name__ == "__main__":
    main()
