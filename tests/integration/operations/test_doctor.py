"""The doctor's findings in the ledger; its note is never paid for."""

import json

import pytest

from memory.intake.messages import accept_messages
from memory.intake.notes import accept_notes
from memory.upkeep.health import backlog
from memory.upkeep.smoke_test import send_canary
from providers.embedders import Embedders
from providers.thinkers import Thinkers
from schemas.ledger import kinds
from schemas.settings import Settings
from store.accounts import beings
from store.ledger import work
from store.patrol import runs
from tests.fakes.provider import running_provider
from tests.models.thinking import KEY, thinking_settings
from tests.models.walking import walk_run
from tests.scenes import make_user
from workers.runtime.model_report import model_report


@pytest.fixture
def provider():
    with running_provider() as running:
        yield running


@pytest.fixture
def being_id(store):
    with store.transaction() as tx:
        return beings.add_being(tx, make_user(tx).user_id, "mira", "Mira").being_id


def found(store, **settings):
    return {finding.name: finding for finding in backlog(store, Settings(**settings))}


def test_the_note_asks_no_provider_and_leaves_nothing_behind(store, provider):
    settings = thinking_settings(provider)
    embedders = Embedders(settings)

    def walk(over):
        with store.transaction() as tx:
            (run,) = tx.execute("select being_id, run_id from memory.patrol_runs").fetchall()
        walk_run(store, embedders, settings, run["being_id"], run["run_id"], thinkers=Thinkers(settings))
        with store.transaction() as tx:
            steps = runs.get(tx, run["being_id"], run["run_id"]).steps
        assert steps["diary"]["outcome"] == "skipped"
        return over()

    assert send_canary(store, embedders, settings, walk) > 0
    assert provider.requests == []
    with store.transaction() as tx:
        assert tx.execute("select from memory.users").fetchall() == []
        assert tx.execute("select from memory.model_calls").fetchall() == []


def test_what_waits_is_counted_by_queue(store, being_id):
    assert found(store)["queues"].words == "no work is ready or running"
    accept_notes(store, Settings(), being_id, [{"type": "scene", "content": "A storm."}] * 2)
    said = [{"role": "user", "content": "I like tea."}]
    receipt = accept_messages(store, Settings(thinker="anthropic", anthropic_api_key=KEY), being_id, said)
    assert receipt.hint is None
    report = found(store)
    assert report["queue patrol"].words == "1 ready"
    assert report["queue shadow"].words == "1 ready"
    assert report["input"].words.startswith("2 scene notes wait for a patrol, 1 of users' messages")
    assert "model keys" not in report


def test_work_that_is_due_for_too_long_names_its_queue(store, being_id):
    with store.transaction() as tx:
        work.ask(tx, being_id, kinds.CURATE)
    with store.transaction() as tx:
        tx.execute("update memory.work set next_at = clock_timestamp() - interval '2 minutes'")
    finding = found(store)["queue upkeep"]
    assert not finding.good
    assert "run a worker for this queue" in finding.words


def test_what_is_not_done_for_want_of_a_key_is_counted_and_the_receipt_says_so(store, being_id):
    said = [{"role": "user", "content": f"I like tea {number}."} for number in range(3)]
    receipt = accept_messages(store, Settings(), being_id, said)
    assert "no facts are extracted" in receipt.hint
    finding = found(store)["model keys"]
    assert finding.good
    assert "facts from 3 messages" in finding.words
    assert "patrol key add" in finding.words


def test_a_worker_describes_its_models_without_its_keys(provider):
    settings = thinking_settings(provider)
    report = model_report(settings)
    assert report["embedder"] == "text-embedding-3-small"
    assert report["language_models"] == ["claude-sonnet-5-5", "claude-haiku-5-5"]
    assert settings.anthropic_api_key.get_secret_value() not in json.dumps(report)
    assert model_report(Settings(embedder="minilm", thinker="none"))["language_models"] == []
    assert "ANTHROPIC_API_KEY" in model_report(Settings(thinker="anthropic"))["errors"][0]
    unknown = Settings(thinker="openai", openai_base_url="http://127.0.0.1:1", openai_thinking_model="llama")
    assert model_report(unknown)["unpriced"] == ["llama"]
