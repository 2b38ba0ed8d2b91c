"""
title: Memory Patrol
description: Long-term memory: each answer knows what was told before, and what was edited or asked again is retracted.
version: 1.0.0
license: Apache-2.0
required_open_webui_version: 0.6.0
"""

# Open WebUI reads the header above. The file needs nothing but the standard library and pydantic, which Open WebUI has.
# In chats that Open WebUI does not save, such as temporary ones, memory is read, and nothing of them is left in it.

import asyncio
import hashlib
import json
import logging
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from pydantic import BaseModel, Field

log = logging.getLogger(__name__)

Body = dict[str, Any]
Emitter = Callable[[dict[str, Any]], Awaitable[None]]

# Text that Open WebUI writes into an answer's text beside the answer: reasoning, tools' calls, code that was run.
# A tag ends at the next bracket, and a part that was read is not read again, so that a long text takes no time.
_DETAILS = re.compile(r"<details\b[^<>]*?\btype=[^<>]*+>.*?(?:</details>\s*|\Z)", re.DOTALL)
# How the ids of chats begin that Open WebUI does not save: temporary ones (`local:` before 0.12) and those in channels.
_UNSAVED = ("temporary:", "local:", "channel:")
# The most messages of a branch that are looked at, and that are handed in by one request.
_MOST = 1000
_AT_ONCE = 100
_CONTEXTS_KEPT = 1000
_UNKEPT_KNOWN = 100_000
# A message is not known, or was erased.
_MISSING = (404, 410)
_UNPROCESSABLE = 422
_MOST_ASKED = 8000
_STEP = 0.001
# From here on a time counts milliseconds; one that is later than the year 5138 is none.
_MILLISECONDS_FROM = 1e11


class Filter:
    """Gives the model recalled memories, and hands in messages."""

    class Valves(BaseModel):
        """Settings of the administrator."""

        url: str = Field("http://127.0.0.1:8765", description="Where Memory Patrol's API is.")
        token: str = Field("", description="A token of the scopes `ingest` and `read`; users may have their own.")
        being: str = Field("", description="The Being's slug or id; users may have their own.")
        budget_tokens: int = Field(4000, description="The most tokens that memory adds to a prompt.")
        timeout: float = Field(3.0, description="Seconds to wait for memory; the answer then goes on without.")
        priority: int = Field(0, description="The order among filters; lower ones come first.")

    class UserValves(BaseModel):
        """Settings of a user."""

        enabled: bool = Field(True, description="Whether your chats are remembered and recalled.")
        token: str = Field("", description="Your own token; empty: the administrator's.")
        being: str = Field("", description="Your own Being; empty: the administrator's.")

    def __init__(self) -> None:
        self.valves = self.Valves()
        # The context that each answer was given, by message: echoes of it in the answer are then no new memories.
        self._contexts: OrderedDict[str, str] = OrderedDict()
        # Messages from when the Being was off the record, by id: they are not handed in when it is on it again.
        self._unkept: OrderedDict[str, None] = OrderedDict()

    async def inlet(
        self,
        body: Body,
        __user__: Body | None = None,
        __metadata__: Body | None = None,
        __event_emitter__: Emitter | None = None,
    ) -> Body:
        """Add recalled memories to the prompt, as system content; without memory the prompt is unchanged.

        For a chat that is not saved memory is read, off the record, and nothing is written.
        """
        about = __metadata__ or {}
        connection = self._connection(__user__)
        question = next((_text(one) for one in reversed(body.get("messages", [])) if one.get("role") == "user"), "")
        # Titles, tags and follow-up questions are requests of the program itself.
        if connection is None or about.get("task") or not question:
            return body
        wanted = {
            "message": question[:_MOST_ASKED],
            "process": "chatFrontend",
            "budget_tokens": self.valves.budget_tokens,
        }
        chat = str(about.get("chat_id") or "")
        wanted |= {"conversation": _conversation(chat)} if _is_saved(chat) else {"off_the_record": True}
        try:
            context = await connection.post("context", wanted)
        except (OSError, ValueError) as fault:
            await _tell(__event_emitter__, f"Answered without memory ({type(fault).__name__})")
            return body
        if context.get("text"):
            _add_system(body, context["text"])
        if context.get("context_id") and about.get("message_id"):
            self._contexts[about["message_id"]] = context["context_id"]
            while len(self._contexts) > _CONTEXTS_KEPT:
                self._contexts.popitem(last=False)
        return body

    async def outlet(
        self,
        body: Body,
        __user__: Body | None = None,
        __metadata__: Body | None = None,
        __event_emitter__: Emitter | None = None,
    ) -> Body:
        """Hand in the turn. `messages` is the branch that the user sees; messages beside it are retracted."""
        about = (__metadata__ or {}) | {name: body[name] for name in ("chat_id", "id") if body.get(name)}
        connection, chat = self._connection(__user__), str(about.get("chat_id") or "")
        branch = [one for one in body.get("messages", []) if one.get("id") and one.get("role") in {"user", "assistant"}]
        if connection is None or about.get("task") or not _is_saved(chat) or not branch:
            return body
        try:
            if refused := await self._hand_in(connection, chat, branch):
                await _tell(__event_emitter__, f"Not remembered, {len(refused)} refused: {refused[0]}")
        except (OSError, ValueError) as fault:
            log.warning("memory patrol: a turn was not handed in (%s); the next one brings it", type(fault).__name__)
            await _tell(__event_emitter__, f"Not remembered yet ({type(fault).__name__})")
        return body

    async def _hand_in(self, connection: "_Connection", chat: str, branch: list[Body]) -> list[str]:
        """Make memory equal a branch: hand in its new and edited messages; returns why messages were refused."""
        conversation = _conversation(chat)
        last = branch[-1]["id"]
        context_id = self._contexts.pop(str(last), None)
        messages = [
            _message(one, conversation, at, context_id if one["id"] == last else None)
            for one, at in zip(branch, _times(branch), strict=True)
        ]
        spoken = [one for one in messages if one["content"].strip()]
        if not spoken:
            return []
        shown = spoken[-_MOST:]
        ids = [one["id"] for one in shown]
        # Other messages of the chat were deleted, came before an edit, or are on a branch that the user has left.
        behind = {"after": spoken[-_MOST - 1]["id"]} if len(spoken) > _MOST else {}
        await connection.post("messages/retract", {"conversation": conversation, "keep": ids, **behind}, may_miss=True)
        # The messages that the user sees stand, also those that were retracted when another branch was current.
        known = await connection.post("messages/restore", {"ids": ids}, may_miss=True)
        unknown = [shown[place] for place in known["unknown"]] if known else shown
        new = [one for one in unknown if one["id"] not in self._unkept]
        refused: list[str] = []
        erased: set[str] = set()
        for begin in range(0, len(new), _AT_ONCE):
            some = new[begin : begin + _AT_ONCE]
            receipt = await connection.post("messages", some)
            refused += [trouble["reason"] for trouble in receipt["rejected"]]
            erased |= {some[place]["id"] for place in receipt.get("erased", ())}
            self._unkept |= dict.fromkeys(some[place]["id"] for place in receipt.get("off_the_record", ()))
        while len(self._unkept) > _UNKEPT_KNOWN:
            self._unkept.popitem(last=False)
        if erased and (left := [id_ for id_ in ids if id_ not in erased]):
            # Nothing is restored together with an erased message.
            await connection.post("messages/restore", {"ids": left}, may_miss=True)
        return refused

    def _connection(self, user: Body | None) -> "_Connection | None":
        own = (user or {}).get("valves") or self.UserValves()
        token, being = own.token.strip() or self.valves.token.strip(), own.being or self.valves.being
        if not own.enabled or not token or not being:
            return None
        return _Connection(self.valves.url, token, being, self.valves.timeout)


