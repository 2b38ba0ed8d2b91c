"""Everything that a Being was told is found: by its words at once, by its meaning once it is embedded."""

from datetime import UTC, datetime, timedelta

import pytest

from memory.text.errors import InvalidRequest
from schemas.search import KINDS
from store.accounts import beings, erasure
from store.nodes import nodes
from store.talk import retraction
from tests.full_being import fill, tables_with
from tests.scenes import make_being, remember, words


def said(content, *, speaker=None, role="user", at=None, id=None):  # noqa: A002  # the wire's name for it
    """A message as a producer sends it."""
    more = {"speaker": speaker, "created_at": at and at.isoformat(), "id": id}
    return {"role": role, "content": content} | {name: value for name, value in more.items() if value is not None}


DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


def test_a_message_is_found_by_its_words_before_it_is_embedded(on, being):
    on.tell(being, "The ferry to Inishmore was cancelled.", "I had soup for lunch.")
    assert on.find(being, "ferry").unindexed == 2
    on.index(being.being_id)

    found = on.find(being, "What about the ferries?")

    assert found.results[0].text == "The ferry to Inishmore was cancelled."
    assert (found.degraded, found.unindexed) == (False, 2)


def test_it_is_found_by_its_meaning_once_it_is_embedded(on, being):
    on.tell(being, "My puppy chewed up the slippers.", "The train to Leeds is late.")
    on.settle(being)

    found = on.find(being, "naughty dog", limit=1, explain=True)

    assert [one.text for one in found.results] == ["My puppy chewed up the slippers."]
    assert found.unindexed == 0
    signals = found.results[0].signals
    assert signals["words"].value == 0
    assert signals["meaning"].share > 0
    assert sum(signal.share for signal in signals.values()) == pytest.approx(found.results[0].score)


def test_a_result_says_when_by_whom_and_where_it_was_said(on, being):
    on.tell(being, said("The lighthouse keeper waved.", speaker="Nora", at=DAY, id="chat-7"))
    on.index(being.being_id)

    (one,) = on.find(being, "lighthouse").results

    assert (one.kind, one.producer_id, one.speaker, one.at) == ("message", "chat-7", "Nora", DAY)
    assert one.session_id is not None


def test_the_answer_is_found_by_the_question_before_it(on, being):
    on.tell(
        being,
        said("What is your sister called?", role="assistant", at=DAY),
        said("Ingeborg, after our aunt.", at=DAY + timedelta(minutes=1)),
        said("Is the weather nice?", role="assistant", at=DAY + timedelta(hours=2)),
        said("It rains.", at=DAY + timedelta(hours=2, minutes=1)),
    )
    on.index(being.being_id)

    assert "Ingeborg, after our aunt." in on.texts(being, "sister's name", limit=2)


def test_neighbours_are_shown_in_order(on, being):
    on.tell(being, *(said(f"Line {word}.", at=DAY + timedelta(minutes=at)) for at, word in enumerate("abcde")))
    on.index(being.being_id)

    found = on.find(being, "Line c", neighbours=2, limit=5).results

    shown = {each.text: ([near.text for near in each.before], [near.text for near in each.after]) for each in found}
    assert shown["Line c."] == (["Line a.", "Line b."], ["Line d.", "Line e."])
    assert shown["Line e."] == (["Line c.", "Line d."], [])


def test_times_and_speakers_are_kept_to(on, being):
    on.tell(
        being,
        said("Rain at Easter.", at=DAY),
        said("Rain at Whitsun.", at=DAY + timedelta(days=50)),
        said("Rain, I see.", role="assistant", at=DAY + timedelta(days=50, minutes=1)),
        said("Rain again, says Otto.", role="other", speaker="Otto", at=DAY + timedelta(days=50, minutes=2)),
    )
    on.index(being.being_id)

    assert on.texts(being, "rain", until=DAY + timedelta(days=1)) == ["Rain at Easter."]
    assert "Rain at Easter." not in on.texts(being, "rain", since=DAY + timedelta(days=1))
    assert on.texts(being, "rain", speaker="otto") == ["Rain again, says Otto."]
    assert on.texts(being, "rain", speaker="Wren") == ["Rain, I see."]
    assert set(on.texts(being, "rain", speaker="user")) == {"Rain at Easter.", "Rain at Whitsun."}


def test_what_was_imported_counts_as_known_since_it_was_said_and_the_rest_since_it_came(on, being, clock):
    on.tell(being, said("An old storm.", at=DAY))
    clock.advance(days=30)
    early = clock.now()
    on.tell(being, said("A storm just now, told late.", at=early - timedelta(hours=2)))
    on.index(being.being_id)

    assert on.texts(being, "storm", as_of=DAY + timedelta(days=1)) == ["An old storm."]
    assert on.texts(being, "storm", as_of=early - timedelta(hours=1)) == ["An old storm."]
    assert len(on.texts(being, "storm", as_of=clock.now())) == 2


