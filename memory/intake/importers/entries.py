"""The entries that a reader of another program's export yields."""

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from functools import lru_cache
from typing import IO, Any, Protocol

from schemas.limits import PRODUCER_ID_CHARACTERS
from schemas.text.storable import decoded

# NUL and halves of a surrogate pair, which no id may have.
_UNFIT = re.compile(r"[\x00\ud800-\udfff]")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Ids as databases and services of accounts make them, which no person gives as a name.
DATABASE_ID = re.compile(r"(?=\D*\d)[\w|:.-]{20,}|[0-9]+")
NOT_UTF8 = "some of its bytes are no UTF-8: U+FFFD stands for them"


@dataclass(frozen=True, slots=True)
class ExportFile:
    """One file of an export.

    Attributes:
        name: Its name without a folder.
        content: Its bytes in UTF-8.
        modified: When it was written.
        encoding: The encoding detected by its letters; None where it is in UTF-8, or has a mark of its encoding.
    """

    name: str
    content: IO[bytes]
    modified: datetime | None = None
    encoding: str | None = None


@dataclass(slots=True)
class ExportPersons:
    """The persons of the export, of all its files, and the time zone of its local times.

    Attributes:
        user: The name or id of the user in the export; None where the format says it, or the usual names apply.
        companion: The name of the Being in the export; None: every speaker but the user is the Being.
        zone: The user's time zone.
        owner: The owner of the entries that come in where `user` is no owner's id: the first one that was read.
    """

    user: str | None
    companion: str | None
    zone: tzinfo
    owner: str | None = None

    def role(self, name: str | None, *, is_user: bool) -> str:
        """Return the role of a speaker: `user`, `assistant`, or `other` for a third one."""
        if is_user:
            return "user"
        return "assistant" if self.companion is None or name is None or _same(name, self.companion) else "other"

    def is_user(self, name: str, usual: Collection[str]) -> bool:
        """Return whether a name is the user's: the caller's one, else a usual one."""
        return _same(name, self.user) if self.user is not None else name.casefold() in usual


@dataclass(frozen=True, slots=True)
class UnreadableEntry:
    """An entry that can't be imported.

    Attributes:
        place: Its place, as "conversation 3"; without words of it.
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
        bad: The entries that could not be read.
        left_out: How many entries are no talk, or not to be imported, by the reason.
    """

    messages: Sequence[dict[str, Any]]
    off_branch: Sequence[str] = ()
    bad: Sequence[UnreadableEntry] = field(default_factory=list)
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def conversation(self) -> str | None:
        """The id of the conversation, as messages have it; None if they belong to none."""
        return next((message.get("conversation") for message in self.messages), None)

    @property
    def chosen(self) -> list[dict[str, Any]]:
        """The messages on the branch that the person has chosen."""
        beside = set(self.off_branch)
        return [message for message in self.messages if message["id"] not in beside]


@dataclass(frozen=True, slots=True)
class ExcludedEntry:
    """An entry that was read, and is not to be imported; the reason has no words of it."""

    reason: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement about the user; `told_at` is None where the export does not say when it was made."""

    place: str
    content: str
    told_at: datetime | None


@dataclass(frozen=True, slots=True)
class Knowledge:
    """A text that is kept as a knowledge note, in every context or for searches alone."""

    place: str
    id: str
    title: str
    content: str
    in_snapshot: bool = True


Entry = Conversation | Statement | Knowledge | ExcludedEntry | UnreadableEntry


class Owners:
    """Separates the user's entries from those of other users, as an export of a whole system has them.

    They are those of the id that the caller gave. Without one, or with a name where owners are a database's ids, they
    are those of the first owner, and others are reported, so that no other person's entry comes in unnoticed.

    Args:
        names: The persons of the export.
        things: The name of the entries' kind.
    """

    def __init__(self, names: ExportPersons, things: str) -> None:
        self._names, self._things = names, things

    def of_another(self, place: str, owner: str | None, exported: Any) -> UnreadableEntry | ExcludedEntry | None:
        """Return the replacement of an entry that is another user's; None for one of the user, or without an owner."""
        names = self._names
        if owner is None:
            return None
        if names.user is None or (DATABASE_ID.fullmatch(owner) and not DATABASE_ID.fullmatch(names.user)):
            names.owner = names.owner or owner
            reason = "it is of another user than the first one: name the user"
            return None if owner == names.owner else UnreadableEntry(place, reason, exported)
        return None if names.is_user(owner, ()) else ExcludedEntry(f"{self._things} of other users")


class Reader(Protocol):
    """Reads one file of an export, as a stream."""

    def __call__(self, file: ExportFile, names: ExportPersons) -> Iterable[Entry]:
        """Yield the entries of the file.

        Raises:
            InvalidRequest: The file is no export of this format.
        """
        ...


def entry_id(*parts: object) -> str:
    """Return a producer's id from the parts that identify an entry; a digest of them if they are no valid id."""
    joined = "/".join(map(str, parts))
    if len(joined) <= PRODUCER_ID_CHARACTERS and not _UNFIT.search(joined):
        return joined
    return f"{parts[0]}/{hashlib.sha256(joined.encode(errors='surrogatepass')).hexdigest()}"


def in_utf8(raw: bytes) -> tuple[str, bool]:
    """Return a text, with U+FFFD for bytes that are no UTF-8, and whether there were some.

    Halves of characters of UTF-16 are kept, for `storable`.
    """
    try:
        return decoded(raw), False
    except UnicodeDecodeError:
        return raw.decode(errors="replace"), True


@lru_cache(maxsize=4096)
def snake_case(name: str) -> str:
    """Return a key as Python's programs write it: `created_at` for JavaScript's `createdAt`."""
    return _HUMP.sub("_", name).lower()


def with_snake_case(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with its keys in snake case."""
    return {snake_case(key): within for key, within in value.items()}


def _same(one: str, other: str) -> bool:
    """Whether two names are the same but for letter case, white space and the way their letters are encoded."""
    return _folded(one) == _folded(other)


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
