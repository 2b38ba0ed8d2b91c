"""A key decrypts only with a configured secret, for its owner, and unchanged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from memory.llm.key_encryption import DecryptionFailed, KeyCipher, key_cipher
from schemas.settings import Settings

OLD, NEW = "the older secret, of many letters", "the newer secret, of many letters"
KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=16, max_size=512)


@given(KEYS)
def test_an_encrypted_key_decrypts_for_its_owner(key):
    encrypted = KeyCipher([NEW]).encrypt(key, "ada/openai")

    assert KeyCipher([NEW]).decrypt(encrypted, "ada/openai") == key
    assert key.encode() not in encrypted


def test_older_secrets_decrypt_and_the_newest_encrypts():
    before = KeyCipher([OLD]).encrypt("sk-0123456789abcdef", "ada/openai")
    both = KeyCipher([NEW, OLD])

    assert both.decrypt(before, "ada/openai") == "sk-0123456789abcdef"
    assert (
        KeyCipher([NEW]).decrypt(both.encrypt("sk-0123456789abcdef", "ada/openai"), "ada/openai")
        == "sk-0123456789abcdef"
    )


@pytest.mark.parametrize(
    ("secrets", "owner"), [([OLD], "ada/openai"), ([NEW], "grace/openai"), ([NEW], "ada/anthropic")]
)
def test_another_secret_or_owner_does_not_decrypt(secrets, owner):
    with pytest.raises(DecryptionFailed):
        KeyCipher(secrets).decrypt(KeyCipher([NEW]).encrypt("sk-0123456789abcdef", "ada/openai"), owner)


@given(st.data())
def test_a_changed_ciphertext_does_not_decrypt(data):
    encrypted = bytearray(KeyCipher([NEW]).encrypt("sk-0123456789abcdef", "ada/openai"))
    encrypted[data.draw(st.integers(0, len(encrypted) - 1))] ^= data.draw(st.integers(1, 255))
    with pytest.raises(DecryptionFailed):
        KeyCipher([NEW]).decrypt(bytes(encrypted), "ada/openai")


def test_fingerprints_are_equal_for_the_same_key_and_owner_only():
    cipher = KeyCipher([NEW, OLD])

    assert cipher.fingerprints("k", "ada") == cipher.fingerprints("k", "ada")
    assert cipher.fingerprints("k", "ada")[1:] == KeyCipher([OLD]).fingerprints("k", "ada")
    assert cipher.fingerprints("k", "ada") != cipher.fingerprints("k", "grace")
    assert cipher.encrypt("k", "ada") != cipher.encrypt("k", "ada"), "ciphertexts of the same key differ"


def test_secrets_come_from_the_settings_and_are_long():
    assert key_cipher(Settings()) is None
    encrypted = KeyCipher([OLD]).encrypt("sk-0123456789abcdef", "ada")
    assert key_cipher(Settings(secret_key=f"{NEW.replace(',', '')}, {OLD.replace(',', '')}")) is not None
    assert encrypted
    with pytest.raises(ValidationError, match="32 characters") as caught:
        Settings(secret_key=f"{NEW}, short")
    assert "newer" not in str(caught.value)
