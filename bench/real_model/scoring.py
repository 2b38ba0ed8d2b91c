"""The score card: what was remembered of the month, compared with what should have been.

A model words things in its own way, so that expectations are patterns, matched without regard to case.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict
from rich.table import Table

from store.transaction import Transaction

EXPECTED = Path(__file__).parent / "expected.json"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ExpectedTodo(_Part):
    """A todo, and its status at the end of the month."""

    words: str
    status: str


class ExpectedScene(_Part):
    """A scene, and the realm in which it belongs."""

    words: str
    realm: str


class Contradiction(_Part):
    """A statement that holds at the end of the month, and the one that it outdated."""

    holds: str
    outdated: str


class Expected(_Part):
    """The memory that should come of the month.

    Attributes:
        facts: One pattern for each fact that should be known.
        also_true: Patterns of facts that may be known.
        never: Patterns of what was played, imagined, joked or quoted, which is no fact and no real scene.
        todos: The todos that should be known.
        todos_also_true: Patterns of todos that may be known.
        confidences: The ids of messages that must stay in confidence.
        confidences_also: The ids of messages that may.
        contradictions: The corrected statements.
        scenes: The scenes that should be drawn.
        one_memory: Patterns of events that were told in several conversations: one living memory each.
        apart: Pairs of patterns of events that no memory may join.
    """

    facts: list[str]
    also_true: list[str]
    never: list[str]
    todos: list[ExpectedTodo]
    todos_also_true: list[str]
    confidences: set[str]
    confidences_also: set[str]
    contradictions: list[Contradiction]
    scenes: list[ExpectedScene]
    one_memory: list[str]
    apart: list[tuple[str, str]]


@dataclass(frozen=True)
class Remembered:
    """The memory at the end.

    Attributes:
        facts: The contents of the standing facts.
        todos: Contents with statuses.
        confidences: The producer's ids of messages in confidence.
        scenes: The actions of drawn scenes with their realms.
        memories: The actions of living memories, with all that they absorbed.
        dropped: The counts of dropped items by purpose and reason, as "judge: no such words".
        spent: Calls, invalid answers, tokens read and written, and dollars by purpose; None: the price is unknown.
    """

    facts: Sequence[str]
    todos: Sequence[tuple[str, str]]
    confidences: Collection[str]
    scenes: Sequence[tuple[str, str]]
    memories: Sequence[str]
    dropped: Counter[str] = field(default_factory=Counter)
    spent: Sequence[dict[str, Any]] = ()


@dataclass(frozen=True)
class Line:
    """One line of the card: how many of how many are right, and which are not."""

    name: str
    right: int
    of: int
    wrong: Sequence[str] = ()

    @property
    def share(self) -> float:
        """The share that is right; 0 of nothing, since a model that says nothing gets nothing right."""
        return self.right / self.of if self.of else 0.0


@dataclass(frozen=True)
class Card:
    """A score card."""

    lines: Sequence[Line]
    dropped: Counter[str]
    spent: Sequence[dict[str, Any]]

    @property
    def score(self) -> float:
        """The mean of the lines' shares, from 0 to 1."""
        return sum(line.share for line in self.lines) / len(self.lines)

    def share(self, name: str) -> float:
        """The share of a line."""
        return next(line.share for line in self.lines if line.name == name)

    def tables(self) -> Iterable[Table]:
        """Render the card for a terminal."""
        table = Table("", "right", "of", "share", "not right", title=f"score {self.score:.2f}", title_justify="left")
        for line in self.lines:
            table.add_row(line.name, f"{line.right}", f"{line.of}", f"{line.share:.2f}", "\n".join(line.wrong))
        yield table
        if self.dropped:
            drops = Table("dropped items, by purpose and reason", "")
            for reason, count in self.dropped.most_common():
                drops.add_row(reason, f"{count}")
            yield drops
        spent = Table("purpose", "calls", "invalid", "tokens read", "tokens written", "dollars")
        for row in [*self.spent, _total(self.spent)]:
            dollars = "unknown" if row["dollars"] is None else f"{row['dollars']:.4f}"
            numbers = (f"{row[name]:,}" for name in ("calls", "invalid", "read", "written"))
            spent.add_row(row["purpose"], *numbers, dollars)
        yield spent


