"""Describes the machine that was measured, since figures of different machines are not comparable."""

import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from store.transaction import Transaction


class Machine(BaseModel):
    """The properties of a machine that figures depend on."""

    model_config = ConfigDict(frozen=True)

    date: str
    cores: int
    processor: str
    load: float
    python: str
    postgres: str
    pgvector: str

    @classmethod
    def this(cls, tx: Transaction) -> "Machine":
        """Describe this machine; `load` is its load average over the last minute."""
        return cls(
            date=f"{datetime.now(UTC):%Y-%m-%d}",
            cores=os.cpu_count() or 1,
            processor=_processor(),
            load=round(os.getloadavg()[0], 1),
            python=platform.python_version(),
            postgres=tx.value("show server_version"),
            pgvector=tx.value("select extversion from pg_extension where extname = 'vector'"),
        )

    def in_words(self) -> str:
        """Return a line that describes the machine."""
        facts: dict[str, Any] = self.model_dump()
        return " · ".join(f"{name} {fact}" for name, fact in facts.items() if fact)


def _processor() -> str:
    """Return the processor's name on Linux, else its architecture."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.machine()
