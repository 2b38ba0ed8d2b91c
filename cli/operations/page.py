"""`patrol page`: the memory page's address, and a link that logs a browser in."""

import sys
from datetime import timedelta
from typing import Annotated

from rich.text import Text
from typer import Option

from cli.console.failures import Failure
from cli.console.ledger import find_user, open_ledger
from cli.console.output import console, say, words
from cli.operations.stack import address
from memory.accounts import lookup
from memory.accounts.page_sessions import issue_link
from schemas.accounts.accounts import User
from workers.runtime.resources import Resources

HOUR = timedelta(hours=1)


def page(
    owner: Annotated[
        str | None,
        Option(
            "--user", "-u", metavar="NAME|ID", help="The user who logs in. Default: the only user.", show_default=False
        ),
    ] = None,
    port: Annotated[
        int | None, Option(min=1, max=65535, help="The API's port.", show_default="PATROL_API_PORT")
    ] = None,
) -> None:
    """Print the memory page's address and, on a terminal, a link that logs one browser in, once, within an hour.

    The link has all scopes. Into a file or a pipe it is not written, since it is as good as a token until it is used.
    """
    with open_ledger() as on:
        user = find_user(on, owner) if owner else _only(lookup.all_users(on.store))
        show_way_in(on, address(on.settings.api_host, port or on.settings.api_port), [user], HOUR)


def show_way_in(on: Resources, url: str, found: list[User], life: timedelta, command: str = "./patrol page") -> None:
    """Print the page's address, and a link for a user if there is one alone and stdout is a terminal.

    Args:
        url: The address of the API.
        found: The users who may be meant.
        life: Until the link expires if it is not used.
        command: The command that prints another link.
    """
    say(Text.assemble("The memory page is at ", (url, "bold cyan"), "."))
    if len(found) == 1 and sys.stdout.isatty():
        (user,) = found
        say(Text(f"This link logs {words(user.name)} in, once, within {_hours(life)}:", style="dim"))
        # In one piece, so that terminals let it be clicked and copied.
        console().print(Text(f"{url}/#login={issue_link(on.store, user.user_id, life)}", style="cyan"), soft_wrap=True)
    else:
        named = "" if len(found) == 1 else " --user NAME"
        line = Text.assemble(("On a terminal this prints a link that logs you in: ", "dim"), f"{command}{named}")
        console().print(line, soft_wrap=True)


def _hours(life: timedelta) -> str:
    hours = life // HOUR
    return "an hour" if hours == 1 else f"{hours} hours"


def _only(found: list[User]) -> User:
    if len(found) == 1:
        return found[0]
    raise Failure(
        "There are several users: name one with --user. See `patrol user list`."
        if found
        else "There is no user yet. Make one: patrol user add NAME"
    )
