"""Applies an export's branches to an imported conversation: one stands, the others are retracted."""

import hashlib
from collections.abc import Collection, Sequence

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


def choose(
    store: Store,
    settings: Settings,
    embedders: Embedders,
    being: Being,
    conversation: Conversation,
    chosen_elsewhere: Collection[str],
) -> None:
    """Retract messages beside the chosen branch, and restore the chosen one where the person has changed over to it.

    Each is done once for the same branches: a person's later restorations and retractions stay. Messages that have
    not arrived are awaited as retracted, so that nothing is derived from them. A message that stands in another
    conversation, or is chosen in one, is left: a branch may be a conversation of its own, which has the same ids.

    Raises:
        SecretMissing, ProviderError, Refused: As `retraction.retract`; earlier changes are committed.
    """
    chosen = [message["id"] for message in conversation.chosen]
    where = conversation.conversation
    for begin in range(0, len(conversation.off_branch), BATCH_ITEMS):
        portion = conversation.off_branch[begin : begin + BATCH_ITEMS]
        ids = [id_ for id_ in portion if id_ not in chosen_elsewhere]
        known = store.run(versions.versions, being.being_id, ids, [])
        standing = [version for version in known if version.retracted_at is None]
        unknown = len({version.producer_id for version in known}) < len(set(ids))
        if standing or unknown:
            # First: after a kill in between, the left branch still stands, and a repetition does both.
            request_id = f"{_request_id(where or '', *portion)}/chosen"
            _return_to(store, settings, being, chosen, request_id, left=bool(standing))
        if unknown or any(version.conversation == where for version in standing):
            selection, request_id = MessageSelection(ids=ids, conversation=where), _request_id(*portion)
            done = retraction.retract(
                store, settings, embedders, [being], selection, request_id=request_id, awaits=True
            )
            if done.retracted or done.awaited:
                store.run(versions.note, being.being_id, [_left_id(id_) for id_ in ids])


def bring_back(store: Store, settings: Settings, being: Being, conversation: Conversation) -> None:
    """Restore messages that an import has retracted for another conversation, and that this one has chosen."""
    ids = {_left_id(message["id"]): message["id"] for message in conversation.chosen}
    with store.transaction() as tx:
        erased = sharing.begin_intake(tx, settings, [being])
        left = versions.noted(tx, being.being_id, list(ids))
        known = versions.versions(tx, being.being_id, [ids[one] for one in left], []) if left else []
        stand = {version.producer_id for version in known if version.retracted_at is None}
        newest = {
            version.producer_id: version.message_id
            for version in reversed(known)
            if version.conversation != conversation.conversation and version.producer_id not in stand
        }
        if newest:
            versions.remove_notes(tx, being.being_id, [_left_id(str(id_)) for id_ in newest])
            retraction.restore_unless_erased(tx, settings, being, erased[being.being_id], list(newest.values()))


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


def _left_id(id_: str) -> str:
    """Under which it is recorded that an import has retracted a message."""
    return _request_id("left", id_)


def _request_id(*texts: str) -> str:
    return f"import/{hashlib.sha256(' '.join(texts).encode()).hexdigest()}"
