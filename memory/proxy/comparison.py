"""Comparison of texts: frontends change white space, and cut the reasoning out of answers."""

import re
import unicodedata
from hashlib import blake2b, md5
from uuid import UUID

from schemas.talk.messages import Role

DIGEST_BYTES = 16
_TAG = r"(?:think|thinking|thought|reasoning)"
# Models write the first, frontends show the second. A tag is read in steps by its length: it ends at the next bracket,
# and what is taken of it is not given back.
_REASONING = re.compile(
    rf"<{_TAG}>.*?(?:</{_TAG}>|\Z)|<details\b(?=[^<>]*+>)[^<>]*?\btype=[\"']reasoning[\"'][^<>]*+>.*?(?:</details>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
# Some templates open the reasoning in the prompt, so that an answer only closes it.
_OPENED_BEFORE = re.compile(rf"\A(?:(?!<{_TAG}>).)*?</{_TAG}>", re.DOTALL | re.IGNORECASE)


def without_reasoning(text: str) -> str:
    """Return what an answer says, without the reasoning in it; blank if it was cut off within the reasoning."""
    if "<" not in text:
        return text
    return _REASONING.sub("", _OPENED_BEFORE.sub("", text, count=1))


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
    """Whether two names are the same; names on the wire have letters, digits, hyphens and underscores only."""
    return _letters(one) == _letters(other) != ""


def _letters(name: str) -> str:
    return "".join(character for character in unicodedata.normalize("NFKC", name).casefold() if character.isalnum())
