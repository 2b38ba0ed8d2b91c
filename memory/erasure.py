"""Erasing what was said, together with what rests on it alone; and whoever it was said to, or by."""

from collections.abc import Sequence
from uuid import UUID

import structlog

from memory import fact_vectors, rolling, spine
from memory.conversation import ask_for_summaries
from schemas.fact_answers import Erased
from schemas.portability import BeingErased
from schemas.rows import Being, User
from schemas.work import Ring
from store import erasing, erasure, facts, users, work
from store.database import Store
from store.errors import NotFound

log = structlog.get_logger()


def erase_messages(store: Store, being: Being, message_ids: Sequence[UUID]) -> tuple[Erased, list[Ring]]:
    """Erase messages; returns what went with them, and what to ring for.

    A statement goes with the last message that supports it, and what it had replaced stands again. A fact goes with its
    last statement. A todo goes with the words that it rests on; without those that closed it, it is open again.

    Raises:
        NotFound: This Being was told none of them.
    """
    with store.transaction() as tx:
        rolling.reserve(tx, being.being_id)
        facts.hold(tx, being.user_id)
        before = erasure.resting_on(tx, being.user_id, being.being_id, message_ids)
        erased = erasure.erase_messages(tx, being.being_id, message_ids)
        if not erased:
            raise NotFound("This Being was told no such message.")
        erasing.forget_names(tx, being.user_id)
        after = erasure.still_there(tx, being.user_id, being.being_id, before)
        answer = Erased(
            messages=erased,
            facts_removed=sorted(before.facts.keys() - after.facts.keys()),
            facts_changed=sorted(id_ for id_, content in after.facts.items() if content != before.facts[id_]),
            todos_removed=sorted(before.todos.keys() - after.todos.keys()),
            todos_reopened=sorted(id_ for id_, status in after.todos.items() if status != before.todos[id_]),
        )
        rings = [
            *fact_vectors.ask(tx, being.user_id),
            *ask_for_summaries(tx, being.being_id),
            *spine.ask(tx, being.user_id),
        ]
        return answer, rings


def erase_being(store: Store, being: Being) -> tuple[BeingErased, list[Ring]]:
    """Erase a Being with all that it was told and remembers, while its patrol runs or not.

    Of the user's facts those go that rest on nothing else, and of the others what rests on this Being's messages. The
    user's introduction, model and shared vault stay: they are no Being's.

    Returns:
        What went with it, and what to ring for.

    Raises:
        NotFound: It is gone already.
    """
    with store.transaction() as tx:
        rolling.reserve(tx, being.being_id)
        facts.hold(tx, being.user_id)
        users.lock(tx, being.being_id)
        weighed = erasing.weigh(tx, being)
        erasing.erase_being(tx, being)
        erasing.forget_names(tx, being.user_id)
        left = facts.count(tx, being.user_id)
        rings = [*fact_vectors.ask(tx, being.user_id), *spine.ask(tx, being.user_id)]
    # No step of its can finish any more and ask for the next.
    with store.transaction() as tx:
        work.remove_all(tx, [being.being_id])
    erased = BeingErased.model_validate(weighed | {"facts": weighed["facts"] - left})
    log.warning("erasure.being", being_id=str(being.being_id), **erased.model_dump())
    return erased, rings


def erase_user(store: Store, user: User) -> BeingErased:
    """Erase a user with all Beings, keys and tokens."""
    with store.transaction() as tx:
        facts.hold(tx, user.user_id)
        weighed = [erasing.weigh(tx, being) for being in users.beings_of(tx, user.user_id)]
        total = {name: sum(one[name] for one in weighed) for name in BeingErased.model_fields if name != "beings"}
        total["facts"] = facts.count(tx, user.user_id)
        gone = users.remove_user(tx, user.user_id)
    with store.transaction() as tx:
        work.remove_all(tx, [user.user_id, *gone])
    erased = BeingErased(beings=len(gone), **total)
    log.warning("erasure.user", user_id=str(user.user_id), **erased.model_dump())
    return erased
