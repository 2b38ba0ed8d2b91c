"""`patrol rooms`: conversations of several Beings of a user."""

from typing import Any

from cli.console.declared import Group
from cli.console.output import listing
from operations.talk import rooms as operations
from schemas.talk.rooms import Room, RoomPage


def _table(*rooms: Room) -> list[Any]:
    rows = ((one.name, one.slug, ", ".join(one.beings), ", ".join(one.people), one.created_at) for one in rooms)
    none = "There is no room. Make one: patrol rooms add NAME BEING... --user NAME"
    return [listing(none, "*room", "slug", "*Beings", "*people", "since", rows=rows)]


rooms = Group(
    operations,
    "Rooms, in which several Beings of a user take part.",
    views={Room: _table, RoomPage: lambda page: _table(*page.rooms)},
).commands
