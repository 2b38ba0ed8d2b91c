"""Near-duplicates are folded into one and archived; pinned ones and other numbers are left alone."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from memory import curator, fact_vectors, facts, seeding, spine
from schemas.fact_requests import FactChanges, Seed
from store import facts as kept_facts
from store import work
from store.errors import Refused
from tests.conversations import LEASE

ENOUGH = {"curate_after": 1}


def seed(talk, *said):
    seeds = [
        Seed(type="PROFILE", content=content, entity_refs=[f"thing:{ref}"], pinned=pinned)
        for ref, content, pinned in said
    ]
    seeding.seed(talk.store, talk.being, seeds)
    talk.embedded()


def curate(talk):
    with talk.store.transaction() as tx:
        rings = curator.ask(tx, talk.settings.model_copy(update=ENOUGH), talk.being.user_id)
        claim = work.claim(tx, talk.being.user_id, curator.KIND, "", lease=LEASE, attempts=5)
    if claim:
        curator.curate(talk.store, claim)
    return bool(rings)


def test_near_duplicates_become_one(talk):
    seed(
        talk,
        ("tea", "Loves green tea.", False),
        ("green tea", "Loves green tea!", False),
        ("cats", "Has a cat.", False),
    )
    assert curate(talk)
    kept, fold = talk.facts()
    assert (kept.content, fold.content, fold.source, fold.mentions) == (
        "Has a cat.",
        "Loves green tea.",
        "curated_fold",
        2,
    )
    assert [known.content for known in talk.facts("ARCHIVED")] == ["Loves green tea.", "Loves green tea!"]


def test_the_keys_of_what_was_folded_lead_to_the_fold(talk):
    seed(talk, ("tea", "Loves green tea.", False), ("green tea", "Loves green tea!", False))
    curate(talk)
    seed(talk, ("green tea", "loves green tea.", False))
    (fold,) = talk.facts()
    assert (fold.content, fold.mentions) == ("Loves green tea.", 3)
    for archived in talk.facts("ARCHIVED")[:1]:
        with pytest.raises(Refused):
            facts.change(talk.store, talk.being, archived.fact_id, FactChanges(status="ACTIVE"))


@pytest.mark.parametrize(
    ("one", "another"),
    [
        (("tea", "Loves green tea.", True), ("green tea", "Loves green tea!", False)),
        (("birth", "Was born in 1990.", False), ("year", "Was born in 1991.", False)),
        (("tea", "Loves green tea.", False), ("job", "Works as a nurse.", False)),
    ],
)
def test_what_is_pinned_or_not_the_same_is_left_alone(talk, one, another):
    seed(talk, one, another)
    curate(talk)
    assert talk.contents() == [one[1], another[1]]


def test_the_curator_runs_when_enough_was_added(talk):
    seed(talk, ("tea", "Loves green tea.", False))
    assert curate(talk)
    assert not curate(talk)


ENDINGS = {
    fact_vectors.KIND: lambda talk, claim: fact_vectors.embed(talk.store, talk.embedders, talk.settings, claim),
    curator.KIND: lambda talk, claim: curator.curate(talk.store, claim),
    spine.KIND: lambda talk, claim: spine.write(talk.store, talk.thinkers, talk.settings, claim),
}


@pytest.mark.parametrize("kind", ENDINGS)
def test_work_for_a_user_ends_while_somebody_writes_facts_and_asks_for_it_and_not_in_a_circle(talk, wait_until, kind):
    user_id = talk.being.user_id
    with talk.store.transaction() as tx:
        work.ask(tx, user_id, kind, "", "upkeep")
        claim = work.claim(tx, user_id, kind, "", lease=LEASE, attempts=5)

    def somebody_waits():
        with talk.store.transaction() as tx:
            return bool(tx.execute("select from pg_locks where not granted").rowcount)

    with ThreadPoolExecutor(1) as pool:
        with talk.store.transaction() as tx:
            kept_facts.hold(tx, user_id)
            ended = pool.submit(ENDINGS[kind], talk, claim)
            wait_until(somebody_waits)
            work.ask(tx, user_id, kind, "", "upkeep")
        ended.result()
