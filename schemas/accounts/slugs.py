"""Slugs: short names in URLs, given by users or made from names."""

import re
import unicodedata
from hashlib import sha256
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

SLUG = r"^[a-z0-9][a-z0-9_-]{0,62}$"
SHARED = "shared"
_LONGEST = 63
_DIGEST = 8


def _checked(value: str) -> str:
    if not re.fullmatch(SLUG, value):
        raise PydanticCustomError(
            "slug", "A slug has 1 to 63 characters of a-z, 0-9, `_` and `-`, and begins with a letter or a digit"
        )
    if value == SHARED:
        raise PydanticCustomError("slug", "`shared` is reserved for the vault scope of all of a user's Beings")
    try:
        UUID(value)
    except ValueError:
        return value
    raise PydanticCustomError("slug", "A slug must not be a UUID")


Slug = Annotated[str, AfterValidator(_checked), Field(json_schema_extra={"pattern": SLUG})]


def slug_of(name: str, *, told_apart: bool = False) -> str:
    """Make a slug from a name; the same name has the same slug, in the adapter for SillyTavern too.

    A digest tells apart names whose difference a slug can't show: letters of other scripts, a name of signs alone, and
    characters beyond the 63rd. Marks on Latin letters, and signs beside them, are left out.

    Args:
        told_apart: Whether to append a digest of the name in any case.
    """
    plain = unicodedata.normalize("NFC", name).strip().lower()
    shown = re.sub(r"[^a-z0-9_-]+", "-", plain).strip("-_")
    whole = shown and len(shown) <= _LONGEST and shown != SHARED and all(map(_is_shown, plain))
    if whole and not told_apart:
        return shown
    digest = sha256(plain.encode()).hexdigest()[:_DIGEST]
    return f"{shown[: _LONGEST - _DIGEST - 1].rstrip('-_') or 'being'}-{digest}"


def _is_shown(sign: str) -> bool:
    """Whether a sign is a Latin letter, an ASCII digit, or neither letter nor digit."""
    if unicodedata.category(sign)[0] not in "LN":
        return True
    return sign.isascii() or unicodedata.name(sign, "").startswith("LATIN ")
