"""The secret that encrypts users' keys on embedded servers: generated when first needed, stored in the home."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from pydantic import SecretStr

from schemas.settings import Settings

NAME = "secret-key"
BYTES = 32


def with_secret(settings: Settings) -> Settings:
    """Add a generated `secret_key` to the settings, if they have none and the database is the embedded one.

    An external database outlives this machine's home, so its operator must set PATROL_SECRET_KEY and keep it.
    """
    if settings.secret_key or settings.database_url:
        return settings
    return settings.model_copy(update={"secret_key": SecretStr(_kept(settings.home / NAME))})


def _kept(path: Path) -> str:
    """Read the secret from a file of mode 0600. The file is created atomically: the first of several processes wins."""
    if not path.exists():
        draft = path.with_name(f"{NAME}.{os.getpid()}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode=0o600), "w") as file:
            file.write(secrets.token_urlsafe(BYTES))
        with suppress(FileExistsError):
            os.link(draft, path)
        draft.unlink()
    return path.read_text()
