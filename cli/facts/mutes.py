"""`patrol mute`, `unmute`, `muted`: what is not to be brought up."""

from typing import Any

from cli.console.declared import Group, by_ending
from cli.console.output import short, table, words
from operations.talk import mutes as operations
from schemas.talk.mutes import Mute, MutePage


def _page(page: MutePage) -> list[Any]:
    rows = ((short(one.mute_id), one.muted_at, one.kind, one.items, _called(one)) for one in page.mutes)
    return [table("mute", "since", "kind", "items", "*what", rows=rows)]


def _called(one: Mute) -> str:
    return one.label or one.target


_commands = Group(
    operations,
    "What is not to be brought up.",
    finders={"mute_id": by_ending("mute", "patrol muted")},
    views={MutePage: _page, Mute: lambda one: words(_called(one))},
)

mute = _commands["mute"]
unmute = _commands["unmute"]
muted = _commands["muted"]
