"""Comparison of names: frontends change their letters."""

import re
import unicodedata
from collections.abc import Iterable

from schemas.accounts.accounts import Being
from schemas.accounts.slugs import slug_of

# The longest name on the wire.
WIRE_NAME = 64


def same_name(one: str, other: str) -> bool:
    """Whether two names are the same; names on the wire have letters, digits, hyphens and underscores only.

    Some frontends write an underscore in place of each character that the wire does not take, as in `Zo_` for `Zoë`, or
    two for a sign such as `🌙`, of which JavaScript makes two.
    """
    if _letters(one) == _letters(other) != "":
        return True
    one, other = unicodedata.normalize("NFC", one.strip()), unicodedata.normalize("NFC", other.strip())
    return bool(one) and (other[:WIRE_NAME] in _on_the_wire(one) or one[:WIRE_NAME] in _on_the_wire(other))


def named_by(name: str, names: Iterable[str]) -> list[str]:
    """Return those of the names that a name on the wire may mean: the very same ones, else all that are written so."""
    listed = [*names]
    return [one for one in listed if one == name] or [one for one in listed if same_name(name, one)]


def beings_named(name: str, beings: Iterable[Being]) -> list[Being]:
    """Return the Beings that a character's name names: by display name, by slug, or by the slug made from it."""
    every = [*beings]
    wanted = named_by(name, [each for one in every for each in (one.name, one.slug)])
    return [one for one in every if one.name in wanted or one.slug in {*wanted, slug_of(name)}]


def _on_the_wire(name: str) -> set[str]:
    return {re.sub(r"[^a-zA-Z0-9_]", put, name)[:WIRE_NAME] for put in ("_", _for_units)}


def _for_units(sign: re.Match[str]) -> str:
    return "__" if sign[0] > "\uffff" else "_"


def _letters(name: str) -> str:
    return "".join(character for character in unicodedata.normalize("NFKC", name).casefold() if character.isalnum())