def test_a_named_speaker_comes_first(on, being):
    on.tell(
        being,
        said("The concert was loud.", speaker="Nora", at=DAY),
        said("The concert was loud.", speaker="Otto", at=DAY + timedelta(hours=1)),
    )
    on.index(being.being_id)

    assert on.find(being, "What did Nora think of the concert?").results[0].speaker == "Nora"
    assert on.find(being, "What did Otto think of the concert?").results[0].speaker == "Otto"


def test_all_kinds_are_found_and_the_vault_where_it_is_named(on, store, being):
    with store.transaction() as tx:
        beings.adopt_model(tx, being.being_id, "three-d")
    fill(store, being, "zwetschge")
    on.index(being.being_id, being.user_id)

    found = on.find(being, "zwetschge zwetschges", limit=50)
    assert {one.kind for one in found.results} == {"message", "node", "fact", "summary", "diary", "knowledge"}
    assert {one.kind for one in on.find(being, "zwetschge", kinds=["vault"], limit=50).results} == {"vault"}
    assert {one.kind for one in on.find(being, "zwetschge", kinds=["diary"]).results} == {"diary"}


def test_what_a_sibling_was_told_is_not_found_nor_counted(on, store, user, being):
    with store.transaction() as tx:
        sibling = make_being(tx, user)
    fill(store, sibling, "zwetschge", "marzipan")
    on.tell(being, "Marzipan for tea.")
    on.index(being.being_id, being.user_id, sibling.being_id)

    assert on.texts(being, "zwetschge", limit=50, kinds=list(KINDS)) == []
    shared = on.find(being, "marzipan", limit=50, kinds=["fact", "vault", "message"]).results
    assert {one.kind for one in shared} == {"fact", "vault", "message"}
    assert not any("zwetschge" in one.text for one in shared)


def test_other_beings_change_no_score(on, store, user, being):
    on.tell(being, "Plum jam.", "Plum cake and plum tart.", "Bread.")
    on.settle(being)
    alone = on.find(being, "plum cake", explain=True)

    with store.transaction() as tx:
        sibling = beings.add_being(tx, user.user_id, "other", "Other")
    on.tell(sibling, *["Plum cake."] * 30)
    on.settle(sibling)

    assert on.find(being, "plum cake", explain=True) == alone


def test_what_is_erased_is_found_never_again_and_leaves_nothing_in_the_index(on, store, being):
    ids = on.tell(being, "The combination is lavender.", "Something else.")
    on.settle(being)
    assert on.texts(being, "lavender", limit=1) == ["The combination is lavender."]

    with store.transaction() as tx:
        retraction.erase(tx, being.being_id, [ids[0]])

    assert "The combination is lavender." not in on.texts(being, "lavender")
    with store.transaction() as tx:
        rows = tx.execute(
            """
            select (select count(*) from memory.search_documents) as documents,
                (select count(*) from memory.search_vectors) as vectors,
                (select count(distinct document_id) from memory.search_postings) as posted,
                (select sum(documents) from memory.search_statistics) as counted
            """
        ).fetchone()
        assert set(rows.values()) == {1}


def test_a_message_that_is_erased_while_it_is_being_indexed_stays_out(on, store, being):
    ids = on.tell(being, "The combination is lavender.")
    with store.transaction() as tx:
        retraction.erase(tx, being.being_id, ids)
    on.settle(being)

    assert on.find(being, "lavender").results == []
    with store.transaction() as tx:
        assert not {table for table in tables_with(tx, str(being.being_id)) if table.startswith("search_")} - {
            "search_owners"
        }


def test_an_erased_being_leaves_no_row_in_the_index(on, store, being):
    fill(store, being, "zwetschge")
    on.index(being.being_id, being.user_id)

    with store.transaction() as tx:
        erasure.erase_being(tx, being)

    with store.transaction() as tx:
        assert not {table for table in tables_with(tx, str(being.being_id)) if table.startswith("search_")}


def test_a_corrected_memory_is_found_by_what_it_says_now(on, store, user):
    with store.transaction() as tx:
        being = make_being(tx, user)
        (node_id,) = remember(tx, being, words("They sailed to the island."))
    on.index(being.being_id)
    assert on.texts(being, "sailing", kinds=["node"]) == ["2026-03-02 — They sailed to the island."]

    with store.transaction() as tx:
        node = nodes.get(tx, being.being_id, node_id)
        assert nodes.correct(tx, being.being_id, node, "three-d", words("They walked to the chapel."))
    on.index(being.being_id)

    assert on.texts(being, "sailing", kinds=["node"], limit=5) == []
    assert on.texts(being, "chapels", kinds=["node"]) == ["2026-03-02 — They walked to the chapel."]


def test_a_forgotten_memory_is_not_found(on, store, user):
    with store.transaction() as tx:
        being = make_being(tx, user)
        (node_id,) = remember(tx, being, words("They sailed to the island."))
        nodes.change_state(tx, being.being_id, node_id, "forget")
    on.index(being.being_id)

    assert on.texts(being, "sailing") == []


def test_a_search_activates_only_where_it_is_asked_to(on, store, user):
    with store.transaction() as tx:
        being = make_being(tx, user)
        (node_id,) = remember(tx, being, words("They sailed to the island."))
    on.index(being.being_id)

    def activated():
        with store.transaction() as tx:
            return nodes.get(tx, being.being_id, node_id).reactivation_count

    on.find(being, "island")
    assert activated() == 0
    on.find(being, "island", activate=True)
    assert activated() == 1


