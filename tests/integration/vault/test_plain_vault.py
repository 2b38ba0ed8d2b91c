"""The vault and a plain model live the same life, whatever it is, and agree after every step."""

from datetime import timedelta
from io import BytesIO
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memory.vault import records as vault
from memory.vault.gates import GateRefused
from memory.vault.prompt_blocks import build_snapshot_block
from memory.vault.reading import by_relevance
from memory.vault.vault_file import export_lines, import_lines
from schemas.errors import NotFound, Refused
from schemas.settings import Settings
from schemas.vault.records import VaultRecord
from schemas.vault.vault_requests import NewRecord, RecordChanges
from store import clock
from store import vault as rows
from tests.scenes import make_being, make_user

# Texts that have nothing in common.
TEXTS = [letter * 9 for letter in "abcdefgh"]
TOPICS = [None, "mood", "work"]
CAPACITY = 3
KEEP = timedelta(days=30)


class Plain:
    """A vault by the rules' words: each id's versions, as (text, tier, topic, scope, day of deletion)."""

    def __init__(self):
        self.versions = {}
        self.today = 0

    def living(self, scope=None):
        newest = {name: max(kept.items()) for name, kept in self.versions.items() if kept}
        return {
            name: (number, version)
            for name, (number, version) in newest.items()
            if version[4] is None and scope in {None, version[3]}
        }

    def add(self, text, tier, topic, scope):
        """Return the name of the record that is written to, or None where a gate stops it."""
        alive = self.living(scope)
        if tier == "canon" and topic:
            return None
        for name, (number, version) in alive.items():
            if topic and version[2] == topic:
                if version[1] == "canon":
                    return None
                self.versions[name][number + 1] = (text, "register", topic, scope, None)
                return name
        if any(version[0] == text for _, version in alive.values()) or len(alive) >= CAPACITY:
            return None
        name = len(self.versions)
        self.versions[name] = {1: (text, tier, topic, scope, None)}
        return name

    def change(self, name, text=None, tier=None):
        number, (old_text, old_tier, topic, scope, _) = self.living()[name]
        self.versions[name][number + 1] = (text or old_text, tier or old_tier, topic, scope, None)

    def delete(self, name):
        number, (_, tier, _, scope, _) = self.living()[name]
        self.versions[name][number + 1] = ("", tier, None, scope, self.today)

    def compact(self, scope):
        for kept in self.versions.values():
            if kept and next(iter(kept.values()))[3] == scope:
                newest = max(kept)
                day = kept[newest][4]
                expired = day is not None and self.today - day > KEEP.days
                for number in [number for number in kept if expired or number < newest]:
                    del kept[number]


