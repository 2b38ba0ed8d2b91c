"""Memories survive an embedder that fails, refuses, or is replaced by another."""

import random
from datetime import timedelta
from string import printable

import numpy as np
import pytest

from memory.intake.notes import accept_notes
from memory.nodes import recall, reembedding
from memory.nodes.scenes import embedding_text
from memory.patrol import steps
from memory.patrol.demand import demand
from providers.embedders import MINILM, Embedders
from providers.errors import Misconfigured, Transient
from providers.thinkers import Thinkers
from schemas.intake.inputs import Emotion
from schemas.ledger.kinds import REEMBED
from schemas.limits import VECTOR_DIMENSIONS
from schemas.settings import CHECKOUT, Settings
from store.accounts import beings
from store.intake import notes
from store.ledger import work
from store.nodes import embeddings, nodes
from store.patrol import runs
from tests.fakes.provider import Behaviour, running_provider
from tests.models.walking import ATTEMPTS, LEASE, walk_patrol, walk_run
from tests.scenes import MODEL, make_user, remember, words

ENCODER = CHECKOUT / "tests/unit/providers/local/encoders/like-e5"


@pytest.fixture
def provider():
    with running_provider() as running:
        yield running


def openai_settings(provider, **changes):
    return Settings(embedder="openai", openai_api_key="key", openai_base_url=provider.openai_url, **changes)


@pytest.fixture
def settings(provider):
    return openai_settings(provider)


@pytest.fixture
def being_id(store):
    with store.transaction() as tx:
        return beings.add_being(tx, make_user(tx).user_id, "mizzen", "Mizzen").being_id


def scene(action, **more):
    return {"type": "scene", "content": {"action": action, "actors": ["Mira"], "when": ["2026-03-02"], **more}}


def hand_in(store, settings, being_id, *actions):
    return accept_notes(store, settings, being_id, [scene(action) for action in actions])


def memories(store, being_id):
    with store.transaction() as tx:
        return nodes.page(tx, being_id, limit=1000)


def texts_embedded(provider):
    return [text for request in provider.requests for text in request.body["input"]]


def take_embed(store, embedders, settings, claim):
    steps.embed(store, embedders, Thinkers(settings), settings, claim)


def claim_embed(store, settings, being_id):
    run_id = demand(store, settings, being_id)
    with store.transaction() as tx:
        return run_id, work.claim(tx, being_id, "patrol.embed", str(run_id), lease=LEASE, attempts=ATTEMPTS)


def test_many_notes_are_embedded_in_one_request(store, provider, settings, being_id):
    hand_in(store, settings, being_id, *(f"Mira baked bun number {number}." for number in range(100)))
    _, claim = claim_embed(store, settings, being_id)
    take_embed(store, Embedders(settings), settings, claim)
    assert [len(request.body["input"]) for request in provider.requests] == [100]
    assert len(memories(store, being_id)) == 100


def test_the_same_text_is_never_embedded_twice(store, provider, settings, being_id):
    hand_in(store, settings, being_id, "Mira baked buns.", "Mira baked buns.")
    walk_patrol(store, Embedders(settings), settings, being_id)
    hand_in(store, settings, being_id, "Mira baked buns.")
    walk_patrol(store, Embedders(settings), settings, being_id)
    assert len(memories(store, being_id)) == 3
    assert sum("buns" in text for text in texts_embedded(provider)) == 1


def test_a_refused_text_is_marked_alone_and_kept(store, provider, settings, being_id):
    provider.script(Behaviour(do="fail", status=400, when="forbidden", times=None))
    hand_in(store, settings, being_id, "Mira baked buns.", "Mira said the forbidden thing.", "The roof leaked.")
    run = walk_patrol(store, Embedders(settings), settings, being_id)
    assert (run.steps["embed"]["nodes"], run.steps["embed"]["embed_failed"]) == (2, 1)
    with store.transaction() as tx:
        (failed,) = notes.page(tx, being_id, state="embed_failed", after=None, limit=10)
    assert failed.content["action"] == "Mira said the forbidden thing."
    assert "forbidden thing" not in failed.reason


@pytest.mark.parametrize("failure", [Behaviour(do="fail", status=429), Behaviour(do="fail", status=529)])
def test_a_passing_fault_leaves_the_notes_to_the_next_attempt(store, provider, settings, being_id, failure):
    hand_in(store, settings, being_id, "Mira baked buns.")
    run_id, claim = claim_embed(store, settings, being_id)
    provider.script(failure)
    with pytest.raises(Transient):
        take_embed(store, Embedders(settings), settings, claim)
    assert memories(store, being_id) == []
    take_embed(store, Embedders(settings), settings, claim)
    assert walk_run(store, Embedders(settings), settings, being_id, run_id).state == "done"
    assert len(memories(store, being_id)) == 1