def test_an_empty_query_is_an_error(on, being):
    with pytest.raises(InvalidRequest):
        on.find(being, "  ")


def test_a_message_of_nothing_but_common_words_is_found_by_them(on, being):
    on.tell(being, "What is it?", "The heron stood still.")
    on.index(being.being_id)

    assert on.texts(being, "What is it?", limit=1) == ["What is it?"]


def test_the_language_follows_what_is_told_unless_it_is_set(on, store, being):
    german = [
        "Ich habe gestern mit meiner Schwester telefoniert und sie war sehr müde.",
        "Wir haben über die Häuser am See gesprochen, in denen wir als Kinder gewohnt haben.",
        "Das ist nicht so einfach, aber ich bin froh, dass sie da ist.",
    ]
    on.tell(being, *german)
    on.settle(being)

    assert on.texts(being, "Wo wohnten wir? In welchem Haus?", limit=1) == [german[1]]
    with store.transaction() as tx:
        assert tx.execute("select language from memory.search_owners").fetchone() == {"language": "de"}


def test_who_a_person_is_is_answered_with_the_first_and_the_last_mention(on, being):
    on.tell(
        being,
        said("Nora is my cousin from Cork.", at=DAY),
        *(said(f"Nora phoned, call {day}.", at=DAY + timedelta(days=day)) for day in range(1, 20)),
        said("Nora has moved to Galway.", at=DAY + timedelta(days=20)),
    )
    on.index(being.being_id)

    best = on.texts(being, "Who is Nora?", limit=5)

    assert {"Nora is my cousin from Cork.", "Nora has moved to Galway."} <= {*best}


def talk_of(*lines, at):
    """A conversation, its lines a minute apart."""
    return [said(line, at=at + timedelta(minutes=minute)) for minute, line in enumerate(lines)]


def test_one_result_a_conversation_is_the_best_of_those_that_have_most_to_do_with_it(on, being):
    bakes = [f"Sourdough needs {what}." for what in ("a starter", "strong flour", "patience", "a hot oven", "salt")]
    on.tell(
        being,
        *talk_of(*bakes, at=DAY),
        *talk_of("My sourdough starter died.", "The cat is fine.", at=DAY + timedelta(hours=3)),
        *talk_of("The train was late.", "We saw the sea.", at=DAY + timedelta(hours=6)),
    )
    on.settle(being)

    found = on.find(being, "sourdough starter", one_per="session", explain=True).results

    sessions = [one.session_id for one in found]
    assert len(sessions) == len({*sessions}) >= 2
    assert {one.text for one in found[:2]} == {"Sourdough needs a starter.", "My sourdough starter died."}
    for one in found:
        assert sum(signal.share for signal in one.signals.values()) == pytest.approx(one.score)


def test_long_answers_of_one_conversation_do_not_push_out_the_others(on, being):
    line = "The garden needs compost, mulch, water, shade and a fence against deer, and the roses want pruning."
    on.tell(
        being,
        *talk_of(*(f"{line * 10} ({at})" for at in range(12)), at=DAY),
        *talk_of(line, "Bye.", at=DAY + timedelta(hours=3)),
    )
    on.settle(being)

    found = on.find(being, "What does the garden need against deer, and do the roses want pruning?")

    assert line in [one.text for one in found.results]


def test_a_long_turn_finds_several_conversations(on, being):
    line = "The garden needs compost, mulch and shade, beside benches, lanterns, gravel, hedges, ponds and bed"
    other = "The garden needs compost and mulch."
    on.tell(
        being,
        *talk_of(*(f"{line} {at}." for at in range(12)), at=DAY),
        *talk_of(other, at=DAY + timedelta(hours=3)),
    )
    on.settle(being)
    ask = "What does the garden need, compost, mulch or shade?"
    plans = "Let us go on planning before summer ends, holidays begin, neighbours visit and rain ruins everything."

    assert other not in on.texts(being, ask, limit=10)
    assert other in on.texts(being, f"{plans} {ask}", limit=10)


def test_a_long_turn_goes_on_with_what_was_said_lately(on, being):
    early, late = "The garden needs compost.", "The garden needs some compost."
    on.tell(being, *talk_of(early, at=DAY - timedelta(days=300)), *talk_of(late, at=DAY))
    on.settle(being)
    ask = "Does the garden need compost?"
    plans = "Let us go on planning before summer ends, holidays begin, neighbours visit and rain ruins everything."

    assert on.texts(being, ask) == [early, late]
    assert on.texts(being, f"{plans} {ask}") == [late, early]


def test_a_long_turn_is_compared_by_its_meaning_more_than_by_its_words(on, being):
    on.tell(being, "My puppy chewed up the slippers.")
    on.settle(being)
    words, turn = "my slippers", "Hello again! " + " ".join(f"thing{at} mattered" for at in range(20)) + " my slippers"

    short, long = (on.find(being, query, explain=True).results[0].signals for query in (words, turn))

    assert short["words"].share == 1.0
    assert long["words"].share < 0.5
