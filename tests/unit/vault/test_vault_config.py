"""The vault's configuration is read from YAML in the seed's form, and each invalid field is named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.errors import InvalidRequest
from memory.vault.config import read_config, write_config
from schemas.vault.vault_requests import VaultConfig

SEED = "memory:\n  enabled: true\n  scopes: [shared, orion]\n  max_items: 20\n  similarity_threshold: 0.70\n"


def test_the_seeds_configuration_is_read():
    assert read_config(SEED) == VaultConfig(
        enabled=True, scopes=["shared", "orion"], max_items=20, similarity_threshold=0.7
    )


def test_missing_fields_have_their_defaults():
    assert read_config("memory: {}\nvoice: {pitch: low}") == VaultConfig()


@given(st.builds(VaultConfig, scopes=st.none() | st.lists(st.text("abc-_", min_size=1))))
def test_a_written_configuration_is_read_back(config):
    assert read_config(write_config(config)) == config


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no section `memory`"),
        ("memory: on", "no section `memory`"),
        ("- memory", "no section `memory`"),
        ("memory:\n  enabled: [", "line"),
        ("memory: {max_items: 0}", "memory.max_items"),
        ("memory: {similarity_threshold: 1.5}", "memory.similarity_threshold"),
        ("memory: {enabled: 'yes'}", "memory.enabled"),
        ("memory: {colour: red}", "memory.colour"),
        ("memory: \0", "not YAML"),
        ("memory: !!python/object:os.system {}", "not YAML"),
    ],
)
def test_an_invalid_configuration_is_refused_with_its_place(text, message):
    with pytest.raises(InvalidRequest, match=message):
        read_config(text)
