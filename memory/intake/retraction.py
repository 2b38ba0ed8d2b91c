"""Retraction and restoration: a retracted message counts as never said, until it is restored.

A producer's id has at most one standing version, or is awaited; sql/functions/90_talk/30_retraction.sql has the states.
Retracting one that stands removes the memory derived from it; one that has not arrived is awaited. Restoring hands a
version in again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from memory.erased.known_erased import Recognition
from memory.nodes.node_erasure import PlanOutdated
from memory.talk import sharing, withdrawal
from memory.talk.sessions import request_processing
from memory.talk.withdrawal import Withdrawal
from providers.embedders import Embedders
from schemas.accounts.accounts import Being
from schemas.errors import NotFound
from schemas.intake.notes import ItemFault
from schemas.settings import Settings
from schemas.talk.retraction import Change, MessageSelection, Rebuilds, RestorationOutcome, RetractionOutcome, Selection
from schemas.text.validation_messages import validation_messages
from store.accounts import beings
from store.database import Store
from store.talk import retraction, session_summaries
from store.talk.retraction import Version
from store.transaction import Transaction

CHANGES = frozenset(("retract", "restore"))
ANOTHER_STANDS = "another version of this message stands: retract that one first"


class ChangeRefused(Exception):
    """A retraction or restoration can't be applied; the text says why, without content."""


class ErasedForGood(ChangeRefused):
    """A message that is to be restored was erased."""


@dataclass(frozen=True)
class _MessageVersions:
    """The versions under one id, first the one that stands, then the one that was retracted last."""

    position: int
    id_: str
    versions: Sequence[Version]

    @property
    def stands(self) -> Version | None:
        return next((version for version in self.versions if version.retracted_at is None), None)


def retract(
    store: Store,
    settings: Settings,
    embedders: Embedders,
    from_beings: Sequence[Being],
    selection: MessageSelection,
    *,
    request_id: str | None = None,
    awaits: bool = False,
) -> RetractionOutcome:
    """Retract messages: nothing is derived from them any more, and earlier memory is derived again without them.

    Args:
        store: The ledger.
        settings: Thresholds of judging.
        embedders: The embedders of this process; a memory that had absorbed a scene of the messages may need one.
        from_beings: Beings of one user, in the order of their ids; several hold copies of a room's messages.
        selection: Which messages.
        request_id: Identifies the request; one that was applied before changes nothing.
        awaits: Whether messages of ids that no Being knows are retracted when they arrive, though a conversation is
            named; without one they always are.

    Returns:
        The outcome for the messages, of which all copies count as one, and the items that are derived again.

    Raises:
        NotFound: `after` names no message of the conversation.
        SecretMissing: No secret decrypts the key of the user's digests; nothing was changed.
        ProviderError: A memory returns to its own text, and the embedder is unavailable; nothing was changed.
        Refused: Patrols keep changing the memories of the messages, or messages keep coming.
    """

    def find() -> list[tuple[Being, list[UUID]]]:
        with store.transaction() as tx:
            return [(being, _standing(tx, being, selection, from_beings)) for being in from_beings]

    change = partial(_retract_planned, store, settings, from_beings, selection, request_id, awaits)
    return withdrawal.planned(store, embedders, find, change)


def _retract_planned(
    store: Store,
    settings: Settings,
    from_beings: Sequence[Being],
    selection: MessageSelection,
    request_id: str | None,
    awaits: bool,  # bound by position
    withdrawals: Sequence[Withdrawal],
) -> RetractionOutcome:
    """Retract, unless other messages are to be than those that were planned for."""
    with store.transaction() as tx:
        known = sharing.begin_intake(tx, settings, from_beings, withdrawal.lock)
        if request_id is not None and not _is_new(tx, from_beings, request_id):
            return RetractionOutcome(retracted=0, unchanged=len(selection.ids or []))
        for each in withdrawals:
            if set(_standing(tx, each.being, selection, from_beings)) != set(each.message_ids):
                raise PlanOutdated
        done = _together([retract_within(tx, settings, each) for each in withdrawals])
        if selection.ids is None:
            return done
        unknown = _unknown(tx, from_beings, selection.ids) if awaits or selection.conversation is None else {}
        awaited = 0
        for being in from_beings:
            erased = _erased(tx, known[being.being_id], unknown)
            ids = [id_ for place, id_ in unknown.items() if place not in erased]
            awaited = max(awaited, retraction.await_messages(tx, being.being_id, ids))
        unchanged = max(len(selection.ids) - done.retracted - awaited, 0)
        return done.model_copy(update={"awaited": awaited, "unchanged": unchanged})


