"""`patrol vault`: durable statements of one Being, or shared by all Beings of its user."""

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from cli.console.declared import Group
from cli.console.output import count, day, remark, table, words
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
    shown = table(">similarity", "first", "*text", "second", "*text")
    for pair in page.candidates:
        first, second = pair.first, pair.second
        shown.add_row(f"{pair.similarity:.2f}", first.id, words(first.text), second.id, words(second.text))
    return [shown if page.candidates else "No two records are similar."]


def _proposals(page: ProposalPage) -> list[Any]:
    shown = table("record", "*text", "*because it")
    for proposal in page.proposals:
        shown.add_row(proposal.record.id, words(proposal.record.text), words("; ".join(proposal.reasons)))
    return [shown if page.proposals else "No record is proposed for deletion."]


def _stats(found: VaultStats) -> list[Any]:
    shown = table("", "*")
    for name, value in found.model_dump().items():
        parts = (
            ", ".join(f"{words(key)} {number}" for key, number in value.items()) if isinstance(value, dict) else value
        )
        shown.add_row(name.replace("_", " "), str(parts))
    return [shown]


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
    shown = table(*((">score",) if scores else ()), "record", "scope", "tier", ">version", "since", "*text")
    for place, record in enumerate(records):
        score = (f"{scores[place]:.2f}",) if scores else ()
        scope = SHARED if record.scope == SHARED else "own"
        text = f"{record.topic_id}: {record.text}" if record.topic_id else record.text
        shown.add_row(*score, record.id, scope, record.tier, str(record.version), day(record.touched_at), words(text))
    return shown
