"""Routes of the vault as a whole: blocks for prompts, configuration, compaction, export and import."""

from collections.abc import AsyncIterator
from contextlib import closing
from tempfile import SpooledTemporaryFile
from typing import IO, Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from api.http.auth import ManagedBeing, ReadBeing
from api.http.bodies import JsonRoute, limited
from api.http.idempotency import RepeatableKey
from api.http.resources import On
from memory.vault import records
from memory.vault.blocks import build_memory_block, build_snapshot_block
from memory.vault.config import config_of, set_config
from memory.vault.exchange import export_lines, import_lines
from schemas.vault.answers import Block, Compacted
from schemas.vault.lines import Imported
from schemas.vault.requests import BlockRequest, VaultConfig

router = APIRouter(prefix="/v1/beings/{being}/vault", tags=["Vault"])
as_json = APIRouter(route_class=JsonRoute)

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


@as_json.get("/snapshot")
def show_snapshot(
    on: On,
    being: ReadBeing,
    scope: Annotated[list[str] | None, Query(description="Only these scopes; the configured ones if omitted.")] = None,
) -> Block:
    """Show the block that every prompt contains: canon, and registers with a topic, fenced.

    Scope `read`.
    """
    with on.store.transaction() as tx:
        return Block(text=build_snapshot_block(tx, being, scope))


@as_json.post("/block")
def build_block(on: On, being: ReadBeing, request: BlockRequest) -> Block:
    """Build a block of the records relevant to a query, canon first, fenced for a prompt.

    Scope `read`.
    """
    with on.store.transaction() as tx:
        block = build_memory_block(tx, being, request.scopes, query=request.query, max_items=request.max_items)
    return Block(text=block)


@as_json.get("/profile")
def show_profile(on: On, being: ReadBeing) -> VaultConfig:
    """Show the Being's vault configuration.

    Scope `read`.
    """
    return config_of(on.store, being)


@as_json.put("/profile")
def change_profile(on: On, being: ManagedBeing, config: VaultConfig) -> VaultConfig:
    """Replace the Being's vault configuration; omitted fields get their defaults.

    Scope `manage`.
    """
    return set_config(on.store, being, config)


@as_json.post("/compact")
def compact_vault(
    on: On,
    being: ManagedBeing,
    scope: Scope = None,
    idempotency_key: RepeatableKey = None,  # noqa: ARG001  # the document names it
) -> Compacted:
    """Remove superseded versions and old tombstones; live records stay the same.

    Scope `manage`.
    """
    return records.compact(on.store, on.settings, being, scope)


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
def export_vault(on: On, being: ReadBeing, scope: Scope = None) -> StreamingResponse:
    """Export all versions in the Being's scopes, tombstones too, as lines of JSON.

    Scope `read`.
    """
    return StreamingResponse(export_lines(on.store, being, scope), media_type=LINES)


@router.post(
    "/import",
    openapi_extra={"requestBody": {"required": True, "content": {LINES: A_STRING}}},
)
def import_vault(
    on: On,
    being: ManagedBeing,
    file: Annotated[IO[bytes], Depends(_file)],
    idempotency_key: RepeatableKey = None,  # noqa: ARG001  # the document names it
) -> Imported:
    """Import versions, a line of JSON each, of at most 64 KB; `id`, `text` and `scope` are required.

    Scope `manage`.

    Invalid lines are listed under `rejected` by their numbers, from 1, and the others are imported. Importing the same
    lines again changes nothing. After 1,000 invalid lines the import stops, and `stopped_at` is the next line.
    """
    return import_lines(on.store, on.settings, being, file)


router.include_router(as_json)
