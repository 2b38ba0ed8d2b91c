"""Those who pass while the database is unreachable. Identification and admission refuse the others each by itself."""

import asyncio
from contextlib import contextmanager
from datetime import timedelta

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from starlette.datastructures import Headers

from api.proxy.gateway import Gateway, Identity
from api.proxy.proxy_threads import MemoryThreads
from memory.accounts import access
from memory.accounts.access import Caller, InvalidToken
from memory.proxy import admission
from memory.proxy.admission import read_model
from providers.completion import Usage
from schemas.errors import BudgetSpent, Unavailable
from schemas.ledger.allowance import Allowance, allow
from schemas.settings import Settings
from store.accounts import tokens
from workers.runtime.resources import Resources

GRACE_REQUESTS = 2
EXPECTED = Usage(input_tokens=1000, output_tokens=1000)
SETTINGS = Settings(
    proxy_upstreams={
        "main": {"base_url": "http://127.0.0.1:1/v1", "key": "sk-platform"},
        "other": {"base_url": "http://127.0.0.1:1/v1", "key": "sk-platform"},
    },
    # Long enough that no answer of a database that is there comes too late.
    proxy_patience=60.0,
    proxy_grace_requests=GRACE_REQUESTS,
    prices={"fake-1": {"input": 1, "output": 2}},
)


@pytest.fixture
def threads():
    pool = MemoryThreads()
    yield pool
    pool.close()


@pytest.fixture
def gateway(store, threads):
    return Gateway(Resources(SETTINGS, store, None, None), threads)


@pytest.fixture
def issue(store, being):
    """Issue a token of the Being; returns its secret and its row."""
    return lambda: access.issue_token(
        store, being.user_id, being_id=being.being_id, scopes=["ingest", "read"], lifetime=None
    )


@pytest.fixture
def outage(postgres, url, wait_until):
    """Within the block, the test's database refuses every connection."""
    name = conninfo_to_dict(url)["dbname"]
    allowed = sql.SQL("alter database {} with allow_connections {}")

    @contextmanager
    def unreachable():
        with psycopg.connect(postgres.url, autocommit=True) as server:

            def without_connections():
                end = "select pg_terminate_backend(pid) from pg_stat_activity where datname = %s"
                return not server.execute(end, [name]).fetchall()

            server.execute(allowed.format(sql.Identifier(name), sql.SQL("false")))
            wait_until(without_connections)
            # So that what asks the database gives up soon.
            allow(Allowance(connection_seconds=0.1))
            try:
                yield
            finally:
                server.execute(allowed.format(sql.Identifier(name), sql.SQL("true")))
                allow(Allowance())

    return unreachable


def identified(gateway, secret):
    return gateway.identify(Headers({"authorization": f"Bearer {secret}"}), "127.0.0.1")


def admitted(gateway, identity, model="fake-1"):
    return gateway.admit(identity, read_model(SETTINGS, "chat", model, None), EXPECTED)


def test_in_an_outage_identification_refuses_a_token_that_was_never_verified(gateway, issue, outage):
    async def run():
        known, unknown = issue()[0], issue()[0]
        await identified(gateway, known)
        with outage():
            for secret in (unknown, "patrol_made_up"):
                with pytest.raises(Unavailable):
                    await identified(gateway, secret)
            assert (await identified(gateway, known)).token == access.digest(known)
            # A token that passed says nothing about others.
            with pytest.raises(Unavailable):
                await identified(gateway, unknown)

    asyncio.run(run())


def test_in_an_outage_admission_refuses_a_token_that_was_never_admitted(gateway, issue, being, outage):
    async def run():
        known = await identified(gateway, issue()[0])
        other = await identified(gateway, issue()[0])
        assert (await admitted(gateway, known)).admission.call_id is not None
        caller = Caller(being.user_id, None, frozenset({"ingest", "read"}))
        with outage():
            for identity in (other, Identity(caller, b"made up")):
                with pytest.raises(Unavailable):
                    await admitted(gateway, identity)
            # What passed at one upstream passes at no other.
            with pytest.raises(Unavailable):
                await admitted(gateway, known, "other/fake-1")
            for _ in range(GRACE_REQUESTS):
                passed = (await admitted(gateway, known)).admission
                assert (passed.call_id, passed.payer.key) == (None, "sk-platform")
            with pytest.raises(Unavailable):
                await admitted(gateway, known)

    asyncio.run(run())


