"""Requests to the search, and its answers."""

from datetime import datetime
from typing import Literal, get_args
from uuid import UUID

from pydantic import ConfigDict, Field

from schemas.limits import MOST_NEIGHBOURS, MOST_RECALLED, SEARCH_RESULTS
from schemas.wire.answers import Answer, AnsweredOff
from schemas.wire.fields import Moment
from schemas.wire.numbers import Number
from schemas.wire.requests import Name, OffTheRecord, Query, RequestModel

Kind = Literal["message", "node", "fact", "summary", "diary", "vault", "knowledge"]
# Things that commands name by the end of their ids.
Thing = Literal["fact", "todo", "merge", "request", "session", "mute"]
# Languages whose words are stemmed, or read in pairs, by their ISO 639-1 codes; `auto` detects the text's own.
LanguageCode = Literal[
    "auto",
    "ar",
    "ca",
    "cs",
    "da",
    "de",
    "el",
    "en",
    "es",
    "fi",
    "fr",
    "hi",
    "hu",
    "hy",
    "id",
    "it",
    "ja",
    "ko",
    "nl",
    "no",
    "pl",
    "pt",
    "ro",
    "ru",
    "sv",
    "ta",
    "th",
    "tr",
    "zh",
]
# The stages of a new message, node or fact: lexical indexing, then embedding.
Stage = Literal["words", "meaning"]
KINDS: tuple[Kind, ...] = get_args(Kind)
USUAL_KINDS: tuple[Kind, ...] = tuple(kind for kind in KINDS if kind != "vault")


class EverythingRequest(RequestModel):
    """A search in a Being's messages, memories, facts, summaries, diary, vault and knowledge."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "What is my sister's name?", "limit": 5}]})

    query: Query = Field(description="A question, a sentence or a few words, in any language.")
    limit: int = Field(SEARCH_RESULTS, ge=1, le=MOST_RECALLED, description="The most results.")
    kinds: list[Kind] = Field(
        list(USUAL_KINDS),
        min_length=1,
        max_length=len(KINDS),
        description="The kinds to search; default: all but the vault.",
    )
    since: Moment | None = Field(None, description="Only items of this moment or later.")
    until: Moment | None = Field(None, description="Only items from before this moment.")
    as_of: Moment | None = Field(
        None,
        description="Search the memory of this moment, which is also the reference for words like `last week`."
        " Items erased later are not shown.",
    )
    speaker: Name | None = Field(
        None,
        description="Only messages of this speaker: a name, the Being's, or `user` for the user's without a name.",
    )
    neighbours: int = Field(
        0, ge=0, le=MOST_NEIGHBOURS, description="How many messages before and after each message to show with it."
    )
    one_per: Literal["session"] | None = Field(
        None,
        description="With `session` at most one result of each conversation: the best of those most related"
        " to the query.",
    )
    explain: bool = Field(False, description="Whether to show each signal and its share of the score.")
    activate: bool = Field(False, description="Whether found memories count as recalled.")
    off_the_record: OffTheRecord = False


class Signal(Answer):
    """One signal of a result."""

    value: Number = Field(description="The signal itself.")
    share: Number = Field(description="Its part of the score; negative if it lowers the score.")


class Neighbour(Answer):
    """A message beside a result."""

    id: UUID
    speaker: str | None
    text: str
    at: datetime


class SearchResult(Answer):
    """A message, node, fact, summary, diary entry, vault record or knowledge note that was found."""

    kind: Kind
    id: str = Field(
        description="The id of a message, node, fact or note, of a summary's session, or of a vault record; a day."
    )
    producer_id: str | None = Field(
        description="The producer's own id of a message or note, also of the note behind a node."
    )
    text: str
    at: datetime = Field(description="The time of the message or event.")
    speaker: str | None = Field(description="The speaker of a message; null for other kinds.")
    session_id: UUID | None = Field(description="The conversation of a message or summary.")
    score: Number
    before: list[Neighbour] = Field([], description="The messages before it, oldest first.")
    after: list[Neighbour] = Field([], description="The messages after it.")
    signals: dict[str, Signal] | None = Field(None, description="On request: each signal and its share of the score.")


class NamedEntity(Answer):
    """A person or thing that the query names."""

    entity_ref: str
    label: str
    facts: list[str] = Field(description="Up to three: pinned first, then by importance, then the newest.")
    first: Neighbour | None = Field(description="The message that named it first.")
    last: Neighbour | None = Field(description="The message that named it last.")


class SearchResults(Answer):
    """The results."""

    entities: list[NamedEntity] = Field(
        [],
        description="Up to three that the query names and facts know; none with `as_of`, or without the kind `fact`.",
    )

    results: list[SearchResult] = Field(description="Best first.")
    degraded: bool = Field(description="Whether the embedder was out of reach and words had to do.")
    unindexed: int = Field(description="How much was accepted and is not searchable yet by every signal.")
    off_the_record: AnsweredOff = False
