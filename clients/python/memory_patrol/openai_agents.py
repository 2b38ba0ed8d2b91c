"""A session of the OpenAI Agents SDK: `Runner.run(agent, text, session=PatrolSession(memory, "mira", "chat-1"))`.

The session's history is the conversation's messages in Memory Patrol, from which facts, summaries and memories are
derived. Items that are taken out of the session are retracted there.
"""

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from agents.memory import SessionABC

from memory_patrol import types
from memory_patrol._async.client import LIVE_BATCH, AsyncMemoryPatrol
from memory_patrol._requests import batches
from memory_patrol.errors import Invalid

if TYPE_CHECKING:
    from agents import TResponseInputItem
    from agents.memory import SessionSettings

RETRACTED_AT_ONCE = 1000
PAGE = 200


class PatrolSession(SessionABC):
    """The history of one conversation: the messages of the user and the agent.

    Calls of tools and their results are not kept, nor are images: a later run sees the messages alone.

    Args:
        memory: The client, whose token has the scopes `ingest` and `read`.
        being: The Being's id or slug.
        session_id: The id of the conversation, at most 200 characters.
        off_the_record: Whether messages are off the record: added ones are a later run's history in this process,
            and nothing of it reaches the memory.
    """

    session_settings: "SessionSettings | None" = None

    def __init__(self, memory: AsyncMemoryPatrol, being: str, session_id: str, *, off_the_record: bool = False) -> None:
        self.session_id = session_id
        self._off_the_record = off_the_record
        self._unkept: list[TResponseInputItem] = []
        self._memory = memory
        self._being = being

    async def get_items(self, limit: int | None = None) -> "list[TResponseInputItem]":
        """Return the newest `limit` messages, or all, oldest first."""
        kept: list[types.Message] = []
        for session in await self._sessions():
            if limit is not None and len(kept) >= limit:
                break
            kept = await self._messages(session, tellable=True) + kept
        history = [*(_item_of(message) for message in kept), *self._unkept]
        return history if limit is None else history[max(0, len(history) - limit) :]

    async def add_items(self, items: "list[TResponseInputItem]") -> None:
        """Add messages; returns when they are committed. Of messages that are refused a warning gives the reason."""
        if self._off_the_record:
            self._unkept += items
            return
        spoken = [_role_and_text(item) for item in cast("list[Mapping[str, Any]]", items)]
        messages: list[types.MessageInput] = [
            {"id": uuid4().hex, "role": role, "content": text, "conversation": self.session_id}
            for role, text in spoken
            if role != "other" and text.strip()
        ]
        refused: list[types.ItemFault] = []
        for batch in batches(messages, LIVE_BATCH):
            try:
                refused += (await self._memory.hand_in_messages(self._being, batch))["rejected"]
            except Invalid as problem:
                if "rejected" not in problem.members:
                    raise
                refused += problem.members["rejected"]
        if refused:
            warnings.warn(f"Messages were refused, the first one because of {refused[0]['reason']}", stacklevel=2)

    async def pop_item(self) -> "TResponseInputItem | None":
        """Take the newest message out of the session; returns it, or None if there is none."""
        if self._unkept:
            return self._unkept.pop()
        for session in await self._sessions():
            if newest := await self._messages(session):
                await self._retract(newest[-1:])
                return _item_of(newest[-1])
        return None

    async def clear_session(self) -> None:
        """Take everything out of the session."""
        self._unkept.clear()
        for session in await self._sessions():
            await self._retract(await self._messages(session))

    async def _sessions(self) -> list[types.Session]:
        """Return the conversation's sessions, newest first."""
        pages = self._memory.pages(self._memory.list_sessions, self._being, limit=PAGE)
        listed = [session async for page in pages for session in page["sessions"]]
        own = [session for session in listed if session["conversation"] == self.session_id]
        return sorted(own, key=lambda session: session["started_at"], reverse=True)

    async def _messages(self, session: types.Session, *, tellable: bool = False) -> list[types.Message]:
        listed = self._memory.list_messages
        pages = self._memory.pages(listed, self._being, session["session_id"], tellable=tellable, limit=PAGE)
        return [message async for page in pages for message in page["messages"]]

    async def _retract(self, messages: Sequence[types.Message]) -> None:
        ids = [message["producer_id"] or message["message_id"] for message in messages]
        for some in batches(ids, RETRACTED_AT_ONCE):
            await self._memory.retract_messages(self._being, {"ids": [*some]})


def _role_and_text(item: Mapping[str, Any]) -> tuple[Any, str]:
    """Return the role and the text of an item; the role `other` for items other than messages of the two."""
    content = item.get("content") or ""
    role = item.get("role")
    if role not in {"user", "assistant"}:
        return "other", ""
    if isinstance(content, str):
        return role, content
    return role, "\n".join(part["text"] for part in content if isinstance(part.get("text"), str))


def _item_of(message: types.Message) -> "TResponseInputItem":
    role = "assistant" if message["role"] == "assistant" else "user"
    return cast("TResponseInputItem", {"role": role, "content": message["content"]})
