"""The tables can be distributed by owner, as Citus demands: keys, foreign keys and statements carry the owner."""

import ast
import re
from collections import Counter

import psycopg
import pytest

from schemas.settings import CHECKOUT

OWNERS = "('user_id', 'being_id', 'owner_id')"
# Unique keys by which a request, or an operator, finds an owner. They need a table that no shard holds.
FINDING_OWNERS = {
    "api_tokens_hash_key": "a token, whose user is not known yet",
    "page_sessions_hash_key": "a login, likewise",
    "users_by_name": "a user",
    "users_external_id_key": "a user, by another program's id",
}
# Tables that hold nothing of an owner, and would be copied to each shard or stay with the coordinator.
UNOWNED = {"clock", "migrations", "operator_tokens", "heartbeats", "model_call_totals", "provider_breakers"}
# Statements without an owner, by module: they read all shards, or what no owner has.
ACROSS = {
    "accounts/operators.py": "operators' tokens",
    "accounts/page_sessions.py": "the end of a login, by its secret",
    "accounts/portable_kinds.py": "a part of a statement whose rest has the owner",
    "accounts/users.py": "a user, by another program's id",
    "clock.py": "the clock",
    "ledger/metrics.py": "metrics of the whole system",
    "llm/breakers.py": "breakers of providers",
    "llm/key_rotation.py": "the encryption of all keys anew",
    "migrate.py": "the names of migrations",
}
STATEMENT = re.compile(r"\b(?:from|into|update|join) memory\.\w+|\bselect memory\.")
OWNER = re.compile(r"\b(?:being_id|user_id|owner_id)\b|\(%|%\((?:being|user|owner)")


@pytest.fixture
def rows(url):
    """Ask the catalog."""
    with psycopg.connect(url) as owner:
        yield lambda query: owner.execute(query).fetchall()


def test_each_unique_key_holds_the_owner(rows):
    without = rows(
        f"""
        select c.relname, i.relname
        from pg_index as x
        join pg_class as c on c.oid = x.indrelid
        join pg_class as i on i.oid = x.indexrelid
        where c.relnamespace = 'memory'::regnamespace and x.indisunique and not exists (
            select from pg_attribute where attrelid = c.oid and attnum = any(x.indkey) and attname in {OWNERS}
        )
        """  # noqa: S608  # our own names
    )
    assert {index for table, index in without if table not in UNOWNED} == FINDING_OWNERS.keys()


def test_each_foreign_key_holds_the_owner_on_both_sides(rows):
    without = rows(
        f"""
        select conname
        from pg_constraint as k
        where connamespace = 'memory'::regnamespace and contype = 'f' and not exists (
            select
            from unnest(k.conkey, k.confkey) as pair (own, other)
            join pg_attribute as a on a.attrelid = k.conrelid and a.attnum = pair.own
            join pg_attribute as b on b.attrelid = k.confrelid and b.attnum = pair.other
            where a.attname in {OWNERS} and b.attname in {OWNERS}
        )
        """  # noqa: S608  # likewise
    )
    assert without == []


def test_each_statement_names_an_owner():
    store = CHECKOUT / "store"
    without = Counter(
        str(path.relative_to(store))
        for path in store.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if STATEMENT.search(node.value) and not OWNER.search(node.value)
    )
    assert without.keys() == ACROSS.keys()
