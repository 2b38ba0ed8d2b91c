"""The ledger and the plain model live the same life, whatever it is, and agree after every step."""

import math
from uuid import uuid4

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from schemas.errors import Refused
from schemas.settings import Settings
from store import clock
from store.faults.errors import translated
from store.nodes import nodes
from store.patrol import runs, steps
from tests.models.plain_model import PlainMemory, PlainRefusal
from tests.scenes import MODEL, absorb, activate, make_being, make_user, remember, seen, settled, words

TICK = Settings.model_fields["tick"].default
IMPORTANCE = st.sampled_from([0.0, 5e-324, 0.05, 0.0500000001, 0.06, 0.1, 1.0]) | st.floats(0, 1)
FEW = 5
HOURS = st.sampled_from([0, 7, 23, 24, 25])


class Life(RuleBasedStateMachine):
    """One Being, twice: `plain` by the rules' words, the other in the ledger."""

    def __init__(self, store):
        super().__init__()
        self.block = store.transaction()
        self.tx = self.block.__enter__()
        self.plain = PlainMemory()
        self.ids = []

    def both(self, plainly, really):
        """Do it on both sides; what one refuses, the other must refuse."""
        try:
            plainly()
        except PlainRefusal:
            refused = True
        else:
            refused = False
        try:
            with translated(), self.tx.transaction():
                really(self.tx)
        except Refused:
            assert refused, "the ledger refuses what the rules allow"
        else:
            assert not refused, "the ledger allows what the rules refuse"

    def some(self, data, names, least=0):
        """Some of the nodes, by their names."""
        names = sorted(names)
        return data.draw(st.lists(st.sampled_from(names), unique=True, min_size=least)) if names else []

    def names_where(self, condition):
        return [name for name, node in enumerate(self.plain.nodes) if condition(node)]

    def ids_of(self, names):
        return [self.ids[name] for name in names]

    @initialize()
    def is_born(self):
        self.being = make_being(self.tx, make_user(self.tx))
        self.being_id = self.being.being_id

    # Few nodes, so that much happens to each.
    @precondition(lambda self: len(self.ids) < FEW)
    @rule(importances=st.lists(IMPORTANCE, min_size=1, max_size=3))
    def scenes_become_nodes(self, importances):
        for importance in importances:
            self.plain.remember(importance)
        self.ids += remember(self.tx, self.being, *(words(importance=importance) for importance in importances))

    @rule(
        data=st.data(), demanded=st.booleans(), hours=HOURS, born=st.lists(IMPORTANCE, max_size=2), thinks=st.booleans()
    )
    def patrol_walks(self, data, demanded, hours, born, thinks):
        self.plain.pass_hours(hours)
        clock.shift(self.tx, hours * TICK / 24)
        if born and len(self.ids) < FEW:
            self.scenes_become_nodes(born)
        self.mechanical_step(
            lambda: self.plain.tick(demanded=demanded),
            lambda tx: self.tick(tx, demanded=demanded),
        )
        self.mechanical_step(self.plain.flag_dying, lambda tx: steps.flag_dying(tx, self.being_id))
        if thinks and self.plain.nodes:
            self.memories_are_consolidated(data)
        self.mechanical_step(self.plain.revive_dead, lambda tx: steps.revive_dead(tx, self.being_id))

    def tick(self, tx, *, demanded):
        if demanded or runs.tick_due(tx, self.being_id, TICK):
            steps.raise_counter(tx, self.being_id)

    def mechanical_step(self, plainly, really):
        def within_run(tx):
            runs.lock_for_step(tx, self.being_id, uuid4())
            really(tx)

        self.both(plainly, within_run)

    @precondition(lambda self: self.plain.nodes)
    @rule(data=st.data())
    def memories_are_consolidated(self, data):
        everyone = range(len(self.plain.nodes))
        mergeable = self.names_where(lambda node: node.living and not node.pinned)
        survivors = self.names_where(lambda node: node.living)
        if data.draw(st.booleans(), label="by the rules") and survivors:
            survivor = data.draw(st.sampled_from(survivors))
            absorbed = self.some(data, set(mergeable) - {survivor})
            dead = []
        else:
            survivor = data.draw(st.sampled_from(everyone))
            absorbed = self.some(data, everyone)
            dead = self.some(data, everyone)
        if absorbed:
            self.mechanical_step(
                lambda: self.plain.absorb(survivor, absorbed),
                lambda tx: absorb(tx, self.being_id, self.ids[survivor], self.ids_of(absorbed)),
            )
        hopeless = self.names_where(lambda node: node.status == "dying" and not node.fresh)
        dead = dead or self.some(data, hopeless)
        self.mechanical_step(
            lambda: self.plain.make_dead(dead),
            lambda tx: steps.make_dead(tx, self.being_id, self.ids_of(dead)),
        )
        living = self.names_where(lambda node: node.living)
        self.mechanical_step(self.plain.settled, lambda tx: settled(tx, self.being, self.ids_of(living)))

    @rule(patrols=st.integers(2, 40))
    def nothing_happens_for_long(self, patrols):
        # In one round trip.
        with self.tx.pipeline():
            for _ in range(patrols):
                self.plain.tick(demanded=True)
                steps.raise_counter(self.tx, self.being_id)

    @rule(data=st.data())
    @precondition(lambda self: self.plain.nodes)
    def recall_finds_the_living(self, data):
        self.are_found(self.some(data, self.names_where(lambda node: node.living)))

    @rule(data=st.data())
    @precondition(lambda self: self.plain.nodes)
    def search_finds_the_dead_too(self, data):
        # What was forgotten is not found, unless that happened while the answer was made.
        self.are_found(self.some(data, self.names_where(lambda _: True)))

    def are_found(self, names):
        self.both(
            lambda: self.plain.found(set(names)),
            lambda tx: activate(tx, self.being_id, self.ids_of(names)),
        )

    @rule(data=st.data(), wish=st.sampled_from(["pin", "unpin", "forget", "revive"]))
    @precondition(lambda self: self.plain.nodes)
    def user_curates(self, data, wish):
        name = data.draw(st.sampled_from(range(len(self.ids))))
        self.both(
            lambda: getattr(self.plain, wish)(name),
            lambda tx: nodes.change_state(tx, self.being_id, self.ids[name], wish),
        )

    @rule(data=st.data(), importance=IMPORTANCE)
    @precondition(lambda self: self.plain.nodes)
    def user_corrects_the_importance(self, data, importance):
        name = data.draw(st.sampled_from(range(len(self.ids))))

        def weigh(tx):
            node = seen(tx, self.being, self.ids[name])
            assert nodes.correct(tx, self.being_id, node, MODEL, words(importance=importance))

        self.both(lambda: self.plain.weigh(name, importance), weigh)

    @invariant()
    def they_agree(self):
        real = {node.node_id: node for node in nodes.page(self.tx, self.being_id, limit=10_000)}
        fading = {node.node_id for _, node in nodes.fading(self.tx, self.being_id, patrols=5, limit=10_000)}
        for node_id, plain in zip(self.ids, self.plain.nodes, strict=True):
            node = real.pop(node_id)
            into = None if plain.absorbed_into is None else self.ids[plain.absorbed_into]
            assert (node.status, node.session_count, node.importance) == (
                plain.status,
                plain.session_count,
                plain.importance,
            )
            assert math.isclose(node.effective_importance, plain.effective_importance, rel_tol=0, abs_tol=1e-12)
            assert (node.fresh, node.pinned, node.forgotten_at is not None) == (
                plain.fresh,
                plain.pinned,
                plain.forgotten,
            )
            assert (node.reactivation_count, node.absorbed_into) == (plain.reactivation_count, into)
            assert node.patrols_left == plain.patrols_left
            assert (node_id in fading) == (plain.patrols_left is not None and plain.patrols_left <= 5)
        assert not real

    def teardown(self):
        self.tx.rollback()
        self.block.__exit__(None, None, None)


@pytest.mark.timeout(900)  # a failure takes minutes to be made small
@pytest.mark.long
def test_the_ledger_does_what_the_rules_say(store):
    run_state_machine_as_test(
        lambda: Life(store), settings=settings(stateful_step_count=40, max_examples=settings().max_examples // 3)
    )
