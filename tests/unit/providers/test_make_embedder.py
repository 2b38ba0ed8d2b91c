"""The settings say who embeds."""

import pytest

from providers.embedding import make_embedder
from providers.errors import Misconfigured
from providers.minilm import MiniLM
from providers.openai_embeddings import OpenAIEmbedder
from schemas.settings import Settings


def settings(**changes):
    nothing_from_the_environment = {"openai_api_key": None, "openai_base_url": None, "minilm_weights": None}
    return Settings(**{"embedder": "auto", **nothing_from_the_environment, **changes})


def test_without_a_key_it_is_minilm():
    assert isinstance(make_embedder(settings()), MiniLM)


def test_with_a_key_it_is_openai():
    embedder = make_embedder(settings(openai_api_key="key"))
    assert isinstance(embedder, OpenAIEmbedder)
    assert (embedder.model, embedder.dimensions) == ("text-embedding-3-small", 1536)


def test_minilm_can_be_chosen_in_spite_of_a_key():
    assert isinstance(make_embedder(settings(embedder="minilm", openai_api_key="key")), MiniLM)


def test_openai_without_a_key_says_what_to_set():
    with pytest.raises(Misconfigured, match="OPENAI_API_KEY"):
        make_embedder(settings(embedder="openai"))


def test_a_server_of_ones_own_needs_no_key():
    embedder = make_embedder(settings(embedder="openai", openai_base_url="http://127.0.0.1:1/v1"))
    assert isinstance(embedder, OpenAIEmbedder)


def test_asked_dimensions_belong_to_the_name_of_the_space():
    embedder = make_embedder(settings(openai_api_key="key", openai_embedding_dimensions=512))
    assert (embedder.model, embedder.dimensions) == ("text-embedding-3-small@512", 512)


def test_a_wrong_directory_for_the_weights_is_named(tmp_path):
    with pytest.raises(Misconfigured, match=tmp_path.name):
        make_embedder(settings(minilm_weights=tmp_path))
