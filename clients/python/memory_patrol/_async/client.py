"""The asynchronous client: sends requests, repeats those that failed on the way, and follows patrols and pages."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from typing import Any, Self, TypeVar

import httpx2

from memory_patrol import types
from memory_patrol._async.routes import AsyncRoutes
from memory_patrol._requests import (
    AGAIN,
    ANSWER,
    Request,
    Retries,
    address,
    authorization,
    batches,
    cause_of,
    error_of,
    is_gone,
    is_of_the_api,
    json_of,
    part_of_answer,
)
from memory_patrol.errors import Unreachable

Page = TypeVar("Page", bound=Mapping[str, Any])
Note = types.SceneNote | types.TodoNote | types.ReminderNote | types.KnowledgeNote
# The server handles a larger batch as bulk, which waits for its turn.
LIVE_BATCH = 100


class AsyncMemoryPatrol(AsyncRoutes):
    """An asynchronous connection to Memory Patrol, to be closed after use: `async with AsyncMemoryPatrol(…) as memory`.

    Args:
        url: The address of the API, such as `http://127.0.0.1:8765`.
        token: An access token.
        retries: How often a request is repeated. Every POST carries an Idempotency-Key, so no repetition doubles.
        timeout: Seconds to wait for each part of an answer.
        transport: Another transport than the network, for tests.

    Raises:
        ValueError: The address or the token is none.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        retries: Retries | None = None,
        timeout: float = 60.0,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._retries = retries or Retries()
        self._url = address(url)
        headers = authorization(token)
        self._http = httpx2.AsyncClient(base_url=self._url, headers=headers, timeout=timeout, transport=transport)

    async def __aenter__(self) -> Self:
        """Return the client."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the connections."""
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def send(self, request: Request) -> Any:
        """Send a request, again if no answer came or the server asks for it; returns the JSON of the answer.

        Raises:
            ApiError: The API refused it.
            Unreachable: No answer came.
        """
        lost = False
        for attempt in range(1, self._retries.attempts + 1):
            retry_after = None
            try:
                answer = await self._http.request(**request.arguments())
            except httpx2.TransportError as fault:
                lost = True
                if attempt == self._retries.attempts:
                    raise Unreachable(
                        f"No answer from {self._url} to {request.method}, after {attempt} attempts: {cause_of(fault)}."
                    ) from fault
            else:
                error = error_of(answer)
                if error is None:
                    return json_of(answer)
                if is_gone(request, error, lost=lost):
                    return None
                if error.status not in AGAIN or attempt == self._retries.attempts:
                    raise error
                retry_after = error.retry_after
            await asyncio.sleep(self._retries.wait(attempt, retry_after))
        raise Unreachable("No attempt was allowed.")

    async def stream(self, request: Request) -> AsyncIterator[str]:
        """Send a request once; yields the lines of the answer as they arrive.

        Raises:
            ApiError: The API refused it.
            Unreachable: The connection was lost.
        """
        try:
            async with self._http.stream(**request.arguments()) as answer:
                if not is_of_the_api(answer):
                    await answer.aread()
                if (error := error_of(answer)) is not None:
                    raise error
                async for line in answer.aiter_lines():
                    yield line  # an asynchronous generator has no `yield from`
        except httpx2.TransportError as fault:
            raise Unreachable(f"The answer of {self._url} did not come to its end: {cause_of(fault)}.") from fault

    async def ask_in_parts(
        self, being: str, question: types.AskRequest, **options: Any
    ) -> AsyncIterator[tuple[str, Any]]:
        """Ask a question; yields each part of the answer as soon as it is known, as its name and its content.

        The parts are `looked_at`, each `sentence`, and at the end `answer`, which equals the answer of `ask_memory`.

        Args:
            being: The Being's id or slug.
            question: The question.
            options: The other parameters of `stream_answer`.

        Raises:
            ApiError: The API refused it, or could not end it.
            Unreachable: The answer did not come to its end.
        """
        name = ""
        async for line in self.stream_answer(being, question, **options):
            field, _, content = line.partition(": ")
            if field == "event":
                name = content
            elif field == "data":
                yield name, part_of_answer(name, content)
        if name != ANSWER:
            raise Unreachable(f"The answer of {self._url} did not come to its end.")

    async def patrol(self, being: str, *, every: float = 0.5) -> AsyncIterator[types.RunReport]:
        """Demand a patrol, and yield its report whenever it changed, the last one `done` or `failed`.

        Args:
            being: The Being's id or slug.
            every: Seconds between looks.
        """
        run = await self.demand_patrol(being)
        shown: types.RunReport | None = None
        while shown is None or shown["state"] not in {"done", "failed"}:
            report = await self.show_patrol(being, run["run_id"])
            if report != shown:
                yield report
                shown = report
            else:
                await asyncio.sleep(every)

    async def pages(self, route: Callable[..., Awaitable[Page]], *path: str, **options: Any) -> AsyncIterator[Page]:
        """Yield every page of a list: `memory.pages(memory.list_notes, "mira")`.

        Args:
            route: A route that takes a `cursor`.
            path: The values of the path's placeholders.
            options: Its other parameters.
        """
        cursor: str | None = None
        while True:
            page = await route(*path, **options, cursor=cursor)
            yield page
            cursor = page["cursor"]
            if cursor is None:
                return

    async def note_batches(
        self, being: str, notes: Iterable[Note], *, size: int = LIVE_BATCH
    ) -> AsyncIterator[types.Receipt]:
        """Hand in any number of notes, in requests of `size`; yields each request's receipt.

        With an `id` on each note, the same notes may be handed in again after a crash of the caller.
        """
        for batch in batches(notes, size):
            yield await self.hand_in_notes(being, batch)

    async def message_batches(
        self, being: str, messages: Iterable[types.MessageInput], *, size: int = LIVE_BATCH
    ) -> AsyncIterator[types.Receipt]:
        """Hand in any number of messages, in requests of `size`; yields each request's receipt.

        With an `id` on each message, the same messages may be handed in again after a crash of the caller.
        """
        for batch in batches(messages, size):
            yield await self.hand_in_messages(being, batch)
