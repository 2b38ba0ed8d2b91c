"""The final checks: the manifest against the ledger, the ledger's invariants, the memory against its replay."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from schemas.settings import Settings
from store.database import Store
from tests.chaos.audit import inconsistencies
from tests.chaos.producers import Kind, Manifest
from tests.chaos.replay import differences, memory_of, replayed

STATES = {
    Kind.MEMORY: {"remembered"},
    # A model may repair it.
    Kind.UNPARSABLE: {"parse_failed", "remembered"},
    Kind.NOTE: {"kept"},
    Kind.MESSAGE: {"said in a session"},
}
RETRACTED = "retracted"
MARK = r"zq[a-z0-9]+x"


@dataclass(frozen=True)
class Count:
    """The numbers of items by result.

    Attributes:
        sent: Different items that were handed in.
        accepted: Of these, those that a door has taken.
        refused: Of these, those that every door has refused.
        applied: Of the accepted, those that became what they were to become.
        lost: Of the accepted, those that became nothing.
        doubled: Items with more than one effect.
    """

    sent: int
    accepted: int
    refused: int
    applied: int
    lost: int
    doubled: int


def count(store: Store, manifest: Manifest) -> tuple[Count, list[str]]:
    """Compare the manifest with the ledger; returns the numbers, and a line for each violation."""
    with store.transaction() as tx:
        rows = tx.execute(
            "select o.producer_id, o.being_id, o.state, o.type, count(n.node_id) as nodes from memory.notes as o"
            " left join memory.memory_nodes as n using (being_id, note_id)"
            " where o.origin <> 'talk' group by o.being_id, o.note_id"
            " union all select producer_id, m.being_id, 'said in a session', 'message', count(session_id)"
            " from memory.messages as m join memory.sessions as s using (being_id, session_id)"
            " where m.created_at between s.started_at and s.last_activity_at group by m.being_id, m.message_id"
            " union all select producer_id, being_id, 'retracted', 'message', 1 from memory.retracted_messages as r"
            " where not exists (select from memory.messages as m where m.being_id = r.being_id"
            " and m.producer_id = r.producer_id) group by being_id, producer_id"
        ).fetchall()
        versions = {
            row["producer_id"]: row["contents"]
            for row in tx.execute(
                "select producer_id, array_agg(content order by retracted_at, message_id) as contents"
                " from memory.retracted_messages group by being_id, producer_id"
            )
        }
        standing = {row["producer_id"]: row["content"] for row in tx.execute("select * from memory.messages")}
    times = Counter(row["producer_id"] for row in rows)
    wrong = [*manifest.wrong, *(f"{item.name} was never answered for" for item in manifest.unanswered())]
    handed_in = {item.kind for item in manifest.items.values()}
    wrong += [
        f"nothing that is to be {kind} was handed in: a producer has died" for kind in Kind if kind not in handed_in
    ]
    expected = {item.name: item for item in manifest.items.values() if item.kind is not Kind.REFUSED}
    lost = expected.keys() - times.keys()
    doubled = {name for name, how_often in times.items() if how_often > 1}
    doubled |= {row["producer_id"] for row in rows if row["nodes"] > 1}
    wrong += [f"{name} is lost" for name in sorted(lost)]
    wrong += [f"{name} has more than one effect" for name in sorted(doubled)]
    wrong += [f"{name} was never handed in" for name in sorted(times.keys() - expected.keys())]
    for item in expected.values():
        if item.kind is Kind.MESSAGE:
            said = [version["content"] for version in item.versions]
            if sorted(versions.get(item.name, [])) != sorted(said):
                wrong.append(f"{item.name} has other retracted versions than were retracted")
            if item.stands and standing.get(item.name) != item.body["content"]:
                wrong.append(f"{item.name} stands with other words than its last version's")
    applied = 0
    for row in rows:
        item = expected.get(row["producer_id"])
        states = {RETRACTED} if item and not item.stands else STATES[item.kind] if item else set()
        if item and row["being_id"] == item.being_id and row["state"] in states:
            applied += 1
        elif item:
            wrong.append(f"{item.name} was to be {item.kind}, and is {row['state']}")
    sent = len(manifest.items)
    numbers = Count(sent, len(expected), sent - len(expected), applied, len(lost), len(doubled))
    return numbers, wrong


def residue(store: Store, manifest: Manifest) -> list[str]:
    """Look for the words of what was retracted in every table but the one that keeps it; returns a line for each."""
    taken = {
        mark
        for item in manifest.items.values()
        for version in item.versions
        for mark in re.findall(MARK, version["content"])
    }
    wrong = []
    with store.transaction() as tx:
        tables = tx.execute(
            "select relname from pg_class where relkind = 'r' and relnamespace = 'memory'::regnamespace"
        ).fetchall()
        for table in (row["relname"] for row in tables if row["relname"] != "retracted_messages"):
            rows = tx.execute(
                f"select distinct word from memory.{table} as t,"  # noqa: S608  # names
                " lateral (select (regexp_matches(lower(t::text), %s, 'g'))[1] as word) as held",
                [f"({MARK})"],
            ).fetchall()
            wrong += [f"{table} has {row['word']}, which was retracted" for row in rows if row["word"] in taken]
    return wrong


def found_wrong(store: Store, fresh: Store, beings: Sequence[UUID], settings: Settings) -> list[str]:
    """Return the violated invariants, and the differences from a serial replay over an empty ledger."""
    wrong = inconsistencies(store)
    for being_id in beings:
        again = replayed(store, fresh, being_id, settings)
        wrong += [f"being {being_id}: {line}" for line in differences(memory_of(store, being_id), again)]
    return wrong
