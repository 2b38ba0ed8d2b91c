"""Indexing what was told by its words: ledger work that follows acceptance, in batches."""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any
from uuid import UUID

import structlog

from memory.nodes.scenes import scene_to_text
from memory.search.languages import AUTO, DEFAULT, elected, votes
from memory.search.terms import digest, terms, words
from providers.metering import Asker, on_behalf_of
from schemas.ledger.kinds import EMBED_TOLD, INDEX_WORDS, WorkKind
from schemas.ledger.work import Claim
from schemas.search import Kind, Stage
from store.database import Store
from store.errors import StoreError
from store.ledger import work
from store.search import documents, queue
from store.search.documents import Document, Owner
from store.search.queue import Waiting

log = structlog.get_logger()

BATCH = 500
TURN = timedelta(seconds=3)
# The language is decided anew with each batch until so many words have spoken for one.
ENOUGH_VOTES = 400
# What was said so long before it came in was imported: it counts as known since it was said.
IMPORTED_AFTER = timedelta(days=1)
# Of a text as long as an item may be, the index holds this much.
CHARACTERS_INDEXED = 20_000
# Kinds whose vectors the search keeps; nodes and facts have theirs in their own tables.
EMBEDDED: tuple[Kind, ...] = ("message", "summary", "diary", "vault", "knowledge")
MOST_OWNERS = 200
# A node or fact of more characters may be too long for the one vector in its own row.
WHOLE_CHARACTERS = 160


def index_waiting(store: Store, lease: timedelta, attempts: int) -> None:
    """Index what was told lately, owner after owner, for a turn's time.

    Beat calls it often, so that a message is found within a second and costs no task of its own. What fails is sent to
    a task at once; if the process dies, the sweep sends it when the lease has run out.
    """
    _work_off(store, "words", INDEX_WORDS, (lease, attempts), lambda claim: index(store, claim))


def work_off_meaning(store: Store, lease: timedelta, attempts: int, embed: Callable[[Claim], None]) -> None:
    """Embed what waits for it, owner after owner, for a turn's time."""
    _work_off(store, "meaning", EMBED_TOLD, (lease, attempts), embed)


def _work_off(
    store: Store, stage: Stage, kind: WorkKind, terms: tuple[timedelta, int], do: Callable[[Claim], None]
) -> None:
    ends = monotonic() + TURN.total_seconds()
    with store.transaction() as tx:
        owners = queue.owners_waiting(tx, stage, kind, MOST_OWNERS)
    for owner_id in owners:
        if monotonic() >= ends:
            return
        with store.transaction() as tx:
            # Another tick may have begun with this owner since. Asked for again, it would end with a task for the rest.
            if work.state(tx, owner_id, kind.name, "") not in {None, "done"}:
                continue
            work.ask(tx, owner_id, kind, in_chain=True)
            claim = work.claim(tx, owner_id, kind.name, "", lease=terms[0], attempts=terms[1])
        if claim is None:
            continue
        try:
            with on_behalf_of(Asker(owner_id, "embed", kind.name, "")):
                do(claim)
        except Exception as fault:  # noqa: BLE001  # its task meets the same fault, and records it in the ledger
            log.info("search.left_to_its_task", owner_id=str(owner_id), kind=kind.name, fault=type(fault).__name__)
            _hand_to_task(store, claim)


def _hand_to_task(store: Store, claim: Claim) -> None:
    """Make the unit due at once and have its task sent; if that fails, the sweep sends it when the lease is over."""
    with suppress(StoreError), store.transaction() as tx:
        work.hand_back(tx, claim)


