"""The score card of a written month: a model that follows rules gets a fair score, and one that errs a lower one."""

import json
import os
import re
import subprocess
import sys
from contextlib import closing

import pytest

from bench.real_model.__main__ import HELP, played_with
from bench.real_model.asking import answers_table, asked_of
from bench.real_model.playing import Player, days
from bench.real_model.scoring import EXPECTED, Expected, Remembered, remembered, score
from memory.intake.messages import accept_messages
from providers.embedders import Embedders
from providers.thinkers import Thinkers
from samples.canned import policy
from schemas.settings import CHECKOUT, Settings
from tests.fakes.imperfect import ImperfectModel
from tests.fakes.provider import running_provider
from tests.models.indexed import embed, index

WANTED = Expected.model_validate_json(EXPECTED.read_text("utf-8"))


def careless(request):
    """A model that invents quotations, takes play for life, keeps no secret, and never finds two memories alike."""
    said = policy.answer(request)
    if said is None:
        return None
    answer = json.loads(said.replace('"hypothetical"', '"real"').replace('"role-play"', '"real"'))
    if request.purpose == "Judgement":
        answer["confidences"] = []
        for found in answer["facts"][::2]:
            found["span"] = "words that were never said"
    if request.purpose == "Consolidation":
        answer["merges"] = []
    return json.dumps(answer)


def played(store, answer):
    with running_provider(answer=answer) as provider:
        settings = played_with(
            Settings(thinker="anthropic", anthropic_api_key="key", anthropic_base_url=provider.url, embedder="minilm")
        )
        with closing(Thinkers(settings)) as thinkers:
            player = Player.new(store, settings, Embedders(settings), thinkers, f"{answer}")
            assert [*player.play()] == [day for day, _ in days()]
    with store.transaction() as tx:
        return player, score(WANTED, remembered(tx, player.being.user_id, player.being.being_id))


def test_questions_about_the_month_tell_right_answers_from_those_that_are_turned_round(store):
    wrong = {"sentences": [{"sentence": "Tove likes cardamom.", "cites": [{"ref": "e1", "quote": "cardamom"}]}]}

    def answer(request):
        if request.purpose != "DraftAnswer":
            return policy.answer(request)
        ref = re.search(r'ref="(e\d+)"[^<]*cardamom', request.material)
        said = json.dumps(wrong).replace('"e1"', f'"{ref[1] if ref else "e1"}"')
        return said if "Does Tove like cardamom" in request.material else policy.answer(request)

    with running_provider(answer=answer) as provider:
        settings = played_with(
            Settings(thinker="anthropic", anthropic_api_key="key", anthropic_base_url=provider.url, embedder="minilm")
        )
        with closing(Thinkers(settings)) as thinkers:
            player = Player.new(store, settings, Embedders(settings), thinkers, "Tove")
            being_id = player.being.being_id
            for _, said in days():
                accept_messages(store, settings, being_id, said)
            index(store, being_id)
            embed(store, player.embedders, being_id)
            answers = {one.wanted.question: one for one in asked_of(player)}

    assert len(answers) == 16
    assert answers["Does Tove like cardamom?"].is_turned_round
    assert not answers["Does Tove like cardamom?"].is_right
    assert any(one.is_right for one in answers.values() if one.wanted.right is None)
    assert answers_table(list(answers.values())).row_count == 4


def test_a_model_that_answers_as_small_ones_do_is_understood_and_one_that_errs_scores_less(store):
    fair_player, fair = played(store, ImperfectModel(seed=2))
    careless_player, poor = played(store, careless)

    assert not fair_player.failed + careless_player.failed
    # What the canned model gets right by its rules (`docs/models.md`), less what this one leaves unsaid.
    assert 0.75 < fair.score < 1
    assert poor.score < fair.score - 0.1
    for line in ("facts: recall", "facts: precision", "confidences: kept"):
        assert poor.share(line) < fair.share(line)
    assert poor.dropped["judge: no such words"] > fair.dropped["judge: no such words"]
    for purpose in ("judge", "scenes"):
        assert any(reason.startswith(f"{purpose}: ") for reason in fair.dropped)
    assert {"judge", "close", "rolling", "consolidate"} <= {row["purpose"] for row in fair.spent}
    assert all(row["calls"] > 0 and row["read"] > 0 and row["dollars"] > 0 for row in fair.spent)
    assert sum(row["invalid"] for row in fair.spent) > 0


def test_nothing_remembered_scores_nothing():
    assert score(WANTED, Remembered([], [], set(), [], [])).score == 0


def test_a_month_has_sixty_to_a_hundred_messages_and_all_that_is_expected_is_said_in_it():
    messages = [message for _, said in days() for message in said]
    ids = {message["id"] for message in messages}

    assert 60 <= len(messages) == len(ids) <= 100
    assert WANTED.confidences | WANTED.confidences_also <= ids


@pytest.fixture
def real_model(preloaded, tmp_path):
    """The run of `make real-model`, with these settings."""
    module = "bench.real_model"
    command = [preloaded.program(tmp_path / "program", module)] if preloaded else [sys.executable, "-m", module]

    def run(**settings):
        environment = {**os.environ, **settings}
        return subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False)

    return run


def test_without_a_model_it_says_how_to_get_one(real_model):
    run = real_model()

    assert run.returncode == 2
    assert HELP in run.stderr
    assert run.stdout == ""


@pytest.mark.parametrize("settings", [{"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}, {"PATROL_THINKER": "anthropic"}])
def test_with_a_model_that_is_away_it_says_so(real_model, settings):
    run = real_model(PATROL_OPENAI_THINKING_MODEL="tiny", **settings)

    assert run.returncode == 2
    assert "model" in run.stderr
