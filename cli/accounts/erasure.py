"""`patrol erase [--scrub] [node | note | being | user]`: erasure for good."""

from typing import Annotated

from pydantic import BaseModel
from typer import Argument, Exit, Option, Typer, confirm

from cli.console.declared import NODE, Group
from cli.console.ledger import find_being, find_user, open_ledger
from cli.console.options import JsonOption, OwnerOption
from cli.console.output import count, remark, say, say_answer, words
from cli.console.quiet import quiet_settings
from operations.accounts import beings as of_beings
from operations.accounts import users as of_users
from operations.nodes import erasure as of_nodes
from schemas.accounts.portability import BeingErased, NodeErased
from store.accounts.scrub import scrub as scrub_database
from workers.runtime.addresses import addresses, direct_url
from workers.runtime.redis_client import open_redis
from workers.streams.scrub import scrub as scrub_streams


def _after(_: object, *, scrub: bool) -> None:
    """Scrub after the subcommand, or alone."""
    if not scrub:
        return
    settings = quiet_settings()
    where = addresses(settings)
    done = scrub_database(direct_url(settings))
    with open_redis(where.redis_url) as redis:
        left = [*done.left, *scrub_streams(redis)]
    say(f"Scrubbed: {count(done.tables, 'table')} rewritten.")
    for one in left:
        remark(one)
    remark("Backups, replicas, archives of the log, and a model provider's copies: see docs/portability.md.")
    if left:
        raise Exit(1)


def _erased_view(erased: BeingErased | NodeErased) -> str:
    return f"Gone: {_counts(erased)}."


_of_nodes = Group(
    of_nodes,
    "Memories and notes.",
    finders={"node_id": NODE},
    views={NodeErased: _erased_view},
)
erase = Typer(
    help="Erase memory for good. This can't be undone.",
    no_args_is_help=True,
    invoke_without_command=True,
    result_callback=_after,
)


@erase.callback()
def options(
    *,
    scrub: Annotated[
        bool,
        Option(
            "--scrub",
            help="Rewrite tables, statistics, log and streams, so that their files no longer hold erased"
            " values. Each table is locked meanwhile. Without a command, for earlier erasures.",
        ),
    ] = False,
) -> None:
    """Erase memory for good. This can't be undone."""


YesOption = Annotated[bool, Option("--yes", "-y", help="Erase without asking for confirmation.")]


erase.command("node")(_of_nodes["node"])
erase.command("note")(_of_nodes["note"])


@erase.command("being")
def erase_being(
    being: Annotated[str, Argument(metavar="BEING", help="The Being's slug or id.")],
    owner: OwnerOption = None,
    *,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Erase a Being and its memory, also during a patrol.

    Facts of its user without other evidence are erased too.
    """
    with open_ledger() as on:
        target = find_being(on, being, owner)
        _ask(f"Erase {target.slug} and all that it remembers for good?", yes=yes)
        erased = of_beings.erase_being.perform(on, being=target)
    say_answer(erased, _erased_view(erased), as_json=as_json)


@erase.command("user")
def erase_user(
    user: Annotated[str, Argument(metavar="USER", help="The user's name or id.")],
    *,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Erase a user with all Beings, facts, keys and tokens, also during a patrol."""
    with open_ledger() as on:
        who = find_user(on, user)
        _ask(f"Erase {words(who.name)} and all memory of their Beings permanently?", yes=yes)
        erased = of_users.erase_user.perform(on, user_id=who.user_id)
    say_answer(erased, _erased_view(erased), as_json=as_json)


def _ask(question: str, *, yes: bool) -> None:
    if not yes:
        confirm(question, abort=True, err=True)


def _counts(erased: BaseModel) -> str:
    """Format the counts that are not 0, such as `2 nodes, 1 diary entry`."""
    parts = [
        f"{number} {name.replace('_', ' ')}" if name in {"reworded", "renamed", "parted"} else _count(number, name)
        for name, number in erased.model_dump().items()
        if number
    ]
    return ", ".join(parts) or "nothing"


def _count(number: int, name: str) -> str:
    things = name.replace("_", " ")
    one = f"{things[:-3]}y" if things.endswith("ies") else things.removesuffix("s")
    return count(number, one) if number == 1 else f"{number} {things}"
