"""No word of one Being reaches the prompt of another's chat, its answer or its headers, with any kind of token.

A word stands in every text column of the first Being (tests/planting/planted.py), and it has talked through the proxy
besides.
"""

import json
from dataclasses import dataclass

import httpx2
import pytest

from schemas.accounts.accounts import Being
from tests.acceptance.conftest import PATIENCE, Person
from tests.acceptance.http.accounts.test_isolation import changed, rows_of
from tests.acceptance.http.accounts.test_planted import NEAR, adopt_embedder, leaked_words
from tests.acceptance.proxy.conftest import secret_of
from tests.acceptance.tokens import SCOPES_ALONE, USELESS, useless_secret
from tests.planting.planted import PRIVATE, SHARED, plant, unplanted
from workers.embedded.processes import wait_until

CHAT = "chat-7"
TALK = [
    {"role": "user", "content": f"My {PRIVATE} jam is for you alone."},
    {"role": "assistant", "content": f"Then the {PRIVATE} stays here."},
    {"role": "user", "content": "Good. What else shall I tell you?"},
]
QUESTION = [{"role": "user", "content": NEAR}]
STRANGERS = [{"role": "user", "content": NEAR.replace(SHARED, "almonds")}]


@dataclass(frozen=True)
class Side:
    """A Being, its user, and a token with which it is asked about."""

    person: Person
    being: Being
    secret: str


def asked(proxy, secret, messages=QUESTION, model="fake-1", **headers):
    """Ask for a completion; returns the answer."""
    named = {name.replace("_", "-"): value for name, value in headers.items() if value}
    shown = {"Authorization": f"Bearer {secret}"} if secret else {}
    return httpx2.post(
        f"{proxy.base_url}/chat/completions",
        json={"model": model, "messages": messages},
        headers={**shown, **named},
        timeout=PATIENCE,
    )


def passed_on(proxy):
    """Everything that the upstream was sent."""
    return json.dumps([[one.path, one.headers, one.body] for one in proxy.upstream.requests], ensure_ascii=False)


def shown(answer):
    """Everything that an answer tells its caller."""
    return answer.text + str(answer.headers)


def answered(ledger, being):
    """Whether the last thing that was said to a Being has its answer: it is stored when it has been passed on."""
    with ledger.transaction() as tx:
        last = "select role from memory.messages where being_id = %s order by message_id desc limit 1"
        return tx.value(last, [being.being_id]) == "assistant"


def indexed(person):
    """Whether everything of a person's Being is searchable."""
    path = f"/v1/beings/{person.being.being_id}/search"
    asked_for = {"query": "qqq", "kinds": ["message"], "limit": 1}
    return person.client.post(path, json=asked_for).json()["unindexed"] == 0


def touched(before, planted):
    """A Being's rows that have changed since then, but for the index of its own words and the work that fills it."""
    found = changed(before, rows_of(planted))
    return {table: rows for table, rows in found.items() if table != "work" and not table.startswith("search_")}


@pytest.fixture(scope="module")
def planted(stack, ledger, proxy_process):
    """A person's Being that is full of planted words, and has talked in a named chat and in one without a name."""
    person = Person(stack, ledger)
    plant(ledger, person.being)
    with ledger.transaction() as tx:
        adopt_embedder(tx, person.being)
        assert unplanted(tx, person.being) == set()
    side = Side(person, person.being, secret_of(person, being_id=person.being.being_id))
    for chat in (CHAT, ""):
        answer = asked(proxy_process, side.secret, TALK[:1], x_memory_conversation=chat)
        assert answer.headers["x-memory-stored"] == "yes", answer.text
        proxy_process.upstream.requests.clear()
        assert asked(proxy_process, side.secret, TALK, x_memory_conversation=chat).is_success
        assert wait_until(lambda: answered(ledger, person.being), PATIENCE), "the answer is not stored"
    # It was said in confidence, as the rest is.
    with ledger.transaction() as tx:
        tx.execute(
            "update memory.messages set judged = true, in_confidence = true where being_id = %s",
            [person.being.being_id],
        )
    assert wait_until(lambda: indexed(person), PATIENCE), "the search does not hold what was planted"
    yield side
    person.leave()


