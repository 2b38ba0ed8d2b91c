"""Exports of other programs that come with a request, and the results of their entries."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from schemas.limits import SPEAKER_CHARACTERS
from schemas.wire.answers import Answer
from schemas.wire.fields import Moment
from schemas.wire.requests import RequestModel

Program = Literal["chatgpt", "claude", "sillytavern", "characterai", "mem0", "honcho", "other"]
FILE_NAME_CHARACTERS = 255
Speaker = Annotated[str, Field(min_length=1, max_length=SPEAKER_CHARACTERS)]


class ForeignExport(RequestModel):
    """A file of another program's export, or a part of one."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "program": "mem0",
                    "text": '{"results": [{"id": "m1", "memory": "Plays the cello", "user_id": "ada"}]}',
                }
            ]
        }
    )

    program: Program = Field(description="The program that wrote the export; `other` for one that has no name here.")
    text: str = Field(description="The file's content; for a ZIP archive, that of one file in it.")
    file: str = Field(
        "export.json", min_length=1, max_length=FILE_NAME_CHARACTERS, description="The file's name, without its folder."
    )
    modified: Moment | None = Field(
        None, description="When the file was written; messages of a chat without any time end then."
    )
    me: Speaker | None = Field(None, description="The user's name in the export, where its format leaves it open.")
    companion: Speaker | None = Field(None, description="The Being's speaker name; all others are then third persons.")
    aged: bool = Field(
        False, description="Whether memories are born with the age that daily patrols would have given them since."
    )


class SetAside(Answer):
    """An entry that can't be imported."""

    place: str = Field(description="Where it is in the file, as `conversation 3`.")
    reason: str = Field(description="Why it can't be imported.")


class ForeignImport(Answer):
    """The outcome of the entries of an export."""

    messages: int = Field(description="Messages that are stored now, and were not before.")
    retracted: int = Field(description="Those of them that are on other branches, and so retracted.")
    facts: int = Field(description="Statements about the user that became facts.")
    notes: int = Field(description="Texts that are kept as knowledge notes.")
    known: int = Field(description="Entries that were stored before.")
    erased: int = Field(description="Entries that were erased before, and stay so.")
    shortened: int = Field(description="Messages of which only the beginning is kept.")
    left_out: dict[str, int] = Field(description="How many entries are not to be taken in, by the reason.")
    set_aside: list[SetAside] = Field(description="Entries that can't be imported.")
