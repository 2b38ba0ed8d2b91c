"""Seals for users' keys: what lies in the database opens only with the platform's secret, and only as its owner's.

AES-256-GCM with the owner as associated data. The cipher's key is derived from the secret by HKDF, and another one for
fingerprints. There may be several secrets: the newest seals, each opens.
"""

import hmac
import os
from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from schemas.settings import Settings

NONCE_BYTES = 12
KEY_BYTES = 32
FINGERPRINT_BYTES = 16


class CannotOpen(Exception):
    """None of the secrets opens the seal, or it is another owner's."""


class Seals:
    """Closes and opens seals.

    Args:
        secrets: The platform's secrets, the newest first.
    """

    def __init__(self, secrets: Sequence[str]) -> None:
        self._ciphers = [AESGCM(_derived(secret, b"seal")) for secret in secrets]
        self._recognisers = [_derived(secret, b"recognise") for secret in secrets]

    def close(self, key: str, owner: str) -> bytes:
        """Seal a key for its owner, with the newest secret."""
        nonce = os.urandom(NONCE_BYTES)
        return nonce + self._ciphers[0].encrypt(nonce, key.encode(), owner.encode())

    def open(self, sealed: bytes, owner: str) -> str:
        """Open a seal.

        Raises:
            CannotOpen: It was closed with another secret, or for somebody else, or was changed.
        """
        for cipher in self._ciphers:
            try:
                return cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], owner.encode()).decode()
            except InvalidTag:
                continue
        raise CannotOpen("No secret in PATROL_SECRET_KEY opens this key: put back the one that it was sealed with.")

    def fingerprints(self, key: str, owner: str) -> list[bytes]:
        """What an owner's key is recognised by, made with each secret, the newest first."""
        message = f"{owner}\0{key}".encode()
        return [hmac.digest(each, message, "sha256")[:FINGERPRINT_BYTES] for each in self._recognisers]


def seals_of(settings: Settings) -> Seals | None:
    """The seals that the settings' secrets close and open; None where there is no secret."""
    secret = settings.secret_key
    return Seals([part.strip() for part in secret.get_secret_value().split(",")]) if secret else None


def _derived(secret: str, purpose: bytes) -> bytes:
    """A key for one purpose. A secret has 32 characters or more, so that there is nothing to stretch."""
    return HKDF(SHA256(), KEY_BYTES, salt=None, info=b"memory patrol, provider keys, " + purpose).derive(
        secret.encode()
    )
