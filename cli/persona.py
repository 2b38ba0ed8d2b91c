"""`patrol soul`, `patrol persona`, `patrol user-model`: who a Being is, and whom it talks to."""

from typing import Annotated
from uuid import UUID

from typer import Argument, Option, Typer

from cli.failures import Failure
from cli.ledger import find_being, find_user, opened
from cli.options import BeingOption, JsonOption, OwnerOption, UserOption
from cli.output import remark, say, say_json, short, table, words
from cli.typed import read
from schemas.persona import (
    NewPersonaEntry,
    NewUserModel,
    PersonaChanges,
    PersonaEntry,
    PersonaKind,
    SoulChanges,
    WholeSoul,
)
from store import persona as lists
from store import souls
from store.transaction import Transaction

soul = Typer(help="Who a Being is, and what it is at.", no_args_is_help=True)
persona = Typer(help="A Being's rules, preferences, relationships, tools, map and skills.", no_args_is_help=True)
user_model = Typer(help="What is known about a user as a person.", no_args_is_help=True)

KindArgument = Annotated[PersonaKind, Argument(help="Which list.")]
EntryArgument = Annotated[str, Argument(metavar="ENTRY", help="The entry: its name, its id, or the end of its id.")]
NameOption = Annotated[str | None, Option(help="What to call it.", show_default=False)]
ContentOption = Annotated[str | None, Option(help="What it says.", show_default=False)]
PositionOption = Annotated[int | None, Option(help="Entries are read by position.", show_default=False)]


def _part(help_: str) -> object:
    return Option(help=f"{help_} Empty takes it away.", show_default=False)


@soul.command("show")
def show_soul(being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False) -> None:
    """Show who a Being is, and what it is at."""
    with opened() as on:
        whose = find_being(on.store, being, owner)
        with on.store.transaction() as tx:
            found = _soul(tx, whose.being_id)
    _tell_soul(found, as_json=as_json)


