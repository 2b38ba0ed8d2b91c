"""Fills a Being so that every text contains a marker word, which nothing of a sibling Being may show.

The columns that hold texts are read from the schema: `unplanted` names those that the word is not in, and each that may
be without it stands in `WITHOUT_WORDS` with the reason. So a new table or column is planted, or excused, or fails.
"""

from collections.abc import Mapping

from psycopg import sql

from memory.vault import records
from schemas.accounts.accounts import Being
from schemas.settings import Settings
from schemas.vault.vault_requests import NewRecord
from store import vault
from store.database import Store
from store.intake import notes
from store.transaction import Transaction
from tests.full_being import fill, lock
from tests.planting.planted_confidences import plant_confidences
from tests.scenes import note

PRIVATE = "zwetschge"
SHARED = "marzipan"

WITHOUT_WORDS: Mapping[str, set[str]] = {
    "a model's name": {
        "provider_batches.provider_batch_id",
        "beings.embedding_model",
        "embeddings.embedding_model",
        "node_vectors.embedding_model",
        "model_calls.model",
        "model_calls.metric_model",
        "model_responses.model",
        "search_owners.embedding_model",
        "search_vectors.embedding_model",
    },
    "names of the system's own kinds of work and calls": {
        "provider_batches.kind",
        "dropped_items.purpose",
        "dropped_items.reason",
        "unanswered_questions.reason",
        "model_calls.kind",
        "model_calls.purpose",
        "model_responses.kind",
        "model_responses.purpose",
        "model_calls.provider",
        "work.kind",
        "work.queue",
    },
    "ids": {
        "provider_batches.call_ids",
        "provider_batches.key",
        "summary_spines.conversation_id",
        "model_calls.key",
        "model_responses.key",
        "vault_heads.id",
        "vault_idempotency.record_id",
        "vault_records.forced_over",
        "vault_records.id",
        "work.key",
        "work.trace",
    },
    "ids and numbers alone, by the schema's own word": {
        "imports.taken",
        "judgements.dropped",
        "node_history.detail",
        "receipts.shown_reasons",
        "session_snapshot.made_from",
    },
    "names of events of the system's own": {"node_history.event"},
    "one of a few words that the door lets in, where no rule of the table says so": {
        "notes.type",
        "persona.kind",
        "profiles.keep",
        "vault_profiles.scopes",
    },
    "a language's code": {"beings.language", "search_owners.language"},
    "numbers by languages' codes": {"search_owners.votes"},
    "six numbers": {"memory_nodes.emotion"},
    "scopes of a token": {"api_tokens.scopes"},
    "an entity's type and a fact's type, from a list": {"facts.subtype"},
}

# Texts for columns that `fill` leaves empty.
REST: Mapping[str, tuple[str, ...]] = {
    "beings": ("name", "slug"),
    "messages": ("judging_error", "conversation"),
    "sessions": ("conversation",),
    "model_responses": ("defect",),
    "souls": ("partner_type", "personality", "values", "backstory", "inner_world", "examples"),
    "soul_states": ("project", "topic"),
    "todos": ("due",),
    "working_memory": ("region",),
}


def plant(store: Store, being: Being) -> None:
    """Fill a Being with rows of every kind with `PRIVATE` in them; rows of its user contain `SHARED`."""
    fill(store, being, PRIVATE, SHARED)
    # The marker word alone would make it a duplicate of another record.
    topic = {"category": PRIVATE, "topic_id": PRIVATE, "tags": [PRIVATE]}
    register = NewRecord.model_validate({"text": "A stall at the station.", "tier": "register", **topic})
    record = records.add_memory(store, Settings(), being, register)
    with store.transaction() as tx:
        lock(tx, being)
        vault.remember_items(tx, being.being_id, [(PRIVATE, record.id, b"")])
        # In confidence it calls by the word what all know by another name.
        tx.execute(
            "insert into memory.entity_labels (user_id, being_id, alias_ref, label) values (%s, %s, %s, %s)",
            [being.user_id, being.being_id, f"thing:{SHARED}", PRIVATE],
        )
        tx.execute(
            """
            update memory.fact_statements as s set mentioned_refs = mentioned_refs || %s::text
            from memory.facts as f
            where f.user_id = s.user_id and f.fact_id = s.fact_id and f.being_id = %s
            """,
            [f"thing:{SHARED}", being.being_id],
        )
        _notes(tx, being)
        _reports(tx, being)
        _due(tx, being)
        # All of it was told in confidence, so no spine may include it.
        tx.execute(
            "update memory.messages set judged = true, in_confidence = true, spine_version = null where being_id = %s",
            [being.being_id],
        )
        for table, columns in REST.items():
            for column in columns:
                tx.execute(
                    sql.SQL("update memory.{} set {} = %s where being_id = %s").format(
                        sql.Identifier(table), sql.Identifier(column)
                    ),
                    [PRIVATE, being.being_id],
                )
    plant_confidences(store, being, PRIVATE)


