"""Measures a conversational turn, messages in and context out, for a Being with many nodes, without embedding."""

import random
from collections.abc import Iterator
from functools import partial
from itertools import count
from uuid import UUID

from psycopg.sql import SQL

from bench.figures import Figure, timed
from bench.ground import Ground
from bench.memories import MODEL, MeasuredEmbedders, bare_table, filled_being
from memory.intake.turns import take_turn
from schemas.accounts.accounts import Being
from schemas.context.context import Turn
from schemas.intake.inputs import MessageInput
from schemas.limits import FACT_CANDIDATES, RECALL_NODES
from schemas.settings import Settings
from store.accounts import beings
from store.context import souls
from store.nodes.embeddings import halfvec
from store.transaction import Transaction

NODES = 10_000
FACTS = 1000
DIMENSIONS = (384, 1536)
TIMES = 100
PROMISED_MS = 50.0
QUERY = "what came of it"
FACTS_SCAN = "select fact_id from memory.fact_vectors where user_id = %s order by vector <=> %s::halfvec limit %s"
SETTINGS = Settings()


def turns(ground: Ground) -> Iterator[Figure]:
    """Measure a turn with 10,000 nodes and 1,000 facts, relative to its bare scans and to the promised 50 ms."""
    for dimensions in DIMENSIONS:
        being_id = filled_being(ground, NODES, dimensions)
        with ground.store.transaction() as tx:
            being = beings.get_being(tx, being_id)
            _write_facts(tx, being.user_id, being_id)
            souls.write(tx, being_id, {"backstory": "Grew up above the harbour. " * 50})
        embedders = MeasuredEmbedders(dimensions)
        chance = random.Random(1)  # noqa: S311  # it shuffles fragments
        query = halfvec(embedders.serving(None).embed([QUERY])[0])
        with ground.store.transaction() as tx:
            taken, bare = timed(
                partial(_turn, ground, being, embedders, chance, count()),
                partial(_scan, tx, being, query, dimensions),
                times=TIMES,
            )
        what = f"{NODES:,} × {dimensions}-d and {FACTS:,} facts"
        for name, measured, limit in (("p50", taken.p50, bare.p50), ("p95", taken.p95, bare.p95)):
            yield Figure(
                what=f"{what}, {name}", measured=measured, unit="ms", limit=limit, against="two bare exact scans"
            )
        yield Figure(what=f"{what}, p95", measured=taken.p95, unit="ms", limit=PROMISED_MS, against="the promise")


def _turn(
    ground: Ground, being: Being, embedders: MeasuredEmbedders, chance: random.Random, numbers: Iterator[int]
) -> object:
    number = next(numbers)
    messages = [
        MessageInput(role="assistant", content=f"Of that I said this much, the {number}th time."),
        MessageInput(role="user", content=f"And what came of it, for the {number}th time?"),
    ]
    turn = Turn(messages=messages, format="anthropic")
    return take_turn(ground.store, embedders, SETTINGS, being, turn, chance)


def _scan(tx: Transaction, being: Being, query: str, dimensions: int) -> object:
    """Run a turn's bare scans: the nearest nodes, and the nearest facts."""
    nearest = SQL("select position from {} order by vector <=> %s::halfvec limit %s")
    tx.execute(nearest.format(bare_table(NODES, dimensions)), [query, RECALL_NODES]).fetchall()
    return tx.execute(FACTS_SCAN, [being.user_id, query, FACT_CANDIDATES]).fetchall()


def _write_facts(tx: Transaction, user_id: UUID, being_id: UUID) -> None:
    """Insert facts of a hundred entities, each with the vector of a node."""
    named = {"user": user_id, "being": being_id, "model": MODEL, "facts": FACTS}
    tx.execute(
        "insert into memory.fact_states (user_id, embedding_model) values (%(user)s, %(model)s)"
        " on conflict (user_id) do update set embedding_model = excluded.embedding_model",
        named,
    )
    tx.execute(
        "insert into memory.facts (user_id, type, content, entity_refs, entity_label, subtype, memory_key, source,"
        " base_importance, confidence) select %(user)s, 'PEOPLE', 'Neighbour ' || n || ' keeps a tortoise.',"
        ' array[\'person:neighbour_\' || n %% 100], \'Neighbour\', \'{"entityType": "person", "factType": "fact"}\','
        " 'people|person|' || n || '|fact', 'seeded_profile', n %% 4, 0.9 from generate_series(1, %(facts)s) as n",
        named,
    )
    tx.execute(
        "insert into memory.fact_vectors (user_id, fact_id, embedding_model, text_hash, vector)"
        " select %(user)s, f.fact_id, %(model)s, n.text_hash, n.vector"
        " from (select fact_id, row_number() over (order by fact_id) as place from memory.facts"
        " where user_id = %(user)s) as f"
        " join (select text_hash, vector, row_number() over (order by node_id) as place"
        " from memory.memory_nodes join memory.node_vectors using (being_id, node_id) where being_id = %(being)s"
        " limit %(facts)s) as n using (place)",
        named,
    )
    tx.execute("analyze memory.facts, memory.fact_vectors")
