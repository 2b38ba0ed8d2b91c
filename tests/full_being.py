"""A Being with something of everything, each text of which holds one word: what leaves it, and what is left of it."""

from dataclasses import replace
from hashlib import sha256
from uuid import UUID, uuid4

from memory import vault
from memory.intake import accept_messages
from schemas.rows import Being
from schemas.settings import Settings
from schemas.vault import NewRecord
from store import facts
from store import notes as note_rows
from store.database import Store
from store.facts import Told
from store.transaction import Transaction, new_ids, value
from tests.scenes import NORTH, move, note, remember, root, words


def tables_with(tx: Transaction, word: str) -> dict[str, int]:
    """In how many rows of which tables a word stands, whatever the column."""
    tables = tx.execute(
        "select relname from pg_class where relkind = 'r' and relnamespace = 'memory'::regnamespace"
    ).fetchall()
    found = {
        table["relname"]: value(
            tx,
            f"select count(*) from memory.{table['relname']} as t where t::text ilike %s",  # noqa: S608  # names
            [f"%{word}%"],
        )
        for table in tables
    }
    return {table: count for table, count in found.items() if count}


def fill(store: Store, being: Being, word: str) -> list[UUID]:
    """Give a Being something of everything; returns a memory, one that it took in, and a third."""
    settings = Settings()
    said = accept_messages(
        store,
        settings,
        being.being_id,
        [
            {"id": f"{word}-m1", "role": "user", "content": f"I love {word}.", "metadata": {"place": word}},
            {"role": "assistant", "content": f"{word}, I see."},
            {"role": "other", "speaker": word, "content": f"{word} too."},
        ],
    )
    first = said.receipt.ids[0]
    assert first is not None
    vault.add_memory(store, settings, being, NewRecord(text=f"Knows all about {word}."))
    vault.add_memory(store, settings, being, NewRecord(text=f"All know {word} well.", scope="shared"))
    with store.transaction() as tx:
        made = _memories(tx, being, word)
        _person(tx, being, word)
        _conversation(tx, being, word)
        _facts(tx, being, word, first)
    return made


def _memories(tx: Transaction, being: Being, word: str) -> list[UUID]:
    run = uuid4()
    survivor, absorbed, other = remember(
        tx,
        being,
        words(f"{word} was baked."),
        words(f"{word} was bought."),
        replace(words(f"{word} was sold.", vector=NORTH), feeling=word, themes=[word]),
        cluster=root(tx, being),
        run=run,
    )
    note_rows.insert(tx, being.being_id, [note(word, type="todo"), note(f"{word} waits.")])
    topic = value(
        tx,
        "select memory.found_topic(%s, %s, %s, %s)",
        [being.being_id, root(tx, being), f"{word} was baked.", [survivor, other]],
    )
    move(tx, being, [absorbed], topic)
    response = value(
        tx,
        "insert into memory.model_responses (user_id, being_id, kind, key, prompt_hash, purpose, model, said, kept)"
        " values (%s, %s, 'patrol.consolidate', %s, %s, 'consolidate', 'any', %s, true) returning response_id",
        [being.user_id, being.being_id, str(run), b"1", word],
    )
    tx.execute("select set_config('memory.response_id', %s, true)", [str(response)])
    tx.execute("select memory.absorb_nodes(%s, %s, %s)", [being.being_id, survivor, [absorbed]])
    tx.execute(
        "update memory.memory_nodes set scene = jsonb_set(scene, '{action}', to_jsonb(%s::text))"
        " where being_id = %s and node_id = %s",
        [f"{word} was bought and baked.", being.being_id, survivor],
    )
    tx.execute("select set_config('memory.response_id', '', true)")
    tx.execute(
        "insert into memory.model_responses (user_id, being_id, kind, key, prompt_hash, purpose, model, said)"
        " values (%s, %s, 'patrol.diary', %s, %s, 'diary', 'any', %s)",
        [being.user_id, being.being_id, str(run), b"2", word],
    )
    tx.execute(
        "insert into memory.patrol_runs (being_id, run_id, demanded, state, as_of, finished_at)"
        " values (%s, %s, true, 'done', memory.now(), memory.now())",
        [being.being_id, run],
    )
    tx.execute(
        "insert into memory.diary (being_id, day, text, run_id, told_to) values (%s, '2026-03-02', %s, %s, %s)",
        [being.being_id, f"We spoke of {word}.", run, other],
    )
    tx.execute(
        "insert into memory.embeddings (being_id, embedding_model, text_hash, vector)"
        " select being_id, 'next', text_hash, '[1,2]' from memory.memory_nodes where being_id = %s",
        [being.being_id],
    )
    return [survivor, absorbed, other]


