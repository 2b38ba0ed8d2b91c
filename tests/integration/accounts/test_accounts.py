"""A cluster holds exactly what it says that it holds, whatever was done to its nodes."""

import numpy as np
import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.nodes import embeddings, finding, nodes
from tests.scenes import EAST, MODEL, NORTH, UP, make_being, make_user, move, remember, root, seen, words

HALF = st.floats(-4, 4, width=16)
VECTOR = st.tuples(HALF, HALF, HALF)
CLUSTER = st.integers(0, 2)
# Places in the order of birth, counted around, so that they name nodes however many there are.
NODES = st.lists(st.integers(0, 9), min_size=1, max_size=4)

OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("born"), st.lists(VECTOR, min_size=1, max_size=4), CLUSTER | st.none()),
        st.tuples(st.just("moved"), NODES, CLUSTER),
        st.tuples(st.just("turned"), NODES, st.sampled_from(["active", "dying", "dead", "absorbed", "forgotten"])),
        st.tuples(st.just("freshened"), NODES, st.booleans()),
        st.tuples(st.just("embedded again"), NODES, VECTOR),
        st.tuples(st.just("deleted"), NODES, st.none()),
    ),
    max_size=15,
)

CHANGES = {
    "moved": "cluster_id = (%(clusters)s::uuid[])[1 + %(to)s]",
    "turned": (
        "status = case when %(to)s in ('absorbed', 'forgotten') then 'dead' else %(to)s end,"
        " session_count_base = case when %(to)s = 'active' then 0 end,"
        " final_session_count = case when %(to)s <> 'active' then 0 end,"
        " reactivations_at_death = case when %(to)s not in ('active', 'dying') then 0 end,"
        " absorbed_into = case when %(to)s = 'absorbed' then node_id end,"
        " forgotten_at = case when %(to)s = 'forgotten' then memory.now() end"
    ),
    "freshened": "fresh = %(to)s",
    "embedded again": "vector = %(to)s::float8[]::halfvec",
}


@pytest.fixture
def topic(store, being):
    """A sub-cluster."""
    with store.transaction() as tx:
        return make_topic(tx, being)


def make_topic(tx, being, name="Sailing", parent=None):
    parent = parent or root(tx, being)
    return tx.value(
        "insert into memory.clusters (being_id, name, parent_id) values (%s, %s, %s) returning cluster_id",
        [being.being_id, name, parent],
    )


def operate(tx, being, clusters, ids, operation):
    """Do one thing to some nodes, in one statement, as a step of a patrol would."""
    kind, these, to = operation
    if kind == "born":
        ids += remember(
            tx, being, *(words(vector=vector) for vector in these), cluster=None if to is None else clusters[to]
        )
        return
    chosen = [ids[place % len(ids)] for place in these] if ids else []
    if kind == "deleted":
        tx.execute("delete from memory.memory_nodes where node_id = any(%s)", [chosen])
        ids[:] = [node_id for node_id in ids if node_id not in chosen]
        return
    to = list(to) if kind == "embedded again" else to
    table = "node_vectors" if kind == "embedded again" else "memory_nodes"
    tx.execute(
        f"update memory.{table} set {CHANGES[kind]} where node_id = any(%(chosen)s)",  # noqa: S608  # our own text
        {"to": to, "chosen": chosen, "clusters": clusters},
    )


def accounts(tx, being):
    """The sums that each cluster states, and those of counting its nodes."""
    return tx.execute(
        "select c.cluster_id, c.vector, c.vector_state,"
        " array[c.nodes, c.active_nodes, c.fresh_nodes, c.dying_nodes] as said,"
        " array[count(node_id), count(*) filter (where status = 'active'),"
        " count(*) filter (where fresh and status <> 'dead'),"
        " count(*) filter (where status = 'dying')]::integer[] as held,"
        " memory.vector_state(v.vector) filter (where status = 'active') as state,"
        " array_agg(v.vector::real[]) filter (where status = 'active') as vectors"
        " from memory.clusters as c left join memory.memory_nodes as n using (being_id, cluster_id)"
        " left join memory.node_vectors as v using (being_id, node_id)"
        " where c.being_id = %s group by c.being_id, c.cluster_id",
        [being.being_id],
    ).fetchall()


def marks_of_vectors(tx):
    return tx.execute("select node_id, living, standing from memory.node_vectors order by node_id").fetchall()


