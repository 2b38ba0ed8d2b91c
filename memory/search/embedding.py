"""Embeds new items in the background: the word index finds them a moment after acceptance, vectors a little later.

Messages are embedded with their speaker's name, as the speaker is half of a message's meaning (measured: 0.45 of the
evidence of two conversations in the first ten by cosine alone, and 0.24 without names).
"""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from time import monotonic
from uuid import UUID

import structlog

from memory.nodes.scenes import embedding_text
from memory.retrieval.text_vectors import with_prefixes
from memory.search.indexing import EMBEDDED, text_of
from memory.search.ticks import hand_over, take_turns
from providers.embedders import Embedders
from providers.embedding import Embedder, embed_each
from providers.errors import InputRefused
from providers.metering import RequestOwner, on_behalf_of
from providers.windows import Window, windows
from schemas.errors import BudgetSpent
from schemas.ledger.kinds import EMBED_TOLD
from schemas.ledger.work import Claim
from schemas.nodes.nodes import UNEMBEDDED
from schemas.search import Kind
from store.accounts import beings
from store.database import Store
from store.ledger import work
from store.search import documents, queue, vectors
from store.search.vectors import UnembeddedDocument, WindowVector
from store.transaction import Transaction

log = structlog.get_logger()

# A document and its windows.
Portion = tuple[UnembeddedDocument, Sequence[Window]]

# Live work gets its worker in between.
TURN = timedelta(seconds=3)
MOST_OWNERS = 200
# By how much a portion that the budget has no room for is made smaller.
SMALLER = 8


def ask_for_other_models(store: Store, embedders: Embedders) -> None:
    """Queue the items of up to 100 owners with vectors of another model than the settings name, for new vectors."""
    if not embedders.replaces:
        return
    model = embedders.wanted.model
    with store.transaction() as tx:
        for owner_id in vectors.owners_of_other_models(tx, model, 100):
            vectors.embed_again(tx, owner_id, model, EMBEDDED)


def embed_waiting(store: Store, embedders: Embedders, lease: timedelta) -> None:
    """Embed the waiting items, owner after owner, for a turn's time."""
    ends = monotonic() + TURN.total_seconds()

    def serve_after(after: UUID) -> UUID | None:
        owners = store.run(queue.owners_waiting, "meaning", EMBED_TOLD, MOST_OWNERS, after)
        for owner_id in owners:
            if monotonic() >= ends:
                break
            # None if another tick has begun with this owner since.
            begun = store.run(work.begin_idle, [owner_id], EMBED_TOLD, lease=lease)
            for claim in begun:
                _embed_or_hand_over(store, embedders, claim)
        return owners[-1] if owners else None

    take_turns(serve_after, ends)


def _embed_or_hand_over(store: Store, embedders: Embedders, claim: Claim) -> None:
    try:
        with on_behalf_of(RequestOwner(claim.owner_id, "embed", claim.kind, claim.key)):
            embed(store, embedders, claim)
    except Exception as fault:  # noqa: BLE001  # its task meets the same fault, and records it in the ledger
        log.info("search.left_to_its_task", owner_id=str(claim.owner_id), kind=claim.kind, fault=type(fault).__name__)
        hand_over(store, claim)


def embed(store: Store, embedders: Embedders, claim: Claim, *, turn: timedelta = TURN) -> None:
    """Embed an owner's waiting items, batch by batch, for a `turn`; the remaining ones wait for the next turn.

    Raises:
        BudgetSpent: The rest of the day's budget is too little for one text; vectors so far are kept.
        ProviderError: The embedder is out of reach; vectors so far are kept.
    """
    owner_id = claim.owner_id
    ends = monotonic() + turn.total_seconds()
    embedder = store.run(_embedder, embedders, owner_id)
    most = embedder.portion
    over = False
    while not over:
        with store.transaction() as tx:
            work.hold(tx, claim)
            user_id = beings.user_of(tx, owner_id)
            if user_id and user_id != owner_id:
                vectors.share(tx, owner_id, user_id, embedder.model)
            batch = vectors.unembedded(tx, owner_id, user_id, most) if user_id else []
        try:
            over = _embed_batch(store, embedder, claim, batch, most, ends)
        except BudgetSpent:
            # A portion may be more than a day's budget, and would wait for good.
            if most == 1:
                raise
            most = max(1, most // SMALLER)


def _embed_batch(
    store: Store, embedder: Embedder, claim: Claim, batch: Sequence[UnembeddedDocument], most: int, ends: float
) -> bool:
    """Embed documents, up to `most` windows between two commits; the last commit ends the work if nothing else waits.

    Returns:
        Whether the work is done: there were less than `most`, or it is past the time `ends`.
    """
    portions = list(_portions([(one, _windows(embedder, one)) for one in batch], most)) or [[]]
    over = False
    for place, some in enumerate(portions, start=1):
        made = _embedded(embedder, some)
        over = place == len(portions) and (len(batch) < most or monotonic() >= ends)
        with store.transaction() as tx:
            work.hold(tx, claim)
            if some:
                vectors.keep(tx, claim.owner_id, embedder.model, made, [one for one, _ in some])
            vectors.serve(tx, claim.owner_id, embedder.model)
            if over:
                work.finish(tx, claim)
    return over


def _embedder(tx: Transaction, embedders: Embedders, owner_id: UUID) -> Embedder:
    """The embedder of an owner: the model of the vectors that serve, unless the settings want another in its place.

    A Being's messages get the model of its memories, so that one embedding of a question serves both.
    """
    if embedders.replaces:
        return embedders.wanted
    owner = documents.owner(tx, owner_id)
    model = owner.embedding_model if owner and owner.embedding_model else vectors.being_model(tx, owner_id)
    return embedders.serving(None if model == UNEMBEDDED else model)


def _windows(embedder: Embedder, one: UnembeddedDocument) -> list[Window]:
    """Return the windows that get vectors here; none for a node or fact that the vector in its own row covers."""
    if one.kind == "node":
        text = embedding_text(one.content, one.feeling)
    else:
        text = text_of(one.kind, one.content, one.feeling)
    try:
        found = windows(embedder, text, f"{one.speaker}: " if one.speaker else "")
    except InputRefused:
        found = [Window(0, text)]
    return [] if len(found) == 1 and one.kind not in EMBEDDED else found


def _portions(cut: Sequence[Portion], most: int) -> Iterator[list[Portion]]:
    """Documents with their windows, up to `most` windows at a time; those of one text are kept together."""
    some: list[Portion] = []
    count = 0
    for one in cut:
        if some and count + len(one[1]) > most:
            yield some
            some, count = [], 0
        some.append(one)
        count += len(one[1])
    if some:
        yield some


def _embedded(embedder: Embedder, some: Sequence[Portion]) -> dict[tuple[Kind, UUID], list[WindowVector]]:
    texts = [window.text for _, of_one in some for window in of_one]
    made = iter(with_prefixes(embedder, texts, embed_each(embedder, texts)))
    return {(one.kind, one.item_id): [WindowVector(each.start, next(made)) for each in of_one] for one, of_one in some}