def _person(tx: Transaction, being: Being, word: str) -> None:
    by = {"being": being.being_id, "user": being.user_id, "word": word}
    for statement in (
        "insert into memory.souls (being_id, voice, think_md) values (%(being)s, %(word)s, %(word)s)",
        "insert into memory.soul_states (being_id, mood) values (%(being)s, %(word)s)",
        "insert into memory.persona (being_id, kind, name, content) values (%(being)s, 'skills', %(word)s, %(word)s)",
        (
            "insert into memory.profiles (being_id, process, regions, others, instructions)"
            " values (%(being)s, %(word)s, '{core}', true, %(word)s)"
        ),
        "insert into memory.vault_profiles values (%(being)s, true, null, 5, 0.5)",
        "insert into memory.session_snapshot (being_id, content, made_from) values (%(being)s, %(word)s, '{}')",
        "insert into memory.user_models (user_id, content) values (%(user)s, %(word)s)",
        (
            "insert into memory.summary_spines (user_id, version, content, message_count)"
            " values (%(user)s, 1, jsonb_build_object('PEOPLE', %(word)s::text), 20)"
        ),
    ):
        tx.execute(statement, by)


def _conversation(tx: Transaction, being: Being, word: str) -> None:
    by = {"being": being.being_id, "word": word}
    for statement in (
        "update memory.messages set rolling_version = 1, spine_version = 1 where being_id = %(being)s",
        (
            "insert into memory.session_summaries (being_id, session_id, version, content, turn_count)"
            " select being_id, session_id, 1, jsonb_build_object('one_liner', %(word)s::text), 2"
            " from memory.sessions where being_id = %(being)s"
        ),
        (
            "insert into memory.rolling_summaries (being_id, version, content, message_count)"
            " values (%(being)s, 1, %(word)s, 2)"
        ),
        (
            "update memory.session_states set rolling_summary = %(word)s, last_user_message = %(word)s"
            " where being_id = %(being)s"
        ),
        (
            "insert into memory.working_memory (being_id, region, role, content)"
            " values (%(being)s, 'userNotes', 'user', %(word)s)"
        ),
        (
            "insert into memory.judgements (being_id, session_id, messages, facts, todos, dropped)"
            " select being_id, session_id, 1, 1, 1, '{}' from memory.sessions where being_id = %(being)s"
        ),
        (
            "with new as (insert into memory.todos (being_id, kind, content, source, confidence)"
            " values (%(being)s, 'commitment', %(word)s, 'shadow_extraction', 0.9) returning todo_id)"
            " insert into memory.todo_evidence (being_id, todo_id, message_id, span)"
            " select being_id, todo_id, message_id, %(word)s from new, memory.messages"
            " where being_id = %(being)s and role = 'user'"
        ),
    ):
        tx.execute(statement, by)


def _facts(tx: Transaction, being: Being, word: str, message: UUID) -> None:
    thing, other, seeded = (f"thing:{word}{place}" for place in ("", "s", "ish"))
    tx.execute(
        "insert into memory.entity_aliases (user_id, alias_ref, entity_ref, label) select %s, ref, ref, %s"
        " from unnest(%s::text[]) as ref on conflict do nothing",
        [being.user_id, word, [thing, other, seeded]],
    )
    tx.execute(
        "insert into memory.entity_merges (user_id, kept_ref, merged_ref, state, similarity)"
        " values (%s, %s, %s, 'proposed', 0.9)",
        [being.user_id, thing, other],
    )
    seed = value(
        tx,
        "insert into memory.user_seeds (user_id, content, content_hash) values (%s, to_jsonb(%s::text), %s)"
        " returning seed_id",
        [being.user_id, f"seed {word}", sha256(word.encode()).digest()],
    )
    ids = new_ids(tx, 3)
    now = value(tx, "select memory.now()")
    usual = Told(
        statement_id=ids[0],
        scope=None,
        type="PROFILE",
        entity_label=word,
        fact_type="preference",
        told_as=[thing],
        content=f"Loves {word}.",
        source="shadow_extraction",
        confidence=0.9,
        importance=1,
        told_at=now,
        span=f"I love {word}",
        being_id=being.being_id,
        message_id=message,
    )
    facts.tell(
        tx,
        being.user_id,
        [
            usual,
            replace(usual, statement_id=ids[1], scope=being.being_id, told_as=[other], content=f"Hides {word}."),
            replace(
                usual,
                statement_id=ids[2],
                told_as=[seeded],
                content=f"Grew up with {word}.",
                source="seeded_profile",
                being_id=None,
                message_id=None,
                seed_id=seed,
            ),
        ],
    )
