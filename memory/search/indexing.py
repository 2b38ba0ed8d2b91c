"""Builds the lexical index of new items: ledger work that follows acceptance, of many owners at once."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any
from uuid import UUID

import structlog

from memory.nodes.scenes import scene_to_text
from memory.search.terms import digest, terms
from memory.search.ticks import hand_over, take_turns
from memory.text.languages import AUTO, elected, votes
from memory.text.words import words
from schemas.ledger.kinds import INDEX_WORDS
from schemas.ledger.work import Claim
from schemas.search import Kind
from store.database import Store
from store.ledger import work
from store.search import documents, languages, queue
from store.search.documents import Document
from store.search.languages import StemmingLanguage
from store.search.queue import UnindexedText

log = structlog.get_logger()

# How much of all owners is read and written at once, and of each at least, however many they are.
PORTION = 500
LEAST_OF_EACH = 10
MOST_OWNERS = 50
# Patrols get their worker in between.
TURN = timedelta(seconds=1)
# The language is decided anew with each portion until it has this many words as votes.
ENOUGH_VOTES = 400
# An item said this long before it came in was imported: it counts as known since it was said.
IMPORTED_AFTER = timedelta(days=1)
# Of a text as long as an item may be, the index holds this much.
CHARACTERS_INDEXED = 20_000
# Kinds with vectors in the search's tables; nodes and facts have theirs in their own tables.
EMBEDDED: tuple[Kind, ...] = ("message", "summary", "diary", "vault", "knowledge")
# A node or fact of more characters may be too long for the one vector in its own row.
WHOLE_CHARACTERS = 160


def index_waiting(store: Store, lease: timedelta) -> None:
    """Index the waiting items, of many owners at once, for a turn's time.

    Beat calls it often, so that a message is found within a second and costs no task of its own. After a failure each
    owner's work is sent to a task at once; if the process dies, the sweep sends it when the leases have run out.
    """
    ends = monotonic() + TURN.total_seconds()

    def serve_after(after: UUID) -> UUID | None:
        with store.transaction() as tx:
            owners = queue.owners_waiting(tx, "words", INDEX_WORDS, MOST_OWNERS, after)
            # Another tick may have begun with some of them since: it has their leases.
            claims = work.begin_idle(tx, owners, INDEX_WORDS, lease=lease) if owners else []
        if claims:
            _index_or_hand_over(store, claims, ends)
        return owners[-1] if owners else None

    take_turns(serve_after, ends)


def _index_or_hand_over(store: Store, claims: Sequence[Claim], ends: float) -> None:
    try:
        _index(store, claims, ends)
    except Exception as fault:  # noqa: BLE001  # their tasks meet the same fault, and record it in the ledger
        log.info("search.left_to_tasks", owners=len(claims), kind=INDEX_WORDS.name, fault=type(fault).__name__)
        for claim in claims:
            hand_over(store, claim)


def index(store: Store, claim: Claim, *, turn: timedelta = TURN) -> None:
    """Index an owner's queue, portion by portion, for a `turn`; the next tick indexes the rest."""
    _index(store, [claim], monotonic() + turn.total_seconds())


