"""`patrol user` and `patrol being`: users and their Beings."""

from decimal import Decimal
from typing import Annotated, Any, Literal

from typer import Argument, Option, Typer

from cli.console.ledger import every_right, find_being, find_user, opened
from cli.console.options import BeingOption, JsonOption, OwnerOption, UserOption
from cli.console.output import count, day, moment, say_answer, say_list, table, words
from cli.console.typed import read
from memory.accounts import beings as being_accounts
from memory.accounts import lookup, user_accounts
from operations.accounts.beings import change_being, create_being
from operations.accounts.users import change_user
from schemas.accounts.accounts import Being, BeingChanges, NewBeing, UserChanges
from schemas.wire.requests import Name

CostOption = Annotated[float | None, Option(min=0, help="Dollars a day.", show_default="as the settings say")]
TokensOption = Annotated[int | None, Option(min=0, help="Tokens a day.", show_default="as the settings say")]

users = Typer(help="Users: a user is one person.", no_args_is_help=True)
beings = Typer(help="Beings: a Being is one AI companion of one user.", no_args_is_help=True)


@users.command("add")
def add_user(
    name: Annotated[str, Argument(metavar="NAME", help="The person's name, which no other user has.")],
    time_zone: Annotated[str, Option(metavar="ZONE", help="The person's time zone, such as Europe/Lisbon.")] = "UTC",
    *,
    as_json: JsonOption = False,
) -> None:
    """Create a user."""
    name = read(Name, name)
    with opened() as on:
        user = user_accounts.add(on.store, name, time_zone)
    say_answer(user, f"User {words(user.name)} is there, with the id {user.user_id}.", as_json=as_json)


@users.command("list")
def list_users(*, as_json: JsonOption = False) -> None:
    """List all users, oldest first."""
    with opened() as on:
        found = lookup.all_users(on.store)
    shown = table("*user", "*external id", "time zone", "since", "id")
    for user in found:
        shown.add_row(
            words(user.name), words(user.external_id or ""), user.time_zone, day(user.created_at), str(user.user_id)
        )
    said = shown if found else "There is no user yet. Add one: patrol user add NAME"
    say_list("users", found, said, as_json=as_json)