def test_vectors_are_kept_before_they_are_used(store, provider, settings, being_id):
    hand_in(store, settings, being_id, "Mira baked buns.")
    _, claim = claim_embed(store, settings, being_id)
    with store.transaction() as tx:
        work.fail(tx, claim, attempts=ATTEMPTS, error="taken away")
    with pytest.raises(Exception, match="held by another"):
        take_embed(store, Embedders(settings), settings, claim)
    assert memories(store, being_id) == []
    with store.transaction() as tx:
        tx.execute("update memory.work set next_at = clock_timestamp()")
        again = work.claim(tx, being_id, claim.kind, claim.key, lease=LEASE, attempts=ATTEMPTS)
    take_embed(store, Embedders(settings), settings, again)
    assert len(texts_embedded(provider)) == 1
    assert len(memories(store, being_id)) == 1


def recalled(store, embedders, being_id, query, *, threshold=0.2):
    with store.transaction() as tx:
        being = beings.get_being(tx, being_id)
    asked = recall.RecallQuery(query, limit=3, threshold=threshold)
    return recall.recall(store, embedders, being, asked, random.Random(1))


def test_recall_falls_back_to_words_while_the_embedder_is_away(store, provider, settings, being_id):
    hand_in(store, settings, being_id, "Mira baked saffron buns.")
    walk_patrol(store, Embedders(settings), settings, being_id)
    provider.script(Behaviour(do="drop", times=None))
    answer = recalled(store, Embedders(settings), being_id, "Any saffron left?")
    assert answer.degraded
    assert [node.scene["action"] for node in answer.nodes] == ["Mira baked saffron buns."]


def test_a_missing_key_does_not_swap_the_embedder(store, settings, being_id, sent):
    hand_in(store, settings, being_id, "Mira baked saffron buns.")
    walk_patrol(store, Embedders(settings), settings, being_id)
    keyless = Embedders(Settings(embedder="auto"))
    assert asked_to_move(store, keyless, sent) == []
    answer = recalled(store, keyless, being_id, "Any saffron left?")
    assert answer.degraded
    hand_in(store, settings, being_id, "The roof leaked.")
    _, claim = claim_embed(store, settings, being_id)
    with pytest.raises(Misconfigured, match="OPENAI_API_KEY"):
        take_embed(store, keyless, settings, claim)


def test_the_longest_vectors_find_room_in_a_memory_that_says_much(store, provider, being_id):
    longest = openai_settings(provider, openai_embedding_dimensions=VECTOR_DIMENSIONS)
    rich = scene(
        "".join(random.Random(1).choices(printable[:90], k=3000)),
        feeling="".join(random.Random(2).choices(printable[:90], k=1000)),
        themes=[f"theme {number}" for number in range(30)],
        emotion=dict.fromkeys(Emotion.model_fields, 0.123456789),
    )
    accept_notes(store, longest, being_id, [rich])
    run = walk_patrol(store, Embedders(longest), longest, being_id)
    assert (run.state, run.steps["embed"]["nodes"]) == ("done", 1)
    recalled(store, Embedders(longest), being_id, "anything")


def asked_to_move(store, embedders, sent):
    """Ask for the move to these embedders; returns the messages that were sent."""
    return sent.by(lambda: reembedding.request_reembedding(store, embedders))


def test_a_dead_move_is_not_requested_again(store, settings, being_id, sent):
    hand_in(store, settings, being_id, "Mira baked saffron buns.")
    walk_patrol(store, Embedders(settings), settings, being_id)
    local = Embedders(Settings(embedder="minilm"))
    (message,) = asked_to_move(store, local, sent)
    with store.transaction() as tx:
        claim = work.claim(tx, being_id, message.kind, message.key, lease=LEASE, attempts=ATTEMPTS)
        work.fail(tx, claim, attempts=1, error="poison")

    assert asked_to_move(store, local, sent) == []
    with store.transaction() as tx:
        assert work.state(tx, being_id, message.kind, message.key) == "dead"


def test_time_passes_for_a_being_whose_embedder_has_no_key(store, settings, being_id):
    hand_in(store, settings, being_id, "Mira baked saffron buns.")
    walk_patrol(store, Embedders(settings), settings, being_id)
    run = walk_patrol(store, Embedders(Settings(embedder="auto")), settings, being_id)
    assert run.state == "done"
    assert [node.session_count for node in memories(store, being_id)] == [2]


def reembed(store, embedders, being_id):
    reembedding.request_reembedding(store, embedders)
    with store.transaction() as tx:
        claim = work.claim(tx, being_id, REEMBED.name, embedders.wanted.model, lease=LEASE, attempts=ATTEMPTS)
    reembedding.reembed(store, embedders, claim)