def index(store: Store, claim: Claim, *, turn: timedelta = TURN) -> None:
    """Index an owner's queue, batch by batch; what takes longer than a `turn` is asked for again."""
    owner_id = claim.owner_id
    ends = monotonic() + turn.total_seconds()
    indexed = 0
    while True:
        with store.transaction() as tx:
            work.hold(tx, claim)
            user_id = queue.user_of(tx, owner_id)
            batch = queue.waiting(tx, owner_id, user_id, BATCH) if user_id else []
            owner = documents.owner(tx, owner_id) or Owner(DEFAULT, {}, None)
            wanted = documents.language_wanted(tx, owner_id) or AUTO
        if not batch:
            break
        language, counted = _language(owner, wanted, batch)
        ready = [_document(one, language, owner_id) for one in batch]
        with store.transaction() as tx:
            work.hold(tx, claim)
            if language != owner.language and owner.votes:
                documents.index_again(tx, owner_id)
            documents.keep_owner(tx, owner_id, language, counted)
            taken = queue.take(tx, owner_id, batch)
            documents.put(tx, owner_id, [one for one in ready if (one.kind, one.item_id) in taken])
        indexed += len(batch)
        if monotonic() >= ends:
            break
    with store.finishing(claim) as tx:
        if batch:
            work.ask(tx, owner_id, INDEX_WORDS)
    if indexed:
        log.debug("search.indexed", owner_id=str(owner_id), documents=indexed)


def _language(owner: Owner, wanted: str, batch: list[Waiting]) -> tuple[str, dict[str, int]]:
    """The language to stem in, and how many words have spoken for each."""
    counted = Counter(owner.votes)
    if counted.total() < ENOUGH_VOTES:
        for one in batch:
            counted += votes(words(text_of(one.kind, one.content, one.feeling)[:CHARACTERS_INDEXED]))
    # A vote for English keeps the row from looking new where no word spoke for any.
    return (elected(counted) if wanted == AUTO else wanted), dict(counted) or {DEFAULT: 0}


def _document(one: Waiting, language: str, owner_id: UUID) -> Document:
    text = text_of(one.kind, one.content, one.feeling)
    said_at = happened_at(one.content, one.said_at) if one.kind == "node" else one.said_at
    imported = one.received_at - one.said_at > IMPORTED_AFTER and one.kind == "message"
    return Document(
        kind=one.kind,
        item_id=one.item_id,
        session_id=one.session_id,
        said_at=said_at,
        arrived_at=one.said_at if imported else one.received_at,
        question=asks(text),
        terms=_terms(text, language, owner_id, one.item_id),
        embedded=one.kind in EMBEDDED or len(text) > WHOLE_CHARACTERS,
    )


def _terms(text: str, language: str, owner_id: UUID, item_id: UUID) -> list[int]:
    """A text's terms; none where they can't be read, so that nothing waits behind a text that a stemmer fails at."""
    try:
        return [digest(term) for term in terms(text[:CHARACTERS_INDEXED], language)]
    except Exception as fault:  # noqa: BLE001  # whatever it is, its text may hold what was said
        log.error("search.unreadable", owner_id=str(owner_id), item_id=str(item_id), fault=type(fault).__name__)  # noqa: TRY400  # likewise
        return []


def happened_at(scene: dict[str, Any], known_at: datetime) -> datetime:
    """When a scene happened last, by the newest date of its timeline that is one; else when it was known."""
    dates = (item["date"] if isinstance(item, dict) else item for item in scene["when"])
    found = [_date(text) for text in dates]
    return max((moment for moment in found if moment is not None), default=known_at)


def _date(text: str) -> datetime | None:
    """A date or moment in ISO 8601, in UTC where it names no zone."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def asks(text: str) -> bool:
    """Whether a text ends in a question: what was asked tells less than what was answered."""
    told, _, _ = text.partition("[photo:")
    return told.rstrip(" \n\t\"'\u201d\u2019\u300d)").endswith(("?", "\uff1f", "\u061f", "\u037e"))


def text_of(kind: Kind, content: Any, feeling: str | None) -> str:
    """What is found of something told, and shown of it."""
    if kind == "node":
        return scene_to_text(content, feeling)
    if kind == "summary":
        return outlined(content)
    return str(content)


def outlined(summary: dict[str, Any]) -> str:
    """A structured summary as text, one line for each heading that has something to say."""
    told = ((name, "; ".join(map(str, value)) if isinstance(value, list) else value) for name, value in summary.items())
    return "\n".join(f"{name}: {text}" for name, text in told if text)