def _index(store: Store, claims: Sequence[Claim], ends: float) -> None:
    """Index the waiting items of owners, portion by portion, until none is left or time `ends`; finish their work."""
    owners = [claim.owner_id for claim in claims]
    of_each = max(LEAST_OF_EACH, PORTION // len(owners))
    over = False
    while not over:
        with store.transaction() as tx:
            portion = queue.waiting(tx, owners, of_each)
            stemmed = {one.owner_id: one for one in languages.stemming(tx, owners)}
        chosen = _chosen(portion, stemmed)
        ready = [_document(one, chosen[one.owner_id][0]) for one in portion]
        most = max(Counter(one.owner_id for one in portion).values(), default=0)
        with store.transaction() as tx:
            work.hold_each(tx, claims)
            languages.keep(tx, {owner: new for owner, new in chosen.items() if new != _known(stemmed[owner])})
            for owner, (language, _) in chosen.items():
                if stemmed[owner].language not in {None, language}:
                    documents.index_again(tx, owner)
            taken = queue.take(tx, portion) if portion else set()
            if taken:
                documents.put(tx, [one for one in ready if one.source in taken])
            # Items that another transaction has locked are left to the next tick.
            over = most < of_each or not taken or monotonic() >= ends
            if over:
                work.finish_each(tx, claims)
        if taken:
            log.debug("search.indexed", owners=len(owners), documents=len(taken))


def _chosen(
    portion: Sequence[UnindexedText], stemmed: Mapping[UUID, StemmingLanguage]
) -> dict[UUID, tuple[str, dict[str, int]]]:
    """The language to stem in, and how many words have spoken for each, by owners of a portion."""
    waiting: dict[UUID, list[UnindexedText]] = defaultdict(list)
    for one in portion:
        waiting[one.owner_id].append(one)
    return {owner: _language(stemmed[owner], of_owner) for owner, of_owner in waiting.items()}


def _language(owner: StemmingLanguage, waiting: Sequence[UnindexedText]) -> tuple[str, dict[str, int]]:
    counted = Counter(owner.votes)
    if counted.total() < ENOUGH_VOTES:
        for one in waiting:
            counted += votes(words(text_of(one.kind, one.content, one.feeling)[:CHARACTERS_INDEXED]))
    wanted = owner.wanted or AUTO
    return (elected(counted) if wanted == AUTO else wanted), dict(counted)


def _known(owner: StemmingLanguage) -> tuple[str | None, dict[str, int]]:
    return owner.language, owner.votes


def _document(one: UnindexedText, language: str) -> Document:
    text = text_of(one.kind, one.content, one.feeling)
    said_at = happened_at(one.content, one.said_at) if one.kind == "node" else one.said_at
    imported = one.received_at - one.said_at > IMPORTED_AFTER and one.kind == "message"
    return Document(
        owner_id=one.owner_id,
        kind=one.kind,
        item_id=one.item_id,
        session_id=one.session_id,
        said_at=said_at,
        arrived_at=one.said_at if imported else one.received_at,
        question=asks(text),
        terms=_terms(text, language, one.owner_id, one.item_id),
        embedded=one.kind in EMBEDDED or len(text) > WHOLE_CHARACTERS,
    )


def _terms(text: str, language: str, owner_id: UUID, item_id: UUID) -> list[int]:
    """A text's terms; none where they can't be read, so that nothing waits behind a text that a stemmer fails at."""
    try:
        return [digest(term) for term in terms(text[:CHARACTERS_INDEXED], language)]
    except Exception as fault:  # noqa: BLE001  # a fault of any kind may hold the item's words in its text
        log.error("search.unreadable", owner_id=str(owner_id), item_id=str(item_id), fault=type(fault).__name__)  # noqa: TRY400  # likewise
        return []


def happened_at(scene: dict[str, Any], known_at: datetime) -> datetime:
    """Return the time of a scene's last event, by the newest valid date of its timeline; else when it was known."""
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
    """Whether a text ends in a question: questions carry less information than answers."""
    words_before, _, _ = text.partition("[photo:")
    return words_before.rstrip(" \n\t\"'\u201d\u2019\u300d)").endswith(("?", "\uff1f", "\u061f", "\u037e"))


def text_of(kind: Kind, content: Any, feeling: str | None) -> str:
    """The searchable and the shown text of a document."""
    if kind == "node":
        return scene_to_text(content, feeling)
    if kind == "summary":
        return outlined(content)
    return str(content)


def outlined(summary: dict[str, Any] | None) -> str:
    """A structured summary as text, one line for each heading that has something to say."""
    parts = (
        (name, "; ".join(map(str, value)) if isinstance(value, list) else value)
        for name, value in (summary or {}).items()
    )
    return "\n".join(f"{name}: {text}" for name, text in parts if text)
