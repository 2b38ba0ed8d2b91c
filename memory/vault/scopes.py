"""The scopes of the vault that a Being may use: the one shared by its user's Beings, and its own."""

from collections.abc import Sequence

from memory.text.errors import InvalidRequest
from schemas.accounts.accounts import Being
from schemas.vault.records import SHARED


def visible(being: Being) -> list[str]:
    """The scopes that a Being may use, the shared one first."""
    return [SHARED, being.slug]


def chosen(being: Being, scopes: Sequence[str] | None) -> list[str]:
    """The requested ones of the scopes that a Being may use; all of them without a request.

    Raises:
        InvalidRequest: The Being may not use one of them, whether or not it exists.
    """
    if scopes is None:
        return visible(being)
    if not scopes or set(scopes) - {*visible(being)}:
        raise InvalidRequest(f"scopes: name one or both of `{SHARED}` and `{being.slug}`, the scopes of this Being.")
    return [scope for scope in visible(being) if scope in scopes]
