"""Applies writes to the live records of locked scopes in memory, and collects the versions to append.

It needs no database: `memory.vault.records` loads the live records, calls the writer, and appends its versions.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from secrets import token_hex
from typing import Any

from memory.vault.duplicate_index import DuplicateIndex
from memory.vault.gates import GateRefused, check_record, check_scope
from schemas.errors import NotFound, Refused
from schemas.vault.records import BLANK, Outcome, VaultRecord
from schemas.vault.vault_requests import NewRecord, RecordChanges

ID_BYTES = 6


class ErasedBefore(Refused):
    """The text was permanently erased before."""


@dataclass(frozen=True)
class ScopeRules:
    """The limits of a scope.

    Args:
        scopes: The scopes that the writer may write to; the last is the default of a record without one.
        capacity: The most live records of one scope.
        threshold: The sequence ratio from which two texts are near-duplicates.
        plain: Compare by the seed's overlap and ratio alone, even if two texts are distinct statements.
        erased: Returns true if a text was permanently erased before in one of these scopes.
    """

    scopes: Collection[str]
    capacity: int
    threshold: float
    plain: bool = False
    erased: Callable[[str], bool] = lambda _: False


class ScopeWriter:
    """Live records by id, to which the writes of one transaction are applied.

    Args:
        records: The live records of the locked scopes.
        rules: The limits of these scopes.
        now: The time of each write.
    """

    def __init__(self, records: Iterable[VaultRecord], rules: ScopeRules, now: datetime) -> None:
        self.appended: list[VaultRecord] = []
        self._live = {record.id: record for record in records}
        self._rules = rules
        self._now = now
        # Built for a scope when the first record is added to it.
        self._indexes: dict[str, DuplicateIndex] = {}

    def add(self, new: NewRecord) -> tuple[VaultRecord, Outcome]:
        """Add a record, or write a new version of its topic's register.

        Raises:
            GateRefused: A gate refused it.
            ErasedBefore: Its text was permanently erased before.
        """
        scope = new.scope or [*self._rules.scopes][-1]
        text = new.text.strip()
        self._check(text, scope, new.tier, new.source, [new.category, new.topic_id, *new.tags])
        if new.tier == "canon" and new.topic_id is not None:
            raise GateRefused("validation", "Canon has no topic.", "Omit the topic, or add a register.")
        register = self._register(scope, new.topic_id)
        if register is not None:
            return self._upsert(register, new, text), "updated"
        forced_over = check_scope(
            text, self._index(scope), threshold=self._rules.threshold, capacity=self._rules.capacity, force=new.force
        )
        fields = new.model_dump(exclude={"force"}) | {"text": text, "scope": scope, "forced_over": forced_over}
        fresh = {
            "id": token_hex(ID_BYTES),
            "created_at": self._now,
            "updated_at": None,
            "deleted_at": None,
            "version": 1,
        }
        return self._append(VaultRecord.model_validate(fields | fresh)), "added"

    def update(self, record_id: str, changes: RecordChanges) -> VaultRecord:
        """Change the fields of a record that are not None.

        Raises:
            NotFound: There is no such live record.
            GateRefused: A gate refused the change.
            ErasedBefore: The new text was permanently erased before.
        """
        record = self._find(record_id)
        fields = {name: value for name, value in changes.model_dump().items() if value is not None}
        return self._next(record, fields)

    def promote(self, record_id: str, canonical_text: str | None) -> VaultRecord:
        """Make a register canon; it keeps its topic.

        Raises:
            NotFound: There is no such live record.
            Refused: It is canon already.
            GateRefused: A gate refused the text.
            ErasedBefore: The text was permanently erased before.
        """
        record = self._find(record_id)
        if record.tier == "canon":
            raise Refused("The record is canon already: update it to change its text.")
        text = record.text if canonical_text is None else canonical_text
        return self._next(record, {"text": text, "tier": "canon", "source": "promotion"})

    def delete(self, record_id: str) -> VaultRecord:
        """Append a tombstone, which holds no text and no labels.

        Raises:
            NotFound: There is no such live record.
        """
        record = self._find(record_id)
        return self._append(self._version_of(record, BLANK | {"deleted_at": max(self._now, record.touched_at)}))

    def _upsert(self, register: VaultRecord, new: NewRecord, text: str) -> VaultRecord:
        if register.tier == "canon":
            raise GateRefused(
                "register",
                "The record of this topic has become canon, which is not overwritten.",
                "Update that record by its id, or choose another topic.",
                register.id,
            )
        fields = new.model_dump(include=new.model_fields_set & {"category", "tags", "source"})
        return self._append(self._changed(register, fields | {"text": text}))

    def _next(self, record: VaultRecord, fields: dict[str, Any]) -> VaultRecord:
        record = self._changed(record, fields | {"text": fields.get("text", record.text).strip()})
        labels = [record.category, record.topic_id, *record.tags]
        self._check(record.text, record.scope, record.tier, record.source, labels)
        return self._append(record)

    def _check(self, text: str, scope: str, tier: str, source: str | None, labels: Iterable[str | None]) -> None:
        check_record(text, scope=scope, tier=tier, source=source, labels=labels, scopes=self._rules.scopes)
        if self._rules.erased(text):
            raise ErasedBefore(
                "This text was permanently erased and is not stored again: use other words if it is meant anew."
            )

    def _register(self, scope: str, topic_id: str | None) -> VaultRecord | None:
        if topic_id is None:
            return None
        return next((each for each in self._live.values() if (each.scope, each.topic_id) == (scope, topic_id)), None)

    def _index(self, scope: str) -> DuplicateIndex:
        if scope not in self._indexes:
            self._indexes[scope] = DuplicateIndex(plain=self._rules.plain)
            for record in self._live.values():
                if record.scope == scope:
                    self._indexes[scope].put(record.id, record.text)
        return self._indexes[scope]

    def _find(self, record_id: str) -> VaultRecord:
        if record_id not in self._live:
            raise NotFound(f"This Being's vault has no live record {record_id}.")
        return self._live[record_id]

    def _changed(self, record: VaultRecord, fields: dict[str, Any]) -> VaultRecord:
        # `now` is the transaction's start; the lock may have been granted after another writer's commit.
        return self._version_of(record, fields | {"updated_at": max(self._now, record.touched_at)})

    @staticmethod
    def _version_of(record: VaultRecord, fields: dict[str, Any]) -> VaultRecord:
        return record.model_copy(update=fields | {"version": record.version + 1})

    def _append(self, record: VaultRecord) -> VaultRecord:
        self.appended.append(record)
        index = self._indexes.get(record.scope)
        if record.deleted_at is None:
            self._live[record.id] = record
            if index is not None:
                index.put(record.id, record.text)
        else:
            del self._live[record.id]
            if index is not None:
                index.remove(record.id)
        return record
