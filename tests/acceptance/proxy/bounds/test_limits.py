"""The proxy refuses unknown tokens, missing scopes, spent budgets and long bodies before any upstream."""

import json
from contextlib import ExitStack

import httpx2
import openai
import pytest

from memory.llm import keys
from schemas.settings import Settings
from store.accounts import users
from tests.acceptance.conftest import PATIENCE
from tests.acceptance.proxy.conftest import BODY_BYTES, KEYS_SECRET, OPEN_REQUESTS, secret_of
from tests.fakes.upstream import Reply

HELLO = [{"role": "user", "content": "Good morning."}]


def test_an_unknown_token_spends_nothing(proxy, sdk):
    for token in ("patrol_unknown", "sk-something", "x" * 5000):
        with pytest.raises(openai.AuthenticationError):
            sdk(token).chat.completions.create(model="fake-1", messages=HELLO)
        with pytest.raises(openai.AuthenticationError):
            sdk(token).models.list()
    with httpx2.Client(base_url=proxy.url, timeout=PATIENCE) as client:
        answer = client.post("/openai/v1/chat/completions", json={"model": "fake-1", "messages": HELLO})
        assert answer.status_code == 401
        assert answer.json()["error"]["code"] == "unauthorized"
        assert client.put("/openai/v1/chat/completions").status_code == 405
    assert proxy.upstream.requests == []


@pytest.mark.parametrize("scopes", [["ingest"], ["read"], ["manage"]])
def test_a_token_needs_both_scopes(proxy, sdk, person, scopes):
    with pytest.raises(openai.PermissionDeniedError, match="lacks the scope"):
        sdk(secret_of(person, scopes=scopes)).chat.completions.create(model="fake-1", messages=HELLO)
    assert proxy.upstream.requests == []


def test_the_users_stored_key_pays_and_goes_to_its_provider_alone(proxy, sdk, person):
    settings = Settings(secret_key=KEYS_SECRET)
    keys.add(person.ledger, settings, person.user.user_id, "anthropic", "sk-ant-of-the-user")
    sdk().chat.completions.create(model="fake-1", messages=HELLO)
    assert proxy.upstream.requests[-1].headers["authorization"] == "Bearer sk-platform"
    keys.add(person.ledger, settings, person.user.user_id, "openai", "sk-of-the-user")
    sdk().chat.completions.create(model="no-price", messages=HELLO)
    assert proxy.upstream.requests[-1].headers["authorization"] == "Bearer sk-of-the-user"
    sdk().chat.completions.create(model="free/local", messages=HELLO)
    assert "authorization" not in proxy.upstream.requests[-1].headers


def test_a_stored_key_that_the_upstream_does_not_know_is_marked_as_refused(proxy, sdk, person, wait_until):
    settings = Settings(secret_key=KEYS_SECRET)
    keys.add(person.ledger, settings, person.user.user_id, "openai", "sk-of-the-user")

    def refusal():
        (key,) = person.client.get("/v1/keys").json()["keys"]
        return key["refusal"]

    proxy.upstream.replies += [Reply.document({"error": {"message": "No."}}, status) for status in (429, 401)]
    with pytest.raises(openai.RateLimitError):
        sdk().chat.completions.create(model="fake-1", messages=HELLO)
    assert refusal() is None
    with pytest.raises(openai.AuthenticationError):
        sdk().chat.completions.create(model="fake-1", messages=HELLO)
    wait_until(lambda: refusal() == "The upstream `main` does not know the key (401).")


def test_a_user_s_spent_budget_is_429_on_the_platform_s_key_alone(sdk, person):
    with person.ledger.transaction() as tx:
        users.change_user(tx, person.user.user_id, {"daily_cost": 0})
    with pytest.raises(openai.RateLimitError, match="The day's budget in money of the user is spent"):
        sdk().chat.completions.create(model="fake-1", messages=HELLO)
    sdk().chat.completions.create(model="free/local", messages=HELLO)
    keys.add(person.ledger, Settings(secret_key=KEYS_SECRET), person.user.user_id, "openai", "sk-of-the-user")
    sdk().chat.completions.create(model="fake-1", messages=HELLO)


