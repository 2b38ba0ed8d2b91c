"""No owner exceeds a limit, however many rows are added concurrently."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from pydantic import SecretStr

from memory.accounts import access
from memory.facts import seeding
from memory.intake.notes import accept_notes
from memory.llm import keys
from memory.vault import records
from schemas.errors import Refused
from schemas.facts.fact_requests import Seed
from schemas.settings import Settings
from schemas.vault.vault_requests import NewRecord, RecordChanges
from store.accounts import beings, tokens

AT_ONCE = 8
LIMIT = 3
SETTINGS = Settings(
    most_beings=LIMIT, most_tokens=LIMIT, most_kept_notes=LIMIT, secret_key=SecretStr("s" * 32), vault_capacity=100
)


def at_once(add):
    """Add something from several threads that begin together; returns the refusals."""
    together = Barrier(AT_ONCE)

    def added(number):
        together.wait()
        try:
            add(number)
        except Refused as refused:
            return str(refused)
        return None

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [refusal for refusal in pool.map(added, range(AT_ONCE)) if refusal]


def note(type_="todo", **said):
    return {"type": type_, "content": "Buy flour.", **said}


def kept(store, being):
    with store.transaction() as tx:
        return tx.execute(
            "select count(*) as n from memory.notes where being_id = %s and state = 'kept'", [being.being_id]
        ).fetchone()["n"]


def test_beings(store, user):
    def add(number):
        with store.transaction() as tx:
            beings.add_being(tx, user.user_id, f"being-{number}", "Being", most=LIMIT)

    refused = at_once(add)
    assert len(refused) == AT_ONCE - LIMIT
    assert {*refused} == {"A user may have 3 Beings: erase one first, or have PATROL_MOST_BEINGS raised."}
    with store.transaction() as tx:
        assert len(beings.beings_of(tx, user.user_id)) == LIMIT


def test_tokens_that_are_valid(store, user):
    def add(_=None, life=None):
        return access.issue_token(store, user.user_id, being_id=None, scopes=["read"], lifetime=life, most=LIMIT)

    refused = at_once(add)
    assert len(refused) == AT_ONCE - LIMIT
    assert "PATROL_MOST_TOKENS" in refused[0]
    with store.transaction() as tx:
        first, *_ = tokens.tokens_of(tx, user.user_id)
        tokens.revoke_token(tx, user.user_id, first.token_id)
    add(life=timedelta(0))
    add()
    with pytest.raises(Refused):
        add()


def test_notes_to_keep_are_refused_one_by_one(store, being):
    def add(number):
        receipt = accept_notes(store, SETTINGS, being.being_id, [note(id=f"note {number}")])
        if receipt.rejected:
            raise Refused(receipt.rejected[0].reason)

    refused = at_once(add)
    assert len(refused) == AT_ONCE - LIMIT
    assert "may keep 3 todos, reminders and knowledge notes: remove some first" in refused[0]
    assert kept(store, being) == LIMIT


def test_of_a_batch_what_has_room_is_kept_and_repetitions_and_scenes_take_none(store, being):
    scene = {"type": "scene", "content": {"action": "It rained.", "actors": ["Mira"], "when": ["2026-03-02"]}}
    accept_notes(store, SETTINGS, being.being_id, [note(id="a"), note("knowledge", title="Flour", id="b")])
    batch = [note(id="a"), scene, note(id="c"), note(id="d"), note(id="d"), scene | {"id": "s"}, note()]
    receipt = accept_notes(store, SETTINGS, being.being_id, batch)
    assert (receipt.accepted, receipt.duplicates) == (3, 1)
    assert [trouble.position for trouble in receipt.rejected] == [3, 4, 6]
    assert kept(store, being) == LIMIT
    receipt = accept_notes(store, SETTINGS, being.being_id, [note(id="a"), note(id="c")])
    assert (receipt.duplicates, receipt.rejected) == (2, [])


@pytest.mark.parametrize(("put", "limit"), [(keys.add, "STORED_KEYS"), (keys.store_request_key, "REQUEST_KEYS")])
def test_provider_keys(store, user, monkeypatch, put, limit):
    monkeypatch.setattr(f"store.llm.keys.{limit}", LIMIT)

    def add(number):
        put(store, SETTINGS, user.user_id, "anthropic", f"sk-ant-made-up-for-a-test-{number:08}")

    refused = at_once(add)
    assert len(refused) == AT_ONCE - LIMIT
    assert "provider keys" in refused[0]
    with store.transaction() as tx:
        (row,) = tx.execute("select count(*) as n from memory.provider_keys").fetchall()
    assert row["n"] == LIMIT


def test_a_key_that_is_there_is_no_further_one(store, user, monkeypatch):
    monkeypatch.setattr("store.llm.keys.STORED_KEYS", 1)
    for _ in range(3):
        keys.add(store, SETTINGS, user.user_id, "anthropic", "sk-ant-made-up-for-a-test")


def test_introductions(store, being, monkeypatch):
    monkeypatch.setattr("memory.facts.seeding.USER_SEEDS", LIMIT)

    def seeds(first, count):
        return [Seed(type="PROFILE", content=f"Fact number {number}.") for number in range(first, first + count)]

    seeding.seed(store, Settings(), being, seeds(0, LIMIT))
    seeding.seed(store, Settings(), being, seeds(0, LIMIT))
    with pytest.raises(Refused, match="3 seeds"):
        seeding.seed(store, Settings(), being, seeds(LIMIT, 1))


def test_versions_in_a_scope_of_the_vault(store, being, monkeypatch):
    monkeypatch.setattr("store.vault.VAULT_VERSIONS", LIMIT)
    record = records.add_memory(store, SETTINGS, being, NewRecord(text="Calm."))
    for _ in range(LIMIT - 1):
        records.update_memory(store, SETTINGS, being, record.id, RecordChanges(text="Wild."))
    with pytest.raises(Refused, match="may hold 3 versions"):
        records.update_memory(store, SETTINGS, being, record.id, RecordChanges(text="Calm."))
    records.add_memory(store, SETTINGS, being, NewRecord(text="Calm.", scope="shared"))
    records.delete_memory(store, SETTINGS, being, record.id)
    records.compact(store, SETTINGS, being)
    records.add_memory(store, SETTINGS, being, NewRecord(text="Another."))
