"""Fills a Being with rows of every kind, each with one marker word, to test what exports and erasure leave.

What is the user's, for all Beings to know, can hold another word, so that what passes between Beings can be told from
what may not.
"""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID, uuid4

from memory.intake.messages import accept_messages
from memory.talk import withdrawal
from memory.vault import records
from schemas.accounts.accounts import Being
from schemas.settings import Settings
from schemas.vault.vault_requests import NewRecord
from store.accounts import beings, users
from store.database import Store
from store.facts import seeds
from store.facts.statements import NewStatement, add_statements
from store.intake import keyed_knowledge
from store.intake import notes as note_rows
from store.intake.keyed_knowledge import KeyedWrite
from store.transaction import Transaction, new_ids
from tests.scenes import EAST, make_topic, note, remember, root, words


def tables_with(tx: Transaction, word: str) -> dict[str, int]:
    """Count the rows that contain a word in any column, by table."""
    tables = tx.execute(
        "select relname from pg_class where relkind = 'r' and relnamespace = 'memory'::regnamespace"
    ).fetchall()
    found = {
        table["relname"]: tx.value(
            f"select count(*) from memory.{table['relname']} as t where t::text ilike %s",  # noqa: S608  # names
            [f"%{word}%"],
        )
        for table in tables
    }
    return {table: count for table, count in found.items() if count}


def fill(
    store: Store, being: Being, word: str, shared: str | None = None, *, vector: Sequence[float] = EAST
) -> list[UUID]:
    """Fill a Being with rows of every kind; the user's own rows contain the word `shared`, if it is another word.

    Args:
        store: The ledger.
        being: The Being.
        word: The marker word.
        shared: The marker word of what is the user's.
        vector: Of two of the memories, from the Being's model; the third's has its numbers in reverse order.

    Returns:
        The ids of a memory, of one that it took in, and of a third.
    """
    shared = shared or word
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
    first = said.ids[0]
    assert first is not None
    records.add_memory(store, settings, being, NewRecord(text=f"Knows all about {word}."))
    records.add_memory(store, settings, being, NewRecord(text=f"All know {shared} well.", scope="shared"))
    with store.transaction() as tx:
        lock(tx, being)
        made = _memories(tx, being, word, vector)
        tx.execute(
            "insert into memory.scene_messages select being_id, note_id, %s from memory.memory_nodes"
            " where being_id = %s and node_id = %s",
            [first, being.being_id, made[2]],
        )
        _person(tx, being, word, shared)
        _conversation(tx, being, word)
        _facts(tx, being, word, shared, first)
    return made


def lock(tx: Transaction, being: Being) -> None:
    """Lock what a test writes by hand, in the order of all transactions."""
    users.hold(tx, being.user_id)
    withdrawal.lock(tx, being)
    beings.lock(tx, being.being_id)


def _memories(tx: Transaction, being: Being, word: str, vector: Sequence[float]) -> list[UUID]:
    run = uuid4()
    survivor, absorbed, other = remember(
        tx,
        being,
        words(f"{word} was baked.", vector=vector),
        words(f"{word} was bought.", vector=vector),
        replace(words(f"{word} was sold.", vector=vector[::-1]), feeling=word, themes=[word]),
        cluster=root(tx, being),
        run=run,
    )
    of_each_type = [note(word, type="todo"), note(word, type="knowledge"), note(f"{word} waits.")]
    note_rows.insert(tx, being.being_id, of_each_type)
    under_a_key = KeyedWrite(uuid4(), {"place": word}, f"{word} is kept.", b"")
    keyed_knowledge.put(tx, being.being_id, {((word,), word): under_a_key})
    make_topic(tx, being, f"{word} was baked.", [survivor, other, absorbed])
    response = tx.value(
        "insert into memory.model_responses"
        " (user_id, being_id, kind, key, prompt_hash, purpose, model, completion, retained)"
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
        "insert into memory.model_responses (user_id, being_id, kind, key, prompt_hash, purpose, model, completion)"
        " values (%s, %s, 'patrol.diary', %s, %s, 'diary', 'any', %s)",
        [being.user_id, being.being_id, str(run), b"2", word],
    )
    tx.execute(
        "insert into memory.patrol_runs (being_id, run_id, demanded, state, as_of, finished_at)"
        " values (%s, %s, true, 'done', memory.now(), memory.now())",
        [being.being_id, run],
    )
    tx.execute(
        "insert into memory.diary (being_id, day, text, run_id, last_node_id) values (%s, '2026-03-02', %s, %s, %s)",
        [being.being_id, f"We spoke of {word}.", run, other],
    )
    tx.execute(
        "insert into memory.embeddings (being_id, embedding_model, text_hash, vector)"
        " select being_id, 'next', text_hash, '[1,2]' from memory.memory_nodes where being_id = %s",
        [being.being_id],
    )
    return [survivor, absorbed, other]


