"""Fixtures: a question, a provider that answers "blue", and model sessions of a unit of work."""

from datetime import timedelta
from uuid import uuid4

import pytest
from pydantic import BaseModel, ConfigDict

from memory.llm.session import LlmSession, llm_session
from providers.thinkers import Thinkers
from providers.thinking import Question
from schemas.ledger.kinds import STEPS
from schemas.settings import Settings
from store.ledger import work
from tests.conftest import PATIENCE
from tests.fakes.provider import running_provider

PLATFORM = "sk-ant-platform-0123456789"
THEIRS = "sk-ant-of-the-user-0123456789"
BROUGHT = "sk-ant-of-the-request-0123456789"
SECRET = "one secret of thirty-two letters or more"  # noqa: S105  # of these tests alone
HOUR = timedelta(hours=1)


class Colour(BaseModel):
    """A colour."""

    model_config = ConfigDict(extra="forbid")

    name: str


def question(material="What is the sea like?", purpose="colours"):
    return Question(purpose, "small", "Name a colour.", "", material, Colour, most_tokens=100)


def named(colour):
    return f'{{"name": "{colour}"}}'


def opened(store, thinkers, settings, claim, brought=(), **changes):
    """Open a model session in a transaction of its own; returns it, or why there is none."""
    with store.transaction() as tx:
        return llm_session(tx, store, thinkers, settings, claim, brought, **changes)


def a_reservation_waits(store):
    with store.transaction() as tx:
        return tx.execute(
            """
            select from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query like '%reserve_call%'
            """
        ).rowcount


@pytest.fixture
def provider():
    with running_provider(answer=lambda _: named("blue")) as running:
        yield running


@pytest.fixture
def settings(provider):
    return Settings(
        anthropic_base_url=provider.url,
        anthropic_api_key=PLATFORM,
        secret_key=SECRET,
        thinking_room=0,
        thinking_timeout=PATIENCE,
    )


@pytest.fixture
def claimed(store, being):
    """Claim a unit of work."""

    def claim(key=None, owner_id=being.being_id):
        key = key or str(uuid4())
        with store.transaction() as tx:
            work.ask(tx, owner_id, STEPS["consolidate"], key)
            return work.claim(tx, owner_id, "patrol.consolidate", key, lease=HOUR, attempts=5)

    return claim


@pytest.fixture
def thinkers():
    """Thinkers for given settings, closed at the end."""
    made = {}

    def of(settings):
        return made.setdefault(settings.model_dump_json(), Thinkers(settings))

    yield of
    for each in made.values():
        each.close()


@pytest.fixture
def mind(store, settings, thinkers, claimed):
    """Open a model session for a unit of work, with some settings changed."""

    def made(claim=None, brought=(), *, awaited=True, **changes):
        changed = settings.model_copy(update=changes)
        found = opened(store, thinkers(changed), changed, claim or claimed(), brought, awaited=awaited)
        assert isinstance(found, LlmSession), found
        return found

    return made


@pytest.fixture
def accounts(store):
    """Read the accounted model calls, oldest first."""

    def read():
        with store.transaction() as tx:
            return tx.execute("select * from memory.model_calls order by call_id").fetchall()

    return read
