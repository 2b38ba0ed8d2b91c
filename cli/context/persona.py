"""`patrol soul`, `patrol persona` and `patrol user-model`."""

from typing import Annotated
from uuid import UUID

from typer import Argument, Option, Typer

from cli.console.failures import Failure
from cli.console.ledger import find_being, find_user, opened
from cli.console.options import BeingOption, JsonOption, OwnerOption, UserOption
from cli.console.output import remark, say, say_json, say_list, short, table, words
from cli.console.typed import read
from schemas.context.persona import (
    NewPersonaEntry,
    NewUserModel,
    PersonaChanges,
    PersonaEntry,
    PersonaKind,
    SoulChanges,
    WholeSoul,
)
from store.accounts import request_answers
from store.context import persona as lists
from store.context import souls
from store.transaction import Transaction

soul = Typer(help="A Being's soul and its state.", no_args_is_help=True)
persona = Typer(help="A Being's rules, preferences, relationships, tools, map and skills.", no_args_is_help=True)
user_model = Typer(help="The user model: the description of a user as a person.", no_args_is_help=True)

KindArgument = Annotated[PersonaKind, Argument(help="Which list.")]
EntryArgument = Annotated[str, Argument(metavar="ENTRY", help="The entry: its name, its id, or the end of its id.")]
NameOption = Annotated[str | None, Option(help="The entry's name.", show_default=False)]
ContentOption = Annotated[str | None, Option(help="The entry's text.", show_default=False)]
PositionOption = Annotated[int | None, Option(help="Entries are shown by position.", show_default=False)]


def _part(help_: str) -> object:
    return Option(help=f"{help_} An empty text removes it.", show_default=False)


@soul.command("show")
def show_soul(being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False) -> None:
    """Show a Being's soul and its state."""
    with opened() as on:
        target = find_being(on.store, being, owner)
        with on.store.transaction() as tx:
            found = _soul(tx, target.being_id)
    _print_soul(found, as_json=as_json)


