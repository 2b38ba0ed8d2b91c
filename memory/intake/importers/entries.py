"""What a reader of another program's export yields."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import IO, Any, Protocol

from schemas.limits import PRODUCER_ID_CHARACTERS


@dataclass(frozen=True, slots=True)
class ExportFile:
    """One file of an export: its name without a folder, and its bytes."""

    name: str
    content: IO[bytes]


@dataclass(frozen=True, slots=True)
class Names:
    """Who is who in the export, and in which time zone local times are meant.

    Attributes:
        user: The name or id of the user in the export; None where the format says it, or the usual names apply.
        companion: The name of the Being in the export; None: every speaker but the user is the Being.
        zone: The user's time zone.
    """

    user: str | None
    companion: str | None
    zone: tzinfo

    def role(self, name: str | None, *, is_user: bool) -> str:
        """Return the role of a speaker: `user`, `assistant`, or `other` for a third one."""
        if is_user:
            return "user"
        return "assistant" if self.companion is None or name == self.companion else "other"


@dataclass(frozen=True, slots=True)
class Bad:
    """An entry that can't be imported.

    Attributes:
        place: Where it is, as "conversation 3"; without words of it.
        reason: Why it can't be imported; without words of it.
        entry: The entry, to be set aside.
    """

    place: str
    reason: str
    entry: Any


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages of a conversation, in its order.

    Attributes:
        messages: Each as it would be handed in, with an id that is the same in every import.
        off_branch: The ids of messages that are not on the branch that the person has chosen.
        bad: What could not be read.
    """

    messages: Sequence[dict[str, Any]]
    off_branch: Sequence[str] = ()
    bad: Sequence[Bad] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement about the user; `told_at` is None where the export does not say when it was made."""

    place: str
    content: str
    told_at: datetime | None


@dataclass(frozen=True, slots=True)
class Knowledge:
    """A text that is kept as a knowledge note."""

    place: str
    id: str
    title: str
    content: str


Entry = Conversation | Statement | Knowledge | Bad


class Reader(Protocol):
    """Reads one file of an export, as a stream."""

    def __call__(self, file: ExportFile, names: Names) -> Iterable[Entry]:
        """Yield the entries of the file.

        Raises:
            InvalidRequest: The file is no export of this format.
        """
        ...


def entry_id(*parts: object) -> str:
    """Return a producer's id from the parts that identify an entry; a digest of them if they are too long for one."""
    joined = "/".join(map(str, parts))
    if len(joined) <= PRODUCER_ID_CHARACTERS:
        return joined
    return f"{parts[0]}/{hashlib.sha256(joined.encode(errors='surrogatepass')).hexdigest()}"
