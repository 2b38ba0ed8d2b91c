"""What lives in some scopes of a vault while one writer holds them, and the versions that the writer adds.

The rules stand here alone, without a database: `memory.vault` fills a shelf, lets it be written to, and appends what it
has gathered.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from secrets import token_hex
from typing import Any

from memory.vault_gates import GateRefused, pass_alone, pass_capacity, pass_duplicates
from schemas.vault import NewRecord, Outcome, RecordChanges, VaultRecord
from store.errors import NotFound, Refused

ID_BYTES = 6


@dataclass(frozen=True)
class Rules:
    """What a scope allows.

    Args:
        scopes: The scopes that there are for the writer; the last is what a record without one goes to.
        capacity: So many records may live in one of them.
        threshold: From which sequence ratio on two texts are near-duplicates.
    """

    scopes: Collection[str]
    capacity: int
    threshold: float


class Shelf:
    """Records by id, as one writer sees and changes them.

    Args:
        records: What lives in the scopes that the writer holds.
        rules: What these allow.
        now: The time of every change.
    """

    def __init__(self, records: Iterable[VaultRecord], rules: Rules, now: datetime) -> None:
        self.appended: list[VaultRecord] = []
        self._living = {record.id: record for record in records}
        self._rules = rules
        self._now = now

    def add(self, new: NewRecord) -> tuple[VaultRecord, Outcome]:
        """Add a record, or write to the register of its topic.

        Raises:
            GateRefused: A gate stopped it.
        """
        scope = new.scope or [*self._rules.scopes][-1]
        text = new.text.strip()
        self._pass_alone(text, scope, new.tier, new.source, [new.category, new.topic_id, *new.tags])
        if new.tier == "canon" and new.topic_id is not None:
            raise GateRefused("validation", "Canon has no topic.", "Leave the topic away, or add it as a register.")
        others = [record for record in self._living.values() if record.scope == scope]
        register = next((each for each in others if new.topic_id is not None and each.topic_id == new.topic_id), None)
        if register is not None:
            return self._upsert(register, new, text), "updated"
        pass_duplicates(text, others, self._rules.threshold)
        pass_capacity(len(others), self._rules.capacity)
        said = new.model_dump() | {"text": text, "scope": scope}
        fresh = {
            "id": token_hex(ID_BYTES),
            "created_at": self._now,
            "updated_at": None,
            "deleted_at": None,
            "version": 1,
        }
        return self._append(VaultRecord.model_validate(said | fresh)), "added"

    def update(self, record_id: str, changes: RecordChanges) -> VaultRecord:
        """Change a record.

        Raises:
            NotFound: No such record lives here.
            GateRefused: A gate stopped the change.
        """
        record = self._find(record_id)
        said = {name: value for name, value in changes.model_dump().items() if value is not None}
        return self._next(record, said)

    def promote(self, record_id: str, canonical_text: str | None) -> VaultRecord:
        """Make a register canon; its topic stays with it.

        Raises:
            NotFound: No such record lives here.
            Refused: It is canon already.
            GateRefused: A gate stopped the text.
        """
        record = self._find(record_id)
        if record.tier == "canon":
            raise Refused("The record is canon already: update it if it has to say something else.")
        text = record.text if canonical_text is None else canonical_text
        return self._next(record, {"text": text, "tier": "canon", "source": "promotion"})

    def delete(self, record_id: str) -> VaultRecord:
        """End a record with a tombstone.

        Raises:
            NotFound: No such record lives here.
        """
        record = self._find(record_id)
        return self._append(self._version_of(record, {"deleted_at": max(self._now, record.touched_at)}))

    def _upsert(self, register: VaultRecord, new: NewRecord, text: str) -> VaultRecord:
        if register.tier == "canon":
            raise GateRefused(
                "register",
                "The record of this topic has become canon, which is not written over.",
                "Update that record by its id, or choose another topic.",
                register.id,
            )
        said = new.model_dump(include=new.model_fields_set & {"category", "tags", "source"})
        return self._append(self._changed(register, said | {"text": text}))

    def _next(self, record: VaultRecord, said: dict[str, Any]) -> VaultRecord:
        record = self._changed(record, said | {"text": said.get("text", record.text).strip()})
        labels = [record.category, record.topic_id, *record.tags]
        self._pass_alone(record.text, record.scope, record.tier, record.source, labels)
        return self._append(record)

    def _pass_alone(self, text: str, scope: str, tier: str, source: str | None, labels: Iterable[str | None]) -> None:
        pass_alone(text, scope=scope, tier=tier, source=source, labels=labels, scopes=self._rules.scopes)

    def _find(self, record_id: str) -> VaultRecord:
        if record_id not in self._living:
            raise NotFound(f"No record {record_id} lives in this Being's vault.")
        return self._living[record_id]

    def _changed(self, record: VaultRecord, said: dict[str, Any]) -> VaultRecord:
        # A transaction's time is that of its beginning, and it may have waited for its turn since.
        return self._version_of(record, said | {"updated_at": max(self._now, record.touched_at)})

    @staticmethod
    def _version_of(record: VaultRecord, said: dict[str, Any]) -> VaultRecord:
        return record.model_copy(update=said | {"version": record.version + 1})

    def _append(self, record: VaultRecord) -> VaultRecord:
        self.appended.append(record)
        if record.deleted_at is None:
            self._living[record.id] = record
        else:
            del self._living[record.id]
        return record