def score(expected: Expected, found: Remembered) -> Card:
    """Compare what is remembered with what should be."""
    known = [one for one in expected.facts if _any(one, found.facts)]
    allowed = [*expected.facts, *expected.also_true]
    wrong = [one for one in found.facts if _matches(expected.never, one) or not _matches(allowed, one)]
    done = [one for one in expected.todos if _any(one.words, [content for content, _ in found.todos])]
    settled = [one for one in done if _any(one.words, [text for text, status in found.todos if status == one.status])]
    plans = [*(one.words for one in expected.todos), *expected.todos_also_true]
    false_todos = [text for text, _ in found.todos if _matches(expected.never, text) or not _matches(plans, text)]
    kept = sorted(expected.confidences.intersection(found.confidences))
    needless = set(found.confidences) - expected.confidences - expected.confidences_also
    held = [
        one for one in expected.contradictions if _any(one.holds, found.facts) and not _any(one.outdated, found.facts)
    ]
    drawn = [
        one.words
        for one in expected.scenes
        if any(_is(one.words, text) and realm == one.realm for text, realm in found.scenes)
    ]
    real_fiction = [text for text, realm in found.scenes if realm == "real" and _matches(expected.never, text)]
    merged = [one for one in expected.one_memory if sum(_is(one, memory) for memory in found.memories) == 1]
    apart = [pair for pair in expected.apart if _told_apart(pair, found.memories)]
    return Card(
        [
            _of("facts: recall", known, expected.facts),
            Line("facts: precision", len(found.facts) - len(wrong), len(found.facts), wrong),
            _of("todos: recall", [one.words for one in done], [one.words for one in expected.todos]),
            Line("todos: precision", len(found.todos) - len(false_todos), len(found.todos), false_todos),
            _of("todos: status", [one.words for one in settled], [one.words for one in expected.todos]),
            _of("confidences: kept", kept, sorted(expected.confidences)),
            Line(
                "confidences: precision",
                len(found.confidences) - len(needless),
                len(found.confidences),
                sorted(needless),
            ),
            _of("contradictions: settled", [one.holds for one in held], [one.holds for one in expected.contradictions]),
            _of("scenes: drawn", drawn, [one.words for one in expected.scenes]),
            Line("scenes: fiction kept apart", len(found.scenes) - len(real_fiction), len(found.scenes), real_fiction),
            _of("merges: one memory of one event", merged, expected.one_memory),
            _of("merges: two events apart", [*map(" / ".join, apart)], [*map(" / ".join, expected.apart)]),
        ],
        found.dropped,
        found.spent,
    )


def remembered(tx: Transaction, user_id: UUID, being_id: UUID) -> Remembered:
    """Read what is remembered of the month."""

    def rows(query: str, owner: UUID) -> list[dict[str, Any]]:
        return tx.execute(query, [owner]).fetchall()

    facts = rows("select content from memory.facts where user_id = %s and status = 'ACTIVE' order by fact_id", user_id)
    todos = rows("select content, status from memory.todos where being_id = %s order by todo_id", being_id)
    kept = rows("select producer_id from memory.messages where being_id = %s and in_confidence", being_id)
    scenes = rows(
        """
        select content ->> 'action' as action, coalesce(content ->> 'realm', 'real') as realm
        from memory.notes
        where being_id = %s and origin = 'talk'
        order by note_id
        """,
        being_id,
    )
    memories = rows(
        """
        select scene ->> 'action' || ' ' || (scene -> 'when')::text as told
        from memory.memory_nodes
        where being_id = %s and status <> 'dead'
        order by node_id
        """,
        being_id,
    )
    dropped = rows(
        """
        select purpose || ': ' || reason as reason, sum(items) as count
        from memory.dropped_items
        where user_id = %s
        group by purpose, reason
        """,
        user_id,
    )
    spent = rows(
        """
        select
            purpose,
            count(*) as calls,
            count(*) filter (where outcome <> 'answered') as invalid,
            sum(input_tokens + cache_read_tokens + cache_write_tokens) as read,
            sum(output_tokens) as written,
            case when bool_and(cost is not null) then sum(cost) end as dollars
        from memory.model_calls
        where user_id = %s and purpose <> 'embed'
        group by purpose
        order by purpose
        """,
        user_id,
    )
    return Remembered(
        [row["content"] for row in facts],
        [(row["content"], row["status"]) for row in todos],
        {row["producer_id"] for row in kept},
        [(row["action"], row["realm"]) for row in scenes],
        [row["told"] for row in memories],
        Counter({row["reason"]: int(row["count"]) for row in dropped}),
        [dict(row) for row in spent],
    )


def _told_apart(pair: tuple[str, str], memories: Sequence[str]) -> bool:
    one, other = ([memory for memory in memories if _is(words, memory)] for words in pair)
    return bool(one) and bool(other) and not set(one) & set(other)


def _of(name: str, right: Sequence[str], all_: Sequence[str]) -> Line:
    return Line(name, len(right), len(all_), [one for one in all_ if one not in right])


def _is(words: str, text: str) -> bool:
    return re.search(words, text, re.IGNORECASE | re.DOTALL) is not None


def _any(words: str, texts: Iterable[str]) -> bool:
    return any(_is(words, text) for text in texts)


def _matches(patterns: Iterable[str], text: str) -> bool:
    return any(_is(words, text) for words in patterns)


def _total(spent: Sequence[dict[str, Any]]) -> dict[str, Any]:
    costs = [row["dollars"] for row in spent]
    numbers = {name: sum(row[name] for row in spent) for name in ("calls", "invalid", "read", "written")}
    return {"purpose": "all", **numbers, "dollars": None if None in costs else sum(costs)}
