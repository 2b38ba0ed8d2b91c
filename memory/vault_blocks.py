"""The vault in a prompt: a snapshot that is always there, and what is relevant to a query. Both are fenced.

A snapshot depends on nothing but the records that live: the same records make the same bytes. It holds at most
`SNAPSHOT_CHARACTERS` of records; what is beyond is left out record by record, registers first, and counted.
"""

from collections.abc import Iterable, Sequence

from memory.fences import fenced
from memory.vault_reading import by_relevance
from memory.vault_scopes import chosen
from schemas.limits import SNAPSHOT_CHARACTERS
from schemas.rows import Being
from schemas.vault import VaultRecord
from store import vault
from store.transaction import Transaction

SNAPSHOT = "vault-snapshot"
RELEVANT = "vault-memories"
HEADINGS = {"canon": "### Canon", "register": "### Registers"}


def build_snapshot(tx: Transaction, being: Being, scope: str) -> str:
    """One scope's canon, and its registers that have a topic, as Markdown.

    Raises:
        BadQuestion: The Being does not see that scope.
    """
    return _snapshot(vault.live(tx, being, chosen(being, [scope])), [scope])


def build_snapshot_block(tx: Transaction, being: Being, scopes: Sequence[str] | None = None) -> str:
    """The snapshot of several scopes for a prompt, fenced; empty where there is nothing, or by the Being's profile.

    Args:
        tx: The transaction.
        being: Whose prompt it is.
        scopes: Which scopes; those of the profile, if none are named.

    Raises:
        BadQuestion: The Being does not see one of them.
    """
    profile = vault.profile(tx, being)
    if not profile.enabled:
        return ""
    these = chosen(being, scopes or profile.scopes)
    return _fenced(SNAPSHOT, _snapshot(vault.live(tx, being, these), these))


def build_memory_block(
    tx: Transaction,
    being: Being,
    scopes: Sequence[str] | None = None,
    *,
    query: str | None = None,
    max_items: int | None = None,
) -> str:
    """What is relevant to a query for a prompt, canon first, fenced; without a query what lives, canon first.

    Args:
        tx: The transaction.
        being: Whose prompt it is.
        scopes: Which scopes; those of the profile, if none are named.
        query: What the records must share a word with.
        max_items: The most records; what the profile says, 20 without one, if no number is named.

    Raises:
        BadQuestion: The Being does not see one of the scopes.
    """
    profile = vault.profile(tx, being)
    if not profile.enabled:
        return ""
    these = chosen(being, scopes or profile.scopes)
    records = vault.live(tx, being, these)
    most = max_items or profile.max_items
    if query is None:
        found = sorted(records, key=lambda record: (record.tier, *_newest_first(record)))
    else:
        found = [hit.record for hit in by_relevance(records, query, most)]
    return _fenced(RELEVANT, _markdown(found[:most], these))


def _snapshot(records: Iterable[VaultRecord], scopes: Sequence[str]) -> str:
    """Canon before registers: the oldest of it, then what was written to last, as far as there is room."""
    canon = sorted(_of_tier(records, "canon"), key=lambda record: (record.created_at, record.id))
    registers = sorted((record for record in _of_tier(records, "register") if record.topic_id), key=_newest_first)
    room = SNAPSHOT_CHARACTERS
    shown: list[VaultRecord] = []
    for record in [*canon, *registers]:
        room -= len(_line(record)) + 1
        if room < 0:
            break
        shown.append(record)
    left_out = len(canon) + len(registers) - len(shown)
    # In the order of their topics, so that writing to one register moves no other.
    shown.sort(key=lambda record: (record.topic_id or "") if record.tier == "register" else "")
    remark = f"\n({left_out} more are left out here.)" if left_out else ""
    return _markdown(shown, scopes) + remark


def _markdown(records: Sequence[VaultRecord], scopes: Sequence[str]) -> str:
    """Records by scope and tier, each on one line, so that no text can pose as a heading."""
    parts: list[str] = []
    for scope in scopes:
        of_scope = [record for record in records if record.scope == scope]
        parts += [f"## {scope}"] if of_scope else []
        for tier, heading in HEADINGS.items():
            lines = [_line(record) for record in _of_tier(of_scope, tier)]
            parts += [heading, *lines] if lines else []
    return "\n".join(parts)


def _line(record: VaultRecord) -> str:
    topic = f"{' '.join(record.topic_id.split())}: " if record.tier == "register" and record.topic_id else ""
    return f"- {topic}{' '.join(record.text.split())}"


def _of_tier(records: Iterable[VaultRecord], tier: str) -> list[VaultRecord]:
    return [record for record in records if record.tier == tier]


def _newest_first(record: VaultRecord) -> tuple[float, str]:
    return -record.touched_at.timestamp(), record.id


def _fenced(name: str, markdown: str) -> str:
    return fenced(name, markdown) if markdown else ""
