"""A request of a chat with memory, passed on to an upstream of its wire: chat completions, responses, or messages.

The route is asynchronous where it waits for the client or the upstream, which is nearly all of its time; calls of
the memory run in threads. Order: token, body, Being and payer, transcript, recall, upstream, answer.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from http import HTTPStatus
from urllib.parse import parse_qsl, unquote, urlencode

import structlog
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from api.http.json_values import text_of, unreadable
from api.proxy.counted_bodies import LARGE_BYTES
from api.proxy.errors import answer_in_form, error_answer
from api.proxy.gateway import ADMISSION_SECONDS, Admitted, Identity
from api.proxy.memory_work import MemoryOptions, Progress, Stored, conclude, embed_last_words, remember_and_recall
from api.proxy.proxy import Proxy
from api.proxy.proxy_threads import wait_for_event, wait_for_work
from api.proxy.relay import ClientGone, relay_answer, while_connected
from memory.accounts.rooms import RoomReference
from memory.proxy.admission import Admission, is_budgeted, read_model
from memory.proxy.reading.speakers import answering, group_members
from memory.proxy.reading.transcript import Transcript
from memory.proxy.wires.settlement import most_usage
from memory.proxy.wires.wire import RequestBody, Wire
from memory.text.errors import InvalidRequest
from providers.chat.chat_answer import ChatAnswer
from providers.chat.upstream import UpstreamFailed
from schemas.ledger.allowance import Allowance, allow
from schemas.limits import DOCUMENT_VALUES, PRODUCER_ID_CHARACTERS, ROOM_MEMBERS
from schemas.llm.calls import Outcome
from schemas.wire.fields import says_no

log = structlog.get_logger()

BEING = "x-memory-being"
CONVERSATION = "x-memory-conversation"
BACKGROUND = "x-memory-background"
OFF_THE_RECORD = "x-memory-off-the-record"
OPEN_WEBUI_CHAT = "x-openwebui-chat-id"
USER_NAMES = "x-memory-user-names"
ROOM = "x-memory-room"
PRESENT = "x-memory-present"
MOST_USER_NAMES = 20
SHORT_BYTES = 32 * 1024
ANSWER_HEADERS = (BEING, CONVERSATION, "x-memory-aligned", "x-memory-recall", "x-memory-stored", "x-memory-upstream")
_PASSED_ON = ("accept", "openai-beta", "anthropic-version", "anthropic-beta")
# Headers by which Claude Code and Codex CLI mark a sub-agent's request.
SUB_AGENT = ("x-claude-code-agent-id", "x-openai-subagent")
BETA = "anthropic-beta"
# Features of Anthropic's with a price of their own: long prompts, and fast answers.
DEAR_BETAS = ("context-1m", "fast-mode")
JSON = {"content-type": "application/json"}
# How Open WebUI's ids of temporary chats begin, since 0.12 and before.
_TEMPORARY = ("temporary:", "local:")
_NO_CONVERSATION = frozenset({"", "new", "null", "none", "undefined"})


@dataclass(frozen=True)
class _Ready:
    """A request that is ready for the upstream.

    Attributes:
        body: Its body, which is taken out when it is sent.
        plain: Writes the body without the question for a stream's usage, for a server that refuses that; it is taken
            out as well. Empty: the body has no such question, or is too large to be kept until the answer begins.
    """

    admitted: Admitted
    progress: Progress
    stored: Stored
    work: "asyncio.Future[None] | None"
    body: list[bytes]
    plain: list[Callable[[], bytes]]
    headers: list[tuple[bytes, bytes]]
    hides_usage: bool


class Completions:
    """A wire's route as an ASGI application."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; every error is in the form of its wire."""
        proxy: Proxy = scope["app"].state.proxy
        handle = partial(_answer, proxy, self._wire, scope, receive)
        await answer_in_form(self._wire.name, scope, receive, send, handle)