def _person(tx: Transaction, being: Being, word: str, shared: str) -> None:
    by = {"being": being.being_id, "user": being.user_id, "word": word, "shared": shared}
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
        "insert into memory.user_models (user_id, content) values (%(user)s, %(shared)s)",
        (
            "insert into memory.summary_spines (user_id, being_id, conversation_id, version, content, message_count)"
            " select %(user)s, being_id, coalesce(being_id::text, 'default'), 1,"
            " jsonb_build_object('PEOPLE', jsonb_build_array(line)) ||"
            """ '{"PROFILE": [], "PROJECTS": [], "OPEN_LOOPS": []}', 20"""
            " from (values (null::uuid, %(shared)s::text), (%(being)s, %(word)s)) as of (being_id, line)"
        ),
    ):
        tx.execute(statement, by)


def _conversation(tx: Transaction, being: Being, word: str) -> None:
    by = {"being": being.being_id, "word": word}
    for statement in (
        "update memory.messages set rolling_version = 1, spine_version = 1 where being_id = %(being)s",
        (
            "insert into memory.session_summaries (being_id, session_id, version, content, turn_count)"
            " select being_id, session_id, 1, jsonb_build_object('one_liner', %(word)s::text) ||"
            """ '{"what_mattered": [], "open_loops": [], "commitments": [], "people": [], "tone": ""}', 2"""
            " from memory.sessions where being_id = %(being)s"
        ),
        (
            "insert into memory.session_impressions"
            " (being_id, session_id, kind, place, content, message_ids, told_at)"
            " select being_id, session_id, 'user-model', 0, %(word)s, array_agg(message_id), max(created_at)"
            " from memory.messages where being_id = %(being)s group by being_id, session_id"
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
            "insert into memory.working_memory (being_id, conversation, region, role, content)"
            " values (%(being)s, null, 'userNotes', 'user', %(word)s),"
            " (%(being)s, %(word)s, 'userNotes', 'user', %(word)s)"
        ),
        (
            "insert into memory.retracted_messages"
            " (being_id, message_id, producer_id, conversation, role, speaker, content, metadata, content_hash,"
            " created_at) values (%(being)s, uuidv7(), %(word)s, %(word)s, 'user', %(word)s, %(word)s,"
            " jsonb_build_object(%(word)s::text, 1), '', memory.now())"
        ),
        (
            "insert into memory.transcript_turns (being_id, message_id, conversation, parent_id, digest)"
            " select being_id, message_id, %(word)s, message_id, '\\x00' from memory.messages"
            " where being_id = %(being)s limit 1"
        ),
        (
            "insert into memory.answer_traces (being_id, digest, conversation, message_id)"
            " select being_id, '\\x00', %(word)s, message_id from memory.messages where being_id = %(being)s limit 1"
        ),
        (
            "insert into memory.confidences (being_id, message_id, asked_in)"
            " select being_id, message_id, message_id from memory.messages where being_id = %(being)s limit 1"
        ),
        "insert into memory.unrecorded_turns (being_id, digest) values (%(being)s, '\\x00')",
        "update memory.beings set off_the_record_in = array[%(word)s] where being_id = %(being)s",
        "insert into memory.awaited_retractions (being_id, producer_id) values (%(being)s, %(word)s || 'later')",
        "insert into memory.applied_retractions (being_id, request_id) values (%(being)s, %(word)s)",
        (
            "insert into memory.judgements (being_id, session_id, messages, facts, todos, dropped)"
            " select being_id, session_id, 1, 1, 1, '{}' from memory.sessions where being_id = %(being)s"
        ),
        (
            "with new as (insert into memory.todos (being_id, kind, content, source, confidence)"
            " values (%(being)s, 'commitment', %(word)s, 'shadow_extraction', 0.9) returning todo_id)"
            " insert into memory.todo_evidence (being_id, todo_id, message_id, span, content, due)"
            " select being_id, todo_id, message_id, %(word)s, %(word)s, %(word)s from new, memory.messages"
            " where being_id = %(being)s and role = 'user'"
        ),
    ):
        tx.execute(statement, by)


