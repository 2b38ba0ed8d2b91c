"""Erasure for good of messages, Beings and users, with everything derived from them alone."""

from collections.abc import Sequence
from functools import partial
from uuid import UUID

import structlog

from memory.erased import known_erased
from memory.facts import vectors
from memory.nodes.node_erasure import PlanOutdated
from memory.talk import rolling, spine, withdrawal
from memory.talk.withdrawal import Withdrawal
from providers.embedders import Embedders
from schemas.accounts.accounts import Being, User
from schemas.accounts.portability import BeingErased
from schemas.errors import NotFound
from schemas.facts.fact_answers import ErasureCounts
from schemas.settings import Settings
from store.accounts import beings, erased, message_erasure, users
from store.accounts import erasure as erasing
from store.accounts.message_erasure import SupportedItems
from store.database import Store
from store.facts import facts
from store.ledger import retention
from store.llm import calls
from store.talk import retraction

log = structlog.get_logger()


def erase_messages(
    store: Store, settings: Settings, embedders: Embedders, from_beings: Sequence[Being], message_ids: Sequence[UUID]
) -> ErasureCounts:
    """Erase messages from Beings of one user; returns which facts and todos were removed or changed with them.

    Several Beings, in the order of their ids, hold copies of a room's messages; all copies count as one.

    All versions of a message go, retracted ones too. Keyed digests of their ids and texts are kept, so that intake
    refuses them from now on; copies in the streams are removed by a worker. Messages that were judged by a call that
    showed an erased one are judged again. A statement is removed with its last evidence, and the statement that it had
    replaced is active again. A fact is removed with its last statement. A todo is removed with its evidence, and
    reopened if only the message that closed it is erased. Scenes that rest on the messages are removed with their
    memories, and the other messages of these scenes are drawn from again.

    Raises:
        NotFound: The Being has none of these messages.
        SecretMissing: The key of the digests can't be decrypted; nothing was erased.
        ProviderError: A memory returns to its own text, and the embedder is unavailable; nothing was erased.
        Refused: Patrols keep changing the memories of the messages.
    """
    find = partial(_versions, store, from_beings, message_ids)
    return withdrawal.planned(store, embedders, find, partial(_erase_messages, store, settings))


def _versions(
    store: Store, of_beings: Sequence[Being], message_ids: Sequence[UUID]
) -> list[tuple[Being, Sequence[UUID]]]:
    """All versions of messages, by Being."""
    with store.transaction() as tx:
        return [
            (being, [version.message_id for version in erased.messages(tx, being.being_id, message_ids)])
            for being in of_beings
        ]


class _Previewed(Exception):
    """Rolls an erasure back that was carried out to be counted."""

    def __init__(self, would: ErasureCounts) -> None:
        self.would = would


def preview_messages(
    store: Store, settings: Settings, embedders: Embedders, being: Being, message_ids: Sequence[UUID]
) -> ErasureCounts:
    """Return the effects of `erase_messages` without erasing: it runs in a transaction that is rolled back.

    Raises:
        NotFound, SecretMissing, ProviderError, Refused: As `erase_messages`.
    """

    def counted(withdrawals: Sequence[Withdrawal]) -> ErasureCounts:
        try:
            return _erase_messages(store, settings, withdrawals, preview=True)
        except _Previewed as preview:
            return preview.would

    return withdrawal.planned(store, embedders, partial(_versions, store, [being], message_ids), counted)


