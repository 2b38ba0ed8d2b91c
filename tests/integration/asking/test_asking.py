"""A question is planned, looked for, answered and checked; what does not stand in its sources is not answered."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from memory.asking import planning
from memory.intake import retraction
from memory.llm import spending
from memory.talk.context_provenance import Utterance, shown_parts
from providers.errors import InputRefused, Transient
from schemas.context.asking import AskPlan
from schemas.talk.retraction import MessageSelection
from tests.integration.asking.conftest import NO_PLAN, ref_of, sentence

NORA = "Nora moved to Lisbon, she has a flat with 3 rooms there."


def test_a_sentence_stands_with_the_words_it_quotes(asking):
    (nora, *_) = asking.tell(NORA, "The bakery opens at seven.")
    asking.answer = lambda material: {
        "sentences": [sentence("Nora lives in Lisbon.", (ref_of(material, "Nora"), "Nora moved to Lisbon"))]
    }
    asked = asking.ask("Where does Nora live?")

    assert asked.known
    assert asked.method == "model"
    (told,) = asked.answer
    (cite,) = told.cites
    assert (told.sentence, cite.kind, cite.id, cite.quote) == (
        "Nora lives in Lisbon.",
        "message",
        str(nora),
        "Nora moved to Lisbon",
    )
    assert asked.cost.calls == 2
    assert asked.cost.dollars
    assert asked.dropped == {}


def test_references_within_a_sentence_are_no_words_of_it(asking):
    asking.tell(NORA)

    def written(material):
        ref = ref_of(material, "Nora")
        return {
            "sentences": [{"sentence": f"Nora lives in Lisbon [{ref}]. [1]", "cites": {ref: "Nora moved to Lisbon"}}]
        }

    asking.answer = written
    assert [one.sentence for one in asking.ask("Where does Nora live?").answer] == ["Nora lives in Lisbon."]


@pytest.mark.parametrize(
    ("since", "until", "days"),
    [
        ("2026/3/2", "2026-03-02T10:00", 1),
        ("2026-03", "2026-03", 31),
        ("2026", "2026", 365),
        ("20260302", "2026-02-30", None),
        ("2026-13-01", "soon", None),
    ],
)
def test_the_days_of_a_plan_are_read_in_other_forms(since, until, days):
    plan = planning.checked(AskPlan(queries=[], names=[], since=since, until=until, counts=[]), UTC)
    assert (plan.since and plan.until and (plan.until - plan.since).days) == days


def test_without_a_key_the_best_passages_are_answered_with_their_days(asking):
    asking.tell(
        {"role": "user", "content": NORA, "created_at": "2026-03-02T18:10:00Z"},
        {"role": "assistant", "content": "How nice for her.", "created_at": "2026-03-02T18:11:00Z"},
    )
    asked = asking.ask("Where does Nora live?", settings=asking.settings.model_copy(update={"thinker": "none"}))

    assert (asked.method, asked.known, asked.cost.calls) == ("extract", True, 0)
    assert asked.answer[0].sentence == f"2026-03-02, user: {NORA}\nWren: How nice for her."
    assert [cite.quote for cite in asked.answer[0].cites] == [NORA, "How nice for her."]
    unknown = asking.ask("Which instrument?", settings=asking.settings.model_copy(update={"thinker": "none"}))
    assert (unknown.known, unknown.answer) == (False, [])


@pytest.mark.parametrize(("fault", "degraded"), [(InputRefused("too long"), False), (Transient("away"), True)])
def test_queries_of_the_plan_that_are_not_embedded_leave_the_question(asking, monkeypatch, fault, degraded):
    asking.tell(NORA)
    asking.plan = NO_PLAN | {"queries": ["flat in Lisbon"]}
    embedder = asking.embedders.wanted
    embed = embedder.embed_queries

    def embed_the_question_alone(texts):
        if "flat in Lisbon" in texts:
            raise fault
        return embed(texts)

    monkeypatch.setattr(embedder, "embed_queries", embed_the_question_alone)
    asked = asking.ask("Where does Nora live?")

    assert (asked.degraded, asked.looked_at.found) == (degraded, {"message": 1})


def test_what_is_counted_is_counted_by_code_and_cited_as_computed(asking):
    days = ["2026-03-02", "2026-03-09", "2026-03-09", "2026-04-01"]
    asking.tell(
        *(
            {"role": "user", "content": "I went swimming again.", "created_at": f"{day}T18:1{n}:00Z"}
            for n, day in enumerate(days)
        ),
        {"role": "assistant", "content": "How was the swim?", "created_at": "2026-04-01T19:00:00Z"},
    )
    asking.plan = {**NO_PLAN, "counts": [{"any_of": ["swimming", "canoe"]}]}
    asking.answer = lambda material: {
        "sentences": [
            sentence(
                "Swimming was mentioned on 3 days, the last time on 1 April 2026.",
                (ref_of(material, "Messages with"), material.one("computed")),
            ),
            sentence("Swimming was mentioned 7 times.", (ref_of(material, "Messages with"), material.one("computed"))),
        ]
    }
    asked = asking.ask("How often did I go swimming?")

    (row,) = asked.looked_at.computed
    assert row.text.startswith(
        'Messages with "swimming" or "canoe": 5; by user 4, by Wren 1; on 3 days: 2026-03-02, 2026-03-09, 2026-04-01; '
        "first 2026-03-02 by user; last 2026-04-01 by Wren; the last "
    )
    (told,) = asked.answer
    assert [(cite.kind, cite.id) for cite in told.cites] == [("computed", row.id)]
    assert asked.dropped == {"a number that was not said": 1}


@pytest.fixture
def moved(asking):
    """A Being whose user lived in Austin, and then in Berlin."""
    (austin,) = asking.know(("Lives in Austin, Texas.", "2026-01-05", ()))
    asking.know(("Lives in Berlin.", "2026-05-03", (austin,)))
    return asking


@pytest.mark.parametrize("cited", ["fact", "message"])
def test_what_was_replaced_is_told_with_what_holds_now_by_date(moved, cited):
    def says(material, text, words):
        ref = next(one.ref for one in material.all(cited) if words in one.text)
        return sentence(text, (ref, words))

    moved.answer = lambda material: {"sentences": [says(material, "Tilda lives in Austin.", "Lives in Austin")]}
    asked = moved.ask("Where do I live?")

    assert [one.sentence for one in asked.answer] == ["Tilda lives in Austin.", "2026-05-03: Lives in Berlin."]
    old, new = (one.cites[0] for one in asked.answer)
    assert (old.kind, str(old.at.date()), str(new.at.date())) == (cited, "2026-01-05", "2026-05-03")
    assert old.until == (new.at if cited == "fact" else None)
    moved.answer = lambda material: {
        "sentences": [
            says(material, "Until May Tilda lived in Austin.", "Lives in Austin"),
            says(material, "Tilda has lived in Berlin since 3 May 2026.", "Lives in Berlin"),
        ]
    }
    assert len(moved.ask("Where do I live?").answer) == 2


def test_as_of_a_moment_facts_are_told_as_they_stood(moved):
    shown = []
    moved.answer = lambda material: shown.append(material.text) or {"sentences": []}
    asked = moved.ask("Where do I live?", as_of=datetime(2026, 3, 1, tzinfo=UTC))

    assert not asked.known
    assert "Austin" in shown[0]
    assert "until=" not in shown[0]
    assert "Berlin" not in shown[0]
    assert "2026-03-01, Sunday" in shown[0]


def test_an_answer_is_no_evidence_and_its_echo_is_known(asking):
    asking.tell(NORA)
    told = "Nora moved to Lisbon, so a flat there with 3 rooms is where she lives."
    asking.answer = lambda material: {"sentences": [sentence(told, (ref_of(material, "Nora"), NORA))]}
    with asking.store.transaction() as tx:
        before = tx.value("select count(*) from memory.search_documents")
    asked = asking.ask("Where does Nora live?")

    assert [one.sentence for one in asked.answer] == [told]
    with asking.store.transaction() as tx:
        assert tx.value("select count(*) from memory.search_documents") == before
        said = Utterance(told, asked.context_id, datetime.now(UTC))
        (spans,) = shown_parts(tx, asking.being.being_id, [said])
        assert [told[start:end] for start, end in spans] == [told.removesuffix(".")]
    asking.tell({"role": "assistant", "content": told, "metadata": {"context_id": str(asked.context_id)}})
    again = asking.ask("Where does Nora live?", settings=asking.settings.model_copy(update={"thinker": "none"}))
    assert {cite.quote for one in again.answer for cite in one.cites} == {NORA}


def test_no_connection_is_held_while_a_model_is_asked_and_what_is_withdrawn_meanwhile_is_not_told(asking):
    (nora, _) = asking.tell(NORA, "Bram moved to Lyon, he has a flat there.")
    held = []

    def withdrawing(material):
        with asking.store.transaction() as tx:
            held.append(
                tx.value(
                    "select count(*) from pg_stat_activity where datname = current_database()"
                    " and state in ('idle in transaction', 'active') and pid <> pg_backend_pid()",
                )
            )
            reserved = "select min(cost) from memory.model_calls where purpose = 'ask' and outcome = 'unknown'"
            assert tx.value(reserved) > 0
        assert NORA in material.text
        chosen = MessageSelection(ids=[str(nora)])
        retraction.retract(asking.store, asking.settings, asking.embedders, [asking.being], chosen)
        return {"sentences": [sentence("Nora moved to Lisbon.", (ref_of(material, "Nora"), "Nora moved to Lisbon"))]}

    asking.answer = withdrawing
    asked = asking.ask("Where does Nora live, and where Bram?")

    assert held == [0]
    assert asked.method == "extract"
    assert "Nora" not in asked.model_dump_json(include={"answer"})
    assert asked.cost.calls == 2


@pytest.mark.parametrize("budget", ["daily_cost", "user_daily_cost", "platform_daily_cost"])
def test_a_budget_that_is_spent_leaves_passages_and_nothing_is_charged(asking, budget):
    asking.tell(NORA)
    settings = asking.settings.model_copy(update={budget: Decimal("0.000001")})
    settings.model_fields_set.add(budget)
    asked = asking.ask("Where does Nora live?", settings=settings)

    assert (asked.method, asked.known, asked.cost.calls) == ("extract", True, 0)
    assert "budget" in asked.without_model
    assert asking.provider.requests == []


def test_what_an_answer_cost_is_told_and_booked(asking):
    asking.tell(NORA)
    asked = asking.ask("Where does Nora live?")

    lines = spending.page(asking.store, asking.settings, asking.user.user_id, None, since=None).spending
    assert {line.purpose for line in lines} == {"ask_plan", "ask"}
    assert sum(line.cost for line in lines) == asked.cost.dollars
    assert sum(line.calls for line in lines) == asked.cost.calls == len(asking.provider.requests) == 2
    assert not asked.known
    assert asked.looked_at.found == {"message": 1}


def test_a_model_that_writes_no_answer_is_asked_once_and_passages_are_told(asking):
    asking.tell(NORA)
    asking.plan, asking.answer = "I will look.", "Lisbon, I think."
    asked = asking.ask("Where does Nora live?")

    assert len(asking.provider.requests) == 2
    assert (asked.method, asked.known, asked.cost.calls) == ("extract", True, 2)
    assert [cite.quote for one in asked.answer for cite in one.cites] == [NORA]
