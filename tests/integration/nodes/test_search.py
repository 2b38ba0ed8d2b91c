"""Finding: by likeness among the living, by words among all that was not forgotten."""

import numpy as np
import pytest

from memory.nodes.activation import ACTIVATION
from store.nodes import finding, nodes
from store.patrol import steps
from tests.scenes import EAST, MODEL, NORTH, UP, absorb, make_being, remember, root, seen, words


@pytest.fixture
def tx(store):
    with store.transaction() as tx:
        yield tx


@pytest.fixture
def know(tx, being):
    """Remember things, and put them where the patrol would."""
    return lambda *memories: remember(tx, being, *memories, cluster=root(tx, being))


@pytest.fixture
def search(tx, being):
    """The actions of what answers the terms, best first."""

    def searching(*terms, all_terms=False, living=False, limit=20):
        found = finding.search(tx, being.being_id, terms, all_terms=all_terms, living=living, limit=limit)
        return [node.scene["action"] for node, _ in found]

    return searching


@pytest.fixture
def match(tx, being):
    """The actions of what is like a vector, nearest first."""

    def matching(vector, *, threshold=0.35, limit=3, model=MODEL):
        query = np.asarray(vector, dtype=np.float32)
        found = finding.match(tx, being.being_id, model, [query], threshold=threshold, limit=limit)
        return [node.scene["action"] for node, _ in found]

    return matching


@pytest.mark.parametrize(
    "memory",
    [
        pytest.param(words("They sailed to the island."), id="action"),
        pytest.param(words("It began.", feeling="As free as the island birds."), id="feeling"),
        pytest.param(words("It began.", themes=["island"]), id="themes"),
        pytest.param(words("It began.", when=["the island summer"]), id="a date"),
        pytest.param(words("It began.", when=[{"date": "Day7", "action": "Left the island."}]), id="a dated line"),
    ],
)
def test_each_of_the_four_fields_is_searched(know, search, memory):
    know(memory, words("Nothing to see.", vector=NORTH))

    assert search("island") == [memory.scene["action"]]


def test_what_else_a_scene_holds_is_not_searched(know, search):
    know(words("It began."))

    assert search("Mira") == []


def test_text_is_found_within_words_and_in_any_case(know, search):
    know(words("They SAILED away."))

    assert search("sail") == ["They SAILED away."]


@pytest.mark.parametrize(("said", "term"), [("Großer ÄRGER.", "ärger"), ("Чашка чая.", "ЧАШКА"), ("Ωμέγα.", "ωΜΈΓΑ")])
def test_case_is_unicode_s(know, search, said, term):
    know(words(said))

    assert search(term) == [said]


def test_themes_are_matched_whole_and_to_the_letter(know, search):
    know(words("It began.", themes=["Sailing"]))

    assert search("Sailing") == ["It began."]
    assert search("sailing") == []
    assert search("Sail") == []


def test_dated_lines_are_found_by_date_and_by_action(know, search):
    know(words("Moved.", when=[{"date": "Day7", "action": "Hashiに正式決定"}]))

    assert search("Day7") == search("Hashi") == search("正式決定") == ["Moved."]


@pytest.mark.parametrize("field", ["date", 'action":', "[", "{"])
def test_the_marks_that_hold_a_timeline_together_are_no_words(know, search, field):
    know(words("Moved.", when=[{"date": "Day7", "action": "Left."}]))

    assert search(field) == []


def test_japanese_is_found(know, search):
    know(words("朝、窓辺でコーヒーを飲んだ。"))

    assert search("コーヒー") == ["朝、窓辺でコーヒーを飲んだ。"]


@pytest.mark.parametrize("term", ["100%", "a_b", "back\\slash", "50%_\\"])
def test_the_signs_of_like_are_plain_letters(know, search, term):
    know(words(f"Wrote {term} down."), words("Wrote 100 and axb and backslash and 50xyz down.", vector=NORTH))

    assert search(term) == [f"Wrote {term} down."]


@pytest.mark.parametrize("term", ["%", "_", "\\"])
def test_a_lone_sign_of_like_does_not_find_everything(know, search, term):
    know(words("Plain words."))

    assert search(term) == []


def test_any_term_is_enough_unless_all_are_asked_for(know, search):
    know(words("Rain at sea."), words("Rain on land."), words("Sun at sea."))

    assert set(search("rain", "sea")) == {"Rain at sea.", "Rain on land.", "Sun at sea."}
    assert search("rain", "sea", all_terms=True) == ["Rain at sea."]


def test_terms_may_be_met_in_different_fields(know, search):
    know(words("Rain.", themes=["sea"]))

    assert search("rain", "sea", all_terms=True) == ["Rain."]