def _is_new(tx: Transaction, of_beings: Sequence[Being], request_id: str) -> bool:
    """Record a request for each Being; returns whether it is new to any."""
    new = [retraction.begin(tx, being.being_id, request_id) for being in of_beings]
    return any(new)


def _unknown(tx: Transaction, of_beings: Sequence[Being], ids: Sequence[str]) -> dict[int, str]:
    """The ids of which no Being has a message, by their places."""
    known = {one.position for being in of_beings for one in _named(tx, being.being_id, ids) if one.versions}
    return {place: id_ for place, id_ in enumerate(ids) if place not in known}


def _together(done: Sequence[RetractionOutcome]) -> RetractionOutcome:
    """Add up retractions from several Beings; all copies of a message count as one."""
    ids = list(dict.fromkeys(id_ for one in done for id_ in one.ids))
    return RetractionOutcome(retracted=len(ids), ids=ids, rebuilds=_sum([one.rebuilds for one in done]))


def _sum(rebuilds: Sequence[Rebuilds]) -> Rebuilds:
    return Rebuilds(
        messages=sum(one.messages for one in rebuilds),
        summaries=sum(one.summaries for one in rebuilds),
        scenes=sum(one.scenes for one in rebuilds),
        rolling_summary=any(one.rolling_summary for one in rebuilds),
        spine=any(one.spine for one in rebuilds),
    )


def restore(
    store: Store,
    settings: Settings,
    to_beings: Sequence[Being],
    selection: MessageSelection,
    *,
    request_id: str | None = None,
) -> RestorationOutcome:
    """Restore retracted messages; they come in anew, under their own ids and times.

    Of an edited message the version that was retracted last comes back, or the one with the given id of its own.

    Args:
        store: The ledger.
        settings: Thresholds of judging.
        to_beings: Beings of one user, in the order of their ids; several hold copies of a room's messages.
        selection: Which messages.
        request_id: Identifies the request; one that was applied before changes nothing.

    Returns:
        The outcome for the messages, of which all copies count as one, and the items that are derived again.

    Raises:
        ErasedForGood: One of `ids` was erased; nothing was changed.
        NotFound: The Being has no message of any of `ids`, or `after` names none of the conversation.
        SecretMissing: No secret decrypts the key of the user's digests; nothing was changed.
    """
    with store.transaction() as tx:
        known = sharing.begin_intake(tx, settings, to_beings)
        if request_id is not None and not _is_new(tx, to_beings, request_id):
            return RestorationOutcome(restored=0, unchanged=len(selection.ids or []))
        if selection.ids is None and selection.conversation is not None:
            after = _place(tx, to_beings, selection.conversation, selection.after)
            done = []
            for being in to_beings:
                behind = retraction.retracted_after(tx, being.being_id, selection.conversation, after, selection.keep)
                erased = _erased_words(tx, known[being.being_id], behind)
                back = [one.message_id for place, one in enumerate(behind) if place not in erased]
                done.append(restore_within(tx, settings, being, back))
            return _all_restored(done)
        return _restore_named(tx, settings, to_beings, known, selection)


def is_change(item: Any) -> bool:
    """Return whether an item among messages is a retraction or a restoration."""
    return isinstance(item, dict) and not CHANGES.isdisjoint(item)