@users.command("budget")
def set_user_budget(
    user: Annotated[str, Argument(metavar="NAME|ID", help="The user.")],
    cost: CostOption = None,
    tokens: TokensOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Set the daily budget of all model calls of a user's Beings together; without options, that of the settings.

    When it is spent, patrols skip the steps that need a model, intake goes on, and model calls resume on the next day.
    """
    with opened() as on:
        budget = UserChanges(**_budget(cost, tokens))
        changed = change_user.perform(on, user_id=find_user(on, user).user_id, changes=budget)
    say_answer(changed, _budget_of(words(changed.name), cost, tokens), as_json=as_json)


def _budget(cost: float | None, tokens: int | None) -> dict[str, Any]:
    return {"daily_cost": None if cost is None else Decimal(str(cost)), "daily_tokens": tokens}


def _budget_of(name: str, cost: float | None, tokens: int | None) -> str:
    """Say in words which budget a user or a Being has now."""
    limits = [f"{cost:g} dollars"] if cost is not None else []
    limits += [count(tokens, "token")] if tokens is not None else []
    budget = " and ".join(limits)
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
    with opened() as on:
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
    with opened() as on:
        user_id = None if owner is None else find_user(on, owner).user_id
        found = lookup.beings_named(on.store, None, user_id)
        names = {user.user_id: user.name for user in lookup.all_users(on.store)}
    shown = table("*being", "*of", "*name", "talk", ">patrols", "id")
    for being in found:
        shown.add_row(
            being.slug,
            words(names[being.user_id]),
            words(being.name),
            "off the record" if being.off_the_record else "",
            str(being.patrol_counter),
            str(being.being_id),
        )
    said = shown if found else "There is no Being yet. Add one: patrol being add --user NAME SLUG"
    say_list("beings", found, said, as_json=as_json)


@beings.command("show")
def show_being(being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False) -> None:
    """Show one Being: its ids, its embedder and its budget. `patrol overview` shows its memory."""
    with opened() as on:
        found = find_being(on, being, owner)
        user = find_user(on, str(found.user_id))
        settings = on.settings
    dollars = settings.daily_cost if found.daily_cost is None else found.daily_cost
    tokens = settings.daily_tokens if found.daily_tokens is None else found.daily_tokens
    budget = [f"{dollars:f} dollars"] if dollars is not None else []
    budget += [count(tokens, "token")] if tokens is not None else []
    rows = table("", "*")
    rows.show_header = False
    for name, value in (
        ("slug", found.slug),
        ("name", words(found.name)),
        ("id", str(found.being_id)),
        ("user", f"{words(user.name)} ({user.time_zone})"),
        ("since", day(found.created_at)),
        ("embedder", found.embedding_model or "that of the settings, once there is a memory"),
        ("patrols", f"{found.patrol_counter}, the last counted {moment(found.ticked_at) or 'never'}"),
        ("scenes from talk", found.scenes or settings.scenes),
        ("talk", _record_of(found)),
        ("budget", f"{' and '.join(budget)} a day" if budget else "unlimited"),
    ):
        rows.add_row(name, value)
    say_answer(found, rows, as_json=as_json)


@beings.command("scenes")
def choose_scenes(
    mode: Annotated[
        str | None,
        Argument(metavar="[auto|on|off]", help="Whether to draw them; as the settings say if omitted."),
    ] = None,
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Choose whether closed sessions become scenes; `auto`: unless a producer hands in scenes of the same time."""
    chosen: BeingChanges = read(BeingChanges, {"scenes": mode})
    with opened() as on:
        target = find_being(on, being, owner)
        changed = change_being.perform(on, being=target, changes=chosen)
    chosen_mode = changed.scenes or f"{on.settings.scenes}, as the settings say"
    say_answer(changed, f"Scenes from {changed.slug}'s talk: {chosen_mode}.", as_json=as_json)


@beings.command("record")
def turn_record(
    mode: Annotated[Literal["on", "off"], Argument(metavar="on|off", help="Whether what is said is kept.")],
    being: BeingOption = None,
    owner: OwnerOption = None,
    conversation: Annotated[
        str | None, Option(help="Only this conversation, by its producer's id.", show_default="all talk")
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Put a Being, or one of its conversations, off the record until further notice, or on it again.

    Off the record memory is read, nothing is activated, and no word of what is said is kept.
    """
    off = mode == "off"
    wanted = {"off_the_record": off} if conversation is None else {"off_the_record_in": {conversation: off}}
    changes: BeingChanges = read(BeingChanges, wanted)
    with opened() as on:
        changed = change_being.perform(on, being=find_being(on, being, owner), changes=changes)
    say_answer(changed, f"{changed.slug}: {_record_of(changed)}.", as_json=as_json)


def _record_of(being: Being) -> str:
    """Say in words whether a Being's talk is kept."""
    if being.off_the_record:
        return "off the record, nothing of what is said is kept"
    some = ", ".join(words(one) for one in being.off_the_record_in)
    return f"on the record, except the conversations {some}" if some else "on the record"


@beings.command("budget")
def set_budget(
    being: BeingOption = None,
    owner: OwnerOption = None,
    cost: CostOption = None,
    tokens: TokensOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Set the daily budget of a Being's model calls; without options, the budget of the settings.

    When it is spent, patrols skip the steps that need a model, intake goes on, and model calls resume on the next day.
    """
    with opened() as on:
        target = find_being(on, being, owner)
        changed = being_accounts.change(on.store, target, _budget(cost, tokens))
    say_answer(changed, _budget_of(changed.slug, cost, tokens), as_json=as_json)
