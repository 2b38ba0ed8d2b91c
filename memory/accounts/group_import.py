"""Imports group chats of SillyTavern: a group becomes a room, its members Beings, each line a message to those present.

A group's file names its chats, and its members by their pictures. A line has its speaker's picture. The members present
are those that the extension Presence noted at the line, else the unmuted ones, as in `adapters/sillytavern`.
The rest is as for other imports: the same files again change nothing.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from memory.accounts import beings, rooms
from memory.accounts.access import Caller
from memory.intake.importers import sillytavern
from memory.intake.importers.entries import Conversation, ExportPersons, UnreadableEntry
from memory.intake.importers.importing import EntryOutcomes
from memory.intake.importers.reading.files import export_files
from memory.intake.room_messages import accept_utterances
from memory.text.errors import InvalidRequest
from schemas.accounts.accounts import Being, NewBeing
from schemas.accounts.slugs import slug_of
from schemas.limits import BATCH_ITEMS, NAME_CHARACTERS, ROOM_MEMBERS
from schemas.settings import Settings
from schemas.talk.rooms import NewRoom, Room, RoomChanges
from schemas.text.storable import storable
from store.database import Store
from store.talk import messages
from store.talk.rooms import Place

# The program names a group's file by the time at which the group was made.
GROUPS = r"\d+\.json"
GROUP_BYTES = 8 << 20
NOT_CHOSEN = "alternatives that were not chosen"
UNHEARD = "lines at which no member was there"


@dataclass(frozen=True)
class _Group:
    """A group: the names of its members' pictures, those that are muted, and the names of its chats."""

    name: str
    members: tuple[str, ...]
    muted: frozenset[str]
    chats: frozenset[str]


@dataclass
class GroupImport:
    """One import of a user's groups.

    Attributes:
        settings: Thresholds of intake.
        caller: The user, with every right.
        names: The zone of the chats' times.
        set_aside: Receives every entry that can't be imported.
        done: The outcome of the entries until now.
    """

    store: Store
    settings: Settings
    caller: Caller
    names: ExportPersons
    set_aside: Callable[[UnreadableEntry], object]
    done: EntryOutcomes = field(default_factory=EntryOutcomes)
    _beings: dict[str, Being] = field(default_factory=dict, init=False)

    def take(self, path: Path) -> Iterator[EntryOutcomes]:
        """Import the group chats of a folder or ZIP archive of the program's data; yields a report after each.

        Raises:
            InvalidRequest: It holds no group.
            IntakeFull, Unavailable: As `Import.take`.
            Refused: The user would have too many Beings; the chats before are committed.
        """
        self._beings = {being.slug: being for being in beings.opened_by(self.store, self.caller)}
        groups = _groups(path)
        of_chats = {chat: group for group in groups for chat in group.chats}
        shown = _names_of_members(path, of_chats)
        into: dict[_Group, tuple[Room, dict[str, str]]] = {}
        for file in export_files(path, sillytavern.FILES):
            group = of_chats.get(PurePath(file.name).stem)
            if group is None:
                continue
            if group not in into:
                slugs = {member: self._being(shown.get(member, PurePath(member).stem)) for member in group.members}
                into[group] = self._room(group.name, list(slugs.values())), slugs
            room, slugs = into[group]
            try:
                entries, lines = sillytavern.read_group(file, self.names)
            except InvalidRequest as fault:
                # The other chats are taken in all the same.
                self._put_aside(UnreadableEntry(file.name, str(fault), None))
                continue
            for entry in entries:
                if isinstance(entry, UnreadableEntry):
                    self._put_aside(entry)
                elif isinstance(entry, Conversation):
                    self._take(entry, room, [_utterance(one, lines, slugs, group) for one in storable(entry.chosen)])
            yield self.done

    def _being(self, name: str) -> str:
        """The slug of the Being of a character, which is made if there is none."""
        slug = slug_of(name)
        if slug not in self._beings:
            new = NewBeing(name=name[:NAME_CHARACTERS], slug=slug)
            self._beings[slug] = beings.make(self.store, self.settings, self.caller.user_id, new)
        return slug

    def _room(self, name: str, members: list[str]) -> Room:
        """The room of a group, which is made if there is none; the group's members take part in it."""
        slug = slug_of(name)
        for room in rooms.opened_by(self.store, self.caller):
            if room.slug == slug:
                changes = RoomChanges(beings=[*dict.fromkeys([*room.beings, *members])])
                return rooms.change(self.store, self.caller, str(room.room_id), changes)
        new = NewRoom(name=name[:NAME_CHARACTERS], slug=slug, beings=members)
        return rooms.make(self.store, self.caller.user_id, new)

    def _take(self, chat: Conversation, room: Room, utterances: list[dict[str, Any]]) -> None:
        unheard = sum(not one["present"] for one in utterances)
        for reason, number in {**chat.left_out, NOT_CHOSEN: len(chat.off_branch), UNHEARD: unheard}.items():
            self.done.leave_out(reason, number)
        place = Place(self.caller.user_id, room.room_id)
        heard = self._heard(room, [one["id"] for one in utterances])
        new = [one for one in utterances if any(one["id"] not in heard[slug] for slug in one["present"])]
        self.done.known += len(utterances) - len(new) - unheard
        for begin in range(0, len(new), BATCH_ITEMS):
            some = new[begin : begin + BATCH_ITEMS]
            receipt = accept_utterances(self.store, self.settings, place, some)
            self.done.messages += receipt.accepted
            self.done.account(receipt)
            for trouble in receipt.rejected + receipt.conflicts:
                self._put_aside(UnreadableEntry("a line of a group", trouble.reason, some[trouble.position]))

    def _heard(self, room: Room, ids: list[str]) -> dict[str, set[str]]:
        """Return the utterances among these ids that each Being of a room has, by its slug."""
        with self.store.transaction() as tx:
            return {
                slug: set(messages.known(tx, being.being_id, ids))
                for slug, being in self._beings.items()
                if slug in room.beings
            }

    def _put_aside(self, bad: UnreadableEntry) -> None:
        self.done.set_aside += 1
        self.set_aside(bad)