def unplanted(tx: Transaction, being: Being) -> set[str]:
    """Return the text columns of Beings' tables that contain the word in no row of this Being."""
    columns = tx.execute(
        """
        select table_name as "table", column_name as "column", owner.attname as owner
        from information_schema.columns as c
        join pg_class as t on t.relname = c.table_name and t.relnamespace = 'memory'::regnamespace
        join pg_attribute as owner on owner.attrelid = t.oid and owner.attname in ('being_id', 'owner_id')
        where c.table_schema = 'memory' and t.relkind in ('r', 'p') and not t.relispartition
            and (c.data_type in ('text', 'jsonb') or c.udt_name in ('_text', '_jsonb'))
            -- One of the words that a rule of the table lists.
            and not exists (
                select from pg_constraint as rule
                where rule.conrelid = t.oid and rule.contype = 'c'
                    and pg_get_constraintdef(rule.oid) like '%(' || c.column_name || ' = ANY (ARRAY[%'
            )
        """
    ).fetchall()
    excused = set().union(*WITHOUT_WORDS.values())
    return {
        name
        for row in columns
        if (name := f"{row['table']}.{row['column']}") not in excused and not _holds_the_word(tx, being, **row)
    }


def _holds_the_word(tx: Transaction, being: Being, table: str, column: str, owner: str) -> bool:
    found = sql.SQL("select exists (select from memory.{} where {} = %s and {}::text ilike %s)").format(
        sql.Identifier(table), sql.Identifier(owner), sql.Identifier(column)
    )
    return bool(tx.value(found, [being.being_id, f"%{PRIVATE}%"]))  # type: ignore[arg-type]


def _notes(tx: Transaction, being: Being) -> None:
    """Return one note of each type with the word in each of its fields, and an unparsable one."""
    usual = {"metadata": {PRIVATE: PRIVATE}, "producer_id": None}
    notes.insert(
        tx,
        being.being_id,
        [
            note(f"Buy {PRIVATE}.", **usual | {"type": "todo", "producer_id": PRIVATE}),
            note(f"Fetch {PRIVATE}.", **usual | {"type": "reminder"}),
            note(f"All about {PRIVATE}.", **usual | {"type": "knowledge", "title": PRIVATE}),
        ],
    )
    tx.execute(
        "update memory.notes set state = 'parse_failed', reason = %s where being_id = %s and state = 'pending'",
        [PRIVATE, being.being_id],
    )


def _reports(tx: Transaction, being: Being) -> None:
    """Write the word into the system's own texts, as if content had leaked into them."""
    by = {"being": being.being_id, "word": PRIVATE}
    tx.execute(
        """
        update memory.patrol_runs
        set steps = jsonb_build_object('embed', jsonb_build_object(
            'outcome', 'done', 'finished_at', memory.now(), 'reason', %(word)s::text
        ))
        where being_id = %(being)s
        """,
        by,
    )
    tx.execute(
        """
        insert into memory.patrol_runs (being_id, demanded, state, as_of, finished_at, error)
        values (%(being)s, true, 'failed', memory.now(), memory.now(), %(word)s)
        """,
        by,
    )
    tx.execute(
        """
        update memory.session_states
        set last_rolling_error = jsonb_build_object('reason', 'bad_answer', 'detail', %(word)s::text)
        where being_id = %(being)s
        """,
        by,
    )
    tx.execute("update memory.profiles set regions = array[%(word)s::text] where being_id = %(being)s", by)
    tx.execute(
        """
        insert into memory.imports (being_id, file_hash, taken, rejected)
        values (%(being)s, '', '{}', jsonb_build_array(jsonb_build_object('line', 1, 'reason', %(word)s::text)))
        """,
        by,
    )
    tx.execute(
        """
        insert into memory.persona (being_id, kind, name, content)
        values (%(being)s, 'partner_rules', %(word)s, %(word)s)
        """,
        by,
    )
    tx.execute(
        """
        insert into memory.receipts (being_id, process, conversation, shown_hashes)
        values (%(being)s, %(word)s, %(word)s, '{}')
        """,
        by,
    )
    tx.execute(
        """
        insert into memory.work (owner_id, kind, key, queue, next_at, state, error, finished_at)
        values (%(being)s, 'patrol.due', 'planted', 'patrol', now(), 'dead', %(word)s, now())
        """,
        by,
    )


def _due(tx: Transaction, being: Being) -> None:
    """Let the open todos be due, with a notice of each."""
    tx.execute(
        """
        with due as (
            update memory.todos set due_at = memory.now(), due_until = memory.now(), noticed_due_at = memory.now()
            where being_id = %s and status = 'OPEN'
            returning being_id, todo_id, due_at
        )
        insert into memory.due_notices (being_id, todo_id, due_at) select * from due
        """,
        [being.being_id],
    )
