"""`patrol rooms`: conversations of several Beings of a user."""

from typing import Any

from cli.console.declared import Group
from cli.console.output import day, table, words
from operations.talk import rooms as operations
from schemas.talk.rooms import Room, RoomPage


def _table(*rooms: Room) -> list[Any]:
    shown = table("*room", "slug", "*Beings", "*people", "since")
    for room in rooms:
        shown.add_row(
            words(room.name),
            room.slug,
            words(", ".join(room.beings)),
            words(", ".join(room.people)),
            day(room.created_at),
        )
    return [shown if rooms else "There is no room. Make one: patrol rooms add NAME BEING... --user NAME"]


rooms = Group(
    operations,
    "Rooms, in which several Beings of a user take part.",
    views={Room: _table, RoomPage: lambda page: _table(*page.rooms)},
).commands
