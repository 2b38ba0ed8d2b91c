"""Looking into a vault: search, candidates, proposals, stats, and what is forgotten of keys."""

import pytest

from memory.text.errors import InvalidRequest
from memory.upkeep import periodic
from memory.vault import record_batches, records
from memory.vault.reading import find_consolidation_candidates, listed, propose_deletions, search, vault_stats
from schemas.vault.vault_requests import RecordChanges, VaultSearch
from store import vault as rows


def texts(found):
    return [hit.record.text for hit in found]


def test_search_finds_what_shares_a_word_the_best_answer_first(mine):
    for text in (
        "The oven is old.",
        "Old songs, sung beside an oven on winter nights.",
        "Jon plays chess.",
        "Ovens everywhere!",
    ):
        mine.add(text)
    found = search(mine.store, mine.being, VaultSearch(query="the oven is"))
    assert texts(found) == ["The oven is old.", "Old songs, sung beside an oven on winter nights."]
    assert found[0].score > 1.3
    assert texts(search(mine.store, mine.being, VaultSearch(query="oven", limit=1))) == ["The oven is old."]
    assert search(mine.store, mine.being, VaultSearch(query="oven", scopes=["shared"])) == []
    with pytest.raises(InvalidRequest):
        search(mine.store, mine.being, VaultSearch(query=" ?! "))


def test_candidates_are_pairs_of_one_scope_the_most_alike_first(mine):
    words = "Mira opens her small bakery in the old harbour street at six"
    first = mine.add(words)
    second = mine.add("Jon plays chess.", scope="shared")
    third = mine.add("Submarines are yellow.")
    for record, text in ((second, words), (third, f"{words}, or so.")):
        records.update_memory(mine.store, mine.settings, mine.being, record.id, RecordChanges(text=text))
    mine.add("Jon wakes at noon on Sundays and plays.")
    (pair,) = find_consolidation_candidates(mine.store, mine.being)
    assert {pair.first.id, pair.second.id} == {first.id, third.id}
    assert pair.similarity == 1.0
    assert find_consolidation_candidates(mine.store, mine.being, "shared") == []
    pairs = find_consolidation_candidates(mine.store, mine.being, floor=0.2)
    assert len(pairs) > 1
    assert [pair.similarity for pair in pairs] == sorted((pair.similarity for pair in pairs), reverse=True)


def test_proposals_say_why_and_delete_nothing(mine, clock):
    mine.register("mood", "Calm.")
    mine.add("A register that is about nothing.", tier="register")
    canon = mine.add("Mira bakes bread.")
    double = mine.add("Submarines are yellow.")
    records.update_memory(mine.store, mine.settings, mine.being, double.id, RecordChanges(text="Mira bakes bread!"))
    clock.advance(days=91)
    mine.register("work", "Busy.")
    before = mine.live()

    told = {
        proposal.record.text: proposal.reasons for proposal in propose_deletions(mine.store, mine.settings, mine.being)
    }
    assert told.keys() == {"Calm.", "A register that is about nothing.", "Mira bakes bread."}
    assert told["Mira bakes bread."] == [f"is a near-duplicate of {double.id}, which is canon"]
    assert [("90 days" in reason) for reason in told["Calm."]] == [True]
    assert any("without a topic" in reason for reason in told["A register that is about nothing."])
    assert canon.id in before
    assert mine.live() == before


def test_only_so_many_pairs_are_compared_as_sequences(mine, monkeypatch):
    doubled = {
        "miranda opened earlier": "mirandda openned earlierr",
        "submarine painted yellow": "submarinee paintedd yelloww",
    }
    for text, misspelled in doubled.items():
        mine.add(text)
        later = mine.add({"mira": "Jon plays chess", "subm": "We like bread"}[text[:4]])
        changes = RecordChanges(text=misspelled)
        records.update_memory(mine.store, mine.settings, mine.being, later.id, changes)
    assert len(propose_deletions(mine.store, mine.settings, mine.being)) == 2
    monkeypatch.setattr("memory.vault.reading.COMPARED_PAIRS", 1)
    assert len(propose_deletions(mine.store, mine.settings, mine.being)) == 1


def test_stats_count_what_there_is(mine):
    mine.register("mood", "Calm.", category="state")
    mine.register("mood", "Wild.", category="state")
    mine.delete(mine.add("Mira bakes bread."))
    mine.add("The user lives in Lisbon.", scope="shared")
    stats = vault_stats(mine.store, mine.settings, mine.being)
    assert stats.model_dump() == {
        "active": 2,
        "max": 200,
        "utilization": 1.0,
        "deleted": 1,
        "raw_lines": 5,
        "bloat_ratio": 2.5,
        "by_scope": {mine.being.slug: 1, "shared": 1},
        "by_tier": {"canon": 1, "register": 1},
        "by_category": {"general": 1, "state": 1},
        "register_topics": 1,
    }


def test_a_list_can_be_narrowed(mine):
    mine.register("mood", "Calm.", tags=["soul"])
    mine.add("Mira bakes bread.", category="habit")
    assert [record.text for record in listed(mine.store, mine.being)] == ["Mira bakes bread.", "Calm."]
    for narrowed in ({"tier": "register"}, {"tag": "soul"}, {"category": "general"}):
        assert [record.text for record in listed(mine.store, mine.being, **narrowed)] == ["Calm."]
    assert listed(mine.store, mine.being, scope="shared") == []


def test_keys_are_forgotten_with_age(mine, store):
    def sent():
        return record_batches.bulk_add(store, mine.settings, mine.being, [{"text": "Calm."}], lambda _: "k")

    assert (sent().added, sent().repeated) == (1, 1)
    periodic.expire(store, mine.settings)
    assert sent().repeated == 1
    with store.transaction() as tx:
        tx.execute("update memory.vault_idempotency set created_at = created_at - %s", [mine.settings.keep_receipts])
    periodic.expire(store, mine.settings)
    assert [refusal.gate for refusal in sent().rejected] == ["duplicate"]


def test_a_repetition_of_what_was_deleted_since_brings_nothing_back(mine):
    def sent():
        return record_batches.bulk_add(mine.store, mine.settings, mine.being, [{"text": "Calm."}], lambda _: "k")

    (record,) = sent().records
    mine.delete(record)
    again = sent()
    assert (again.repeated, again.records[0].deleted_at is not None) == (1, True)
    assert mine.live() == {}


def test_reading_costs_what_is_live(mine):
    for number in range(30):
        mine.register("mood", f"Mood number {number}.")
    with mine.store.transaction() as tx:
        assert len(rows.live(tx, mine.being, [mine.being.slug])) == 1
        assert rows.counts(tx, mine.being, [mine.being.slug]) == (30, 0)
