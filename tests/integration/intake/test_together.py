"""Messages of several requests are taken in together, and each request is told what it would be told alone."""

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.intake import retraction
from memory.intake.accepting import IntakeFull
from memory.intake.messages import accept_messages
from memory.intake.request_batches import MessageRequest, accept_together
from memory.text.items import ItemBatchRefused
from providers.embedders import Embedders
from schemas.errors import NotFound
from schemas.settings import Settings
from schemas.talk.retraction import MessageSelection
from store.accounts import beings
from store.talk import judging, messages
from tests.scenes import make_being, make_user

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
SETTINGS = Settings()


def said(minute=0, content="The oven failed again.", **changes):
    moment = (NOON + timedelta(minutes=minute)).isoformat()
    return {"role": "user", "content": content, "created_at": moment, **changes}


def without_id(_):
    return None


def keyed(key, position):
    return f"{key}/{position}"


def sent(*items, key=None):
    return MessageRequest(items, partial(keyed, key) if key else without_id)


@pytest.fixture
def being_id(being):
    return being.being_id


ITEMS = st.builds(
    said,
    st.sampled_from([0, 10, 50, 200]),
    st.sampled_from(["Bread.", "Rye."]),
    id=st.sampled_from([None, "a", "b", "c"]),
    role=st.sampled_from(["user", "assistant", "nobody"]),
    conversation=st.sampled_from([None, "kitchen"]),
)
LATE = st.just(said(id="late", created_at="2999-01-01T00:00:00Z"))
REQUESTS = st.lists(
    st.builds(MessageRequest, st.lists(ITEMS | LATE, max_size=3), st.sampled_from([without_id, partial(keyed, "k")])),
    min_size=1,
    max_size=6,
)


def told(outcomes, ids):
    """The outcomes without ids of rows, which differ; each id is numbered by its first appearance."""
    return [
        str(outcome)
        if isinstance(outcome, Exception)
        else {
            **outcome.model_dump(exclude={"ids"}),
            "ids": [id_ and ids.setdefault(id_, len(ids)) for id_ in outcome.ids],
        }
        for outcome in outcomes
    ]


def stored(store, being_id):
    """All messages, without their ids and sessions, which are a function of the ids and times."""
    with store.transaction() as tx:
        return sorted(
            (one.created_at, one.producer_id or "", one.role, one.content, one.conversation or "")
            for session in messages.sessions(tx, being_id, before=None, limit=1000)
            for one in messages.of_session(tx, being_id, session.session_id)
        )


def alone(store, being_id, request):
    try:
        return accept_messages(store, SETTINGS, being_id, request.items, request.derive_id)
    except ItemBatchRefused as refusal:
        return refusal


def test_together_each_is_told_what_it_is_told_alone(store):
    @settings(max_examples=settings.default.max_examples // 3)
    @given(REQUESTS)
    def check(requests):
        with store.transaction() as tx:
            joined, apart = (make_being(tx, make_user(tx)) for _ in range(2))
        outcomes = accept_together(store, SETTINGS, joined.being_id, requests)
        one_by_one = [alone(store, apart.being_id, request) for request in requests]
        assert told(outcomes, {}) == told(one_by_one, {})
        assert stored(store, joined.being_id) == stored(store, apart.being_id)

    check()


def test_requests_without_a_common_id_are_one_transaction(store, being_id):
    receipts = accept_together(store, SETTINGS, being_id, [sent(said(id=f"m{number}")) for number in range(5)])
    assert [receipt.accepted for receipt in receipts] == [1] * 5
    with store.transaction() as tx:
        assert tx.execute("select distinct xmin::text from memory.messages").rowcount == 1
    assert len(stored(store, being_id)) == 5


def test_a_retracted_version_and_a_new_one_under_its_id_are_taken_as_if_one_came_after_the_other(store, being_id):
    (first,) = accept_together(store, SETTINGS, being_id, [sent(said(id="a"))])
    embedders = Embedders(Settings(embedder="minilm"))
    being = store.run(beings.get_being, being_id)
    retraction.retract(store, SETTINGS, embedders, [being], MessageSelection(ids=["a"]))
    again, new = accept_together(store, SETTINGS, being_id, [sent(said(id="a")), sent(said(content="Rye.", id="a"))])
    assert (again.accepted, again.duplicates, again.ids) == (0, 1, first.ids)
    assert (new.accepted, new.conflicts) == (1, [])


def test_messages_that_the_database_refuses_fail_their_own_request_alone(store, being_id):
    with store.transaction() as tx:
        tx.execute("create schema refusing")
        tx.execute(
            "create function refusing.refuse() returns trigger language plpgsql as"
            " $$ begin raise check_violation using message = 'refused'; end $$"
        )
        tx.execute(
            "create trigger refuse before insert on memory.messages for each row"
            " when (new.content = 'Refused.') execute function refusing.refuse()"
        )
    outcomes = accept_together(
        store,
        SETTINGS,
        being_id,
        [sent(said(content="One.")), sent(said(content="Refused.")), sent(said(content="Three."))],
    )
    assert [isinstance(outcome, Exception) for outcome in outcomes] == [False, True, False]
    assert [content for _, _, _, content, _ in stored(store, being_id)] == ["One.", "Three."]
    with store.transaction() as tx:
        tx.execute("drop schema refusing cascade")


def test_a_full_being_refuses_all_and_takes_none(store, being_id):
    full = Settings(most_unjudged=1, anthropic_api_key="any")
    accept_together(store, full, being_id, [sent(said())])
    outcomes = accept_together(store, full, being_id, [sent(said()), sent(), sent(said())])
    assert [type(outcome) for outcome in outcomes] == [IntakeFull, ItemBatchRefused, IntakeFull]
    with store.transaction() as tx:
        assert judging.waiting(tx, being_id, 10) == 1


def test_an_erased_being_refuses_all(store, being_id):
    with store.transaction() as tx:
        tx.execute("delete from memory.beings where being_id = %s", [being_id])
    outcomes = accept_together(store, SETTINGS, being_id, [sent(said()), sent(said())])
    assert [type(outcome) for outcome in outcomes] == [NotFound, NotFound]


@pytest.mark.parametrize("count", [1, 3])
def test_keys_of_requests_derive_ids_by_their_own_positions(store, being_id, count):
    requests = [sent(said(), said(1), key=f"k{number}") for number in range(count)]
    first = accept_together(store, SETTINGS, being_id, requests)
    again = accept_together(store, SETTINGS, being_id, requests)
    assert [receipt.duplicates for receipt in again] == [2] * count
    assert [receipt.ids for receipt in again] == [receipt.ids for receipt in first]