@soul.command("set")
def set_soul(
    being: BeingOption = None,
    owner: OwnerOption = None,
    personality: Annotated[str | None, _part("Its personality.")] = None,
    voice: Annotated[str | None, _part("Its way of speaking.")] = None,
    values: Annotated[str | None, _part("Its values.")] = None,
    backstory: Annotated[str | None, _part("Its backstory.")] = None,
    inner_world: Annotated[str | None, _part("Its inner world.")] = None,
    examples: Annotated[str | None, _part("Examples of its answers.")] = None,
    think_md: Annotated[str | None, _part("Its notes for the next session; patrols write them.")] = None,
    partner_type: Annotated[
        str | None, Option(help="The user's relation to the Being, such as friend.", show_default=False)
    ] = None,
    project: Annotated[str | None, _part("The project it works on.")] = None,
    mood: Annotated[str | None, _part("Its mood.")] = None,
    topic: Annotated[str | None, _part("The topic of the talk.")] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Change parts of a Being's soul or of its state; omitted parts stay."""
    given = {
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
    changes: SoulChanges = read(SoulChanges, given)
    with opened() as on:
        target = find_being(on.store, being, owner)
        with on.store.transaction() as tx:
            if parts := changes.of_soul():
                lists.write_soul(tx, target.being_id, parts)
            if parts := changes.of_state():
                lists.set_state(tx, target.being_id, parts)
            found = _soul(tx, target.being_id)
    _print_soul(found, as_json=as_json)


@persona.command("list")
def list_persona(
    kind: KindArgument, being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False
) -> None:
    """List the entries of one of a Being's lists, in the order of contexts."""
    with opened() as on:
        target = find_being(on.store, being, owner)
        with on.store.transaction() as tx:
            found = lists.listed(tx, target.being_id, kind)
    if as_json:
        return say_list("entries", found)
    shown = table("entry", "name", "enabled", ">position", "*content")
    for one in found:
        enabled = "yes" if one.enabled else "no"
        shown.add_row(short(one.entry_id), words(one.name), enabled, str(one.position), words(one.content))
    if found:
        say(shown)
    else:
        remark("The list is empty.")
    return None


@persona.command("add")
def add_persona(
    kind: KindArgument,
    name: Annotated[str, Argument(metavar="NAME", help="The entry's name, unique in its list.")],
    content: Annotated[str, Argument(metavar="CONTENT", help="The entry's text.")],
    being: BeingOption = None,
    owner: OwnerOption = None,
    position: Annotated[int, Option(help="Entries are shown by position.")] = 0,
    *,
    as_json: JsonOption = False,
) -> None:
    """Add an entry to one of a Being's lists."""
    new: NewPersonaEntry = read(NewPersonaEntry, {"name": name, "content": content, "position": position})
    with opened() as on:
        target = find_being(on.store, being, owner)
        with on.store.transaction() as tx:
            entry = lists.add(tx, target.being_id, kind, new.model_dump())
    _print_entry("Added", entry, as_json=as_json)


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
    given = {"name": name, "content": content, "position": position, "enabled": enabled}
    changes: PersonaChanges = read(PersonaChanges, given)
    with opened() as on:
        target = find_being(on.store, being, owner)
        with on.store.transaction() as tx:
            entry_id = _find(lists.listed(tx, target.being_id, kind), entry)
            changed = lists.change(tx, target.being_id, kind, entry_id, changes.model_dump())
    _print_entry("Changed", changed, as_json=as_json)


@persona.command("remove")
def remove_persona(
    kind: KindArgument, entry: EntryArgument, being: BeingOption = None, owner: OwnerOption = None
) -> None:
    """Remove an entry."""
    with opened() as on:
        target = find_being(on.store, being, owner)
        with on.store.transaction() as tx:
            lists.remove(tx, target.being_id, kind, _find(lists.listed(tx, target.being_id, kind), entry))
            request_answers.forget(tx, target.user_id)
    say(f"Removed: {words(entry)}")


@user_model.command("show")
def show_user_model(user: UserOption, *, as_json: JsonOption = False) -> None:
    """Show the user model."""
    with opened() as on, on.store.transaction() as tx:
        found = lists.user_model(tx, find_user(tx, user).user_id)
    if as_json:
        say_json(found)
    elif found:
        say(words(found.content))
    else:
        remark("This user has no user model.")


@user_model.command("set")
def set_user_model(
    user: UserOption,
    content: Annotated[str, Argument(metavar="CONTENT", help="The description of the user as a person.")],
) -> None:
    """Replace the user model."""
    new: NewUserModel = read(NewUserModel, {"content": content})
    with opened() as on, on.store.transaction() as tx:
        lists.write_user_model(tx, find_user(tx, user).user_id, new.content)
    say("The user model is replaced. Each session is shown it once.")


@user_model.command("remove")
def remove_user_model(user: UserOption) -> None:
    """Remove the user model."""
    with opened() as on, on.store.transaction() as tx:
        user_id = find_user(tx, user).user_id
        lists.remove_user_model(tx, user_id)
        request_answers.forget(tx, user_id)
    say("Removed.")


def _soul(tx: Transaction, being_id: UUID) -> WholeSoul:
    return WholeSoul(soul=souls.get(tx, being_id), state=lists.state(tx, being_id))


def _print_soul(found: WholeSoul, *, as_json: bool) -> None:
    if as_json:
        return say_json(found)
    shown = table("part", "*text")
    for name, text in {**found.soul.model_dump(), **found.state.model_dump()}.items():
        if isinstance(text, str) and text:
            shown.add_row(name, words(text))
    return say(shown)


def _print_entry(done: str, entry: PersonaEntry, *, as_json: bool) -> None:
    if as_json:
        say_json(entry)
    else:
        say(f"{done}: {words(entry.name)} ({short(entry.entry_id)})")


def _find(found: list[PersonaEntry], name: str) -> UUID:
    """The id of the entry with this name, or with an id that ends so.

    Raises:
        Failure: No entry or several entries match.
    """
    matching = [one for one in found if one.name == name] or [one for one in found if str(one.entry_id).endswith(name)]
    if len(matching) == 1:
        return matching[0].entry_id
    raise Failure(f"{'Several entries match' if matching else 'No entry matches'} {words(name)}: name one by its id.")
