"""A profile is read from YAML as the seed has it, and every mistake in it is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.questions import BadQuestion
from memory.vault_profile import read_profile, write_profile
from schemas.vault import Profile

SEED = "memory:\n  enabled: true\n  scopes: [shared, orion]\n  max_items: 20\n  similarity_threshold: 0.70\n"


def test_the_seeds_profile_is_read():
    assert read_profile(SEED) == Profile(
        enabled=True, scopes=["shared", "orion"], max_items=20, similarity_threshold=0.7
    )


def test_what_is_left_out_is_as_without_a_profile():
    assert read_profile("memory: {}\nvoice: {pitch: low}") == Profile()


@given(st.builds(Profile, scopes=st.none() | st.lists(st.text("abc-_", min_size=1))))
def test_what_is_written_is_read(profile):
    assert read_profile(write_profile(profile)) == profile


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no part `memory`"),
        ("memory: on", "no part `memory`"),
        ("- memory", "no part `memory`"),
        ("memory:\n  enabled: [", "line"),
        ("memory: {max_items: 0}", "memory.max_items"),
        ("memory: {similarity_threshold: 1.5}", "memory.similarity_threshold"),
        ("memory: {enabled: 'yes'}", "memory.enabled"),
        ("memory: {colour: red}", "memory.colour"),
        ("memory: \0", "not YAML"),
        ("memory: !!python/object:os.system {}", "not YAML"),
    ],
)
def test_a_mistake_is_told(text, told):
    with pytest.raises(BadQuestion, match=told):
        read_profile(text)