def test_a_changed_embedder_takes_over_when_all_its_vectors_are_there(store, settings, being_id):
    hand_in(store, settings, being_id, "Mira baked saffron buns.", "The roof leaked.", "Bells rang.")
    walk_patrol(store, Embedders(settings), settings, being_id)
    local = Embedders(Settings(embedder="minilm"))
    reembed(store, local, being_id)
    with store.transaction() as tx:
        assert beings.get_being(tx, being_id).embedding_model == MINILM
        (left,) = tx.execute("select count(*) as kept from memory.embeddings")
        assert left["kept"] == 0
        models = tx.execute("select distinct embedding_model, vector_dims(vector) as size from memory.node_vectors")
        assert [(row["embedding_model"], row["size"]) for row in models] == [(MINILM, 384)]
    answer = recalled(store, local, being_id, "What did she bake?")
    assert answer.nodes[0].scene["action"] == "Mira baked saffron buns."


def test_a_local_model_takes_over_and_its_queries_have_their_own_prefix(store, settings, being_id):
    hand_in(store, settings, being_id, "Mira baked saffron buns.")
    walk_patrol(store, Embedders(settings), settings, being_id)
    local = Embedders(Settings(embedder="local", local_model=ENCODER))
    reembed(store, local, being_id)
    with store.transaction() as tx:
        assert beings.get_being(tx, being_id).embedding_model == local.wanted.model
    answer = recalled(store, local, being_id, "What did she bake?", threshold=-1)
    (node,) = answer.nodes
    text = embedding_text(node.scene, node.feeling)
    expected = local.wanted.embed_queries(["What did she bake?"])[0] @ local.wanted.embed([text])[0]
    assert answer.similarities == [pytest.approx(expected, abs=1e-3)]


def test_a_long_move_is_made_in_turns(store, provider, settings, being_id, monkeypatch, sent):
    hand_in(store, settings, being_id, "Mira baked saffron buns.", "The roof leaked.", "Bells rang.")
    walk_patrol(store, Embedders(settings), settings, being_id)
    smaller = Embedders(openai_settings(provider, openai_embedding_dimensions=256))
    monkeypatch.setattr(reembedding, "BATCH", 1)
    (message,) = asked_to_move(store, smaller, sent)
    asked = len(texts_embedded(provider))
    turns = 0
    while serving_model(store, being_id) != smaller.wanted.model:
        with store.transaction() as tx:
            claim = work.claim(tx, being_id, message.kind, message.key, lease=LEASE, attempts=ATTEMPTS)
        assert claim.attempts == 1
        reembedding.reembed(store, smaller, claim, turn=timedelta(0))
        turns += 1
    assert turns == 4
    assert len(texts_embedded(provider)) == asked + 3
    with store.transaction() as tx:
        assert work.state(tx, being_id, message.kind, message.key) == "done"


def serving_model(store, being_id):
    with store.transaction() as tx:
        return beings.get_being(tx, being_id).embedding_model


def test_texts_are_paged_without_reading_them_again(store, being_id):
    with store.transaction() as tx:
        being = beings.get_being(tx, being_id)
        beings.adopt_model(tx, being_id, MODEL)
        remember(tx, being, *(words(f"Scene {number}.") for number in range(5)), words("Scene 0."))
        (kept, *_) = pages = texts_to_move(tx, being_id)
        embeddings.keep(tx, being_id, "five-d", {kept.text_hash: np.ones(5, dtype=np.float32)})
        again = texts_to_move(tx, being_id)
    assert len({text.text_hash for text in pages}) == len(pages) == 5
    assert [text.kept for text in again] == [True, False, False, False, False]


def texts_to_move(tx, being_id):
    found, after = [], b""
    while page := embeddings.texts_of_other_models(tx, being_id, "five-d", after=after, limit=2):
        found += page
        after = page[-1].text_hash
    return found


def test_the_old_vectors_serve_until_the_new_ones_are_complete(store, provider, settings, being_id):
    hand_in(store, settings, being_id, "Mira baked saffron buns.")
    walk_patrol(store, Embedders(settings), settings, being_id)
    smaller = openai_settings(provider, openai_embedding_dimensions=256)
    provider.script(Behaviour(do="fail", status=500, when='"dimensions": 256'))
    with pytest.raises(Transient):
        reembed(store, Embedders(smaller), being_id)
    answer = recalled(store, Embedders(smaller), being_id, "saffron buns baked")
    assert not answer.degraded
    assert len(answer.nodes) == 1


def test_a_patrol_that_began_before_the_change_does_not_mix_vectors(store, settings, being_id):
    hand_in(store, settings, being_id, "Mira baked saffron buns.")
    walk_patrol(store, Embedders(settings), settings, being_id)
    hand_in(store, settings, being_id, "The roof leaked.")
    run_id, claim = claim_embed(store, settings, being_id)
    take_embed(store, Embedders(settings), settings, claim)
    local = Embedders(Settings(embedder="minilm"))
    reembed(store, local, being_id)
    run = walk_run(store, local, settings, being_id, run_id)
    assert run.state == "done"
    with store.transaction() as tx:
        assert runs.get(tx, being_id, run_id).steps["assign"]["rooted"] == 1
        (row,) = tx.execute("select count(distinct embedding_model) as models from memory.node_vectors")
    assert row["models"] == 1
