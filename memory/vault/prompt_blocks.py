"""The vault's blocks for a prompt, fenced: an always injected snapshot, and the records relevant to a query.

A snapshot depends on the live records alone: the same records give the same bytes. It holds at most
`SNAPSHOT_CHARACTERS` of records; beyond that records are left out, registers first, and their number is stated.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter

from memory.text.prompt_escaping import tagged
from memory.vault.reading import by_relevance
from memory.vault.scopes import chosen
from schemas.accounts.accounts import Being
from schemas.limits import SNAPSHOT_CHARACTERS
from schemas.vault.records import VaultRecord
from store import vault
from store.transaction import Transaction

SNAPSHOT = "vault-snapshot"
RELEVANT = "vault-memories"
Level = tuple[Callable[[VaultRecord], str], Mapping[str, str]]
"""The attribute by which a level groups records, and the heading of each of its values, in order."""
TIERS: Level = attrgetter("tier"), {"canon": "Canon", "register": "Registers"}


def build_snapshot(tx: Transaction, being: Being, scope: str) -> str:
    """One scope's canon and its registers with a topic, as Markdown.

    Raises:
        InvalidRequest: The Being may not use that scope.
    """
    return _snapshot(vault.live(tx, being, chosen(being, [scope]), muted=False), [scope])


def build_snapshot_block(tx: Transaction, being: Being, scopes: Sequence[str] | None = None) -> str:
    """The fenced snapshot of several scopes; empty without records, or if the Being's configuration disables the vault.

    Args:
        being: The Being that the prompt is for.
        scopes: The scopes; None for those of the configuration.

    Raises:
        InvalidRequest: The Being may not use one of them.
    """
    config = vault.config(tx, being)
    if not config.enabled:
        return ""
    of_scopes = chosen(being, scopes or config.scopes)
    return _fenced(SNAPSHOT, _snapshot(vault.live(tx, being, of_scopes, muted=False), of_scopes))


def build_memory_block(
    tx: Transaction,
    being: Being,
    scopes: Sequence[str] | None = None,
    *,
    query: str | None = None,
    max_items: int | None = None,
    beside_snapshot: bool = False,
) -> str:
    """The fenced records relevant to a query, canon of all scopes first; without a query the live records likewise.

    Args:
        being: The Being that the prompt is for.
        scopes: The scopes; None for those of the configuration.
        query: Records must share a word with it.
        max_items: The most records; None for the configuration's number, 20 by default.
        beside_snapshot: Leave out the records that `build_snapshot_block` shows for the configured scopes.

    Raises:
        InvalidRequest: The Being may not use one of the scopes.
    """
    config = vault.config(tx, being)
    if not config.enabled:
        return ""
    of_scopes = chosen(being, scopes or config.scopes)
    records = vault.live(tx, being, of_scopes, muted=False)
    if beside_snapshot:
        shown, _ = _in_snapshot(records)
        records = [record for record in records if record not in shown]
    most = max_items or config.max_items
    if query is None:
        found = sorted(records, key=lambda record: (record.tier, *_newest_first(record)))
    else:
        found = [hit.record for hit in by_relevance(records, query, most)]
    return _fenced(RELEVANT, _outline(found[:most], TIERS, _scopes(of_scopes)))


def _snapshot(records: Iterable[VaultRecord], scopes: Sequence[str]) -> str:
    shown, left_out = _in_snapshot(records)
    remark = f"\n({left_out} more are left out here.)" if left_out else ""
    return _outline(shown, _scopes(scopes), TIERS) + remark


def _in_snapshot(records: Iterable[VaultRecord]) -> tuple[list[VaultRecord], int]:
    """Canon, the oldest first, and registers with a topic, the last written first, within the character limit.

    Returns:
        The records, canon by age and registers by topic, and the number of records left out.
    """
    records = list(records)
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
    # Registers are shown by topic, so that a write to one register does not move the others.
    shown.sort(key=lambda record: (record.topic_id or "") if record.tier == "register" else "")
    return shown, left_out


def _outline(records: Sequence[VaultRecord], *levels: Level) -> str:
    """Records under the headings of two levels, each on one line, so that a record's text cannot pose as a heading."""
    (of, headings), *inner = levels
    parts: list[str] = []
    for value, heading in headings.items():
        if under := [record for record in records if of(record) == value]:
            body = _outline(under, *inner) if inner else "\n".join(map(_line, under))
            parts += [f"{'##' if inner else '###'} {heading}", body]
    return "\n".join(parts)


def _scopes(scopes: Sequence[str]) -> Level:
    return attrgetter("scope"), {scope: scope for scope in scopes}


def _line(record: VaultRecord) -> str:
    topic = f"{' '.join(record.topic_id.split())}: " if record.tier == "register" and record.topic_id else ""
    return f"- {topic}{' '.join(record.text.split())}"


def _of_tier(records: Iterable[VaultRecord], tier: str) -> list[VaultRecord]:
    return [record for record in records if record.tier == tier]


def _newest_first(record: VaultRecord) -> tuple[float, str]:
    return -record.touched_at.timestamp(), record.id


def _fenced(name: str, markdown: str) -> str:
    return tagged(name, markdown) if markdown else ""
