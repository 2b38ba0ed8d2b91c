"""The vault as a whole: blocks for prompts, configuration, compaction."""

from typing import Annotated

from pydantic import Field

from memory.vault import prompt_blocks, records
from memory.vault.config import config_of, set_config
from operations.declaration import Command, operation
from operations.vault.records import Scope
from schemas.accounts.accounts import Being
from schemas.vault.vault_answers import Block, CompactionOutcome
from schemas.vault.vault_requests import BlockRequest, VaultConfig
from store.transaction import Transaction
from workers.runtime.resources import Resources


@operation("GET /v1/beings/{being}/vault/snapshot", scope="read", commands=[Command("snapshot")])
def show_snapshot(
    tx: Transaction,
    being: Being,
    *,
    scope: Annotated[list[str] | None, Field(description="Only these scopes; the configured ones if omitted.")] = None,
) -> Block:
    """Show the block that every prompt contains: canon, and registers with a topic, fenced."""
    return Block(text=prompt_blocks.build_snapshot_block(tx, being, scope))


@operation("POST /v1/beings/{being}/vault/block", scope="read")
def build_block(tx: Transaction, being: Being, request: BlockRequest) -> Block:
    """Build a block of the records relevant to a query, canon first, fenced for a prompt."""
    text = prompt_blocks.build_memory_block(tx, being, request.scopes, query=request.query, max_items=request.max_items)
    return Block(text=text)


@operation("GET /v1/beings/{being}/vault/profile", scope="read")
def show_profile(on: Resources, being: Being) -> VaultConfig:
    """Show the Being's vault configuration."""
    return config_of(on.store, being)


@operation("PUT /v1/beings/{being}/vault/profile", scope="manage")
def change_profile(on: Resources, being: Being, config: VaultConfig) -> VaultConfig:
    """Replace the Being's vault configuration; omitted fields get their defaults."""
    return set_config(on.store, being, config)


@operation(
    "POST /v1/beings/{being}/vault/compact",
    scope="manage",
    repeated="harmless",
    commands=[Command("compact")],
)
def compact_vault(on: Resources, being: Being, *, scope: Scope = None) -> CompactionOutcome:
    """Remove superseded versions and old tombstones; live records stay the same."""
    return records.compact(on.store, on.settings, being, scope)
