"""The secret that seals users' keys where everything runs embedded: made when first needed, kept in the home."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from pydantic import SecretStr

from schemas.settings import Settings

NAME = "secret-key"
BYTES = 32


def with_secret(settings: Settings) -> Settings:
    """The settings with a secret, where they have none and the home is the database's too.

    A database elsewhere outlives this machine's home: its secret is for whoever runs it to set and to keep.
    """
    if settings.secret_key or settings.database_url:
        return settings
    return settings.model_copy(update={"secret_key": SecretStr(_kept(settings.home / NAME))})


def _kept(path: Path) -> str:
    """The secret in a file that only its owner may read; made whole, by whoever comes first."""
    if not path.exists():
        draft = path.with_name(f"{NAME}.{os.getpid()}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode=0o600), "w") as file:
            file.write(secrets.token_urlsafe(BYTES))
        with suppress(FileExistsError):
            os.link(draft, path)
        draft.unlink()
    return path.read_text()