def test_an_outage_that_comes_and_goes_gives_no_new_grace_until_a_budget_has_counted_its_cost(
    gateway, store, issue, outage
):
    async def run():
        known = await identified(gateway, issue()[0])
        await admitted(gateway, known)
        with outage():
            passed = [(await admitted(gateway, known)).admission for _ in range(GRACE_REQUESTS)]
        # The database answers again, and the accounts do not have the cost yet.
        assert (await admitted(gateway, known)).admission.call_id is not None
        with outage(), pytest.raises(Unavailable):
            await admitted(gateway, known)
        for each in passed:
            admission.settle(store, SETTINGS, each, "answered", EXPECTED)
        with outage(), pytest.raises(Unavailable):
            await admitted(gateway, known)
        assert (await admitted(gateway, known)).admission.call_id is not None
        with outage():
            assert (await admitted(gateway, known)).admission.call_id is None

    asyncio.run(run())


def test_an_outage_does_not_let_a_model_without_a_price_pass_a_budget(gateway, issue, outage):
    async def run():
        known = await identified(gateway, issue()[0])
        await admitted(gateway, known)
        with outage(), pytest.raises(BudgetSpent):
            await admitted(gateway, known, "dear-without-price")

    asyncio.run(run())


@contextmanager
def locked(url, table):
    """Within the block, whatever reads or writes a table waits: the database is slow, and not down."""
    with psycopg.connect(url) as connection:
        connection.execute(sql.SQL("lock table {} in access exclusive mode").format(sql.Identifier("memory", table)))
        yield


@pytest.fixture
def impatient(store, threads):
    return Gateway(Resources(SETTINGS.model_copy(update={"proxy_patience": 0.05}), store, None, None), threads)


def test_a_request_that_a_slow_database_admits_late_is_in_the_accounts_and_keeps_no_grace(impatient, issue, url):
    async def run():
        known = await identified(impatient, issue()[0])
        await admitted(impatient, known)
        for _ in range(2 * GRACE_REQUESTS):
            with locked(url, "model_calls"):
                passed = await admitted(impatient, known)
                assert (passed.admission.call_id, passed.stored) == (None, True)
            final = await passed.final()
            assert final.call_id is not None
            assert final.requested == passed.admission.requested

    asyncio.run(run())


def test_a_slow_database_is_waited_for_where_nothing_vouches_for_a_request(impatient, issue, url):
    async def run():
        secret = issue()[0]
        with locked(url, "api_tokens"):
            identifying = asyncio.ensure_future(identified(impatient, secret))
            await asyncio.wait({identifying}, timeout=0.5)
            assert not identifying.done()
        identity = await identifying
        with locked(url, "model_calls"):
            admitting = asyncio.ensure_future(admitted(impatient, identity))
            await asyncio.wait({admitting}, timeout=0.5)
            assert not admitting.done()
        assert (await admitting).admission.call_id is not None

    asyncio.run(run())


def test_a_request_whose_client_goes_away_before_it_is_admitted_keeps_nothing_reserved(
    impatient, store, issue, url, wait_until
):
    async def run():
        identity = await identified(impatient, issue()[0])
        with locked(url, "model_calls"):
            admitting = asyncio.ensure_future(admitted(impatient, identity))
            await asyncio.wait({admitting}, timeout=0.5)
            admitting.cancel()

        def reserved():
            with store.transaction() as tx:
                calls = tx.execute("select cost, outcome from memory.model_calls").fetchall()
            return [(call["cost"], call["outcome"]) for call in calls]

        await asyncio.to_thread(wait_until, lambda: reserved() == [(0, "failed")])

    asyncio.run(run())


def test_a_token_that_was_found_revoked_does_not_pass_an_outage(gateway, store, issue, being, outage):
    async def run():
        secret, token = issue()
        await identified(gateway, secret)
        with store.transaction() as tx:
            assert tokens.revoke_token(tx, being.user_id, token.token_id)
        with pytest.raises(InvalidToken):
            await identified(gateway, secret)
        with outage(), pytest.raises(Unavailable):
            await identified(gateway, secret)

    asyncio.run(run())


def test_a_token_that_was_verified_too_long_ago_does_not_pass_an_outage(store, threads, issue, outage):
    async def run():
        strict = SETTINGS.model_copy(update={"proxy_grace": timedelta(0)})
        gateway = Gateway(Resources(strict, store, None, None), threads)
        secret, _ = issue()
        await identified(gateway, secret)
        with outage(), pytest.raises(Unavailable):
            await identified(gateway, secret)

    asyncio.run(run())
