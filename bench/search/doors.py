"""Measures what callers get where answers are known: evidence in prompts, and conversations found for turns.

A message is in a prompt if all of it is in the region `rag-context`. A conversation is found if a message of it is
among the first results.
"""

import random
from collections.abc import Mapping, Sequence
from datetime import datetime
from html import unescape
from statistics import mean
from typing import Any

from memory.context.assembly import assemble
from memory.context.assembly_request import AssemblyRequest
from memory.search import search as searching
from providers.embedders import Embedders
from schemas.accounts.accounts import Being
from schemas.context.context import ContextRequest
from schemas.limits import QUERY_CHARACTERS
from schemas.search import EverythingRequest
from schemas.settings import Settings
from store.database import Store

# The targets of `rag-context`.
TARGETS = (1_500, 510)
REGION = "rag-context"


def evidence_in_prompts(
    store: Store, embedders: Embedders, being: Being, questions: Sequence[Mapping[str, Any]], texts: Mapping[str, str]
) -> dict[str, list[float]]:
    """For each target the share of each question's evidence that its prompt shows, and the tokens of the region.

    Args:
        embedders: Embed the questions.
        being: The Being that is asked.
        questions: Questions with the ids of the messages that answer them in `evidence`.
        texts: The text of each message, by its id.
    """
    found: dict[str, list[float]] = {}
    for target in TARGETS:
        settings = Settings(embedder="minilm", rag_tokens=target)
        for one in questions:
            options = ContextRequest(process="chatFrontend", only=[REGION], activate=False)
            request = AssemblyRequest(options, one["query"])
            context = assemble(store, embedders, settings, being, request, random.Random(0))  # noqa: S311
            text = unescape(context.text or "")
            shown = mean(texts.get(message, "\0") in text for message in one["evidence"])
            tokens = sum(region.tokens for region in context.regions if region.region == REGION)
            found.setdefault(f"evidence in the prompt at {target:,} tokens", []).append(shown)
            found.setdefault(f"tokens of {REGION} at {target:,}", []).append(tokens)
    return found


def conversations_found(
    store: Store, embedders: Embedders, being: Being, turns: Sequence[Mapping[str, Any]], first: int
) -> dict[str, list[float]]:
    """The share of the conversations behind each turn's answer that are found, with one result for each and without.

    Args:
        embedders: Embed the turns.
        being: The Being that is asked.
        turns: Turns with `as_of`, and `sessions`: what the ids of those conversations' messages begin with.
        first: How many results count.
    """
    found: dict[str, list[float]] = {}
    for one in turns:
        request = EverythingRequest(
            query=one["query"][:QUERY_CHARACTERS],
            kinds=["message"],
            limit=first,
            as_of=datetime.fromisoformat(one["as_of"]),
        )
        for what, question in (
            ("conversations found, one result for each", request.model_copy(update={"one_per": "session"})),
            ("conversations found", request),
        ):
            results = searching.search(store, embedders, being, question).results
            sessions = {(result.producer_id or "").partition("#")[0] for result in results}
            found.setdefault(what, []).append(len(sessions & {*one["sessions"]}) / len(one["sessions"]))
    return found
