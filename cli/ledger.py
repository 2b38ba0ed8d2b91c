"""The command's way to the ledger, and to the one whom a command is about."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

from cli.failures import Failure
from cli.output import remark, words
from schemas.rows import Being, User
from schemas.settings import Settings
from schemas.work import Ring
from store import nodes, users
from store.database import Store
from store.migrate import missing
from store.transaction import Transaction
from workers.logs import configure_logs
from workers.resources import Resources, resources

# Who sits at a terminal is told soon that nobody answers.
PATIENCE = 5.0


@contextmanager
def opened() -> Iterator[Resources]:
    """Open the ledger while the block runs.

    Raises:
        NothingRunsError: There is no database.
        Unavailable: It does not answer.
        Failure: It is not of the shape that this code expects.
    """
    with resources(quiet_settings()) as on:
        with on.store.transaction(patience=PATIENCE) as tx:
            if missing(tx):
                raise Failure("The database has not been brought up to date: run `patrol migrate`.")
        yield on


def quiet_settings() -> Settings:
    """The settings, with logs set up to say on stderr what is wrong and no more, unless more was asked for."""
    settings = Settings()
    said = "log_level" in settings.model_fields_set
    configure_logs(settings if said else settings.model_copy(update={"log_level": "WARNING"}))
    return settings


def ring(rings: Iterable[Ring]) -> None:
    """Tell the workers what is due."""
    if due := list(rings):
        from workers import doorbell  # noqa: PLC0415  # Celery takes its time to load, and most commands ring for nothing
        from workers.app import app  # noqa: PLC0415  # likewise

        doorbell.ring(app, due)


def find_user(tx: Transaction, name: str) -> User:
    """The user of that name or id.

    Raises:
        Failure: There is none.
    """
    user = users.find_user(tx, name)
    if user is None:
        raise Failure(f"There is no user {words(name)}. See `patrol user list`.")
    return user


def find_being(store: Store, being: str | None, owner: str | None) -> Being:
    """The Being of that slug or id, of that user; where they are not named, the only one there is.

    Raises:
        Failure: There is none, or there are several.
    """
    with store.transaction() as tx:
        user = find_user(tx, owner) if owner is not None else None
        if being is not None:
            found = [one for one in users.beings_named(tx, being) if user is None or one.user_id == user.user_id]
        else:
            found = users.beings_of(tx, user.user_id) if user is not None else users.all_beings(tx, limit=2)
    if len(found) == 1:
        if being is None:
            remark(f"Being {found[0].slug}, the only one.")
        return found[0]
    whose = f" of {words(owner)}'s" if owner is not None else ""
    if being is None:
        raise Failure(
            f"There are several Beings{whose}: name one with --being. See `patrol being list`."
            if found
            else f"There is no Being{whose} yet. Make one: patrol being add --user NAME SLUG"
        )
    raise Failure(
        f"Several users have a Being {words(being)}: say whose with --user, or give its id."
        if found
        else f"There is no Being {words(being)}{whose}. See `patrol being list`."
    )


def find_node(store: Store, being: Being, name: str) -> UUID:
    """The id of the memory that is meant.

    Raises:
        Failure: There is none, or there are several.
    """
    with store.transaction() as tx:
        found = nodes.named(tx, being.being_id, name)
    if not found:
        raise Failure(f"{being.slug} has no memory {words(name)}. See `patrol nodes`.")
    if len(found) > 1:
        raise Failure(f"Several memories of {being.slug} answer to {words(name)}: give more of the id.")
    return found[0]


def only(name: str, found: Sequence[UUID], what: str, where: str) -> UUID:
    """The one thing that answers to a name.

    Raises:
        Failure: There is none, which `where` would list, or there are several.
    """
    if len(found) > 1:
        raise Failure(f"Several answer to {words(name)}: give more of the id.")
    if not found:
        raise Failure(f"There is no {what} {words(name)}. See `{where}`.")
    return found[0]