async def _answer(proxy: Proxy, wire: Wire, scope: Scope, receive: Receive, send: Send) -> None:
    headers = Headers(scope=scope)
    identity = await proxy.gateway.identify(headers, (scope.get("client") or ("",))[0])
    with proxy.open_request(identity.caller.user_id):
        async with proxy.bodies.read(receive, headers, identity.caller.user_id) as content:
            ready = await while_connected(receive, _prepared(proxy, wire, identity, headers, content))
        await _passed_on(proxy, wire, scope, ready, receive, send)


async def _prepared(proxy: Proxy, wire: Wire, identity: Identity, headers: Headers, content: list[bytes]) -> _Ready:
    """Admit a request, take its transcript in, and put the context into its body, as far as that is done in time."""
    settings, user_id = proxy.on.settings, identity.caller.user_id
    proxy.check_time(user_id)
    allow(Allowance(user_id, None, partial(proxy.charge, user_id), ADMISSION_SECONDS))
    body = content.pop()
    # A short one is read in less time than another thread takes to begin.
    short = len(body) <= SHORT_BYTES
    read = partial(_read, wire, body, headers, alone=identity.caller.being_id is not None)
    chat, wanted = read() if short else await proxy.threads.start(user_id, read)
    del body, read
    began = asyncio.get_running_loop().time()
    requested = read_model(settings, wire.name, chat.model, _names(headers, BEING))
    surcharge = chat.surcharge or _dear_beta(headers)
    if requested.being is None and wanted.room is not None and identity.caller.being_id is None:
        # Group chats ask for one member after the other, some of them with names that no header takes.
        requested = replace(requested, being=answering(wanted.transcript))
    requested = replace(requested, surcharge=surcharge, continues=chat.continues, refers_to=_upstream_ids(chat, wanted))
    admitted = await proxy.gateway.admit(identity, requested, most_usage(chat, settings))
    try:
        progress, work = await _remembered(proxy, admitted, wanted, began)
        stored = progress.stored
        answered = _headers(admitted.admission, progress, stored)
        proxy.metrics.count_proxied(requested.upstream_name, progress.recalled, stored)
        limit = None
        if is_budgeted(settings, requested, admitted.admission.payer):
            limit = wire.limit_field or requested.upstream.limit_field, settings.proxy_answer_tokens
        metered = replace(chat, asks_usage=proxy.client.tells_usage(requested.upstream))
        written = metered.written(requested.model, progress.context, limit)
        may_be_repeated = metered.hides_usage and len(written) <= LARGE_BYTES
        without = partial(replace(chat, asks_usage=False).written, requested.model, progress.context, limit)
        plain: list[Callable[[], bytes]] = [without] if may_be_repeated else []
        proxy.metrics.observe_preparation(asyncio.get_running_loop().time() - began)
        return _Ready(admitted, progress, stored, work, [written], plain, answered, metered.hides_usage)
    except BaseException:
        # Nothing was sent; the client may have gone away.
        proxy.gateway.release(admitted)
        raise


async def _remembered(
    proxy: Proxy, admitted: Admitted, wanted: MemoryOptions, began: float
) -> "tuple[Progress, asyncio.Future[None] | None]":
    """Begin to take a transcript in and to recall, and wait for that as long as the patience is."""
    being = admitted.admission.being
    off_the_record = wanted.off_the_record or being.is_off_the_record(wanted.conversation)
    progress = Progress(off_the_record=off_the_record and not wanted.background)
    if not admitted.stored:
        progress.failed = True
        return progress, None
    if admitted.late is None:
        proxy.record_kept()
    loop, recalled = asyncio.get_running_loop(), asyncio.Event()
    progress.on_recalled = partial(loop.call_soon_threadsafe, recalled.set)
    embedded = proxy.threads.submit(being.user_id, embed_last_words, proxy.on, being, wanted)
    work = proxy.threads.start(being.user_id, remember_and_recall, proxy.on, being, wanted, embedded, progress)
    await wait_for_event(recalled, began + proxy.on.settings.proxy_patience - loop.time())
    return progress, work


