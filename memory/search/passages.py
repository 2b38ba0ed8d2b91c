"""Passages of earlier talk for a context, so that a chat remembers messages without facts or nodes from them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, pairwise
from uuid import UUID

from memory.retrieval.query_vectors import QueryVectors
from memory.retrieval.weighing import Ranked
from memory.search.candidates import Candidates, candidates, speaker_of
from memory.text.prompt_escaping import escaped
from memory.text.words import words
from providers.tokens import estimated_tokens
from schemas.accounts.accounts import Being
from schemas.limits import PASSAGE_CHARACTERS, QUERY_CHARACTERS
from schemas.search import EverythingRequest
from schemas.talk.messages import SaidMessage
from store.search import result_texts
from store.search.candidates import SearchCandidate
from store.transaction import Transaction

# A passage is relevant if its similarity is at least this, or if it has this share of the terms' weight.
LEAST_SIMILARITY = 0.35
LEAST_WORDS = 0.4
# An answer of a few words says little without the question before it.
FEW_TERMS = 8
# If none of this many best results is relevant, none of the others is.
CONSIDERED = 20
# A result with less than this part of the best score adds nothing.
LEAST_OF_BEST = 0.3
# Hardly a line is shorter; few are on average; a passage's tags with its day.
LEAST_TOKENS = 10
USUAL_TOKENS = 25
FENCE_TOKENS = 15
OTHER = "other"


@dataclass(frozen=True)
class Passage:
    """Messages of an earlier conversation.

    Attributes:
        message_ids: Which messages.
        said_at: When the first of them was said.
        text: A line for each: speaker and words; an empty line stands for messages that are left out between two.
        score: The best one's.
    """

    message_ids: tuple[UUID, ...]
    said_at: datetime
    text: str
    score: float


def passage_candidates(tx: Transaction, being: Being, question_text: str, query_vectors: QueryVectors) -> Candidates:
    """Find earlier messages that may be relevant to the current one.

    Args:
        tx: The transaction.
        being: The Being that is spoken to.
        question_text: The current message.
        query_vectors: The message's vectors of the model that messages are embedded with.
    """
    question = EverythingRequest(query=question_text[:QUERY_CHARACTERS], kinds=["message"])
    return candidates(tx, being, question, query_vectors)


def passages(
    tx: Transaction, being: Being, question_text: str, found: Candidates, *, apart_from: Collection[UUID], tokens: int
) -> list[Passage]:
    """Choose passages that are relevant to the current message, as many as there is room for, and read them.

    The best messages are taken one after the other, each with the question that it answers or the answer to it; those
    taken of a conversation count against more of it, so that they come from all relevant conversations.

    Args:
        tx: The transaction.
        being: The Being that is spoken to.
        question_text: The current message.
        found: The result of `passage_candidates`.
        apart_from: Messages that the context shows elsewhere.
        tokens: The most estimated tokens of all passages.

    Returns:
        One passage for each conversation, oldest first.
    """
    near = found.best(tokens // USUAL_TOKENS, apart_from)
    if not any(is_relevant(one) for one in near[:CONSIDERED]):
        return []
    best = [one for one in near if one.score >= LEAST_OF_BEST * near[0].score]
    places = {row.document_id: place for place, row in enumerate(found.rows)}
    groups = [_together(found.rows, places[one.item.document_id], apart_from) for one in best]
    groups += [_beside(found.rows, places[one.item.document_id], apart_from) for one in best[:CONSIDERED]]
    documents = {found.rows[place].document_id for group in groups for place in group}
    texts = {one.message_id: one for one in result_texts.messages_at(tx, being.being_id, list(documents))}
    chosen = _fitting(found.rows, groups, lambda row: _line(row, texts, question_text), tokens)
    scores = {places[one.item.document_id]: one.score for one in best}
    return _by_conversation(found.rows, chosen, scores)


def whole_talk(being: Being, messages: Sequence[SaidMessage]) -> list[Passage]:
    """All of the talk, one passage for each conversation, in the order of `messages`."""
    made: list[Passage] = []
    for _, of_session in groupby(messages, key=lambda one: one.session_id):
        lines = list(of_session)
        text = "\n".join(f"{speaker_of(being, one.speaker, one.role) or OTHER}: {one.content}" for one in lines)
        made.append(Passage(tuple(one.message_id for one in lines), lines[0].created_at, text, 0.0))
    return made


def _line(row: SearchCandidate, texts: Mapping[UUID, SaidMessage], question_text: str) -> str | None:
    """A message as a passage shows it; None if it is gone by now."""
    text = texts.get(row.item_id)
    return None if text is None else f"{row.speaker or OTHER}: {excerpt(text.content, question_text, _nearest(row))}"


def is_relevant(one: Ranked[SearchCandidate]) -> bool:
    """Whether a result is relevant to the question: similar enough, or by its words."""
    return one.values["meaning"] >= LEAST_SIMILARITY or one.values["covered"] >= LEAST_WORDS


def _together(rows: Sequence[SearchCandidate], place: int, apart_from: Collection[UUID]) -> list[int]:
    """Return a message, with the next one if it is a question, and with the question before it if it is short."""
    row, group = rows[place], [place]
    before, after = _neighbours(rows, place, apart_from)
    if row.question:
        group += after
    if row.length < FEW_TERMS:
        group += [at for at in before if rows[at].question]
    return group


def _beside(rows: Sequence[SearchCandidate], place: int, apart_from: Collection[UUID]) -> list[int]:
    """The messages right before and after one in its conversation."""
    before, after = _neighbours(rows, place, apart_from)
    return [*before, *after]


def _neighbours(
    rows: Sequence[SearchCandidate], place: int, apart_from: Collection[UUID]
) -> tuple[list[int], list[int]]:
    before, after = (
        [at]
        if 0 <= at < len(rows) and rows[at].session_id == rows[place].session_id and rows[at].item_id not in apart_from
        else []
        for at in (place - 1, place + 1)
    )
    return before, after


def _fitting(
    rows: Sequence[SearchCandidate],
    groups: Sequence[Sequence[int]],
    line: Callable[[SearchCandidate], str | None],
    tokens: int,
) -> dict[int, str]:
    """The lines of the groups in their order, as many as there is room for, by their places."""
    chosen: dict[int, str] = {}
    begun: set[UUID | None] = set()
    for group in groups:
        # A group that does not fit may do so without its message's neighbours.
        for part in (group, group[:1]):
            lines = {at: text for at in part if at not in chosen and (text := line(rows[at]))}
            needed = sum(estimated_tokens(escaped(text)) for text in lines.values())
            sessions = {rows[at].session_id for at in lines} - begun
            needed += FENCE_TOKENS * len(sessions)
            if needed <= tokens:
                chosen |= lines
                begun |= sessions
                tokens -= needed
                break
        if tokens < LEAST_TOKENS:
            break
    return chosen


def _by_conversation(
    rows: Sequence[SearchCandidate], chosen: Mapping[int, str], scores: Mapping[int, float]
) -> list[Passage]:
    made: list[Passage] = []
    for _, of_session in groupby(sorted(chosen), key=lambda at: rows[at].session_id):
        places = list(of_session)
        lines = [chosen[places[0]]]
        for before, at in pairwise(places):
            lines += [chosen[at]] if at == before + 1 else ["", chosen[at]]
        made.append(
            Passage(
                message_ids=tuple(rows[at].item_id for at in places),
                said_at=rows[places[0]].said_at,
                text="\n".join(lines),
                score=max(scores.get(at, 0.0) for at in places),
            )
        )
    return sorted(made, key=lambda one: one.said_at)


def _nearest(row: SearchCandidate) -> int | None:
    """Return the character at which the most similar window begins, if it is similar enough."""
    return row.starts_at if (row.similarity or 0.0) >= LEAST_SIMILARITY else None


def excerpt(text: str, question_text: str, near: int | None) -> str:
    """A text, or of a long one the stretch that matters.

    Args:
        text: The text.
        question_text: The current message.
        near: The character at which its nearest window begins; if None, the stretch is the one with most of the
            message's words.
    """
    if len(text) <= PASSAGE_CHARACTERS:
        return text
    if near is not None:
        start = max(0, near - PASSAGE_CHARACTERS // 4)
    else:
        question_words = set(words(question_text))
        starts = range(0, len(text) - PASSAGE_CHARACTERS // 2, PASSAGE_CHARACTERS // 2)
        start = max(starts, key=lambda at: len(question_words.intersection(words(text[at : at + PASSAGE_CHARACTERS]))))
    stretch = text[start : start + PASSAGE_CHARACTERS]
    return ("… " if start else "") + stretch.strip() + (" …" if start + PASSAGE_CHARACTERS < len(text) else "")
