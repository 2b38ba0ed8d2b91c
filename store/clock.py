"""The domain's clock: real time plus an offset that tests and the demo change."""

from datetime import datetime, timedelta

from store.transaction import Transaction


def now(tx: Transaction) -> datetime:
    """The domain's time at the start of the transaction."""
    moment: datetime = tx.moment or tx.value("select memory.now()")
    tx.moment = moment
    return moment


def shift(tx: Transaction, by: timedelta) -> None:
    """Add to the offset, for every process; leases and token lifetimes follow the real clock."""
    tx.execute("update memory.clock set shift = shift + %s", [by])
    tx.moment = None


def set_to(tx: Transaction, moment: datetime) -> None:
    """Set the offset so that the domain's time is this moment now."""
    tx.execute("update memory.clock set shift = %s - pg_catalog.now()", [moment])
    tx.moment = None
