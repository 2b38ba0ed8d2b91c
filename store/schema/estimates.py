"""Tells Postgres's planner how many rows a user or a Being has in each table (docs/decisions/0167)."""

from pathlib import Path
from typing import Any

import psycopg

ESTIMATES = Path(__file__).resolve().parents[2] / "sql" / "estimates.sql"


def fix_estimates(connection: psycopg.Connection[Any]) -> None:
    """Write the estimates that are missing.

    Args:
        connection: One as the tables' owner.
    """
    connection.execute(ESTIMATES.read_bytes())
