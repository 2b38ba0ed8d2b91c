"""`patrol user` and `patrol being`: users and their Beings."""

from decimal import Decimal
from typing import Annotated

from typer import Argument, Option, Typer

from cli.console.declared import Group
from cli.console.ledger import every_right, find_being, find_user, open_ledger
from cli.console.options import BeingOption, JsonOption, OwnerOption, UserOption
from cli.console.output import count, listing, moment, say_answer, say_list, table, words
from cli.console.typed import read
from memory.accounts import lookup, user_accounts
from operations.accounts import being as of_being
from operations.accounts.beings import create_being
from operations.accounts.users import change_user
from schemas.accounts.accounts import Being, NewBeing, User, UserChanges
from schemas.wire.requests import Name
from workers.runtime.resources import Resources

users = Typer(help="Users: a user is one person.", no_args_is_help=True)
beings = Group(
    of_being,
    "Beings: a Being is one AI companion of one user.",
    views={
        "record": lambda being: f"{being.slug}: {_record_of(being)}.",
        "budget": lambda being: _budget_of(being.slug, being),
    },
    views_of_beings={"scenes": lambda being, on, _: [f"Scenes from {being.slug}'s talk: {_scenes_of(being, on)}."]},
).commands


@users.command("add")
def add_user(
    name: Annotated[str, Argument(metavar="NAME", help="The person's name, which no other user has.")],
    time_zone: Annotated[str, Option(metavar="ZONE", help="The person's time zone, such as Europe/Lisbon.")] = "UTC",
    *,
    as_json: JsonOption = False,
) -> None:
    """Create a user."""
    name = read(Name, name)
    with open_ledger() as on:
        user = user_accounts.add(on.store, name, time_zone)
    say_answer(user, f"User {words(user.name)} is there, with the id {user.user_id}.", as_json=as_json)


@users.command("list")
def list_users(*, as_json: JsonOption = False) -> None:
    """List all users, oldest first."""
    with open_ledger() as on:
        found = lookup.all_users(on.store)
    rows = ((user.name, user.external_id, user.time_zone, user.created_at, user.user_id) for user in found)
    none = "There is no user yet. Add one: patrol user add NAME"
    shown = listing(none, "*user", "*external id", "time zone", "since", "id", rows=rows)
    say_list("users", found, shown, as_json=as_json)


@users.command("budget")
def set_user_budget(
    user: Annotated[str, Argument(metavar="NAME|ID", help="The user.")],
    cost: Annotated[float | None, Option(min=0, help="Dollars a day.", show_default="as the settings say")] = None,
    tokens: Annotated[int | None, Option(min=0, help="Tokens a day.", show_default="as the settings say")] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Set the daily budget of all model calls of a user's Beings together; without options, that of the settings.

    When it is spent, patrols skip the steps that need a model, intake goes on, and model calls resume on the next day.
    """
    with open_ledger() as on:
        budget: UserChanges = read(UserChanges, {"daily_cost": cost, "daily_tokens": tokens})
        changed = change_user.perform(on, user_id=find_user(on, user).user_id, changes=budget)
    say_answer(changed, _budget_of(words(changed.name), changed), as_json=as_json)


def _scenes_of(being: Being, on: Resources) -> str:
    return being.scenes or f"{on.settings.scenes}, as the settings say"


def _daily(dollars: Decimal | None, tokens: int | None) -> str:
    limits = [f"{dollars.normalize():f} dollars"] if dollars is not None else []
    limits += [count(tokens, "token")] if tokens is not None else []
    return " and ".join(limits)


def _budget_of(name: str, one: User | Being) -> str:
    """Return the words for the present budget of a user or a Being."""
    budget = _daily(one.daily_cost, one.daily_tokens)
    return f"{name}'s models may use {budget} a day." if budget else f"{name} has the budget of the settings."


@beings.command("add")
def add_being(
    slug: Annotated[
        str, Argument(metavar="SLUG", help="Its short name in commands and URLs: letters a to z, digits, _ and -.")
    ],
    owner: UserOption,
    name: Annotated[str | None, Option(help="Its display name.", show_default="the slug")] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Create a Being of a user."""
    new: NewBeing = read(NewBeing, {"slug": slug, "name": name or slug})
    with open_ledger() as on:
        user = find_user(on, owner)
        being = create_being.perform(on, caller=every_right(user), new=new)
    shown = f"Being {being.slug} of {words(user.name)}'s is there, with the id {being.being_id}."
    say_answer(being, shown, as_json=as_json)


@beings.command("list")
def list_beings(
    owner: Annotated[
        str | None,
        Option("--user", "-u", metavar="NAME|ID", help="Only this user's; all users' if omitted.", show_default=False),
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """List Beings, oldest first."""
    with open_ledger() as on:
        user_id = None if owner is None else find_user(on, owner).user_id
        found = lookup.beings_named(on.store, None, user_id)
        names = {user.user_id: user.name for user in lookup.all_users(on.store)}
    rows = []
    for one in found:
        talk = "off the record" if one.off_the_record else ""
        rows.append((one.slug, names[one.user_id], one.name, talk, one.patrol_counter, one.being_id))
    none = "There is no Being yet. Add one: patrol being add --user NAME SLUG"
    shown = listing(none, "*being", "*of", "*name", "talk", ">patrols", "id", rows=rows)
    say_list("beings", found, shown, as_json=as_json)


@beings.command("show")
def show_being(being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False) -> None:
    """Show one Being: its ids, its embedder and its budget. `patrol overview` shows its memory."""
    with open_ledger() as on:
        found = find_being(on, being, owner)
        user = find_user(on, str(found.user_id))
        settings = on.settings
    dollars = settings.daily_cost if found.daily_cost is None else found.daily_cost
    tokens = settings.daily_tokens if found.daily_tokens is None else found.daily_tokens
    budget = _daily(dollars, tokens)
    rows = (
        ("slug", found.slug),
        ("name", found.name),
        ("id", found.being_id),
        ("user", f"{user.name} ({user.time_zone})"),
        ("since", found.created_at),
        ("embedder", found.embedding_model or "that of the settings, once there is a memory"),
        ("patrols", f"{found.patrol_counter}, the last counted {moment(found.ticked_at) or 'never'}"),
        ("scenes from talk", found.scenes or settings.scenes),
        ("talk", _record_of(found)),
        ("budget", f"{budget} a day" if budget else "unlimited"),
    )
    shown = table("", "*", rows=rows)
    shown.show_header = False
    say_answer(found, shown, as_json=as_json)


def _record_of(being: Being) -> str:
    """Return the words for whether a Being's talk is kept."""
    if being.off_the_record:
        return "off the record, no message is stored"
    some = ", ".join(words(one) for one in being.off_the_record_in)
    return f"on the record, except the conversations {some}" if some else "on the record"