def marks_of_nodes(tx):
    return tx.execute(
        """
        select node_id, status <> 'dead' as living, forgotten_at is null and absorbed_into is null as standing
        from memory.memory_nodes
        order by node_id
        """
    ).fetchall()


@settings(max_examples=settings.default.max_examples // 3)
@given(operations=OPERATIONS)
def test_accounts_are_exact_after_any_life(store, operations):
    with store.transaction() as tx:
        being = make_being(tx, make_user(tx))
        clusters = [root(tx, being), make_topic(tx, being), make_topic(tx, being, "Baking")]
        ids = []
        for operation in operations:
            operate(tx, being, clusters, ids, operation)
            for account in accounts(tx, being):
                assert account["said"] == account["held"]
                assert account["vector_state"] == account["state"]
                if account["vectors"] is None:
                    assert account["vector"] is None
                else:
                    mean = np.mean(np.asarray(account["vectors"], dtype=np.float64), axis=0)
                    assert np.allclose(account["vector"].to_numpy(), mean, rtol=2**-10, atol=2**-24)
            assert marks_of_vectors(tx) == marks_of_nodes(tx)
        tx.rollback()


def test_only_active_nodes_make_a_clusters_vector(store, being, topic):
    with store.transaction() as tx:
        _, gone = remember(tx, being, words(vector=EAST), words(vector=NORTH), cluster=topic)
        nodes.change_state(tx, being.being_id, gone, "forget")
        (account,) = [account for account in accounts(tx, being) if account["cluster_id"] == topic]

    assert account["vector"].to_list() == list(EAST)


def test_vectors_may_change_their_length_all_at_once(store, being, topic):
    with store.transaction() as tx:
        memories = [words("Rain.", vector=EAST), words("Snow.", vector=NORTH)]
        ids = remember(tx, being, *memories, cluster=topic)
        move(tx, being, ids[:1], root(tx, being))
        longer = {memory.text_hash: np.asarray([0, 0, 0, 0, 1], dtype=np.float32) for memory in memories}
        embeddings.keep(tx, being.being_id, "five-d", longer)

        assert embeddings.serve(tx, being.being_id, "five-d")

        for account in accounts(tx, being):
            if account["vectors"] is not None:
                assert account["vector"].to_list() == [0, 0, 0, 0, 1]


def test_a_model_does_not_serve_while_a_vector_is_missing(store, being, topic):
    with store.transaction() as tx:
        memories = [words("Rain.", vector=EAST), words("Snow.", vector=NORTH)]
        (rain, snow) = remember(tx, being, *memories, cluster=topic)
        embeddings.keep(tx, being.being_id, "five-d", {memories[0].text_hash: np.ones(5, dtype=np.float32)})

        assert not embeddings.serve(tx, being.being_id, "five-d")

        found = finding.match(tx, being.being_id, MODEL, [np.asarray(EAST)], threshold=-1, limit=10)
        assert [node.node_id for node, _ in found] == [rain, snow]


def test_a_cluster_never_averages_vectors_of_two_lengths(store, being, topic):
    with pytest.raises(psycopg.errors.DataException, match="dimensions"), store.transaction() as tx:
        remember(tx, being, words(vector=UP), words(vector=(1, 0, 0, 0, 0)), cluster=topic)


def test_moving_a_node_leaves_it_as_it_was(store, being, topic):
    with store.transaction() as tx:
        (node_id,) = remember(tx, being, words("Rain."), cluster=root(tx, being))
        before = seen(tx, being, node_id)
        move(tx, being, [node_id], topic)
        after = seen(tx, being, node_id)

    assert after == before.model_copy(update={"cluster_id": topic})


def test_a_node_arrives_once_and_not_again_when_its_words_or_its_model_change(store, being, topic):
    def arrivals():
        return tx.value(
            "select arrivals_since_split from memory.clusters where being_id = %s and cluster_id = %s",
            [being.being_id, topic],
        )

    with store.transaction() as tx:
        tx.execute("update memory.clusters set arrivals_since_split = 0")
        remember(tx, being, words(vector=EAST), words("Another thing.", vector=NORTH), cluster=topic)
        assert arrivals() == 2
        tx.execute("update memory.node_vectors set vector = '[0, 0, 1]'")
        assert arrivals() == 2
