"""The operator and the user are told of chat completions: metrics, and the cost in `patrol cost`."""

import re

import httpx2
import pytest

from memory.accounts import access
from memory.accounts.erasure import erase_user
from memory.llm import keys
from schemas.settings import Settings
from tests.acceptance.cli.conftest import Command
from tests.acceptance.conftest import PATIENCE
from tests.acceptance.proxy.conftest import KEYS_SECRET
from tests.databases import of_processes
from tests.fakes.upstream import USAGE, Reply

HELLO = [{"role": "user", "content": "Good morning to the harbour."}]


@pytest.fixture
def counted(proxy, ledger):
    """Read a sample of the proxy's `/metrics`, by name and labels; 0 if there is none."""
    secret, _ = access.issue_operator_token(ledger, lifetime=None)

    def read(sample):
        answer = httpx2.get(f"{proxy.url}/metrics", headers={"Authorization": f"Bearer {secret}"}, timeout=PATIENCE)
        assert answer.status_code == 200
        assert "harbour" not in answer.text
        found = re.search(rf"^{re.escape(sample)} (\S+)$", answer.text, re.MULTILINE)
        return float(found[1]) if found else 0.0

    return read


def test_metrics_count_requests_by_what_became_of_them(sdk, counted):
    included = 'patrol_proxy_requests_total{recall="included",stored="yes",upstream="main"}'
    background = 'patrol_proxy_requests_total{recall="none",stored="none",upstream="free"}'
    prepared = "patrol_proxy_preparation_seconds_count"
    before = [counted(sample) for sample in (included, background, prepared)]
    sdk().chat.completions.create(model="fake-1", messages=HELLO)
    sdk(x_memory_background="true").chat.completions.create(model="free/local", messages=HELLO)
    after = [counted(sample) for sample in (included, background, prepared)]
    assert [now - then for now, then in zip(after, before, strict=True)] == [1, 1, 2]


def test_a_model_that_the_operator_does_not_know_is_no_label_and_goes_with_its_user(
    proxy, sdk, person, ledger, wait_until
):
    keys.add(ledger, Settings(secret_key=KEYS_SECRET), person.user.user_id, "openai", "sk-of-the-user")
    secret, _ = access.issue_operator_token(ledger, lifetime=None)
    named = "zwetschge-of-karla"
    for model in (named, "fake-1-2025-01-02"):
        sdk().chat.completions.create(model=model, messages=HELLO)

    def rows():
        with ledger.transaction() as tx:
            found = tx.execute(
                "select model, settled_at is null as open from memory.model_calls where user_id = %s order by model",
                [person.user.user_id],
            )
            return [tuple(row.values()) for row in found]

    wait_until(lambda: rows() == [("fake-1-2025-01-02", False), (named, False)])
    answer = httpx2.get(f"{proxy.url}/metrics", headers={"Authorization": f"Bearer {secret}"}, timeout=PATIENCE)
    assert answer.status_code == 200
    assert named not in answer.text
    assert "fake-1-2025" not in answer.text
    assert 'patrol_model_calls_settled_total{model="other",outcome="answered",paid_with="user",purpose="chat"}' in (
        answer.text
    )
    erase_user(ledger, person.user)
    with ledger.transaction() as tx:
        kept = tx.execute("select model from memory.model_calls union select model from memory.model_call_totals")
        names = {row["model"] for row in kept}
    assert "other" in names
    assert named not in names


def test_patrol_cost_shows_chat(proxy, sdk, person, stack, preloaded, tmp_path, wait_until):
    proxy.upstream.replies.append(Reply.stream("Good ", "morning", usage=True))
    list(sdk().chat.completions.create(model="fake-1", messages=HELLO, stream=True))
    patrol = Command(tmp_path / "home", preloaded, **of_processes(stack.database_url), REDIS_URL=stack.redis_url)

    def line():
        spending = patrol.json("cost", "--user", person.user.user_id)["spending"]
        (found,) = [each for each in spending if each["purpose"] == "chat"]
        return found

    wait_until(lambda: not line()["unsettled"])
    told = line()
    assert (told["calls"], told["model"], told["paid_with"]) == (1, "fake-1", "platform")
    assert (told["input_tokens"], told["output_tokens"]) == (USAGE["prompt_tokens"], USAGE["completion_tokens"])
    assert float(told["cost"]) > 0