def _read(wire: Wire, content: bytes, headers: Headers, *, alone: bool) -> tuple[RequestBody, MemoryOptions]:
    try:
        chat = wire.read(text_of(content, 10 * DOCUMENT_VALUES))
    except InvalidRequest:
        raise
    except (ValueError, RecursionError) as fault:
        raise unreadable(fault) from None
    return chat, _read_options(chat, headers, alone=alone)


def _dear_beta(headers: Headers) -> str | None:
    """The header by which a request may cost more than the model's listed price; None if it does not."""
    return BETA if any(name in headers.get(BETA, "") for name in DEAR_BETAS) else None


def _upstream_ids(chat: RequestBody, wanted: MemoryOptions) -> frozenset[str]:
    """The ids of objects stored at the upstream, such as answers and conversations, that a request names."""
    named = {chat.continues, chat.conversation, *(line.refers_to for line in wanted.transcript.lines)}
    return frozenset(id_ for id_ in named if id_ is not None)


def _names(headers: Headers, name: str) -> str | None:
    """A header of names, which some clients send in UTF-8, and others percent-encoded."""
    value = headers.get(name)
    with suppress(UnicodeDecodeError):
        value = value and value.encode("latin-1").decode()
    return value and unquote(value)


def _room(transcript: Transcript, headers: Headers, *, alone: bool) -> RoomReference | None:
    """The room that a request names; `alone` if its token is bound to one Being."""
    name = headers.get(ROOM, "").strip()
    if not name:
        return None
    named = _names(headers, PRESENT)
    present = None if named is None else tuple(one.strip() for one in named.split(",") if one.strip())[:ROOM_MEMBERS]
    return RoomReference(name, present, group_members(transcript)[:ROOM_MEMBERS], alone)


def _read_options(chat: RequestBody, headers: Headers, *, alone: bool) -> MemoryOptions:
    transcript = chat.transcript
    room = _room(transcript, headers, alone=alone)
    # Open WebUI sends the chat's id in a header of its own too, if its operator forwards user information.
    named = [
        named_conversation(id_) for id_ in (headers.get(CONVERSATION), chat.conversation, headers.get(OPEN_WEBUI_CHAT))
    ]
    conversation = next((id_ for id_ in named if id_ is not None), None)
    temporary = any((id_ or "").startswith(_TEMPORARY) for id_ in named)
    off_the_record = temporary or chat.off_the_record or _is_set(headers, OFF_THE_RECORD)
    background = _is_set(headers, BACKGROUND) or _is_agents_own(chat, headers)
    names = [name.strip() for name in (_names(headers, USER_NAMES) or "").split(",") if name.strip()][:MOST_USER_NAMES]
    return MemoryOptions(
        transcript, conversation, background, off_the_record, chat.choices, tuple(names), chat.continues, room
    )


def _is_set(headers: Headers, name: str) -> bool:
    """Whether a header is set to true; frontends fill it from a template, and may send the template unfilled."""
    value = headers.get(name)
    return value is not None and not says_no(value) and "{{" not in value


def _is_agents_own(chat: RequestBody, headers: Headers) -> bool:
    """Whether an agent asks for another agent, or for a single token, which no person reads."""
    return any(headers.get(name) for name in SUB_AGENT) or chat.answer_limit == 1


def with_known_query(wire: Wire, scope: Scope) -> str:
    """Return a wire's path with those parameters of the query that its SDKs send, and no others."""
    given = parse_qsl(scope["query_string"].decode("latin-1"))
    kept = [(name, value) for name, value in given if name in wire.query]
    return f"{wire.path}?{urlencode(kept)}" if kept else wire.path


def named_conversation(header: str | None) -> str | None:
    """Return the id of the conversation that a frontend names; None if it has none yet.

    Frontends fill the header from a template, which stays empty or unfilled where there is no conversation: in a
    new chat, or in a request for a title.

    Raises:
        InvalidRequest: The id is too long.
    """
    id_ = (header or "").strip()
    if id_.lower() in _NO_CONVERSATION or "{{" in id_:
        return None
    if len(id_) > PRODUCER_ID_CHARACTERS:
        raise InvalidRequest(f"The header X-Memory-Conversation has more than {PRODUCER_ID_CHARACTERS} characters.")
    return id_


