"""Comparison of texts: frontends change white space."""

import re
import unicodedata
from hashlib import blake2b, md5
from uuid import UUID

from schemas.wire.fields import Role

DIGEST_BYTES = 16
# The longest name on the wire.
WIRE_NAME = 64


def comparable(text: str) -> str:
    """Return a text without white space, in one Unicode form."""
    return "".join(unicodedata.normalize("NFC", text).split())


def digest(role: Role, comparable_text: str) -> bytes:
    """Return the digest by which a message with this text is found again."""
    return blake2b(f"{role} {comparable_text}".encode(errors="surrogatepass"), digest_size=DIGEST_BYTES).digest()


def words_key(comparable_text: str) -> UUID:
    """Return the key by which any message with these words is found, as `memory.words_key` computes it."""
    return UUID(bytes=md5(comparable_text.encode(errors="surrogatepass"), usedforsecurity=False).digest())


def same_name(one: str, other: str) -> bool:
    """Whether two names are the same; names on the wire have letters, digits, hyphens and underscores only.

    Some frontends write an underscore in place of each character that the wire does not take, as in `Zo_` for `Zoë`.
    """
    if _letters(one) == _letters(other) != "":
        return True
    one, other = unicodedata.normalize("NFC", one.strip()), unicodedata.normalize("NFC", other.strip())
    return bool(one) and (_on_the_wire(one) == other[:WIRE_NAME] or one[:WIRE_NAME] == _on_the_wire(other))


def _on_the_wire(name: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_]", "_", name)[:WIRE_NAME]


def _letters(name: str) -> str:
    return "".join(character for character in unicodedata.normalize("NFKC", name).casefold() if character.isalnum())