def read_change(form: type[Change[Selection]], item: Any) -> Change[Selection]:
    """Read a retraction or a restoration; raises `ChangeRefused` if it is malformed."""
    try:
        return form.model_validate(item)
    except ValidationError as error:
        raise ChangeRefused("; ".join(validation_messages(error))) from None


def apply(store: Store, settings: Settings, embedders: Embedders, being_id: UUID, item: Any, derived_id: str) -> None:
    """Apply a retraction or a restoration that came as an item among messages; the same id again changes nothing.

    Raises:
        ChangeRefused: It is malformed, or some of its messages can't be restored.
        NotFound, SecretMissing, ProviderError, Refused: As `retract` and `restore`.
    """
    change = read_change(Change[MessageSelection], item)
    request_id = change.id or derived_id
    being = store.run(beings.get_being, being_id)
    if change.retract is not None:
        retract(store, settings, embedders, [being], change.retract, request_id=request_id)
    elif change.restore is not None:
        done = restore(store, settings, [being], change.restore, request_id=request_id)
        require_all(done)


def require_all(done: RestorationOutcome) -> None:
    """Check that all messages that were named stand.

    Raises:
        ChangeRefused: Some don't; the text says how many.
    """
    if done.unknown or done.conflicts:
        raise ChangeRefused(
            f"{done.restored} messages were restored; {len(done.unknown)} are unknown, and beside"
            f" {len(done.conflicts)} another version stands"
        )


def _restore_named(
    tx: Transaction,
    settings: Settings,
    to_beings: Sequence[Being],
    known: Mapping[UUID, Recognition | None],
    selection: MessageSelection,
) -> RestorationOutcome:
    done, missing, awaited = [], set(range(len(selection.ids or []))), set[str]()
    for being in to_beings:
        erased_before = known[being.being_id]
        named = _selected(tx, being.being_id, selection)
        awaited |= retraction.no_longer_await(tx, being.being_id, [one.id_ for one in named if not one.versions])
        lost = {one.position: one.id_ for one in named if not one.versions and one.id_ not in awaited}
        missing &= lost.keys()
        back = [one for one in named if one.versions and one.stands is None]
        if _erased(tx, erased_before, lost) or _erased_words(tx, erased_before, [one.versions[0] for one in back]):
            raise ErasedForGood("A message that was to be restored was erased for good; nothing was restored.")
        one_done = restore_within(tx, settings, being, [one.versions[0].message_id for one in back])
        conflicts = [
            ItemFault(position=one.position, reason=ANOTHER_STANDS)
            for one in back
            if one.versions[0].message_id not in one_done.ids
        ]
        stands = sum(one.stands is not None for one in named)
        done.append(one_done.model_copy(update={"unchanged": stands, "conflicts": conflicts}))
    if selection.ids and len(missing) == len(selection.ids):
        raise NotFound("This Being has no such message.")
    together = _all_restored(done)
    return together.model_copy(update={"no_longer_awaited": len(awaited), "unknown": sorted(missing)})


def _all_restored(done: Sequence[RestorationOutcome]) -> RestorationOutcome:
    """Add up restorations to several Beings; all copies of a message count as one."""
    ids = list(dict.fromkeys(id_ for one in done for id_ in one.ids))
    conflicts = {trouble.position: trouble for one in done for trouble in one.conflicts}
    return RestorationOutcome(
        restored=len(ids),
        unchanged=max((one.unchanged for one in done), default=0),
        conflicts=[conflicts[position] for position in sorted(conflicts)],
        ids=ids,
        rebuilds=_sum([one.rebuilds for one in done]),
    )


def _standing(tx: Transaction, being: Being, selection: MessageSelection, among: Sequence[Being]) -> list[UUID]:
    """A Being's messages that a selection names and that stand; another Being may know the one that they are behind."""
    if selection.ids is None and selection.conversation is not None:
        after = _place(tx, among, selection.conversation, selection.after)
        return retraction.standing_after(tx, being.being_id, selection.conversation, after, selection.keep)
    named = _selected(tx, being.being_id, selection)
    return list(dict.fromkeys(one.stands.message_id for one in named if one.stands is not None))


