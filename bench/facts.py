"""Measures retrieval of one user's facts among other users', relative to a bare exact scan, without embedding."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from bench.figures import Figure, timed
from bench.ground import Ground
from bench.memories import MODEL, MeasuredEmbedders
from memory.facts.retrieval import FactQuery, retrieve
from schemas.accounts.accounts import Being
from schemas.limits import FACT_CANDIDATES, FACTS_RETRIEVED
from schemas.settings import Settings
from store.accounts import beings, users
from store.nodes.embeddings import halfvec
from store.transaction import Transaction

SIZES = (100, 1_000, 10_000)
DIMENSIONS = 384
OTHERS = 100_000
POOL = 1_000
TIMES = 40
QUERY = "what does she like?"
SCAN = "select fact_id from memory.fact_vectors where user_id = %s order by vector <=> %s::halfvec limit %s"


def facts(ground: Ground) -> Iterator[Figure]:
    """Measure retrieving the best ten of 100, 1,000 and 10,000 facts of one user, among 100,000 of others."""
    embedders, settings = MeasuredEmbedders(DIMENSIONS), Settings()
    with ground.store.transaction() as tx:
        _pool(tx)
        for number in range(OTHERS // POOL):
            _known_by(tx, f"another user {number}", POOL)
        beings = {size: _known_by(tx, f"known by {size} facts", size) for size in SIZES}
    with ground.store.transaction() as tx:
        tx.execute("analyze memory.facts, memory.fact_vectors")
    query = halfvec(embedders.serving(None).embed([QUERY])[0])
    asked = FactQuery(QUERY, FACTS_RETRIEVED)
    for size, being in beings.items():
        with ground.store.transaction() as tx:
            bare, ours = timed(
                partial(_scan, tx, being, query),
                partial(retrieve, ground.store, embedders, settings, being, asked),
                times=TIMES,
            )
        for name, measured, limit in (("p50", ours.p50, bare.p50), ("p95", ours.p95, bare.p95)):
            yield Figure(
                what=f"{size:,} facts among {OTHERS:,} of others, {name}",
                measured=measured,
                unit="ms",
                limit=limit,
                against=f"bare exact scan, top {FACT_CANDIDATES}",
            )


def _scan(tx: Transaction, being: Being, query: str) -> object:
    return tx.execute(SCAN, [being.user_id, query, FACT_CANDIDATES]).fetchall()


def _pool(tx: Transaction) -> None:
    """Create a table with vectors for the facts."""
    chance = np.random.default_rng(1)
    tx.execute("create table bench.pool (place integer primary key, vector halfvec not null)")
    with tx.cursor() as cursor, cursor.copy("copy bench.pool from stdin") as copy:
        for place, vector in enumerate(chance.normal(size=(POOL, DIMENSIONS)).astype(np.float32)):
            copy.write_row((place, halfvec(vector / np.linalg.norm(vector))))


def _known_by(tx: Transaction, name: str, count: int) -> Being:
    """Insert a user with `count` facts, ten for each entity, one in ten significant, directly into the tables."""
    user = users.add_user(tx, name, "UTC")
    being = beings.add_being(tx, user.user_id, "being", "Being")
    tx.execute("insert into memory.fact_states (user_id, embedding_model) values (%s, %s)", [user.user_id, MODEL])
    tx.execute(
        "with told as (insert into memory.facts (user_id, type, content, entity_refs, entity_label, subtype,"
        " memory_key, source, confidence, base_importance) select %(user)s, 'PEOPLE', 'Fact ' || n || ' of a person.',"
        " array['person:p' || n / 10], 'P', '{\"entityType\": \"person\", \"factType\": \"fact\"}', 'key ' || n,"
        " 'seeded_profile', 1, case when n %% 10 = 0 then 2 else 1 end"
        " from generate_series(0, %(count)s - 1) as n returning fact_id, memory_key)"
        " insert into memory.fact_vectors (user_id, fact_id, embedding_model, text_hash, vector)"
        " select %(user)s, told.fact_id, %(model)s, '', pool.vector"
        " from told join bench.pool on place = substr(memory_key, 5)::integer %% %(pool)s",
        {"user": user.user_id, "count": count, "model": MODEL, "pool": POOL},
    )
    return being