class _Connection:
    """Memory Patrol's API for one Being."""

    def __init__(self, url: str, token: str, being: str, timeout: float) -> None:
        self._base = f"{url.rstrip('/')}/v1/beings/{quote(being, safe='')}/"
        self._token = token
        self._timeout = timeout

    async def post(self, path: str, content: Any, *, may_miss: bool = False) -> Any:
        """Send a request; returns the answer, the problem if all items were refused; None for 404 or 410 if `may_miss`.

        Raises:
            OSError: The API did not answer, or not with success.
        ValueError: Its answer is none of the API's.
        """
        return await asyncio.to_thread(self._post, path, content, may_miss)

    def _post(self, path: str, content: Any, may_miss: bool) -> Any:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        request = Request(self._base + path, json.dumps(content).encode(), headers)  # noqa: S310  # the administrator's
        try:
            with urlopen(request, timeout=self._timeout) as answer:  # noqa: S310  # likewise
                return json.load(answer)
        except HTTPError as fault:
            if may_miss and fault.code in _MISSING:
                return None
            if fault.code == _UNPROCESSABLE and "rejected" in (problem := json.load(fault)):
                return problem
            raise


def _is_saved(chat: str) -> bool:
    """Whether Open WebUI saves the chat; a chat that it does not save leaves nothing in memory."""
    return bool(chat) and not chat.startswith(_UNSAVED)


def _conversation(chat: str) -> str:
    return f"openwebui/{chat}"


def _times(branch: list[Body]) -> list[float | None]:
    """The time of each message, in seconds; Open WebUI stamps a question and its answer with the same second."""
    times: list[float | None] = []
    latest = 0.0
    for message in branch:
        at = _seconds(message.get("timestamp"))
        latest = latest if at is None else max(at, latest + _STEP)
        times.append(None if at is None else latest)
    return times


def _seconds(at: Any) -> float | None:
    if isinstance(at, bool) or not isinstance(at, int | float) or not 0 < at < _MILLISECONDS_FROM * 1000:
        return None
    return at / 1000 if at >= _MILLISECONDS_FROM else at


def _message(message: Body, conversation: str, at: float | None, context_id: str | None) -> Body:
    """Return a message in the API's form; an edited one has another id, and its first wording is retracted."""
    text = _text(message)
    digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()[:16]
    return {
        "id": f"openwebui/{message['id']}/{digest}",
        "role": message["role"],
        "conversation": conversation,
        "content": text,
        **({} if at is None else {"created_at": datetime.fromtimestamp(at, UTC).isoformat()}),
        **({"metadata": {"context_id": context_id}} if context_id else {}),
    }


def _text(message: Body) -> str:
    """A message's words, without images, reasoning and tools."""
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        content = "\n".join(part for part in parts if isinstance(part, str))
    return _without_details(content).strip() if isinstance(content, str) else ""


def _without_details(text: str) -> str:
    """Leave out text that Open WebUI wrote into a text; the part behind the last end is not searched for another."""
    _, end, rest = text.rpartition("</details>")
    rest = rest.lstrip()
    return _DETAILS.sub("", text[: len(text) - len(rest)]) + rest if end else text


def _add_system(body: Body, text: str) -> None:
    """Add to the system prompt, at its end; without one, begin with one."""
    messages = body["messages"]
    if messages and messages[0].get("role") == "system" and isinstance(messages[0].get("content"), str):
        messages[0] = messages[0] | {"content": f"{messages[0]['content']}\n\n{text}"}
    else:
        messages.insert(0, {"role": "system", "content": text})


async def _tell(emitter: Emitter | None, words: str) -> None:
    if emitter is not None:
        await emitter({"type": "status", "data": {"description": words, "done": True}})