def _groups(path: Path) -> list[_Group]:
    found = []
    for file in export_files(path, GROUPS):
        try:
            read = json.loads(file.content.read(GROUP_BYTES))
        except ValueError:
            continue
        if isinstance(read, dict) and (members := _texts(read.get("members"))):
            written = storable(read.get("name"))
            name = written if isinstance(written, str) and written.strip() else "Group"
            chats = frozenset(_texts(read.get("chats")))
            muted = frozenset(_texts(read.get("disabled_members")))
            found.append(_Group(name, tuple(members[:ROOM_MEMBERS]), muted, chats))
    if not found:
        raise InvalidRequest(f"{path.name} holds no group of SillyTavern.")
    return found


def _names_of_members(path: Path, of_chats: Mapping[str, _Group]) -> dict[str, str]:
    """Read the names of characters by their pictures from the lines of groups' chats; the last one holds."""
    found: dict[str, str] = {}
    for file in export_files(path, sillytavern.FILES):
        if PurePath(file.name).stem in of_chats:
            # The import of the chat itself reports an unreadable file.
            with suppress(InvalidRequest):
                for _, line in sillytavern.lines(file):
                    name = storable(line.get("name")) if isinstance(line, dict) and not line.get("is_user") else None
                    if isinstance(name, str) and name.strip():
                        found[str(line.get("original_avatar"))] = name
    return found


def _utterance(
    one: dict[str, Any], lines: Mapping[str, Mapping[str, Any]], slugs: Mapping[str, str], group: _Group
) -> dict[str, Any]:
    """Turn a message of a group's chat into an utterance in its room."""
    line = lines.get(one["id"], {})
    picture = line.get("original_avatar")
    noted = line.get("present")
    there = _texts(noted) if isinstance(noted, list) else [one for one in group.members if one not in group.muted]
    speaker = slugs.get(picture) if one["role"] != "user" and isinstance(picture, str) else None
    kept = {name: one[name] for name in ("id", "content", "created_at")}
    by = {"role": "user" if one["role"] == "user" else "other", "speaker": one.get("speaker")}
    return {
        **kept,
        **({"speaker_being": speaker} if speaker else by),
        "present": [*dict.fromkeys(slugs[member] for member in group.members if member in there or member == picture)],
    }


def _texts(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
