"""A seal opens with the secret it was closed with, for its owner, unchanged; and in no other way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from memory.sealing import CannotOpen, Seals, seals_of
from schemas.settings import Settings

OLD, NEW = "the older secret, of many letters", "the newer secret, of many letters"
KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=16, max_size=512)


@given(KEYS)
def test_what_is_sealed_opens_for_its_owner(key):
    sealed = Seals([NEW]).close(key, "ada/openai")

    assert Seals([NEW]).open(sealed, "ada/openai") == key
    assert key.encode() not in sealed


def test_older_secrets_still_open_and_the_newest_seals():
    before = Seals([OLD]).close("sk-0123456789abcdef", "ada/openai")
    both = Seals([NEW, OLD])

    assert both.open(before, "ada/openai") == "sk-0123456789abcdef"
    assert Seals([NEW]).open(both.close("sk-0123456789abcdef", "ada/openai"), "ada/openai") == "sk-0123456789abcdef"


@pytest.mark.parametrize(
    ("secrets", "owner"), [([OLD], "ada/openai"), ([NEW], "grace/openai"), ([NEW], "ada/anthropic")]
)
def test_nobody_else_opens_it(secrets, owner):
    with pytest.raises(CannotOpen):
        Seals(secrets).open(Seals([NEW]).close("sk-0123456789abcdef", "ada/openai"), owner)


@given(st.data())
def test_what_was_changed_does_not_open(data):
    sealed = bytearray(Seals([NEW]).close("sk-0123456789abcdef", "ada/openai"))
    sealed[data.draw(st.integers(0, len(sealed) - 1))] ^= data.draw(st.integers(1, 255))
    with pytest.raises(CannotOpen):
        Seals([NEW]).open(bytes(sealed), "ada/openai")


def test_the_same_key_is_recognised_of_the_same_owner_alone():
    seals = Seals([NEW, OLD])

    assert seals.fingerprints("k", "ada") == seals.fingerprints("k", "ada")
    assert seals.fingerprints("k", "ada")[1:] == Seals([OLD]).fingerprints("k", "ada")
    assert seals.fingerprints("k", "ada") != seals.fingerprints("k", "grace")
    assert seals.close("k", "ada") != seals.close("k", "ada"), (
        "what is sealed tells nothing, not even that it is the same"
    )


def test_secrets_come_from_the_settings_and_are_long():
    assert seals_of(Settings()) is None
    sealed = Seals([OLD]).close("sk-0123456789abcdef", "ada")
    assert seals_of(Settings(secret_key=f"{NEW.replace(',', '')}, {OLD.replace(',', '')}")) is not None
    assert sealed
    with pytest.raises(ValidationError, match="32 characters") as caught:
        Settings(secret_key=f"{NEW}, short")
    assert "newer" not in str(caught.value)