@soul.command("set")
def set_soul(
    being: BeingOption = None,
    owner: OwnerOption = None,
    personality: Annotated[str | None, _part("What it is like.")] = None,
    voice: Annotated[str | None, _part("How it speaks.")] = None,
    values: Annotated[str | None, _part("What it holds dear.")] = None,
    backstory: Annotated[str | None, _part("Where it comes from.")] = None,
    inner_world: Annotated[str | None, _part("What goes on inside it.")] = None,
    examples: Annotated[str | None, _part("How it answers, by example.")] = None,
    think_md: Annotated[str | None, _part("What it noted for the next conversation.")] = None,
    partner_type: Annotated[str | None, Option(help="What the one it talks to is to it.", show_default=False)] = None,
    project: Annotated[str | None, _part("What it is working on.")] = None,
    mood: Annotated[str | None, _part("How it feels.")] = None,
    topic: Annotated[str | None, _part("What the talk is about.")] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Write parts of a Being's soul, or of what it is at; what is not named stays."""
    said = {
        "personality": personality,
        "voice": voice,
        "values": values,
        "backstory": backstory,
        "inner_world": inner_world,
        "examples": examples,
        "think_md": think_md,
        "partner_type": partner_type,
        "project": project,
        "mood": mood,
        "topic": topic,
    }
    changes: SoulChanges = read(SoulChanges, said)
    with opened() as on:
        whose = find_being(on.store, being, owner)
        with on.store.transaction() as tx:
            if parts := changes.of_soul():
                lists.write_soul(tx, whose.being_id, parts)
            if parts := changes.of_state():
                lists.set_state(tx, whose.being_id, parts)
            found = _soul(tx, whose.being_id)
    _tell_soul(found, as_json=as_json)


@persona.command("list")
def list_persona(
    kind: KindArgument, being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False
) -> None:
    """List the entries of one of a Being's lists, as contexts read them."""
    with opened() as on:
        whose = find_being(on.store, being, owner)
        with on.store.transaction() as tx:
            found = lists.listed(tx, whose.being_id, kind)
    if as_json:
        return say_json(found)
    shown = table("entry", "name", "shown", ">position", "*content")
    for one in found:
        enabled = "yes" if one.enabled else "no"
        shown.add_row(short(one.entry_id), words(one.name), enabled, str(one.position), words(one.content))
    if found:
        say(shown)
    else:
        remark("There are none.")
    return None


@persona.command("add")
def add_persona(
    kind: KindArgument,
    name: Annotated[str, Argument(metavar="NAME", help="What to call it; no two of a list have one name.")],
    content: Annotated[str, Argument(metavar="CONTENT", help="What it says.")],
    being: BeingOption = None,
    owner: OwnerOption = None,
    position: Annotated[int, Option(help="Entries are read by position.")] = 0,
    *,
    as_json: JsonOption = False,
) -> None:
    """Add an entry to one of a Being's lists."""
    new: NewPersonaEntry = read(NewPersonaEntry, {"name": name, "content": content, "position": position})
    with opened() as on:
        whose = find_being(on.store, being, owner)
        with on.store.transaction() as tx:
            entry = lists.add(tx, whose.being_id, kind, new.model_dump())
    _tell_entry("Added", entry, as_json=as_json)


@persona.command("change")
def change_persona(
    kind: KindArgument,
    entry: EntryArgument,
    being: BeingOption = None,
    owner: OwnerOption = None,
    name: NameOption = None,
    content: ContentOption = None,
    position: PositionOption = None,
    enabled: Annotated[
        bool | None, Option("--enable/--disable", help="Whether contexts show it.", show_default=False)
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Change an entry, enable it or disable it."""
    said = {"name": name, "content": content, "position": position, "enabled": enabled}
    changes: PersonaChanges = read(PersonaChanges, said)
    with opened() as on:
        whose = find_being(on.store, being, owner)
        with on.store.transaction() as tx:
            meant = _find(lists.listed(tx, whose.being_id, kind), entry)
            changed = lists.change(tx, whose.being_id, kind, meant, changes.model_dump())
    _tell_entry("Changed", changed, as_json=as_json)


@persona.command("remove")
def remove_persona(
    kind: KindArgument, entry: EntryArgument, being: BeingOption = None, owner: OwnerOption = None
) -> None:
    """Remove an entry."""
    with opened() as on:
        whose = find_being(on.store, being, owner)
        with on.store.transaction() as tx:
            lists.remove(tx, whose.being_id, kind, _find(lists.listed(tx, whose.being_id, kind), entry))
    say(f"Removed: {words(entry)}")


@user_model.command("show")
def show_user_model(user: UserOption, *, as_json: JsonOption = False) -> None:
    """Show what is known about a user as a person."""
    with opened() as on, on.store.transaction() as tx:
        found = lists.user_model(tx, find_user(tx, user).user_id)
    if as_json:
        say_json(found)
    elif found:
        say(words(found.content))
    else:
        remark("Nothing is known yet.")


@user_model.command("set")
def set_user_model(
    user: UserOption, content: Annotated[str, Argument(metavar="CONTENT", help="What is known about the user.")]
) -> None:
    """Keep this in place of what was known about a user as a person."""
    new: NewUserModel = read(NewUserModel, {"content": content})
    with opened() as on, on.store.transaction() as tx:
        lists.write_user_model(tx, find_user(tx, user).user_id, new.content)
    say("Kept; each conversation is shown it once.")


@user_model.command("remove")
def remove_user_model(user: UserOption) -> None:
    """Know nothing more about a user as a person."""
    with opened() as on, on.store.transaction() as tx:
        lists.remove_user_model(tx, find_user(tx, user).user_id)
    say("Removed.")


def _soul(tx: Transaction, being_id: UUID) -> WholeSoul:
    return WholeSoul(soul=souls.get(tx, being_id), state=lists.state(tx, being_id))


def _tell_soul(found: WholeSoul, *, as_json: bool) -> None:
    if as_json:
        return say_json(found)
    shown = table("part", "*says")
    for name, text in {**found.soul.model_dump(), **found.state.model_dump()}.items():
        if isinstance(text, str) and text:
            shown.add_row(name, words(text))
    return say(shown)


def _tell_entry(done: str, entry: PersonaEntry, *, as_json: bool) -> None:
    if as_json:
        say_json(entry)
    else:
        say(f"{done}: {words(entry.name)} ({short(entry.entry_id)})")


def _find(found: list[PersonaEntry], name: str) -> UUID:
    """The id of the entry that is meant.

    Raises:
        Failure: There is none, or there are several.
    """
    meant = [one for one in found if one.name == name] or [one for one in found if str(one.entry_id).endswith(name)]
    if len(meant) == 1:
        return meant[0].entry_id
    raise Failure(f"{'Several entries answer' if meant else 'No entry answers'} to {words(name)}.")
