"""`patrol user` and `patrol being`: people, and the Beings that they own."""

from decimal import Decimal
from typing import Annotated

from typer import Argument, Option, Typer

from cli.ledger import find_being, find_user, opened
from cli.options import BeingOption, JsonOption, OwnerOption, UserOption
from cli.output import count, day, say, say_json, table, words
from cli.typed import read
from schemas.requests import Name, NewBeing
from store import users as accounts

users = Typer(help="People, who own Beings.", no_args_is_help=True)
beings = Typer(help="Beings, who remember.", no_args_is_help=True)


@users.command("add")
def add_user(
    name: Annotated[str, Argument(metavar="NAME", help="What to call the person; no two have one name.")],
    time_zone: Annotated[str, Option(metavar="ZONE", help="Where their days begin, such as Europe/Lisbon.")] = "UTC",
    *,
    as_json: JsonOption = False,
) -> None:
    """Add a user."""
    name = read(Name, name)
    with opened() as on, on.store.transaction() as tx:
        user = accounts.add_user(tx, name, time_zone)
    if as_json:
        say_json(user)
    else:
        say(f"User {words(user.name)} is there, with the id {user.user_id}.")


@users.command("list")
def list_users(*, as_json: JsonOption = False) -> None:
    """List all users, oldest first."""
    with opened() as on, on.store.transaction() as tx:
        found = accounts.all_users(tx)
    if as_json:
        return say_json(found)
    shown = table("*user", "time zone", "since", "id")
    for user in found:
        shown.add_row(words(user.name), user.time_zone, day(user.created_at), str(user.user_id))
    say(shown if found else "There is no user yet. Add one: patrol user add NAME")
    return None


@beings.command("add")
def add_being(
    slug: Annotated[
        str, Argument(metavar="SLUG", help="What commands call the Being: letters a to z, digits, _ and -.")
    ],
    owner: UserOption,
    name: Annotated[str | None, Option(help="What people call it.", show_default="the slug")] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Add a Being of a user's."""
    asked: NewBeing = read(NewBeing, {"slug": slug, "name": name or slug})
    with opened() as on, on.store.transaction() as tx:
        user = find_user(tx, owner)
        being = accounts.add_being(tx, user.user_id, asked.slug, asked.name)
    if as_json:
        say_json(being)
    else:
        say(f"Being {being.slug} of {words(user.name)}'s is there, with the id {being.being_id}.")


@beings.command("list")
def list_beings(
    owner: Annotated[
        str | None,
        Option("--user", "-u", metavar="NAME|ID", help="Whose; without, everybody's.", show_default=False),
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """List Beings, oldest first."""
    with opened() as on, on.store.transaction() as tx:
        found = accounts.all_beings(tx) if owner is None else accounts.beings_of(tx, find_user(tx, owner).user_id)
        names = {user.user_id: user.name for user in accounts.all_users(tx)}
    if as_json:
        return say_json(found)
    shown = table("*being", "*of", "*name", ">patrols", "id")
    for being in found:
        shown.add_row(
            being.slug,
            words(names[being.user_id]),
            words(being.name),
            str(being.patrol_counter),
            str(being.being_id),
        )
    say(shown if found else "There is no Being yet. Add one: patrol being add --user NAME SLUG")
    return None


@beings.command("budget")
def set_budget(
    being: BeingOption = None,
    owner: OwnerOption = None,
    cost: Annotated[float | None, Option(min=0, help="Dollars a day.", show_default="as the settings say")] = None,
    tokens: Annotated[int | None, Option(min=0, help="Tokens a day.", show_default="as the settings say")] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Say what a Being's models may use in one day of its user's; without options, what the settings say.

    When it is spent, patrols do what takes no model, nothing is dropped, and thinking goes on the next day.
    """
    with opened() as on:
        whose = find_being(on.store, being, owner)
        changes = {"daily_cost": None if cost is None else Decimal(str(cost)), "daily_tokens": tokens}
        with on.store.transaction() as tx:
            changed = accounts.change_being(tx, whose.being_id, changes)
    if as_json:
        return say_json(changed)
    limits = [f"{cost:g} dollars"] if cost is not None else []
    limits += [count(tokens, "token")] if tokens is not None else []
    said = " and ".join(limits)
    say(f"{changed.slug}'s models may use {said} a day." if said else f"{changed.slug} has the budget of the settings.")
    return None
