"""Comparison of texts: frontends change white space."""

import unicodedata
from hashlib import blake2b, md5
from uuid import UUID

from schemas.wire.fields import Role

DIGEST_BYTES = 16
# Two messages do not share this many characters without white space by chance.
LONG = 32


def comparable(text: str) -> str:
    """Return a text without white space, in one Unicode form."""
    return "".join(unicodedata.normalize("NFC", text).split())


def digest(role: Role, comparable_text: str) -> bytes:
    """Return the digest by which a message with this text is found again."""
    return blake2b(f"{role} {comparable_text}".encode(errors="surrogatepass"), digest_size=DIGEST_BYTES).digest()


def words_key(comparable_text: str) -> UUID:
    """Return the key by which any message with these words is found, as `memory.words_key` computes it."""
    return UUID(bytes=md5(comparable_text.encode(errors="surrogatepass"), usedforsecurity=False).digest())
