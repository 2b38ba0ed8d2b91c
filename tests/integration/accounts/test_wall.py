"""Row-level security: what a statement forgets of its owner shows and changes nothing of another user.

Every input that the API takes is sent for one user, and everything is read, by functions that have forgotten the owner.
Before each statement the same runs without its conditions on the owner, and with the ids of another user in place of
this one's, whose rows hold a planted word in every text.
"""

import re
from contextlib import contextmanager, nullcontext
from types import SimpleNamespace
from typing import get_args
from uuid import UUID

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from starlette.testclient import TestClient

import api.app
from memory.accounts import access
from schemas.errors import MigrationRefused
from schemas.ledger.acting import Crossing, Owner, acting_for, crossing
from schemas.settings import CHECKOUT, Settings
from schemas.settings.keys_and_budgets import SECRET_CHARACTERS
from store.accounts import beings
from store.database import Store
from store.migrate import migrate
from store.transaction import Transaction
from tests.acceptance.conftest import ALL_SCOPES
from tests.acceptance.http.accounts.test_isolation import CASES
from tests.acceptance.http.accounts.test_planted import LOOKING, adopt_embedder, looked, say_everything, side_of
from tests.databases import OWNER, as_bound, as_superuser
from tests.models.indexed import index
from tests.planting import planted
from tests.planting.planted import PRIVATE, SHARED, plant
from tests.scenes import make_being, make_user

OWNERS = r"(?:\b\w+\.)?\b(?:being_id|user_id|owner_id) = "
CONDITION = re.compile(OWNERS + r"(?:any\()?%(?:\(\w+\))?[sb](?:::uuid(?:\[\])?)?\)?")
OF_FUNCTIONS = re.compile(OWNERS + r"p_(?:being|user|owner)_id\b")
LAYERS = ("api", "cli", "memory", "operations", "store", "tasks", "workers")
# They read with the rights of the tables' owner, and return keys (sql/functions/65_search/05_keys_past_policies.sql).
RETURN_KEYS = {
    "pieces_with",
    "judgements_that_showed",
    "messages_of_words",
    "scenes_of_days",
    "note_under",
    "rank_by_words",
    "nearest_told",
    "windows_of",
    "nearest_windows",
}
# Statements that are tried at least.
ENOUGH = 300
WRITES = re.compile(r"\b(insert|update|delete)\b|\bmemory\.\w+\(", re.IGNORECASE)
OWNED = """
    select c.relname
    from pg_class as c
    where c.relnamespace = 'memory'::regnamespace and c.relkind in ('r', 'p')
        and exists (
            select from pg_attribute
            where attrelid = c.oid and not attisdropped and attname in ('user_id', 'being_id', 'owner_id')
        )
    order by relname
"""


class Probes:
    """Runs what each statement would be if it had forgotten its owner, and takes it back.

    Attributes:
        leaks: The statements, so changed, that returned a planted word or changed a row that holds one.
        run: How many were run.
    """

    def __init__(self, url, replaced):
        self.leaks, self.run = {}, 0
        self._url, self._replaced = url, replaced
        self._seen, self._busy = set(), False
        with psycopg.connect(url) as owner:
            tables = [name for (name,) in owner.execute(OWNED)]
            sums = (
                f"select count(*), coalesce(sum(hashtextextended(t::text, 0)), 0) from memory.{name} as t"  # noqa: S608
                f" where t::text ~* '{PRIVATE}|{SHARED}'"
                for name in tables
            )
            self._sums = " union all ".join(sums)
            self._planted = owner.execute(self._sums).fetchall()

    @contextmanager
    def watching(self, monkeypatch):
        """Probe each statement of a transaction that acts for an owner."""
        real = psycopg.Cursor.execute

        def execute(cursor, query, params=None, **options):
            ledger = cursor.connection
            if not self._busy and isinstance(ledger, Transaction) and isinstance(ledger.acting, Owner):
                self._busy = True
                try:
                    self._probe(ledger, query, params, options)
                finally:
                    self._busy = False
            return real(cursor, query, params, **options)

        with monkeypatch.context() as patch:
            patch.setattr(psycopg.Cursor, "execute", execute)
            yield

    def untouched(self):
        """Whether all planted rows are what they were."""
        with psycopg.connect(self._url) as owner:
            return owner.execute(self._sums).fetchall() == self._planted

    def _probe(self, ledger, query, params, options):
        if ledger.info.transaction_status != psycopg.pq.TransactionStatus.INTRANS or not isinstance(query, str):
            return
        if ledger.pgconn.pipeline_status != psycopg.pq.PipelineStatus.OFF:
            return
        without = CONDITION.sub(r"(true or \g<0>)", query)
        for kind, statement, given in (
            ("without its owner", without, params),
            ("for another", query, self._of_other(params)),
        ):
            if (kind, query) in self._seen or (statement, given) == (query, params):
                continue
            self._seen.add((kind, query))
            self.run += 1
            if leak := self._leak(ledger, statement, given, options):
                self.leaks[kind, query] = leak

    def _of_other(self, params):
        if isinstance(params, dict):
            return {name: self._other(each) for name, each in params.items()}
        return params and [self._other(each) for each in params]

    def _other(self, given):
        if isinstance(given, list | tuple | set):
            return [self._other(each) for each in given]
        return self._replaced.get(given, given) if isinstance(given, UUID) else given

    def _leak(self, ledger, statement, given, options):
        ledger.execute("savepoint probe")
        try:
            cursor = ledger.execute(statement, given, **options)
            shown = str(cursor.fetchall()).lower() if cursor.description else ""
            if PRIVATE in shown or SHARED in shown:
                return "shown"
            if WRITES.search(statement):
                if ledger.across:
                    ledger.execute("select set_config('role', %s, true)", [ledger.across])
                with ledger.cursor(row_factory=psycopg.rows.tuple_row) as sums:
                    return sums.execute(self._sums).fetchall() != self._planted and "changed"
        except psycopg.Error:
            return None
        finally:
            ledger.execute("rollback to savepoint probe")
            ledger.execute("release savepoint probe")