def _facts(tx: Transaction, being: Being, word: str, shared: str, message: UUID) -> None:
    thing, other, seeded = f"thing:{shared}", f"thing:{word}s", f"thing:{shared}ish"
    tx.execute(
        "insert into memory.entity_aliases (user_id, alias_ref, entity_ref) select %s, ref, ref"
        " from unnest(%s::text[]) as ref on conflict do nothing",
        [being.user_id, [thing, other, seeded]],
    )
    tx.execute(
        "insert into memory.entity_labels (user_id, being_id, alias_ref, label)"
        " values (%(user)s, null, %(thing)s, %(shared)s), (%(user)s, null, %(seeded)s, %(shared)s),"
        " (%(user)s, %(being)s, %(other)s, %(word)s)",
        {
            "user": being.user_id,
            "being": being.being_id,
            "thing": thing,
            "seeded": seeded,
            "other": other,
            "word": word,
            "shared": shared,
        },
    )
    tx.execute(
        "insert into memory.entity_merges (user_id, kept_ref, merged_ref, state, similarity)"
        " values (%s, %s, %s, 'proposed', 0.9)",
        [being.user_id, thing, other],
    )
    seed = seeds.add_seed(tx, being.user_id, None, {"content": f"seed {shared}"})
    secret = seeds.add_seed(tx, being.user_id, being.being_id, {"content": f"secret seed {word}"})
    ids = new_ids(tx, 6)
    now = tx.value("select memory.now()")
    usual = NewStatement(
        statement_id=ids[0],
        scope=None,
        type="PROFILE",
        entity_label=shared,
        fact_type="preference",
        mentioned_refs=[thing],
        content=f"Loves {shared}.",
        source="shadow_extraction",
        confidence=0.9,
        importance=1,
        told_at=now,
        span=f"I love {word}",
        being_id=being.being_id,
        message_id=message,
    )
    add_statements(
        tx,
        being.user_id,
        [
            usual,
            replace(
                usual,
                statement_id=ids[1],
                scope=being.being_id,
                entity_label=word,
                mentioned_refs=[other],
                content=f"Hides {word}.",
            ),
            replace(
                usual,
                statement_id=ids[2],
                mentioned_refs=[seeded],
                content=f"Grew up with {shared}.",
                source="seeded_profile",
                span=f"Grew up with {shared}.",
                being_id=None,
                message_id=None,
                seed_id=seed,
            ),
            replace(
                usual,
                statement_id=ids[3],
                scope=being.being_id,
                entity_label=word,
                mentioned_refs=[other],
                fact_type="habit",
                content=f"Never tells of {word}.",
                source="seeded_profile",
                being_id=None,
                message_id=None,
                seed_id=secret,
            ),
            replace(usual, statement_id=ids[4], content=f"Is tired of {shared}.", contradicts=(ids[0],)),
            replace(
                usual,
                statement_id=ids[5],
                scope=being.being_id,
                entity_label=word,
                mentioned_refs=[other],
                content=f"Shows {word}.",
                contradicts=(ids[1],),
            ),
        ],
    )
    tx.execute(
        "insert into memory.spoken_requests (being_id, message_id, span, effect, user_id, fact_id)"
        " select %(being)s, %(message)s, %(word)s, 'forgotten', user_id, fact_id from memory.facts"
        " where user_id = %(user)s and (being_id = %(being)s or being_id is null)",
        {"being": being.being_id, "message": message, "word": word, "user": being.user_id},
    )
    # What is muted here is nothing that anything else here is about.
    tx.execute(
        """
        insert into memory.spoken_requests (being_id, message_id, span, effect, name)
        values (%(being)s, %(message)s, %(word)s, 'muted', %(word)s)
        """,
        {"being": being.being_id, "message": message, "word": word},
    )
    tx.execute(
        """
        insert into memory.mutes (user_id, being_id, kind, name)
        values (%(user)s, %(being)s, 'conversation', %(word)s || ' that never was'),
            (%(user)s, null, 'entity', 'person:' || %(shared)s || '_who_never_was')
        """,
        {"user": being.user_id, "being": being.being_id, "word": word, "shared": shared},
    )
