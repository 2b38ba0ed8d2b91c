"""The real OpenAI SDK against a server that holds the real limits."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest

from providers.embedding import embed_each
from providers.errors import BadAnswer, InputRefused, Misconfigured, Transient
from providers.sdk.openai_embeddings import OpenAIEmbedder
from samples.canned.embeddings import word_vector
from samples.canned.provider import served
from samples.canned.server import Reply
from schemas.limits import VECTOR_DIMENSIONS
from tests.conftest import PATIENCE
from tests.fakes.provider import Behaviour, FakeProvider, running_provider


@pytest.fixture
def embedder(provider):
    return OpenAIEmbedder(api_key="key", model="text-embedding-3-small", base_url=provider.openai_url, timeout=PATIENCE)


def sizes(provider):
    return [len(request.body["input"]) for request in provider.requests]


def test_texts_become_unit_vectors_in_their_order(embedder):
    texts = ["the kettle sings", "the goat on the roof", "雨"]
    vectors = embedder.embed(texts)
    assert (vectors.shape, vectors.dtype) == ((3, 1536), np.float32)
    assert np.allclose(vectors, [word_vector(text, 1536) for text in texts], atol=1e-6)


def test_vectors_are_put_in_order_by_their_index(provider, embedder):
    provider.script(Behaviour(do="shuffle"))
    assert np.allclose(embedder.embed(["one", "two"])[0], word_vector("one", 1536), atol=1e-6)


def test_no_texts_ask_for_nothing(provider, embedder):
    assert embedder.embed([]).shape == (0, 1536)
    assert provider.requests == []


def test_2048_short_texts_are_one_request(provider, embedder):
    vectors = embedder.embed([f"note {number}" for number in range(2049)])
    assert sizes(provider) == [2048, 1]
    assert np.allclose(vectors[2048], word_vector("note 2048", 1536), atol=1e-6)


def test_long_texts_are_cut_by_tokens(provider, embedder):
    embedder.embed(["kettle " * 2500] * 60)
    assert sum(sizes(provider)) == 60
    assert len(sizes(provider)) == 2


def test_a_batch_denser_than_estimated_is_halved():
    with running_provider(bytes_per_token=1) as provider:
        embedder = OpenAIEmbedder(api_key="key", model="text-embedding-3-small", base_url=provider.openai_url)
        embedder.embed(["tea"])
        vectors = embedder.embed([f"{number:02x}" * 4000 for number in range(64)])
    assert sizes(provider) == [1, 64, 32, 32]
    assert np.allclose(vectors[63], word_vector("3f" * 4000, 1536), atol=1e-6)


def test_a_text_over_8192_tokens_is_refused_alone(embedder):
    texts = ["one", "kettle " * 8192, "two"]
    with pytest.raises(InputRefused):
        embedder.embed(texts)
    answers = embed_each(embedder, texts)
    assert [isinstance(answer, InputRefused) for answer in answers] == [False, True, False]


def test_an_empty_text_is_refused_alone(embedder):
    answers = embed_each(embedder, ["one", "", "two"])
    assert [isinstance(answer, InputRefused) for answer in answers] == [False, True, False]


def test_a_refused_word_is_refused_alone(provider, embedder):
    embedder.embed(["tea"])
    provider.script(Behaviour(do="fail", status=400, when="forbidden", times=None))
    texts = [f"note {number}" for number in range(64)]
    texts[13] = "a forbidden word"
    answers = embed_each(embedder, texts)
    assert [position for position, answer in enumerate(answers) if isinstance(answer, InputRefused)] == [13]
    assert len(provider.requests) == 1 + 13


def test_half_a_surrogate_pair_is_refused_alone(embedder):
    answers = embed_each(embedder, ["one", "\ud83c", "two"])
    assert [isinstance(answer, InputRefused) for answer in answers] == [False, True, False]


def test_asked_dimensions_are_asked_for(provider):
    embedder = OpenAIEmbedder(
        api_key="key", model="text-embedding-3-small", dimensions=512, base_url=provider.openai_url
    )
    assert embedder.embed(["tea"]).shape == (1, 512)
    assert provider.requests[0].body["dimensions"] == 512


def test_an_unknown_model_shows_its_dimensions(provider):
    embedder = OpenAIEmbedder(api_key="key", model="another-model", base_url=provider.openai_url)
    assert embedder.dimensions == 1536
    assert embedder.embed(["tea"]).shape == (1, 1536)
    assert len(provider.requests) == 2


def test_vectors_that_no_memory_can_hold_are_a_matter_of_settings(provider):
    embedder = OpenAIEmbedder(
        api_key="key", model="another-model", dimensions=VECTOR_DIMENSIONS + 1, base_url=provider.openai_url
    )
    with pytest.raises(Misconfigured, match="PATROL_OPENAI_EMBEDDING_DIMENSIONS"):
        embedder.embed(["tea"])


class Told(list):
    """A meter that writes down what it is told."""

    @contextmanager
    def request(self, model, tokens):
        self.append((model, tokens))
        yield self.append


def test_each_request_goes_by_the_meter_with_what_it_used(provider):
    told = Told()
    embedder = OpenAIEmbedder(
        api_key="key",
        model="text-embedding-3-small",
        dimensions=512,
        base_url=provider.openai_url,
        meter=told,
    )
    embedder.embed(["12345678", "1234"])
    assert told == [("text-embedding-3-small", 5), 3]


@pytest.mark.parametrize("spoiled", ["garble", "short", "nan", "dimension", "empty"])
def test_an_answer_that_does_not_fit_is_a_bad_answer(provider, embedder, spoiled):
    provider.script(Behaviour(do=spoiled))
    with pytest.raises(BadAnswer):
        embedder.embed(["one", "two"])


def test_a_bad_first_answer_teaches_no_dimensions(provider):
    embedder = OpenAIEmbedder(api_key="key", model="another-model", base_url=provider.openai_url)
    provider.script(Behaviour(do="empty"))
    with pytest.raises(BadAnswer):
        embedder.embed(["tea"])
    assert embedder.dimensions == 1536


def test_vectors_sent_as_lists_are_read_too(provider, embedder):
    provider.script(Behaviour(do="lists"))
    assert np.allclose(embedder.embed(["tea"]), [word_vector("tea", 1536)], atol=1e-6)


class Server(FakeProvider):
    """A server with an answer of its own, made of a request's body."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def provide(self, request, *, known):
        if reply := self.answer(request.body):
            self._received(request)
        return reply or super().provide(request, known=known)

    def embedded(self, texts, times=1):
        with served(self):
            embedder = OpenAIEmbedder(api_key="key", model="m", base_url=self.openai_url, timeout=PATIENCE)
            return [embed_each(embedder, texts) for _ in range(times)]


