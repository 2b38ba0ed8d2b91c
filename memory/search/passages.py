"""Passages of earlier talk for a context, so that a chat remembers what was said though nothing was made of it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from uuid import UUID

from memory.retrieval.understanding import Understood
from memory.retrieval.weighing import Ranked
from memory.search.candidates import Candidates, Worded, by_words, candidates
from memory.search.ranking import ranked
from memory.text.words import words
from schemas.accounts.accounts import Being
from schemas.limits import CONTEXT_PASSAGES, PASSAGE_CHARACTERS, QUERY_CHARACTERS
from schemas.search import EverythingRequest
from store.search import shown
from store.search.candidates import Seen
from store.transaction import Transaction

# A passage comes to mind if it is as near as this in meaning, or holds this share of what the words tell.
LEAST_SIMILARITY = 0.35
LEAST_WORDS = 0.4
# An answer of a few words says little without the question before it.
FEW_TERMS = 8
# So many of the best are looked at; what matters is among them.
CONSIDERED = 20


@dataclass(frozen=True)
class Passage:
    """Messages that stand side by side in an earlier conversation.

    Attributes:
        message_ids: Which messages.
        said_at: When the first of them was said.
        text: A line for each: who said it, and what.
        score: The best one's.
    """

    message_ids: tuple[UUID, ...]
    said_at: datetime
    text: str
    score: float


def passages_by_words(tx: Transaction, being: Being, said: str) -> Worded:
    """Find what the words of what is said now nominate: the part of `passage_candidates` that needs no embedding."""
    return by_words(tx, being, _question(said))


def passage_candidates(
    tx: Transaction, being: Being, said: str, understood: Understood, worded: Worded | None = None
) -> Candidates:
    """Find what was said earlier that may matter for what is said now.

    Args:
        tx: The transaction.
        being: Who is spoken to.
        said: What is said now.
        understood: What it means to the model of what was told.
        worded: What `passages_by_words` returned for it, if it was called before.
    """
    return candidates(tx, being, _question(said), understood, worded)


def _question(said: str) -> EverythingRequest:
    return EverythingRequest(query=said[:QUERY_CHARACTERS], kinds=["message"])


def passages(
    tx: Transaction, being: Being, said: str, found: Candidates, *, apart_from: Collection[UUID]
) -> list[Passage]:
    """Read the passages that matter for what is said now, best first.

    Args:
        tx: The transaction.
        being: Who is spoken to.
        said: What is said now.
        found: What `passage_candidates` returned.
        apart_from: Messages that the context shows elsewhere.
    """
    near = ranked(
        found.query,
        found.rows,
        lambda row: row.document_id in found.wanted and row.item_id not in apart_from,
        CONSIDERED,
    )
    best = [one for one in near if _matters(one)][:CONTEXT_PASSAGES]
    runs = _runs(found.rows, {one.item.document_id for one in best}, apart_from)
    scores = {one.item.document_id: one.score for one in best}
    told = {
        one.item_id: one.content
        for one in shown.told(
            tx, being.being_id, being.user_id, [("message", row.item_id) for run in runs for row in run]
        )
    }
    made = [
        Passage(
            message_ids=tuple(row.item_id for row in run),
            said_at=run[0].said_at,
            text="\n".join(
                f"{row.speaker or 'other'}: {excerpt(told[row.item_id], said, _nearest(row))}"
                for row in run
                if row.item_id in told
            ),
            score=max(scores.get(row.document_id, 0.0) for row in run),
        )
        for run in runs
    ]
    return sorted((one for one in made if one.text), key=lambda one: -one.score)


def _matters(one: Ranked[Seen]) -> bool:
    return one.values["meaning"] >= LEAST_SIMILARITY or one.values["covered"] >= LEAST_WORDS


def _runs(rows: Sequence[Seen], chosen: Collection[int], apart_from: Collection[UUID]) -> list[list[Seen]]:
    """The chosen messages, questions with what came after them and short answers with what came before, in runs."""
    wanted = set(chosen)
    for before, after in pairwise(rows):
        if before.session_id != after.session_id:
            continue
        answered = before.document_id in chosen and before.question and after.item_id not in apart_from
        answers = after.document_id in chosen and (before.question or after.length < FEW_TERMS)
        if answered:
            wanted.add(after.document_id)
        if answers and before.item_id not in apart_from:
            wanted.add(before.document_id)
    runs: list[list[Seen]] = []
    last: Seen | None = None
    for row in rows:
        if row.document_id in wanted:
            if last is not None and last.document_id in wanted and last.session_id == row.session_id:
                runs[-1].append(row)
            else:
                runs.append([row])
        last = row
    return runs


def _nearest(row: Seen) -> int | None:
    """The character at which what is nearest in meaning begins, if it is near enough to matter."""
    return row.starts_at if (row.similarity or 0.0) >= LEAST_SIMILARITY else None


def excerpt(text: str, said: str, near: int | None) -> str:
    """A text, or of a long one the stretch that matters.

    Args:
        text: The text.
        said: What is said now.
        near: The character at which its nearest window begins; if None, the stretch is what holds most of the words of
            what is said.
    """
    if len(text) <= PASSAGE_CHARACTERS:
        return text
    if near is not None:
        start = max(0, near - PASSAGE_CHARACTERS // 4)
    else:
        asked = set(words(said))
        starts = range(0, len(text) - PASSAGE_CHARACTERS // 2, PASSAGE_CHARACTERS // 2)
        start = max(starts, key=lambda at: len(asked.intersection(words(text[at : at + PASSAGE_CHARACTERS]))))
    stretch = text[start : start + PASSAGE_CHARACTERS]
    return ("… " if start else "") + stretch.strip() + (" …" if start + PASSAGE_CHARACTERS < len(text) else "")