def _selected(tx: Transaction, being_id: UUID, selection: MessageSelection) -> list[_MessageVersions]:
    """The versions that each id of a selection names; with a conversation, only versions of that."""
    named = _named(tx, being_id, selection.ids or [])
    if (conversation := selection.conversation) is None:
        return named
    return [
        replace(one, versions=[version for version in one.versions if version.conversation == conversation])
        for one in named
    ]


def _named(tx: Transaction, being_id: UUID, ids: Sequence[str]) -> list[_MessageVersions]:
    """The versions that each id names: a producer's id all its versions, else a message's own id that version."""
    own = {id_: message_id for id_ in ids if (message_id := _uuid(id_)) is not None}
    by_producer: dict[str | None, list[Version]] = {}
    by_message: dict[UUID | None, list[Version]] = {}
    for version in retraction.versions(tx, being_id, ids, list(own.values())):
        by_producer.setdefault(version.producer_id, []).append(version)
        by_message.setdefault(version.message_id, []).append(version)
    return [
        _MessageVersions(position, id_, by_producer.get(id_) or by_message.get(own.get(id_), []))
        for position, id_ in enumerate(ids)
    ]


def _uuid(id_: str) -> UUID | None:
    try:
        return UUID(id_)
    except ValueError:
        return None


def _place(tx: Transaction, of_beings: Sequence[Being], conversation: str, after: str | None) -> Version | None:
    if after is None:
        return None
    for being in of_beings:
        for named in _named(tx, being.being_id, [after]):
            for version in named.versions:
                if version.conversation == conversation:
                    return version
    raise NotFound("`after` names no message of this conversation.")


def _erased(tx: Transaction, known: Recognition | None, ids: Mapping[int, str]) -> set[int]:
    """Return the positions of ids of erased messages."""
    return known.among(tx, {place: known.of_message_id(id_) for place, id_ in ids.items()}) if known else set()


def _erased_words(tx: Transaction, known: Recognition | None, versions: Sequence[Version]) -> set[int]:
    """Return the positions of versions with an erased id or erased words."""
    if known is None:
        return set()
    return known.among(
        tx,
        {
            place: known.of_message(one.producer_id, one.role, one.content, one.conversation)
            for place, one in enumerate(versions)
        },
    )


def retract_within(tx: Transaction, settings: Settings, planned: Withdrawal) -> RetractionOutcome:
    """Retract messages for which it is planned, in a transaction that has called `withdrawal.lock`.

    Raises:
        PlanOutdated: A patrol has changed the nodes since; the transaction must be rolled back.
    """
    standing = list(planned.message_ids)
    if not standing:
        return RetractionOutcome(retracted=0)
    rebuilds = planned.carry_out(tx, settings, retraction.retract)
    return RetractionOutcome(retracted=len(standing), ids=standing, rebuilds=rebuilds)


def restore_unless_erased(
    tx: Transaction, settings: Settings, being: Being, known: Recognition | None, message_ids: Sequence[UUID]
) -> RestorationOutcome:
    """Restore retracted messages, but none with words that were erased elsewhere; otherwise as `restore_within`."""
    versions = retraction.versions(tx, being.being_id, [], message_ids) if known is not None else []
    erased = {versions[place].message_id for place in _erased_words(tx, known, versions)}
    return restore_within(tx, settings, being, [id_ for id_ in message_ids if id_ not in erased])


def restore_within(
    tx: Transaction, settings: Settings, being: Being, message_ids: Sequence[UUID]
) -> RestorationOutcome:
    """Restore retracted messages in a transaction that has called `sharing.lock`."""
    back = retraction.restore(tx, being.being_id, message_ids)
    ids = back.message_ids
    sharing.join(tx, being, ids)
    summaries = session_summaries.count_due(tx, being.being_id, back.session_ids)
    request_processing(tx, settings, being.being_id, back.session_ids)
    return RestorationOutcome(restored=len(ids), ids=ids, rebuilds=Rebuilds(messages=len(ids), summaries=summaries))
