"""Renders openapi.json, from which clients are generated: `python -m api.openapi_file`."""

import json
import sys
from typing import Any

from api.app import create_app
from schemas.settings import Settings


def document() -> dict[str, Any]:
    """Return the OpenAPI document of the application with default settings."""
    described: dict[str, Any] = create_app(Settings()).openapi()
    return described


def text() -> str:
    """Return the OpenAPI document as JSON, the same for the same code."""
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(text())