@pytest.mark.parametrize(
    "said",
    [
        {"object": "error", "message": "base64 encoding is not currently supported", "code": 400},
        {"errorMessage": "An error occurred while reading the response body", "errorCode": "PROXY_READ_ERROR"},
    ],
)
def test_a_server_that_does_not_encode_vectors_is_asked_for_numbers(said):
    server = Server(lambda body: Reply.json(400, said) if "encoding_format" in body else None)
    for vectors in server.embedded(["tea"], times=2):
        assert np.allclose(vectors, [word_vector("tea", 1536)], atol=1e-6)
    assert ["encoding_format" in request.body for request in server.requests] == [True, False, False]


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (422, {"message": "batch size 64 > maximum allowed batch size 10", "code": 422, "type": "Validation"}),
        (400, {"error": {"message": "batch size is invalid, it should not be larger than 10.: input.contents"}}),
        (
            400,
            [{"error": {"message": "* BatchEmbedContentsRequest.requests: at most 10 requests can be in one batch"}}],
        ),
        (400, {"message": "invalid request: total number of texts must be at most 10 - received 64"}),
    ],
)
def test_how_many_texts_a_server_takes_is_found_once(status, said):
    server = Server(lambda body: Reply.json(status, said) if len(body["input"]) > 10 else None)
    texts = [f"note {number}" for number in range(64)]
    for vectors in server.embedded(texts, times=2):
        assert np.allclose(vectors, [word_vector(text, 1536) for text in texts], atol=1e-6)
    assert sizes(server)[-8:] == [8] * 8


def test_one_text_that_is_too_long_does_not_part_the_others():
    said = {"error": {"message": "input is too large to process. increase the physical batch size (current: 512)"}}
    server = Server(lambda body: Reply.json(500, said) if any(len(text) > 1000 for text in body["input"]) else None)
    texts = [f"note {number}" for number in range(64)]
    with served(server):
        embedder = OpenAIEmbedder(api_key="key", model="m", base_url=server.openai_url, timeout=PATIENCE)
        embed_each(embedder, ["long " * 400, *texts])
        asked = len(sizes(server))
        embed_each(embedder, texts)
    assert sizes(server)[asked:] == [64]


@pytest.mark.parametrize("usage", [{"total_tokens": 9}, {"prompt_tokens": None, "total_tokens": 9.0}, None])
def test_an_answer_may_lack_its_places_and_name_its_tokens_otherwise(usage):
    def answered(body):
        data = [{"embedding": word_vector(text, 8).tolist()} for text in body["input"]]
        return Reply.json(200, {"data": data, "usage": usage})

    (vectors,) = Server(answered).embedded(["tea", "the goat"])
    assert np.allclose(vectors, [word_vector("tea", 8), word_vector("the goat", 8)], atol=1e-6)


def test_an_error_with_the_status_of_an_answer_is_an_error():
    with pytest.raises(Transient):
        Server(lambda _: Reply.json(200, {"error": {"message": "No provider answered.", "code": 502}})).embedded(
            ["tea"]
        )


def test_threads_share_it(provider, embedder):
    with ThreadPoolExecutor(8) as pool:
        vectors = list(pool.map(embedder.embed, [[f"note {number}"] for number in range(32)]))
    assert all(np.allclose(vectors[n][0], word_vector(f"note {n}", 1536), atol=1e-6) for n in range(32))
    assert len(provider.requests) == 32
