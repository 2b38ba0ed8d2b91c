"""Digests by which erased items are recognised: HMAC-SHA256 of the producer's id, and of the item's text.

Turns of a chat that were said off the record are recognised likewise, by the digest that alignment compares.

The input of each digest is a JSON list that begins with the kind of item and the kind of digest, so that an id never
equals a text. Texts are normalised: case, compatibility forms (NFKC) and white space do not count.
"""

import hmac
import json
import unicodedata
from typing import Any, Literal

Kind = Literal["note", "message", "record"]


class Digests:
    """Computes the digests of one user's items.

    Args:
        key: The user's key, 32 random bytes.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def of_id(self, kind: Kind, id_: str) -> bytes:
        """Return the digest of a producer's id or of a vault record's id."""
        return self._digest([kind, "id", id_])

    def of_note(self, content: Any) -> bytes:
        """Return the digest of a note's content, a text or an object."""
        return self._digest(["note", "words", _normalized(content)])

    def of_message(self, role: str, content: str, *, conversation: str | None = None) -> bytes:
        """Return the digest of a message's role and text; without a conversation, for all of the Being."""
        return self._digest(["message", "words", conversation, role, _normalized(content)])

    def of_record(self, text: str) -> bytes:
        """Return the digest of the text of a vault record's version."""
        return self._digest(["record", "words", _normalized(text)])

    def of_turn(self, turn: bytes, *, before: bytes | None = None, conversation: str | None = None) -> bytes:
        """Return the digest of a turn that was said off the record.

        Args:
            turn: The digest of its role and text.
            before: That of the turn before it; None: at any place, or at the beginning of a conversation.
            conversation: The conversation; None: in any of the Being.
        """
        return self._digest(["turn", "off the record", conversation, before.hex() if before else None, turn.hex()])

    def _digest(self, parts: list[Any]) -> bytes:
        return hmac.digest(self._key, json.dumps(parts, sort_keys=True).encode(), "sha256")


def _normalized(value: Any) -> Any:
    if isinstance(value, str):
        return " ".join(unicodedata.normalize("NFKC", value).casefold().split())
    if isinstance(value, dict):
        return {key: _normalized(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_normalized(part) for part in value]
    return value