def test_more_terms_come_first_then_what_weighs_more(know, search):
    know(
        words("Rain, light.", importance=0.2),
        words("Rain at sea.", importance=0.1),
        words("Rain, heavy.", importance=0.9),
    )

    assert search("rain", "sea") == ["Rain at sea.", "Rain, heavy.", "Rain, light."]


def test_the_dead_are_found_unless_the_living_are_asked_for(tx, being, know, search):
    gone, _ = know(words("Old rain."), words("Rain."))
    absorb(tx, being.being_id, _, [gone])

    assert set(search("rain")) == {"Rain.", "Old rain."}
    assert search("rain", living=True) == ["Rain."]


def test_the_forgotten_are_not_found(tx, being, know, search):
    (node_id,) = know(words("Rain."))
    nodes.change_state(tx, being.being_id, node_id, "forget")

    assert search("rain") == []


def test_no_more_is_found_than_asked_for(know, search):
    know(*(words(f"Rain {day}.") for day in range(5)))

    assert len(search("rain", limit=3)) == 3


def test_a_search_stays_within_the_being(tx, user, know, search):
    other = make_being(tx, user)
    remember(tx, other, words("Rain elsewhere."))
    know(words("Rain here."))

    assert search("rain") == ["Rain here."]


def test_likeness_finds_the_nearest_first(know, match):
    know(words("North-east.", vector=(1, 1, 0)), words("East.", vector=EAST), words("Up.", vector=UP))

    assert match(EAST) == ["East.", "North-east."]


def test_what_is_like_several_vectors_is_as_near_as_the_nearest_of_them_and_activated_once(tx, being, know):
    north_east, *_ = know(words("North-east.", vector=(1, 1, 0)), words("East.", vector=EAST), words("Up.", vector=UP))
    queries = [np.asarray(one, dtype=np.float32) for one in (EAST, NORTH, (1, 2, 0))]

    found = finding.match(tx, being.being_id, MODEL, queries, threshold=0.35, limit=3, activates=ACTIVATION)

    assert [(node.scene["action"], similarity) for node, similarity in found] == [
        ("East.", pytest.approx(1)),
        ("North-east.", pytest.approx(0.9487, abs=1e-3)),
    ]
    assert [node.reactivation_count for node, _ in found] == [0, 0]
    assert [seen(tx, being, node.node_id).reactivation_count for node, _ in found] == [1, 1]
    (best,) = finding.match(tx, being.being_id, MODEL, queries[2:], threshold=0.35, limit=1)
    assert best[0].node_id == north_east


def test_nothing_is_activated_where_nothing_is_found_or_the_caller_says_so(tx, being, know, match, search):
    (node_id,) = know(words("Up.", vector=UP))
    query = np.asarray(EAST, dtype=np.float32)

    assert finding.match(tx, being.being_id, MODEL, [query], threshold=0.35, limit=3, activates=ACTIVATION) == []
    assert (match(UP), search("up")) == (["Up."], ["Up."])
    assert seen(tx, being, node_id).reactivation_count == 0


def test_likeness_of_exactly_the_threshold_is_enough(tx, being, know, match):
    know(words("Like.", vector=(3, 4, 0)))
    query = np.asarray(EAST, dtype=np.float32)
    ((_, similarity),) = finding.match(tx, being.being_id, MODEL, [query], threshold=0, limit=1)
    assert similarity == pytest.approx(0.6)

    assert match(EAST, threshold=similarity) == ["Like."]
    assert match(EAST, threshold=similarity + 1e-9) == []


@pytest.mark.parametrize(("similarity", "found"), [(0.34, []), (0.36, ["Like."])])
def test_recall_takes_a_similarity_of_0_35(know, match, similarity, found):
    know(words("Like.", vector=(similarity, (1 - similarity**2) ** 0.5, 0)))

    assert match(EAST) == found


def test_likeness_finds_the_dying_but_not_the_dead(tx, being, know, match):
    dying, dead = know(words("Dying.", importance=0.05), words("Dead."))
    steps.flag_dying(tx, being.being_id)
    nodes.change_state(tx, being.being_id, dead, "forget")

    assert match(EAST) == ["Dying."]
    assert nodes.get(tx, being.being_id, dying).status == "dying"


def test_only_vectors_of_the_same_model_are_compared(know, match):
    know(words("East."))

    assert match((1, 0, 0, 0, 0), model="five-d") == []


def test_what_has_no_direction_is_like_nothing(know, match):
    know(words("Nowhere.", vector=(0, 0, 0)))

    assert match(EAST) == []


def test_likeness_stays_within_the_being(tx, user, know, match):
    remember(tx, make_being(tx, user), words("East elsewhere."))
    know(words("East here."))

    assert match(EAST) == ["East here."]
