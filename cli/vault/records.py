"""`patrol vault`: durable statements of one Being, or shared by all Beings of its user."""

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from cli.console.declared import Group
from cli.console.output import count, remark, table, words
from cli.vault import exchange
from operations.vault import records as operations
from schemas.vault.records import SHARED, RecordPage, VaultRecord
from schemas.vault.vault_answers import CandidatePage, Deleted, HitPage, ProposalPage, VaultErased, VaultStats


def _records(page: RecordPage) -> list[Any]:
    return [_table(page.records) if page.records else "No record matches. Add one: patrol vault add TEXT"]


def _hits(page: HitPage) -> list[Any]:
    if not page.hits:
        return ["No record shares a word with the query."]
    return [_table([hit.record for hit in page.hits], [hit.score for hit in page.hits])]


def _candidates(page: CandidatePage) -> list[Any]:
    rows = [
        (f"{pair.similarity:.2f}", pair.first.id, pair.first.text, pair.second.id, pair.second.text)
        for pair in page.candidates
    ]
    shown = table(">similarity", "first", "*text", "second", "*text", rows=rows)
    return [shown if rows else "No two records are similar."]


def _proposals(page: ProposalPage) -> list[Any]:
    rows = [(one.record.id, one.record.text, "; ".join(one.reasons)) for one in page.proposals]
    return [table("record", "*text", "*because it", rows=rows) if rows else "No record is proposed for deletion."]


def _stats(found: VaultStats) -> list[Any]:
    rows = []
    for name, value in found.model_dump().items():
        counted = ", ".join(f"{key} {number}" for key, number in value.items()) if isinstance(value, dict) else value
        rows.append((name.replace("_", " "), counted))
    return [table("", "*", rows=rows)]


def _deleted(done: Deleted) -> list[Any]:
    for record_id in done.missing:
        remark(f"This vault has no live record {words(record_id)}.")
    return [f"{count(len(done.deleted), 'record')} deleted."]


vault = Group(
    operations,
    "Durable statements, gated and versioned, that every prompt shows.",
    views={
        RecordPage: _records,
        VaultRecord: lambda record: [_table([record])],
        HitPage: _hits,
        CandidatePage: _candidates,
        ProposalPage: _proposals,
        VaultStats: _stats,
        Deleted: _deleted,
        VaultErased: lambda erased: f"{count(erased.records, 'version')}.",
    },
).commands
exchange.add_to(vault)


def _table(records: Sequence[VaultRecord], scores: Sequence[float] = ()) -> Table:
    rows = []
    for place, record in enumerate(records):
        score = (f"{scores[place]:.2f}",) if scores else ()
        scope = SHARED if record.scope == SHARED else "own"
        text = f"{record.topic_id}: {record.text}" if record.topic_id else record.text
        rows.append((*score, record.id, scope, record.tier, record.version, record.touched_at, text))
    columns = *((">score",) if scores else ()), "record", "scope", "tier", ">version", "since", "*text"
    return table(*columns, rows=rows)
