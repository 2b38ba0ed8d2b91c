"""The search to the letter finds what counting every term in every memory finds, by rules written a second time."""

from hypothesis import given, settings
from hypothesis import strategies as st

from store.nodes import finding, nodes
from tests.scenes import make_being, make_user, remember, words

# Terms within others, one after another, of one to many bytes each, and letters whose case is not one to one.
TEXTS = [
    "sea",
    "Seaside",
    "season",
    "s",
    "ab",
    "aba",
    "ababab",
    "朝",
    "朝の海",
    "ÄRGER",
    "é",
    "ΣΟΦΟΣ",
    "İz",
    "100%",
    "a_b",
]
TERMS = st.lists(
    st.one_of(
        st.sampled_from([*TEXTS, "ea", "sea s", "の", "ΟΦ", "%", "the", "海 朝"]),
        st.text(st.sampled_from("abse朝の "), min_size=1, max_size=5),
    ).filter(str.strip),
    min_size=1,
    max_size=12,
    unique=True,
)
MEMORY = st.builds(
    lambda action, feeling, day, themes, weight: words(
        " ".join(action), feeling=feeling, when=[day], themes=themes, importance=weight
    ),
    st.lists(st.sampled_from(TEXTS), min_size=1, max_size=6),
    st.none() | st.sampled_from(TEXTS),
    st.sampled_from(TEXTS),
    st.lists(st.sampled_from(TEXTS), max_size=2),
    st.sampled_from([0.1, 0.5, 0.9]),
)


def plainly(tx, being, terms, *, all_terms, living, limit):
    """Each node's number of terms, most first, then what weighs most, then the newest; unforgotten nodes alone."""
    lowered = tx.execute("select term, lower(term) as low from unnest(%s::text[]) as asked (term)", [terms]).fetchall()
    rows = tx.execute(
        """
        select node_id, themes, lower(scene ->> 'action') as action, lower(feeling) as feeling,
            lower(scene -> 'when' ->> 0) as day, effective_importance, created_at
        from memory.seen_nodes where being_id = %s and forgotten_at is null and (status <> 'dead' or not %s)
        """,
        [being.being_id, living],
    )
    met = []
    for row in rows:
        texts = [row["action"], row["feeling"] or "", row["day"]]
        held = sum(any(one["low"] in text for text in texts) or one["term"] in row["themes"] for one in lowered)
        if held >= (len(terms) if all_terms else 1):
            met.append((-held, -row["effective_importance"], -row["created_at"].timestamp(), row["node_id"]))
    return [(node_id, -held) for held, _, _, node_id in sorted(met)[:limit]]


@settings(max_examples=40)
@given(
    memories=st.lists(MEMORY, min_size=1, max_size=40),
    gone=st.lists(st.integers(0, 39), max_size=6),
    questions=st.lists(st.tuples(TERMS, st.booleans(), st.booleans(), st.integers(1, 6)), min_size=4, max_size=4),
)
def test_a_search_to_the_letter_finds_what_counting_everything_finds(store, memories, gone, questions):
    with store.transaction() as tx:
        being = make_being(tx, make_user(tx))
        known = remember(tx, being, *memories)
        for place in gone:
            nodes.change_state(tx, being.being_id, known[place % len(known)], "forget")
        for terms, all_terms, living, limit in questions:
            asked = {"all_terms": all_terms, "living": living, "limit": limit}
            found = [(node.node_id, held) for node, held in finding.search(tx, being.being_id, terms, **asked)]

            assert found == plainly(tx, being, terms, **asked)
        tx.rollback()
