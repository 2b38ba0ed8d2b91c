"""The settings say who embeds."""

from pathlib import Path

import pytest

from providers.embedders import Embedders
from providers.embedding import make_embedder
from providers.errors import Misconfigured
from providers.local.encoder_config import MINILM
from providers.sdk.openai_embeddings import OpenAIEmbedder
from schemas.settings import Settings

ENCODER = Path(__file__).parent / "local" / "encoders" / "like-e5"


def settings(**changes):
    unset = dict.fromkeys(("openai_api_key", "openai_base_url", "minilm_weights", "local_model"))
    return Settings(**{"embedder": "auto", **unset, **changes})


def test_without_a_key_it_is_minilm():
    assert make_embedder(settings()).model == MINILM


def test_with_a_key_it_is_openai():
    embedder = make_embedder(settings(openai_api_key="key"))
    assert isinstance(embedder, OpenAIEmbedder)
    assert (embedder.model, embedder.dimensions) == ("text-embedding-3-small", 1536)


def test_minilm_can_be_chosen_in_spite_of_a_key():
    assert make_embedder(settings(embedder="minilm", openai_api_key="key")).model == MINILM


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


def test_a_local_model_embeds_in_spite_of_a_key():
    embedder = make_embedder(settings(openai_api_key="key", local_model=ENCODER))
    assert embedder.model.startswith("local/like-e5@")
    assert make_embedder(settings(embedder="local", local_model=ENCODER)).model == embedder.model


def test_a_chosen_embedder_comes_before_the_local_model():
    assert make_embedder(settings(embedder="minilm", local_model=ENCODER)).model == MINILM
    assert isinstance(
        make_embedder(settings(embedder="openai", openai_api_key="key", local_model=ENCODER)), OpenAIEmbedder
    )


def test_local_without_a_directory_says_what_to_set():
    with pytest.raises(Misconfigured, match="PATROL_LOCAL_MODEL"):
        make_embedder(settings(embedder="local"))


def test_a_being_with_vectors_of_a_local_model_is_served_by_it_alone():
    model = make_embedder(settings(local_model=ENCODER)).model
    beside_openai = Embedders(settings(embedder="openai", openai_api_key="key", local_model=ENCODER))
    assert beside_openai.serving(model).model == model
    with pytest.raises(Misconfigured, match="PATROL_LOCAL_MODEL holds local/like-arctic@"):
        Embedders(settings(embedder="minilm", local_model=ENCODER.with_name("like-arctic"))).serving(model)
    with pytest.raises(Misconfigured, match="Set PATROL_LOCAL_MODEL to its directory"):
        Embedders(settings(embedder="minilm")).serving(model)