@pytest.fixture
def other(store, being):  # noqa: ARG001  # is there before
    """Another user's Being."""
    with store.transaction() as tx:
        return make_being(tx, make_user(tx, "stranger"))


@pytest.fixture
def stranger(store, other):
    """The same, with a word in every text."""
    plant(store, other)
    embed(store, other)
    return other


def embed(store, being):
    """Let the API's own embedder find a Being's memories, and search find its words."""
    with store.transaction() as tx:
        tx.execute("update memory.beings set embedding_model = null where being_id = %s", [being.being_id])
        adopt_embedder(tx, being)
    index(store, being.being_id, being.user_id)


@pytest.fixture
def api_of(monkeypatch):
    """The API in this process, over a database."""
    monkeypatch.setattr(api.app, "configure_logs", lambda _: None)
    monkeypatch.setattr(api.app, "BackgroundSender", lambda _: nullcontext(SimpleNamespace(send=lambda _: None)))

    @contextmanager
    def serving(url, secret):
        settings = Settings(
            database_url=url, redis_url="redis://127.0.0.1:1/0", embedder="minilm", secret_key="s" * SECRET_CHARACTERS
        )
        with TestClient(api.app.create_app(settings), headers={"Authorization": f"Bearer {secret}"}) as client:
            yield client

    return serving


def read_from(side, routes):
    """Read what the API shows of a Being at these routes."""
    for route in routes:
        answer = looked(side, route, side, stranger=True)
        assert answer.is_success, (route, answer.text)
        assert PRIVATE not in answer.text.lower(), route
        assert SHARED not in answer.text.lower(), route


def forget_owners(url):
    """Take the conditions on the owner out of all functions; returns how many had some."""
    with psycopg.connect(url) as owner:
        defined = owner.execute(
            "select pg_get_functiondef(oid) from pg_proc where pronamespace = 'memory'::regnamespace and prokind = 'f'"
        ).fetchall()
        forgetful = [(OF_FUNCTIONS.sub(r"(true or \g<0>)", body), body) for (body,) in defined]
        changed = [now for now, before in forgetful if now != before]
        for function in changed:
            owner.execute(function.encode())
    return len(changed)


@pytest.fixture
def secret(store, being, monkeypatch):
    """A token of the first user, whose Being is full as well, of other words."""
    with monkeypatch.context() as others:
        others.setattr(planted, "PRIVATE", "quince")
        others.setattr(planted, "SHARED", "medlar")
        plant(store, being)
    embed(store, being)
    return access.issue_token(store, being.user_id, being_id=None, scopes=[*ALL_SCOPES], lifetime=None)[0]


@pytest.fixture
def probes(url, being, stranger):
    """Makes what tries the statements of the API."""
    return lambda: Probes(url, {being.being_id: stranger.being_id, being.user_id: stranger.user_id})


@pytest.mark.long
@pytest.mark.new_database
def test_what_forgets_its_owner_shows_and_changes_nothing_of_another(
    store, being, secret, url, probes, api_of, monkeypatch
):
    routes = sorted(route for route in CASES.keys() | LOOKING.keys() if route.startswith("GET") or route in LOOKING)
    unwalled, walled = probes(), probes()
    with api_of(url, secret) as client:
        side = side_of(SimpleNamespace(ledger=store, being=being, client=client))
        with unwalled.watching(monkeypatch):
            read_from(side, [route for route in routes if route.startswith("GET")][::4])
    assert len(unwalled.leaks) > ENOUGH / 20, "nothing leaks without the wall, so no leak would be seen"

    assert forget_owners(url) > ENOUGH / 10
    with api_of(as_bound(url), secret) as client:
        side = side_of(SimpleNamespace(ledger=store, being=being, client=client))
        with walled.watching(monkeypatch):
            say_everything(side, client.get("/openapi.json").json())
            read_from(side, routes)
    assert walled.leaks == {}
    assert walled.run > ENOUGH
    assert walled.untouched()


