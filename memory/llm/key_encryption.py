"""Encrypts users' provider keys at rest.

AES-256-GCM with the owner as associated data, so that a ciphertext moved to another owner's row does not decrypt. The
cipher key and the fingerprint key are derived from the platform's secret by HKDF. There may be several secrets, for
rotation: the newest encrypts, each decrypts.
"""

import hmac
import os
from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from schemas.errors import Refused
from schemas.settings import Settings

NONCE_BYTES = 12
KEY_BYTES = 32
FINGERPRINT_BYTES = 16


class DecryptionFailed(Exception):
    """No configured secret decrypts the key, or it belongs to another owner."""


class KeyCipher:
    """Encrypts and decrypts keys, and computes their fingerprints.

    Args:
        secrets: The platform's secrets, the newest first.
    """

    def __init__(self, secrets: Sequence[str]) -> None:
        self._ciphers = [AESGCM(_derived(secret, b"seal")) for secret in secrets]
        self._fingerprint_keys = [_derived(secret, b"recognise") for secret in secrets]

    def encrypt(self, key: str, owner: str) -> bytes:
        """Encrypt a key for its owner, with the newest secret."""
        nonce = os.urandom(NONCE_BYTES)
        return nonce + self._ciphers[0].encrypt(nonce, key.encode(), owner.encode())

    def decrypt(self, encrypted: bytes, owner: str) -> str:
        """Decrypt a key.

        Raises:
            DecryptionFailed: It was encrypted with another secret or for another owner, or was changed.
        """
        for cipher in self._ciphers:
            try:
                return cipher.decrypt(encrypted[:NONCE_BYTES], encrypted[NONCE_BYTES:], owner.encode()).decode()
            except InvalidTag:
                continue
        raise DecryptionFailed(
            "No secret in PATROL_SECRET_KEY decrypts this key: add the one that it was encrypted with, or if that is"
            " lost for good, have the operator run `patrol key reset`."
        )

    def fingerprints(self, key: str, owner: str) -> list[bytes]:
        """Compute an owner's key's fingerprint with each secret, the newest first."""
        message = f"{owner}\0{key}".encode()
        return [hmac.digest(each, message, "sha256")[:FINGERPRINT_BYTES] for each in self._fingerprint_keys]


def key_cipher(settings: Settings) -> KeyCipher | None:
    """Make the cipher of the settings' secrets; None if there is no secret."""
    secret = settings.secret_key
    return KeyCipher([part.strip() for part in secret.get_secret_value().split(",")]) if secret else None


def needed_cipher(settings: Settings, needed_for: str) -> KeyCipher:
    """Make the cipher of the settings' secrets.

    Args:
        needed_for: The beginning of an error's sentence: the action that needs a secret, and why.

    Raises:
        Refused: There is no secret.
    """
    cipher = key_cipher(settings)
    if cipher is None:
        raise Refused(
            f"{needed_for}: its operator sets PATROL_SECRET_KEY to 32 random characters or more, for instance from"
            " `openssl rand -base64 32`."
        )
    return cipher


def _derived(secret: str, purpose: bytes) -> bytes:
    """Derive a 256-bit key for one purpose. Secrets have 32 characters or more, so HKDF needs no key stretching."""
    return HKDF(SHA256(), KEY_BYTES, salt=None, info=b"memory patrol, provider keys, " + purpose).derive(
        secret.encode()
    )
