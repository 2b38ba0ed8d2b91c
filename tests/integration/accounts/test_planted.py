"""No request to a model about one Being holds a word that was planted in its sibling.

One word is in every text column of the sibling's rows (tests/planting/planted.py), and one of its own in each text of
each input that the API takes (tests/acceptance/http/accounts/test_planted.py).
"""

import json
import random
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from starlette.testclient import TestClient

import api.app
from memory.accounts import access
from memory.context.assembly import assemble
from memory.context.assembly_request import AssemblyRequest
from memory.facts import seeding
from providers.embedders import Embedders
from providers.thinkers import Thinkers
from schemas.context.context import ContextRequest
from schemas.facts.fact_requests import Seed
from schemas.settings import Settings
from schemas.settings.keys_and_budgets import SECRET_CHARACTERS
from store.accounts import beings
from tests.acceptance.conftest import ALL_SCOPES
from tests.acceptance.http.accounts.test_planted import adopt_embedder, leaked_words, say_everything, side_of
from tests.conversations import Talk, fact, todo
from tests.fakes.provider import running_provider
from tests.models.indexed import index
from tests.models.thinking import Answers, Life, thinking_settings
from tests.planting.planted import PRIVATE, SHARED, plant, unplanted

PURPOSES = {
    "Classification",
    "Consolidation",
    "DiaryPages",
    "Judgement",
    "Reconciliation",
    "RepairedScene",
    "RollingSummary",
    "SessionWithScenes",
    "Split",
    "SummarySpine",
}
EVENTS = [
    "apples",
    "boats",
    "chess",
    "drums",
    "eels",
    "figs",
    "geese",
    "hats",
    "inns",
    "jars",
    "kites",
    "lamps",
    "maps",
    "nuts",
]


@pytest.fixture
def told(store, being, url, monkeypatch):
    """A Being with a word in every text column, to which every input was sent with a word of its own in each text."""
    plant(store, being)
    with store.transaction() as tx:
        tx.execute("update memory.beings set embedding_model = null where being_id = %s", [being.being_id])
        adopt_embedder(tx, being)
    settings = Settings(
        database_url=url, redis_url="redis://127.0.0.1:1/0", embedder="minilm", secret_key="s" * SECRET_CHARACTERS
    )
    # The process is the tests': its logs and its broker stay as they are.
    monkeypatch.setattr(api.app, "configure_logs", lambda _: None)
    monkeypatch.setattr(api.app, "BackgroundSender", lambda _: nullcontext(SimpleNamespace(send=lambda _: None)))
    secret, _ = access.issue_token(store, being.user_id, being_id=None, scopes=[*ALL_SCOPES], lifetime=None)
    with TestClient(api.app.create_app(settings), headers={"Authorization": f"Bearer {secret}"}) as client:
        index(store, being.being_id, being.user_id)
        side = side_of(SimpleNamespace(ledger=store, being=being, client=client))
        say_everything(side, client.get("/openapi.json").json())
    return being


@pytest.fixture
def sibling(store, user, told):  # noqa: ARG001  # is there before
    """A Being whose sibling is full of planted words; whatever it has thought about, the provider was asked."""
    with running_provider() as provider:
        settings = thinking_settings(provider, judge_messages=1)
        with store.transaction() as tx:
            new = beings.add_being(tx, user.user_id, "sibling", "Sibling")
        yield Life(store, provider, Answers(), new.being_id, settings)


def test_the_word_is_in_every_text_of_a_being(store, being):
    plant(store, being)
    with store.transaction() as tx:
        assert unplanted(tx, being) == set()


def test_a_text_that_nothing_was_planted_in_is_found(store, being):
    plant(store, being)
    with store.transaction() as tx:
        tx.execute("create table memory.secrets (being_id uuid primary key, words text)")
        tx.execute("alter table memory.todos add column whispered jsonb")
        assert unplanted(tx, being) == {"secrets.words", "todos.whispered"}


@pytest.mark.long
def test_no_request_to_a_model_about_a_sibling_holds_a_planted_word(sibling, clock, store):
    with store.transaction() as tx:
        being = beings.get_being(tx, sibling.being_id)
    settings = sibling.settings
    talk = Talk(store, sibling.provider, being, settings, Thinkers(settings), Embedders(settings))
    # It hears what its sibling was told, by the very same names.
    names = [{"type": "thing", "name": f"{PRIVATE[:4]}…"}, {"type": "thing", "name": SHARED}]
    seeding.seed(store, Settings(), being, [Seed(type="PROFILE", content="Bakes.", entity_refs=[f"thing:{SHARED}"])])
    talk.hears(
        "I live in Austin.", fact("I live in Austin", entities=names, fact_type="fact"), todos=(todo("I live in"),)
    )
    talk.hears("I live in Berlin.", fact("I live in Berlin", message="m2", entities=names, fact_type="fact"))
    talk.says(*(f"Word {number}." for number in range(25)))
    talk.judged()
    clock.advance(hours=1)
    talk.says("A new day.")
    talk.judged()
    talk.summed_up()
    sibling.tell(*EVENTS)
    sibling.hand_in("no scene at all")
    sibling.patrol()
    clock.advance(hours=25)
    sibling.tell("One more event.")
    sibling.patrol()

    shown = assemble(
        store,
        talk.embedders,
        settings,
        being,
        AssemblyRequest(ContextRequest(message=SHARED), SHARED),
        random.Random(1),
    )

    requests = sibling.provider.requests
    asked = [request for request in requests if request.endpoint == "messages"]
    assert {request.purpose for request in asked} == PURPOSES
    assert {request.endpoint for request in requests} == {"messages", "embeddings"}
    assert any(SHARED in request.prompt for request in asked), "what is the user's is known to both"
    sent = {(request.purpose, json.dumps(request.body, ensure_ascii=False)) for request in requests}
    leaks = {(purpose, place) for purpose, body in sent for place in leaked_words(body)}
    assert leaks | {("context", place) for place in leaked_words(shown.model_dump_json())} == set()