def _headers(admitted: Admission, progress: Progress, stored: Stored) -> list[tuple[bytes, bytes]]:
    headers = {
        "x-memory-recall": progress.recalled,
        "x-memory-stored": stored,
        "x-memory-upstream": admitted.requested.upstream_name,
        "x-memory-being": admitted.being.slug,
    }
    if progress.taken and progress.taken.conversation:
        headers["x-memory-conversation"] = progress.taken.conversation
        headers["x-memory-aligned"] = "yes" if progress.taken.aligned else "no"
    return [
        (name.encode(), value.encode("latin-1"))
        for name, value in headers.items()
        if value.isascii() and value.isprintable()
    ]


async def _passed_on(proxy: Proxy, wire: Wire, scope: Scope, ready: _Ready, receive: Receive, send: Send) -> None:
    """Ask the upstream, relay its answer, and take that in.

    The end of the answer, or the error instead of one, waits for the memory as long as the patience is, and no longer.
    """
    headers = Headers(scope=scope)
    requested, payer = ready.admitted.admission.requested, ready.admitted.admission.payer
    passed = {name: headers[name] for name in _PASSED_ON if name in headers}
    answer: ChatAnswer | None = None
    outcome: Outcome = "failed"
    end: bytes | None = None
    failure: UpstreamFailed | None = None
    key_refused = False
    path = with_known_query(wire, scope)
    body, plain = ready.body.pop(), ready.plain.pop() if ready.plain else None
    asking = proxy.client.send(
        wire.name, requested.upstream, payer.key, "POST", path, body, {**passed, **JSON}, plain=plain
    )
    del body, plain
    try:
        upstream = await while_connected(receive, asking.__aenter__())
        try:
            key_refused = upstream.status == HTTPStatus.UNAUTHORIZED
            read, end = await relay_answer(
                upstream, ready.headers, receive, send, wire.events, hides_usage=ready.hides_usage
            )
            if upstream.status == HTTPStatus.OK:
                answer, outcome = read, "answered"
        finally:
            await asking.__aexit__(None, None, None)
    except UpstreamFailed as fault:
        outcome = "bad" if fault.perhaps_paid else "failed"
        failure = fault
    except ClientGone:
        outcome = "bad"
        raise
    finally:
        concluding = asyncio.ensure_future(_concluded(proxy, ready, answer, outcome, key_refused=key_refused))
        await wait_for_work(concluding, proxy.on.settings.proxy_patience)
        if end is not None:
            await send({"type": "http.response.body", "body": end, "more_body": False})
        if failure is not None:
            await error_answer(failure, wire.name)(scope, receive, send)
        await asyncio.shield(concluding)
    if end is None and failure is None:
        log.info("proxy.broken_off", upstream=requested.upstream_name)


async def _concluded(
    proxy: Proxy, ready: _Ready, answer: ChatAnswer | None, outcome: Outcome, *, key_refused: bool
) -> None:
    user_id = ready.admitted.admission.being.user_id
    allow(Allowance(user_id, None, partial(proxy.charge, user_id), ADMISSION_SECONDS))
    if ready.work is not None:
        # It may be late; the answer's place is known when it is done.
        await asyncio.wait({ready.work})
    if ready.progress.stored == "no":
        upstream = ready.admitted.admission.requested.upstream_name
        log.warning("proxy.turn_not_stored", upstream=upstream, header=ready.stored)
        proxy.metrics.count_turn_not_stored(upstream, ready.stored)
    await proxy.threads.start(
        user_id,
        conclude,
        proxy.on,
        await ready.admitted.final(),
        ready.progress,
        answer,
        outcome,
        proxy.record_later,
        key_refused=key_refused,
    )
