"""Turns errors of the database into the exceptions of `schemas.errors`."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from schemas.errors import LeaseLost, NotFound, Refused, StatementTimeout, StoreError, Unavailable, Withdrawn

BY_SQLSTATE: dict[str, type[StoreError]] = {"MP001": LeaseLost, "MP002": NotFound, "MP003": Refused, "MP004": Withdrawn}


# Lost connections, broken deadlocks, want of resources, locks not had in time, an operator's doing, a failing disk.
PASSING = {"08", "40", "53", "55", "57", "58"}


@contextmanager
def translated() -> Iterator[None]:
    """Let the domain errors of SQL functions leave as exceptions of `schemas.errors`."""
    try:
        yield
    except psycopg.Error as error:
        domain = BY_SQLSTATE.get(error.sqlstate or "")
        if isinstance(error, psycopg.errors.QueryCanceled):
            raise StatementTimeout(
                "The database took too long over a statement, which was stopped; nothing of its transaction is kept."
                " Ask for less at a time (fewer words, a smaller page or batch), or send the same again later."
            ) from error
        if domain is None and _passes(error):
            raise Unavailable(f"The database is out of reach ({type(error).__name__}).") from error
        if _of_erased_being(error):
            raise NotFound("There is no such Being any more.") from error
        if domain is None:
            raise
        raise domain(error.diag.message_primary or "") from error


def _passes(error: psycopg.Error) -> bool:
    """Whether the same again may succeed: the limits of a row, say, are operational errors too, and will not pass."""
    if error.sqlstate is None:
        return isinstance(error, psycopg.OperationalError)
    return error.sqlstate[:2] in PASSING or isinstance(error, psycopg.errors.IdleInTransactionSessionTimeout)


def _of_erased_being(error: psycopg.Error) -> bool:
    """Whether a row was to become a Being's that was erased meanwhile."""
    broken = error.diag.constraint_name if isinstance(error, psycopg.errors.ForeignKeyViolation) else None
    return (broken or "").endswith("_being_id_fkey")
