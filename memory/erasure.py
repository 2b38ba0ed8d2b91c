"""Erasing what was said, together with what rests on it alone."""

from collections.abc import Sequence
from uuid import UUID

from memory import fact_vectors, rolling, spine
from memory.conversation import ask_for_summaries
from schemas.fact_answers import Erased
from schemas.rows import Being
from schemas.work import Ring
from store import erasure, facts
from store.database import Store
from store.errors import NotFound


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