def _erase_messages(
    store: Store, settings: Settings, withdrawals: Sequence[Withdrawal], *, preview: bool = False
) -> ErasureCounts:
    with store.transaction() as tx:
        from_beings = [each.being for each in withdrawals]
        for being in from_beings:
            erased.hold_intake(tx, being.being_id)
        withdrawal.lock(tx, *from_beings)
        gone, removed = set[UUID](), 0
        before = [
            message_erasure.supported_by(tx, each.being.user_id, each.being.being_id, each.message_ids)
            for each in withdrawals
        ]
        for each in withdrawals:
            being = each.being
            versions = erased.messages(tx, being.being_id, each.message_ids)
            if not versions:
                continue
            known = known_erased.for_erasure(tx, settings, being.user_id, being.being_id)
            known_erased.remember_messages(tx, known, versions)
            known_erased.request_cleaning(tx, being.being_id)
            if not {version.message_id for version in versions} <= {*each.message_ids}:
                raise PlanOutdated
            removed += each.carry_out(tx, settings, retraction.erase).scenes
            gone |= {version.message_id for version in versions}
        if not gone:
            raise NotFound("This Being has no such message.")
        would = ErasureCounts(
            messages=len(gone),
            scenes=removed,
            facts_removed=[],
            facts_changed=[],
            todos_removed=[],
            todos_reopened=[],
        )
        for being, had in zip(from_beings, before, strict=True):
            would = _with_effects(would, had, message_erasure.remaining(tx, being.user_id, being.being_id, had))
        if preview:
            raise _Previewed(would)
        return would


def _with_effects(so_far: ErasureCounts, before: SupportedItems, after: SupportedItems) -> ErasureCounts:
    """Add the changes of the facts and todos that messages to one Being supported."""
    changed = {id_ for id_, content in after.facts.items() if content != before.facts[id_]}
    reopened = {id_ for id_, status in after.todos.items() if status != before.todos[id_]}
    return so_far.model_copy(
        update={
            "facts_removed": sorted({*so_far.facts_removed, *(before.facts.keys() - after.facts.keys())}),
            "facts_changed": sorted({*so_far.facts_changed, *changed}),
            "todos_removed": sorted({*so_far.todos_removed, *(before.todos.keys() - after.todos.keys())}),
            "todos_reopened": sorted({*so_far.todos_reopened, *reopened}),
        }
    )


def erase_being(store: Store, being: Being) -> BeingErased:
    """Erase a Being with its memory, also during a patrol.

    The user's facts lose the evidence from this Being's messages, and are removed without other evidence. Seeds that
    were not given in confidence, the user model and the shared vault scope stay: they belong to the user.

    Returns:
        The number of erased rows by kind.

    Raises:
        NotFound: The Being does not exist any more.
    """
    with store.transaction() as tx:
        users.hold_alone(tx, being.user_id)
        calls.refuse_answers(tx, being.user_id)
        rolling.reserve(tx, being.being_id)
        facts.lock(tx, being.user_id)
        beings.lock(tx, being.being_id)
        counts = erasing.count_rows(tx, being)
        erasing.erase_being(tx, being)
        known_erased.request_cleaning(tx, being.being_id)
        erasing.remove_unused_names(tx, being.user_id)
        left = facts.count(tx, being.user_id)
        vectors.request_embedding(tx, being.user_id)
        spine.request_if_due(tx, being.user_id)
    # From here on no step of the Being can finish and enqueue the next, so its work can be removed.
    store.run(retention.remove_all, [being.being_id])
    gone = BeingErased.model_validate(counts | {"facts": counts["facts"] - left})
    log.warning("erasure.being", being_id=str(being.being_id), **gone.model_dump())
    return gone


def erase_user(store: Store, user: User) -> BeingErased:
    """Erase a user with all Beings, keys and tokens; returns the number of erased rows by kind."""
    with store.transaction() as tx:
        users.hold_alone(tx, user.user_id)
        facts.lock(tx, user.user_id)
        counts = [erasing.count_rows(tx, being) for being in beings.beings_of(tx, user.user_id)]
        total = {name: sum(one[name] for one in counts) for name in BeingErased.model_fields if name != "beings"}
        total["facts"] = facts.count(tx, user.user_id)
        gone = users.erase_user(tx, user.user_id)
        for being_id in gone:
            known_erased.request_cleaning(tx, being_id)
    store.run(retention.remove_all, [user.user_id, *gone])
    answer = BeingErased(beings=len(gone), **total)
    log.warning("erasure.user", user_id=str(user.user_id), **answer.model_dump())
    return answer
