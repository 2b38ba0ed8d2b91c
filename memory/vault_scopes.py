"""What a Being sees of the vault: what is shared among its user's Beings, and what is its own."""

from collections.abc import Sequence

from memory.questions import BadQuestion
from schemas.rows import Being
from schemas.vault import SHARED


def visible(being: Being) -> list[str]:
    """The scopes that a Being sees, the shared one first."""
    return [SHARED, being.slug]


def chosen(being: Being, scopes: Sequence[str] | None) -> list[str]:
    """Of the scopes that a Being sees those that are asked for, or all.

    Raises:
        BadQuestion: It does not see one of them, whether or not there is one.
    """
    if scopes is None:
        return visible(being)
    if not scopes or set(scopes) - {*visible(being)}:
        raise BadQuestion(f"scopes: name one or both of `{SHARED}` and `{being.slug}`; this Being sees no others.")
    return [scope for scope in visible(being) if scope in scopes]
