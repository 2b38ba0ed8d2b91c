"""The domain's clock, which tests and the demo move."""

from datetime import datetime, timedelta

from store.transaction import Transaction, value


def now(tx: Transaction) -> datetime:
    """The domain's time."""
    moment: datetime = value(tx, "select memory.now()")
    return moment


def shift(tx: Transaction, by: timedelta) -> None:
    """Move the domain's time, for every process at once; leases and token lifetimes stay on the real clock."""
    tx.execute("update memory.clock set shift = shift + %s", [by])


def set_to(tx: Transaction, moment: datetime) -> None:
    """Make the domain's time be this moment now."""
    tx.execute("update memory.clock set shift = %s - pg_catalog.now()", [moment])