@pytest.fixture(params=["a token for a sibling", "a token for all, and the sibling's name", "a token of another user"])
def asker(request, planted, newcomer):
    """A Being that may not know the first, with the headers that name it."""
    if request.param == "a token of another user":
        person = newcomer()
        return Side(person, person.being, secret_of(person)), {}
    person = planted.person
    being = person.add_being(f"sibling-{len(person.client.get('/v1/beings').json()['beings'])}")
    if request.param == "a token for a sibling":
        return Side(person, being, secret_of(person, being_id=being.being_id)), {}
    return Side(person, being, secret_of(person)), {"x_memory_being": being.slug}


def test_the_being_itself_is_prompted_with_the_word(proxy, planted):
    """Words that are not in its own prompt could not be missed in another's."""
    assert asked(proxy, planted.secret).is_success
    assert PRIVATE in passed_on(proxy).lower()


def test_no_prompt_and_no_answer_of_another_being_holds_the_word(proxy, planted, asker):
    side, naming = asker
    stranger = side.person is not planted.person
    before = rows_of(planted)
    told = [
        asked(proxy, side.secret, STRANGERS if stranger else QUESTION, x_memory_conversation=chat, **naming)
        for chat in ("", CHAT)
    ]
    assert all(answer.is_success for answer in told)
    leaks = leaked_words(passed_on(proxy)) | {place for answer in told for place in leaked_words(shown(answer))}
    assert leaks == set()
    assert (SHARED in passed_on(proxy)) != stranger, "what is the user's is told to the user's Beings, and to no other"
    # What another user or sibling says in a chat of the same name, or with the same words, is its own.
    again = asked(proxy, side.secret, TALK, x_memory_conversation=CHAT, **naming)
    unnamed = asked(proxy, side.secret, TALK, **naming)
    assert {answer.headers["x-memory-being"] for answer in (again, unnamed)} == {side.being.slug}
    assert touched(before, planted) == {}


def test_another_being_is_not_reached_by_any_name(proxy, planted, asker):
    side, _ = asker
    if side.secret and "x_memory_being" in asker[1]:
        pytest.skip("a token for all of the user's Beings reaches each of them")
    before, names = rows_of(planted), [str(planted.being.being_id)]
    if side.being.slug != planted.being.slug:
        names.append(planted.being.slug)
    for name in names:
        for answer in (
            asked(proxy, side.secret, x_memory_being=name),
            asked(proxy, side.secret, model=f"fake-1@{name}"),
        ):
            assert answer.status_code == 404, answer.text
            assert leaked_words(shown(answer)) == set()
    assert proxy.upstream.requests == []
    assert touched(before, planted) == {}


@pytest.mark.parametrize("shows", [*USELESS, "an operator's token", *SCOPES_ALONE, "the cookie of the page"])
def test_what_is_no_valid_token_with_both_scopes_passes_nothing_on(proxy, planted, shows):
    person, cookie = planted.person, {}
    if shows in SCOPES_ALONE:
        secret, status = secret_of(person, scopes=[shows]), 403
    elif shows == "the cookie of the page":
        login = person.with_page_login(person.client)
        ((name, value),) = login.cookies.items()
        secret, status = None, 401
        cookie = {"cookie": f"{name}={value}", "x_memory_page": login.headers["x-memory-page"]}
    else:
        secret = useless_secret(person, shows, planted.being.being_id)
        status = 403 if shows == "an operator's token" else 401
    before = rows_of(planted)
    answers = [
        asked(proxy, secret, x_memory_being=planted.being.slug, **cookie),
        httpx2.get(
            f"{proxy.base_url}/models",
            headers={
                **({"Authorization": f"Bearer {secret}"} if secret else {}),
                **{name.replace("_", "-"): value for name, value in cookie.items()},
            },
            timeout=PATIENCE,
        ),
    ]
    assert [answer.status_code for answer in answers] == [status, status]
    assert {place for answer in answers for place in leaked_words(shown(answer))} == set()
    assert proxy.upstream.requests == []
    assert touched(before, planted) == {}
