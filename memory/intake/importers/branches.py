"""Brings the branches of an imported conversation to what its export says: one stands, the others are retracted."""

import hashlib
from collections.abc import Sequence

from memory.intake import retraction
from memory.intake.importers.entries import Conversation
from memory.talk import sharing
from providers.embedders import Embedders
from schemas.accounts.accounts import Being
from schemas.limits import BATCH_ITEMS
from schemas.settings import Settings
from schemas.talk.retraction import MessageSelection
from store.database import Store
from store.talk import retraction as versions


def choose(store: Store, settings: Settings, embedders: Embedders, being: Being, conversation: Conversation) -> None:
    """Retract what is beside the chosen branch, and restore the chosen one where the person has changed over to it.

    Each is done once for the same branches: what a person restores or retracts afterwards stays so. Messages that have
    not arrived are awaited as retracted, so that nothing is derived from them.

    Raises:
        SecretMissing, ProviderError, Refused: As `retraction.retract`; what was done before is committed.
    """
    beside = set(conversation.off_branch)
    chosen = [message["id"] for message in conversation.messages if message["id"] not in beside]
    for begin in range(0, len(conversation.off_branch), BATCH_ITEMS):
        ids = list(conversation.off_branch[begin : begin + BATCH_ITEMS])
        with store.transaction() as tx:
            known = versions.versions(tx, being.being_id, ids, [])
        left = any(version.retracted_at is None for version in known)
        if left or len({version.producer_id for version in known}) < len(beside.intersection(ids)):
            request_id = f"import/{hashlib.sha256(' '.join(ids).encode()).hexdigest()}"
            # First: after a kill in between, what was left still stands, and both are done.
            _return_to(store, settings, being, chosen, f"{request_id}/chosen", left=left)
            retraction.retract(
                store, settings, embedders, being.being_id, MessageSelection(ids=ids), request_id=request_id
            )


def _return_to(
    store: Store, settings: Settings, being: Being, chosen: Sequence[str], request_id: str, *, left: bool
) -> None:
    """Restore the end of the chosen branch, if another one was left for it; only at the first request with this id.

    A retracted message before one that stands was retracted by a person.
    """
    with store.transaction() as tx:
        erased = sharing.begin_intake(tx, settings, [being])
        if not versions.begin(tx, being.being_id, request_id) or not left:
            return
        known = versions.versions(tx, being.being_id, chosen, [])
        stand = {version.producer_id for version in known if version.retracted_at is None}
        newest = {version.producer_id: version.message_id for version in reversed(known)}
        last = max((place for place, id_ in enumerate(chosen) if id_ in stand), default=-1)
        back = [newest[id_] for id_ in chosen[last + 1 :] if id_ in newest]
        if back:
            retraction.restore_unless_erased(tx, settings, being, erased[being.being_id], back)
