"""Near-duplicates are folded into one and archived; pinned ones and other numbers are left alone."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from memory.facts import curator, retrieval, seeding, vectors
from memory.talk import confidences, spine
from operations.facts.facts import unfold_fact
from providers.thinkers import Thinkers
from schemas.errors import Refused
from schemas.facts.fact_requests import FactChanges, Seed
from schemas.ledger import kinds
from schemas.settings import Settings
from store.facts import facts as kept_facts
from store.ledger import work
from tests.conversations import LEASE
from tests.databases import answer_of
from tests.fakes.provider import Behaviour

ENOUGH = {"curate_after": 1}


def seed(talk, *said):
    seeds = [
        Seed(type="PROFILE", content=content, entity_refs=[f"thing:{ref}"], pinned=pinned)
        for ref, content, pinned in said
    ]
    seeding.seed(talk.store, Settings(), talk.being, seeds)
    talk.embedded()


def curate(talk):
    with talk.store.transaction() as tx:
        curator.request_if_due(tx, talk.settings.model_copy(update=ENOUGH), talk.being.user_id)
        asked = bool(tx.outbox)
        claim = work.claim(tx, talk.being.user_id, kinds.CURATE.name, "", lease=LEASE, attempts=5)
    if claim:
        curator.curate(talk.store, talk.thinkers, talk.settings, claim)
    return asked


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
            confidences.change_fact(talk.store, talk.being, archived.fact_id, FactChanges(status="ACTIVE"))


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


def confirming(talk, *same):
    """The model finds these pairs to say the same, and no others."""
    talk.provider.script(Behaviour(do="answer", on="messages", text=json.dumps({"same": same})))


SIMILAR = ("tea", "Loves green tea.", False), ("green tea", "Really loves green tea.", False)


@pytest.mark.parametrize(("same", "left"), [(("p1",), ["Loves green tea."]), ((), None)])
def test_other_wordings_are_folded_if_a_model_confirms_it(talk, same, left):
    seed(talk, *SIMILAR)
    confirming(talk, *same)
    curate(talk)
    assert talk.contents() == (left or [content for _, content, _ in SIMILAR])


def test_without_a_model_other_wordings_wait_for_one(talk):
    with_model, talk.thinkers = talk.thinkers, Thinkers(talk.settings.model_copy(update={"thinker": "none"}))
    seed(talk, *SIMILAR)
    curate(talk)
    assert len(talk.contents()) == 2
    talk.thinkers = with_model
    confirming(talk, "p1")
    curate(talk)
    assert talk.contents() == ["Loves green tea."]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Injured the left knee.", "Injured the right knee."),
        ("Is allergic to nuts.", "Is not allergic to nuts."),
        ("Swims on Mondays.", "Swims on Tuesdays."),
        ("Pays twenty dollars a week.", "Pays thirty dollars a week."),
    ],
)
def test_opposites_are_left_alone_whatever_the_model_says(talk, one, other):
    seed(talk, ("one", one, False), ("other", other, False))
    confirming(talk, "p1")
    curate(talk)
    assert talk.contents() == [one, other]


def test_no_new_fact_is_skipped_when_there_are_more_than_one_run_takes(talk, monkeypatch):
    monkeypatch.setattr(curator, "FACTS_AT_ONCE", 2)
    seed(
        talk,
        *((word, f"Collects {word}.", False) for word in ("stamps", "clocks", "maps")),
        ("tea", "Loves green tea.", False),
        ("green tea", "Loves green tea!", False),
    )
    assert curate(talk)
    talk.do_due(
        talk.being.user_id,
        kinds.CURATE,
        curator.curate,
    )
    assert [known.content for known in talk.facts() if known.source == "curated_fold"] == ["Loves green tea."]


def test_a_fold_is_retrieved_at_once(talk):
    seed(talk, ("tea", "Loves green tea.", False), ("green tea", "Loves green tea!", False))
    curate(talk)
    query = retrieval.FactQuery("Which tea do they love?", 3)
    found = retrieval.retrieve(talk.store, talk.embedders, talk.settings, talk.being, query)
    assert ([fact.content for fact in found.facts], found.degraded) == (["Loves green tea."], False)


def test_a_fold_is_undone_with_what_was_said_since(talk):
    seed(talk, ("tea", "Loves green tea.", False), ("green tea", "Loves green tea!", False))
    before = {known.memory_key: known.content for known in talk.facts()}
    curate(talk)
    seed(talk, ("green tea", "Grows green tea.", False), ("tea", "loves green tea.", False))
    (fold,) = talk.facts()
    assert (fold.content, fold.mentions) == ("Loves green tea. Grows green tea.", 4)

    active = answer_of(talk.store, unfold_fact, talk.being, fold.fact_id).facts
    assert [known.content for known in active] == ["Loves green tea.", "Loves green tea! Grows green tea."]
    assert sorted((known.memory_key, known.mentions) for known in talk.facts()) == [(key, 2) for key in sorted(before)]
    assert talk.facts("ARCHIVED") == []
    talk.embedded()
    curate(talk)
    assert len(talk.facts()) == 2, "the curator leaves alone what a person unfolded"
    with pytest.raises(Refused):
        answer_of(talk.store, unfold_fact, talk.being, active[0].fact_id)


def test_the_curator_runs_when_enough_was_added(talk):
    seed(talk, ("tea", "Loves green tea.", False))
    assert curate(talk)
    assert not curate(talk)


ENDINGS = {
    kinds.EMBED_FACTS: lambda talk, claim: vectors.embed(talk.store, talk.embedders, talk.settings, claim),
    kinds.CURATE: lambda talk, claim: curator.curate(talk.store, talk.thinkers, talk.settings, claim),
    kinds.SPINE: lambda talk, claim: spine.write(talk.store, talk.thinkers, talk.settings, claim),
}


@pytest.mark.parametrize("kind", ENDINGS)
def test_work_for_a_user_ends_without_a_loop_while_a_writer_of_facts_requests_it_again(talk, wait_until, kind):
    user_id = talk.being.user_id
    with talk.store.transaction() as tx:
        work.ask(tx, user_id, kind)
        claim = work.claim(tx, user_id, kind.name, "", lease=LEASE, attempts=5)

    with ThreadPoolExecutor(1) as pool:
        with talk.store.transaction() as tx:
            kept_facts.lock(tx, user_id)
            ended = pool.submit(ENDINGS[kind], talk, claim)
            wait_until(talk.a_transaction_waits)
            work.ask(tx, user_id, kind)
        ended.result()
