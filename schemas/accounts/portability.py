"""Header and end of an export, and reports of imports and erasures."""

import operator
from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from schemas.limits import OFF_THE_RECORD_CONVERSATIONS
from schemas.vault.lines import RejectedLine


class BeingLine(BaseModel):
    """The first line of an export: its format, and the exported Being."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["being"] = "being"
    version: Literal[1] = 1
    vectors: bool
    exported_at: datetime
    user_id: UUID
    being_id: UUID
    slug: str = Field(min_length=1, max_length=63)
    name: str = Field(min_length=1, max_length=200)
    patrol_counter: int = Field(ge=0, lt=2**62)
    ticked_at: datetime | None
    created_at: datetime
    off_the_record: bool = Field(False, exclude_if=operator.not_)
    off_the_record_in: list[str] = Field(default=[], max_length=OFF_THE_RECORD_CONVERSATIONS, exclude_if=operator.not_)


class EndLine(BaseModel):
    """The last line of an export, without which the file is incomplete."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["end"] = "end"
    lines: int = Field(ge=0, description="The number of lines between the first and this one.")


class ImportReport(BaseModel):
    """The outcome of an import."""

    model_config = ConfigDict(frozen=True)

    taken: dict[str, int] = Field(description="Imported lines, by kind.")
    rejected: list[RejectedLine]
    erased: dict[str, int] = Field(
        default={},
        description="Imported items that were erased again, by kind, because they were erased after the export.",
    )
    known: bool = Field(False, description="Whether this file had been imported into this Being before.")


class BeingErased(BaseModel):
    """The number of rows that were erased with a Being or a user."""

    model_config = ConfigDict(frozen=True)

    beings: int = 1
    notes: int
    nodes: int
    messages: int
    facts: int = Field(description="The Being's own, and those of the user without other evidence.")
    todos: int
    diary_entries: int
    vault_records: int = Field(description="Versions in the Being's vault scope.")


class ScrubOutcome(BaseModel):
    """The outcome of a scrub."""

    model_config = ConfigDict(frozen=True)

    tables: int = Field(description="The number of rewritten tables.")
    statistics: bool = Field(description="Whether the planner's statistics were cleared and rewritten.")
    log: bool = Field(description="Whether the write-ahead log's files were replaced.")
    left: list[str] = Field(description="Steps that failed, with the reasons.")


class NodeErased(BaseModel):
    """The outcome of erasing a node."""

    model_config = ConfigDict(frozen=True)

    nodes: int = Field(description="The erased node, and those that it had absorbed.")
    notes: int = Field(description="The notes of these nodes.")
    reworded: int = Field(description="Nodes that had absorbed it, and have the words of their own note again.")
    parted: int = Field(description="Other nodes that those had absorbed, and that are active again.")
    diary_entries: int = Field(description="Erased diary pages about it.")
    renamed: int = Field(description="Renamed topics, whose name had been its action.")
