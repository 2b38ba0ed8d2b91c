"""Routes of the vault as a whole: blocks for prompts, configuration, compaction, export and import."""

from collections.abc import AsyncIterator
from contextlib import closing
from tempfile import SpooledTemporaryFile
from typing import IO, Annotated

from fastapi import Depends, Query, Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from api.http.access.auth import ManagedBeing, ReadBeing
from api.http.bodies import limited
from api.http.declared import finds_muted
from api.http.endpoints import Router
from api.http.idempotency import RepeatableKey
from api.http.resources import On
from memory.vault.vault_file import export_lines, import_lines
from operations.declaration import FindsMuted
from schemas.vault.lines import VaultImport

router = Router(prefix="/v1/beings/{being}/vault", tags=["Vault"])

LINES = "application/x-ndjson"
A_STRING = {"schema": {"type": "string"}}

Scope = Annotated[str | None, Query(description="Only this scope: `shared` or the Being's slug; both if omitted.")]


# The part of an import that is buffered in memory; the rest is buffered on disk.
IN_MEMORY_BYTES = 1 << 20


async def _file(request: Request, on: On, _: ManagedBeing) -> AsyncIterator[IO[bytes]]:
    """The request's body as a file; it is received only after the caller's scope was checked."""
    receive = limited(request.receive, request.headers, on.settings.api_import_bytes, on.settings)
    with closing(SpooledTemporaryFile(IN_MEMORY_BYTES)) as file:
        async for chunk in Request(request.scope, receive).stream():
            await run_in_threadpool(file.write, chunk)
        file.seek(0)
        yield file


@router.get(
    "/export",
    response_class=StreamingResponse,
    responses={
        200: {
            "content": {LINES: A_STRING},
            "description": "One version a line, in the order in which they were stored.",
        }
    },
)
def export_vault(
    on: On, being: ReadBeing, muted: Annotated[FindsMuted, Depends(finds_muted)], scope: Scope = None
) -> StreamingResponse:
    """Export all versions in the Being's scopes, tombstones too, as lines of JSON.

    Scope `read`.

    The scope `manage` also exports muted records.
    """
    return StreamingResponse(export_lines(on.store, being, scope, muted=muted), media_type=LINES)


@router.post(
    "/import",
    openapi_extra={"requestBody": {"required": True, "content": {LINES: A_STRING}}},
)
def import_vault(
    on: On,
    being: ManagedBeing,
    file: Annotated[IO[bytes], Depends(_file)],
    idempotency_key: RepeatableKey = None,  # noqa: ARG001  # the document names it
) -> VaultImport:
    """Import versions, a line of JSON each, of at most 64 KB; `id`, `text` and `scope` are required.

    Scope `manage`.

    Invalid lines are listed under `rejected` by their numbers, from 1, and the others are imported. Importing the same
    lines again changes nothing. After 1,000 invalid lines the import stops, and `stopped_at` is the next line.
    """
    return import_lines(on.store, on.settings, being, file)