class Life(RuleBasedStateMachine):
    """One Being's vault, twice."""

    def __init__(self, store):
        super().__init__()
        self.store = store
        self.settings = Settings(vault_capacity=CAPACITY, vault_tombstones=KEEP)
        self.plain = Plain()
        self.ids = {}

    @initialize()
    def is_born(self):
        with self.store.transaction() as tx:
            self.being = make_being(tx, make_user(tx))

    def scope(self, shared):
        return "shared" if shared else self.being.slug

    @rule(
        text=st.sampled_from(TEXTS),
        tier=st.sampled_from(["canon", "register"]),
        topic=st.sampled_from(TOPICS),
        shared=st.booleans(),
    )
    def add(self, text, tier, topic, shared):
        scope = self.scope(shared)
        name = self.plain.add(text, tier, topic, scope)
        new = NewRecord(text=text, tier=tier, topic_id=topic, scope=scope)
        if name is None:
            with pytest.raises(GateRefused):
                vault.add_memory(self.store, self.settings, self.being, new)
        else:
            record = vault.add_memory(self.store, self.settings, self.being, new)
            assert self.ids.setdefault(name, record.id) == record.id

    def some(self, data):
        return data.draw(st.sampled_from(sorted(self.ids)))

    @precondition(lambda self: self.ids)
    @rule(data=st.data(), text=st.sampled_from(TEXTS))
    def update(self, data, text):
        name = self.some(data)
        self.both(
            name,
            lambda: self.plain.change(name, text=text),
            lambda id_: vault.update_memory(self.store, self.settings, self.being, id_, RecordChanges(text=text)),
        )

    @precondition(lambda self: self.ids)
    @rule(data=st.data())
    def promote(self, data):
        name = self.some(data)
        if name in self.plain.living() and self.plain.living()[name][1][1] == "canon":
            with pytest.raises(Refused):
                vault.promote_to_canon(self.store, self.settings, self.being, self.ids[name])
        else:
            self.both(
                name,
                lambda: self.plain.change(name, tier="canon"),
                lambda id_: vault.promote_to_canon(self.store, self.settings, self.being, id_),
            )

    @precondition(lambda self: self.ids)
    @rule(data=st.data())
    def delete(self, data):
        name = self.some(data)
        self.both(
            name,
            lambda: self.plain.delete(name),
            lambda id_: vault.delete_memory(self.store, self.settings, self.being, id_),
        )

    def both(self, name, plainly, really):
        if name in self.plain.living():
            plainly()
            really(self.ids[name])
        else:
            with pytest.raises(NotFound):
                really(self.ids[name])

    @rule(days=st.sampled_from([1, 29, 31]))
    def time_passes(self, days):
        with self.store.transaction() as tx:
            clock.shift(tx, timedelta(days=days))
        self.plain.today += days

    @rule(shared=st.booleans())
    def compact(self, shared):
        scope = self.scope(shared)
        before = self.snapshot(self.being)
        self.plain.compact(scope)
        vault.compact(self.store, self.settings, self.being, scope)
        assert self.snapshot(self.being) == before

    def snapshot(self, being):
        with self.store.transaction() as tx:
            return build_snapshot_block(tx, being)

    @invariant()
    def they_agree(self):
        if not hasattr(self, "being"):
            return
        with self.store.transaction() as tx:
            live = {record.id: told(record) for record in rows.live(tx, self.being, ["shared", self.being.slug])}
            kept = rows.versions(tx, self.being, list(self.ids.values()))
        assert live == {
            self.ids[name]: (number, *version[:4]) for name, (number, version) in self.plain.living().items()
        }
        assert [(record.id, told(record), record.deleted_at is not None) for record in kept] == sorted(
            (self.ids[name], (number, *version[:4]), version[4] is not None)
            for name, versions in self.plain.versions.items()
            for number, version in versions.items()
        )

    def teardown(self):
        """An exported vault comes in elsewhere as the very same."""
        lines = "".join(export_lines(self.store, self.being)).encode()
        with self.store.transaction() as tx:
            other = make_being(tx, make_user(tx), self.being.slug)
        assert import_lines(self.store, self.settings, other, BytesIO(lines)).rejected == []
        assert "".join(export_lines(self.store, other)).encode() == lines
        assert self.snapshot(other) == self.snapshot(self.being)


def told(record):
    return record.version, record.text, record.tier, record.topic_id, record.scope


@pytest.mark.timeout(900)  # a failure takes minutes to be made small
def test_the_vault_does_what_the_rules_say(store):
    run_state_machine_as_test(lambda: Life(store), settings=settings(stateful_step_count=25, max_examples=20))


RECORDS = st.lists(
    st.builds(
        VaultRecord,
        id=st.integers(0, 50).map("{:012x}".format),
        text=st.lists(st.sampled_from(["oven", "bread", "old", "red"]), min_size=1, max_size=4).map(" ".join),
        scope=st.just("shared"),
        category=st.just("general"),
        tier=st.sampled_from(["canon", "register"]),
        topic_id=st.none(),
        tags=st.just([]),
        created_at=st.datetimes().map(lambda moment: moment.replace(microsecond=0)),
        updated_at=st.none(),
        source=st.none(),
        deleted_at=st.none(),
        version=st.just(1),
    ),
    unique_by=lambda record: record.id,
    max_size=12,
)


@given(records=RECORDS, chance=st.randoms())
def test_search_order_is_total_and_does_not_depend_on_where_records_lie(records, chance: Random):
    shuffled = chance.sample(records, len(records))
    found = by_relevance(records, "old oven", len(records) + 1)
    assert by_relevance(shuffled, "old oven", len(records) + 1) == found
    for limit in range(1, len(found)):
        assert by_relevance(shuffled, "old oven", limit) == found[:limit]
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert {hit.record.id for hit in found} == {
        record.id for record in records if {"old", "oven"} & set(record.text.split())
    }