def test_each_table_with_an_owner_has_a_policy(url):
    with psycopg.connect(url) as owner:
        owned = {name for (name,) in owner.execute(OWNED)}
        walled = owner.execute(
            """
            select c.relname
            from pg_class as c
            where c.relnamespace = 'memory'::regnamespace and c.relrowsecurity
                and exists (select from pg_policy where polrelid = c.oid and polname = 'owners')
            """
        ).fetchall()
        # A view reads with its owner's rights unless it says otherwise.
        views = owner.execute(
            """
            select relname from pg_class
            where relnamespace = 'memory'::regnamespace and relkind = 'v'
                and not coalesce(reloptions, '{}') @> '{security_invoker=true}'
            """
        ).fetchall()
        definers = owner.execute(
            """
            select proname, provolatile = 's' and exists (
                select from unnest(proconfig) as given where given like 'search_path=%'
            )
            from pg_proc
            where pronamespace = 'memory'::regnamespace and prosecdef
            """
        ).fetchall()
    assert {name for (name,) in walled} == owned
    assert views == []
    assert dict(definers) == dict.fromkeys(RETURN_KEYS, True)


@pytest.mark.new_database
def test_a_new_table_has_its_policy_after_the_next_migration(url, being, other):
    with psycopg.connect(url) as owner:
        owner.execute("create table memory.secrets (being_id uuid primary key, words text)")
        owner.execute(
            "insert into memory.secrets values (%s, 'mine'), (%s, 'theirs')", [being.being_id, other.being_id]
        )
    migrate(url, as_bound(url))

    with Store(as_bound(url)) as bound, acting_for(being.user_id), bound.transaction() as tx:
        assert [row["words"] for row in tx.execute("select words from memory.secrets")] == ["mine"]


def test_the_application_s_role_has_no_power_over_the_policies(url):
    with psycopg.connect(as_bound(url), autocommit=True) as bound:
        for statement in (
            "alter table memory.facts disable row level security",
            "drop policy owners on memory.facts",
            "create table memory.mine ()",
            "set row_security = off; select from memory.facts",
            "truncate memory.facts",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                bound.execute(statement)
            bound.execute("set row_security = on")


def test_a_transaction_that_names_no_owner_fails(url, being):
    with Store(as_bound(url)) as bound, pytest.raises(psycopg.errors.UndefinedObject), bound.transaction() as tx:
        beings.get_being(tx, being.being_id)


def test_a_row_of_another_user_is_neither_added_nor_taken_over(url, being, other):
    with Store(as_bound(url)) as bound, acting_for(being.user_id, being.being_id):
        with bound.transaction() as tx:
            assert tx.execute("update memory.facts set user_id = %s", [other.user_id]).rowcount == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege), bound.transaction() as tx:
            tx.execute("insert into memory.souls (being_id) values (%s)", [other.being_id])


def test_what_crosses_owners_is_listed_and_sees_all(url, other):
    code = [path for layer in LAYERS for path in (CHECKOUT / layer).rglob("*.py")]
    used = {reason for path in code for reason in re.findall(r'crossing\("(\w+)"\)', path.read_text())}
    assert used == set(get_args(Crossing))
    with Store(as_bound(url)) as bound, crossing("periodic"), bound.transaction() as tx:
        assert beings.get_being(tx, other.being_id) == other


def test_a_part_of_a_transaction_acts_for_its_own_owner(url, being, other):
    def seen(tx):
        return {row["being_id"] for row in tx.execute("select being_id from memory.beings")}

    with Store(as_bound(url)) as bound, crossing("operator"), bound.joined() as tx:
        with acting_for(being.user_id), bound.transaction() as part:
            assert seen(part) == {being.being_id}
        assert seen(tx) == {being.being_id, other.being_id}


def test_roles_that_no_policy_would_bind_are_refused(url):
    with pytest.raises(MigrationRefused, match="no policy would bind it"):
        migrate(url, as_superuser(url))


def test_an_owner_that_may_make_no_roles_says_what_an_administrator_runs(new_database):
    with new_database(template="empty") as url:
        plain = url.replace(f"//{OWNER}@", "//plain@")
        with psycopg.connect(as_superuser(url), autocommit=True) as superuser:
            superuser.execute("create role plain login")
            superuser.execute(f"grant create on database {conninfo_to_dict(url)['dbname']} to plain")
            try:
                with pytest.raises(
                    MigrationRefused, match="create role app login password '…'; create role app_across"
                ):
                    migrate(plain, plain.replace("//plain@", "//app@"))
            finally:
                superuser.execute("drop owned by plain; drop role plain")
