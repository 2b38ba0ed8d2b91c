"""Generates docs/settings.md from the settings: `python -m schemas.settings.page`."""

import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

from pydantic import SecretStr, TypeAdapter

from schemas.settings import CHECKOUT, Settings, variable
from schemas.settings.section import Section

HEAD = """# Settings

Each process reads its settings from environment variables and validates them once, at its start. An empty variable
counts as not set. Secrets can also be files: PATROL_SECRETS names a directory with files named like the
variables, in lower case. Durations are ISO 8601 (`PT24H`), `HH:MM:SS` or seconds.

| variable | default | meaning |
|---|---|---|
"""


def page() -> str:
    """Return the page as Markdown."""
    rows = (
        f"| `{variable(name, field)}` | {_default(field.default)} | {field.description} |"
        for section in Settings.__bases__
        if issubclass(section, Section)
        for name, field in section.model_fields.items()
    )
    return HEAD + "\n".join(rows) + "\n"


def _default(value: Any) -> str:
    match value:
        case None | SecretStr():
            return "not set"
        case timedelta():
            return f"`{TypeAdapter(timedelta).dump_python(value, mode='json')}`"
        case Path():
            return f"`{value.relative_to(CHECKOUT)}` in the checkout"
        case bool():
            return "`on`" if value else "`off`"
        case _:
            return f"`{value}`"


if __name__ == "__main__":
    sys.stdout.write(page())