def test_a_spent_budget_of_the_platform_is_429_and_memory_keeps_its_own(proxy, sdk, person):
    # A dollar a day; an answer of 4,096 tokens of `dear` is reserved at 1.23.
    with pytest.raises(openai.RateLimitError, match="budget in money is spent") as caught:
        sdk().chat.completions.create(model="dear", messages=HELLO)
    assert caught.value.code == "budget_spent"
    assert caught.value.response.headers["x-should-retry"] == "false"
    with pytest.raises(openai.RateLimitError, match="price is unknown"):
        sdk().chat.completions.create(model="no-price", messages=HELLO)
    assert proxy.upstream.requests == []
    for _ in range(2):
        sdk().chat.completions.create(model="dear", messages=HELLO, max_tokens=1600)
    with pytest.raises(openai.RateLimitError):
        sdk().chat.completions.create(model="dear", messages=HELLO, max_tokens=3400)
    # The budget of the memory's own calls has not been touched.
    assert person.client.get("/v1/cost").json()["spending"][0]["budget_reached_at"] is None


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("[]", "must be a JSON object"),
        ("{", "not JSON"),
        ('{"model": "m", "messages": [}', "not JSON"),
        ('{"model": "m", "messages": []}', "`messages`"),
        ('{"model": "m", "messages": [1]}', "`messages`"),
        ('{"messages": [{"role": "user", "content": "a"}]}', "`model`"),
        ('{"model": "m", "model": "n", "messages": [{"role": "user", "content": "a"}]}', "twice"),
        ('{"model": "m", "messages": ' + "[" * 100_000, "nested too deeply|not JSON|more than"),
        ('{"model": "free/other", "messages": [{"role": "user", "content": "a"}]}', "does not offer"),
        (f'{{"model": "{"m" * 201}", "messages": [{{"role": "user", "content": "a"}}]}}', "at most 200 characters"),
        *(
            (json.dumps({"model": name, "messages": [{"role": "user", "content": "a"}]}), "printable ASCII")
            for name in ("a\nb", "m\0", "m\u202e", "größe", " m", "\ud83d")
        ),
    ],
)
def test_a_body_that_is_no_chat_completion_is_refused(proxy, sdk, body, said):
    client, options = sdk(), {"headers": {"content-type": "application/json"}}
    with pytest.raises(openai.APIStatusError, match=said) as caught:
        client.post("/chat/completions", cast_to=object, options=options, content=body.encode())
    assert caught.value.status_code in {400, 413}
    assert proxy.upstream.requests == []


def test_images_of_megabytes_pass_and_longer_bodies_are_refused(proxy, sdk):
    def with_image(size):
        url = "data:image/png;base64," + "A" * size
        return [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}]

    sdk().chat.completions.create(model="fake-1", messages=with_image(3 << 20))
    assert len(proxy.upstream.requests[-1].raw) > 3 << 20
    proxy.upstream.requests.clear()
    with pytest.raises(openai.APIStatusError, match="longer than") as caught:
        sdk().chat.completions.create(model="fake-1", messages=with_image(BODY_BYTES))
    assert caught.value.status_code == 413
    assert proxy.upstream.requests == []


def refusal(client, messages):
    """The refusal of a request that is one too many at a time; None if it is answered."""
    try:
        client.chat.completions.create(model="fake-1", messages=messages)
    except openai.RateLimitError as fault:
        return fault.message if fault.response.headers["retry-after"] else None
    return None


def test_a_users_open_streams_are_limited(proxy, sdk, newcomer, wait_until):
    mine, others = sdk(), sdk(secret_of(newcomer()))
    with ExitStack() as stack:
        for _ in range(OPEN_REQUESTS):
            proxy.upstream.replies.append(Reply.stream("One", ending="wait"))
            stream = mine.chat.completions.create(model="fake-1", messages=HELLO, stream=True)
            next(iter(stack.enter_context(stream)))
        asked = len(proxy.upstream.requests)
        assert f"{OPEN_REQUESTS} open chat completions" in refusal(mine, HELLO)
        assert len(proxy.upstream.requests) == asked
        assert refusal(others, HELLO) is None
    # Streams that the client has left count no more.
    wait_until(lambda: refusal(mine, HELLO) is None)
