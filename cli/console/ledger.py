"""Opens the ledger for a command, and finds the user, Being or node that its options name."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import get_args
from uuid import UUID

from cli.console.failures import Failure
from cli.console.output import remark, words
from cli.console.quiet import quiet_settings
from memory.accounts import lookup
from memory.accounts.access import Caller
from memory.upkeep import health
from schemas.accounts.accounts import Being, Scope, User
from schemas.errors import Unavailable
from schemas.ledger.acting import crossing
from schemas.ledger.work import TaskMessage
from schemas.settings import Settings
from workers.runtime.resources import Resources, resources

# Seconds that a command waits for the database to accept a connection.
PATIENCE = 5.0
EVERY_SCOPE: frozenset[Scope] = frozenset(get_args(Scope))


@contextmanager
def open_ledger(settings: Settings | None = None, *, statement_seconds: float | None = None) -> Iterator[Resources]:
    """Open the ledger for the duration of the block.

    Args:
        settings: Those of a process that logs by them; by default the log is quiet, as a command's is.
        statement_seconds: The timeout of one statement; None: unlimited.

    Raises:
        NothingRunsError: No database is configured, and no embedded one runs.
        Failure: The database can't be reached, or its schema is not of this version.
    """
    os.environ.setdefault("PGAPPNAME", "patrol command")
    with (
        crossing("command"),
        resources(settings or quiet_settings(), send_to_workers, statement_seconds=statement_seconds) as on,
    ):
        try:
            lacking = health.missing_migrations(on.store, patience=PATIENCE)
        except Unavailable as fault:
            raise Failure(on.store.why_unreachable() or str(fault)) from fault
        if lacking:
            raise Failure("The database's schema is not of this version: run `patrol migrate`.")
        yield on


def send_to_workers(messages: Sequence[TaskMessage]) -> None:
    """Send the Celery messages for work that a command made ready."""
    from workers.runtime import dispatch  # noqa: PLC0415  # Celery loads slowly, and most commands send nothing
    from workers.runtime.app import app  # noqa: PLC0415  # likewise

    dispatch.send(app, messages)


def find_user(on: Resources, name: str) -> User:
    """Return the user of that name or id.

    Raises:
        Failure: No user has it.
    """
    user = lookup.user_named(on.store, name)
    if user is None:
        raise Failure(f"There is no user {words(name)}. See `patrol user list`.")
    return user


def every_right(of: User | Being) -> Caller:
    """Return a caller with all rights of a user, or of a Being's: a command that reaches the database has them."""
    return Caller(of.user_id, None, EVERY_SCOPE)


def find_being(on: Resources, being: str | None, owner: str | None) -> Being:
    """Return the Being of that slug or id, of that user; without names, the only Being in the database.

    Raises:
        Failure: No Being matches, or several do.
    """
    user_id = None if owner is None else find_user(on, owner).user_id
    found = lookup.beings_named(on.store, being, user_id, limit=2)
    if len(found) == 1:
        if being is None:
            remark(f"Being {found[0].slug}, the only one.")
        return found[0]
    of_owner = f" of {words(owner)}'s" if owner is not None else ""
    if being is None:
        raise Failure(
            f"There are several Beings{of_owner}: name one with --being. See `patrol being list`."
            if found
            else f"There is no Being{of_owner} yet. Make one: patrol being add --user NAME SLUG"
        )
    raise Failure(
        f"Several users have a Being {words(being)}: name the user with --user, or give the Being's id."
        if found
        else f"There is no Being {words(being)}{of_owner}. See `patrol being list`."
    )


def single_id(name: str, found: Sequence[UUID], what: str, where: str) -> UUID:
    """Return the single id that a name matched.

    Args:
        name: The name as the user typed it.
        found: The ids that match it.
        what: The kind of thing, for the message.
        where: The command that lists such things.

    Raises:
        Failure: None matches, or several do.
    """
    if len(found) > 1:
        raise Failure(f"Several match {words(name)}: give more of the id.")
    if not found:
        raise Failure(f"There is no {what} {words(name)}. See `{where}`.")
    return found[0]
