"""The vault as a whole: in prompts, in its profile, compacted, and in and out as lines of JSON."""

from io import BytesIO
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import StreamingResponse

from api.auth import ManagedBeing, ReadBeing
from api.bodies import JsonRoute, bounded
from api.resources import On
from memory import vault
from memory.vault_blocks import build_memory_block, build_snapshot_block
from memory.vault_exchange import export_lines, import_lines
from memory.vault_profile import profile_of, use_profile
from schemas.vault import Block, BlockQuestion, Compacted, Imported, Profile

router = APIRouter(prefix="/v1/beings/{being}/vault", tags=["Vault"])
as_json = APIRouter(route_class=JsonRoute)

LINES = "application/x-ndjson"
A_STRING = {"schema": {"type": "string"}}

Scope = Annotated[str | None, Query(description="Only this scope: `shared`, or the Being's slug; both, without.")]


async def _body(request: Request) -> bytes:
    return await Request(request.scope, bounded(request)).body()


@as_json.get("/snapshot")
def show_snapshot(
    on: On,
    being: ReadBeing,
    scope: Annotated[list[str] | None, Query(description="Only these; those of the profile, without.")] = None,
) -> Block:
    """Show the block that stands in every prompt: canon, and registers with a topic, fenced.

    Scope `read`.
    """
    with on.store.transaction() as tx:
        return Block(text=build_snapshot_block(tx, being, scope))


@as_json.post("/block")
def build_block(on: On, being: ReadBeing, asked: BlockQuestion) -> Block:
    """Build a block of what is relevant to a query, canon first, fenced for a prompt.

    Scope `read`.
    """
    with on.store.transaction() as tx:
        block = build_memory_block(tx, being, asked.scopes, query=asked.query, max_items=asked.max_items)
    return Block(text=block)


@as_json.get("/profile")
def show_profile(on: On, being: ReadBeing) -> Profile:
    """Show how the Being uses its vault.

    Scope `read`.
    """
    return profile_of(on.store, being)


@as_json.put("/profile")
def change_profile(on: On, being: ManagedBeing, profile: Profile) -> Profile:
    """Say how the Being uses its vault from now on; what is left away is as it would be without a profile.

    Scope `manage`.
    """
    return use_profile(on.store, being, profile)


@as_json.post("/compact")
def compact_vault(on: On, being: ManagedBeing, scope: Scope = None) -> Compacted:
    """Remove superseded versions and old tombstones; what is read stays the same.

    Scope `manage`.
    """
    return vault.compact(on.store, on.settings, being, scope)


@router.get(
    "/export",
    response_class=StreamingResponse,
    responses={200: {"content": {LINES: A_STRING}, "description": "One version a line, in the order they came in."}},
)
def export_vault(on: On, being: ReadBeing, scope: Scope = None) -> StreamingResponse:
    """Export every version that the Being sees, tombstones too, as lines of JSON.

    Scope `read`.
    """
    return StreamingResponse(export_lines(on.store, being, scope), media_type=LINES)


@router.post(
    "/import",
    openapi_extra={"requestBody": {"required": True, "content": {LINES: A_STRING}}},
)
def import_vault(on: On, being: ManagedBeing, body: Annotated[bytes, Depends(_body)]) -> Imported:
    """Import versions, a line of JSON each, of at most 64 KB; `id`, `text` and `scope` are required.

    Scope `manage`.

    Lines that can't be taken are listed under `rejected` by their numbers, from 1, and stop no other. To import the
    same lines again changes nothing.
    """
    return import_lines(on.store, being, BytesIO(body))


router.include_router(as_json)
