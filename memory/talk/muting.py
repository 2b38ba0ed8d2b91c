"""Mutes items, and lifts mutes: muted items, which a person does not want brought up, are kept, and are in no prompt.

sql/functions/96_facts, from 80_muting.sql on, decides the reach of a mute. Memory derived from muted items is derived
again without them, by the same work that follows a retraction, and again with them once the mute is lifted.
"""

from typing import TypeVar
from uuid import UUID

from memory.nodes import topic_names
from memory.talk import spine
from memory.talk.sessions import request_processing
from memory.text.entity_names import USER_REF, entity_ref
from schemas.accounts.accounts import Being
from schemas.errors import NotFound, Refused
from schemas.settings import Settings
from schemas.talk.mutes import Mute, MutedKind, MuteRequest
from store.accounts import beings, users
from store.database import Store
from store.facts import facts
from store.llm import calls
from store.nodes import nodes
from store.search import id_endings
from store.talk import mutes
from store.transaction import Transaction

T = TypeVar("T")
# The least number of an id's last characters that name it.
SHORTEST_ENDING = 4


def mute(store: Store, settings: Settings, being: Being, wanted: MuteRequest) -> tuple[Mute, bool]:
    """Mute a thing; returns its mute, and whether it had none before.

    Raises:
        NotFound: This Being knows no such thing, or several.
        Refused: It is the user.
    """
    with store.transaction() as tx:
        _lock(tx, being)
        item_id, name, owner_id = _target(tx, being, wanted.kind, wanted.target)
        is_new = mutes.add(tx, being.user_id, owner_id, wanted.kind, item_id=item_id, name=name)
        if is_new:
            derive_again(tx, settings, being.user_id)
        return mutes.of(tx, being.user_id, being.being_id, wanted.kind, item_id=item_id, name=name), is_new


def lift(store: Store, settings: Settings, being: Being, mute_id: UUID) -> None:
    """Lift a mute: the muted items are shown again, and memory is derived from them again.

    Raises:
        NotFound: There is no such mute.
    """
    with store.transaction() as tx:
        _lock(tx, being)
        mutes.get(tx, being.user_id, being.being_id, mute_id)
        mutes.lift(tx, being.user_id, mute_id)
        derive_again(tx, settings, being.user_id)


def derive_again(tx: Transaction, settings: Settings, user_id: UUID) -> None:
    """Name topics anew, and request the summaries that a mute, or its end, has left to be written again."""
    for being in beings.beings_of(tx, user_id):
        topic_names.rename_by_words(tx, being.being_id, mutes.topics_to_rename(tx, being.being_id))
        request_processing(tx, settings, being.being_id, [])
    spine.request_if_due(tx, user_id)


def _lock(tx: Transaction, being: Being) -> None:
    """Lock all rows of the user: each of the Beings may show an entity or a fact.

    From here on no answer of a model is stored that may be about muted items.
    """
    users.hold_alone(tx, being.user_id)
    calls.refuse_answers(tx, being.user_id)


def _target(tx: Transaction, being: Being, kind: MutedKind, target: str) -> tuple[UUID | None, str | None, UUID | None]:
    """Return the id or the name of a thing, and the Being that owns it; None if all of the user's Beings know it."""
    match kind:
        case "fact":
            fact_id = _only(id_endings.find(tx, being, "fact", target), kind, target)
            return fact_id, None, facts.get(tx, being.user_id, being.being_id, fact_id).being_id
        case "node":
            return _only(nodes.named(tx, being.being_id, target), kind, target), None, being.being_id
        case "topic":
            return _only(mutes.topics_named(tx, being.being_id, target), kind, target), None, being.being_id
        case "message":
            return _only(mutes.messages_named(tx, being.being_id, target), kind, target), None, being.being_id
        case "conversation":
            if not mutes.is_conversation(tx, being.being_id, target):
                raise NotFound(f"This Being has no conversation {target!r}.")
            return None, target, being.being_id
        case "entity":
            return None, entity(tx, being, target), None


def entity(tx: Transaction, being: Being, name: str) -> str:
    """Return the entity of a ref or a name; a person, if facts name none so: later ones may.

    Raises:
        NotFound: Several entities are called so, or the name has no letter.
        Refused: It is the user.
    """
    known = mutes.entities_named(tx, being.user_id, being.being_id, name)
    kind, _, bare = name.rpartition(":")
    ref = _only(known, "entity", name) if known else entity_ref(kind or "person", bare)
    if ref is None:
        raise NotFound(f"{name!r} is no name.")
    if ref == USER_REF:
        raise Refused("The user can't be muted: mute single facts, topics or messages instead.")
    return ref


def _only(found: list[T], kind: str, target: str) -> T:
    if len(target) < SHORTEST_ENDING and kind not in {"topic", "entity"}:
        found = []
    if len(found) != 1:
        raise NotFound(f"This Being knows {'several' if found else 'no'} {kind} {target!r}.")
    return found[0]
