"""Which rows of which tables an export holds, in an order in which they can be imported.

Each table is named once: in `KINDS`, or in `STAYS_BEHIND` with the reason. A line refers to earlier lines only.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, LiteralString

OWN: LiteralString = "t.being_id = %(being)s"
OF_USER: LiteralString = "t.user_id = %(user)s"
# The user's rows that all Beings know, and this Being's own.
SCOPED: LiteralString = "(t.being_id = %(being)s or t.being_id is null)"
# The owner of a row, of a table with rows of both owners: by its own column, or by its fact's.
BY_SCOPE: LiteralString = "case when t.being_id is null then 'user' else 'being' end"
BY_FACT: LiteralString = "case when f.being_id is null then 'user' else 'being' end"
# Statements of the Being's own facts, and those of the user's facts that have evidence from this Being or a seed.
STATED: LiteralString = (
    "(f.being_id = %(being)s or f.being_id is null and (s.source = 'corrected' or exists (select"
    " from memory.fact_evidence as told where told.user_id = s.user_id and told.statement_id = s.statement_id"
    " and (told.being_id = %(being)s or told.seed_id is not null))))"
)
STATEMENTS: LiteralString = "memory.fact_statements as s join memory.facts as f using (user_id, fact_id)"
KNOWN: LiteralString = (
    "(t.being_id = %(being)s or t.being_id is null and exists (select from "
    + STATEMENTS
    + " where s.user_id = t.user_id and s.fact_id = t.fact_id and "
    + STATED
    + "))"
)
# The names in those statements, and the names of their entities.
HEARD: LiteralString = (
    "select unnest(s.mentioned_refs) from " + STATEMENTS + " where s.user_id = %(user)s and " + STATED  # noqa: S608  # of constants
)
ALIASES: LiteralString = "select unnest(array[alias_ref, entity_ref]) from memory.entity_aliases"
# The condition of a line about a node; a node that is missing fails the line.
OF_NODE: LiteralString = " from memory.memory_nodes as n where n.being_id = %(being)s and n.node_id = r.node_id)"
NAMES: LiteralString = "(" + ALIASES + " where user_id = %(user)s and alias_ref in (" + HEARD + "))"


@dataclass(frozen=True)
class Kind:
    """One kind of line.

    Args:
        name: The `kind` of its lines.
        table: The table of its rows.
        rows: Joins, conditions and order after `from memory.<table> as t`.
        owner: The owner of the table's rows. The user's rows may exist at the import, and existing rows stay.
        apart: Columns that lines omit, because they are derived or start anew.
        vectors: Whether only an export with vectors has such lines.
        former: Fields of such lines in earlier exports that the import does without; with `of`, these are the user's.
        of: For tables with rows of both owners, an expression that is `user` or `being`.
        scoped: Whether `of` decides the row's `being_id`.
        ids: Columns with ids of the Being's own rows in a user's table, which an import into another Being replaces.
        filled: Expressions over a line `r` that the import writes into columns.
        unless: A condition on a line `r` that exists already, where no unique key detects it.
        history: A table in which triggers record changes of such rows, and its column with their ids. Its rows about
            the import are deleted, because the history has lines of its own.
    """

    name: str
    table: LiteralString
    rows: LiteralString
    owner: Literal["being", "user"] = "being"
    apart: tuple[str, ...] = ()
    vectors: bool = False
    former: tuple[str, ...] = ()
    of: LiteralString | None = None
    scoped: bool = False
    ids: tuple[str, ...] = ()
    filled: Mapping[LiteralString, LiteralString] = field(default_factory=dict)
    unless: LiteralString = "false"
    history: tuple[LiteralString, LiteralString] | None = None


def own(by: LiteralString, also: LiteralString = "true") -> LiteralString:
    """Return the clauses that select a Being's rows in an order."""
    return "where " + OWN + " and " + also + " order by " + by


def users(by: LiteralString, also: LiteralString = "true") -> LiteralString:
    """Return the clauses that select a user's rows in an order."""
    return "where " + OF_USER + " and " + also + " order by " + by


def absent(value: LiteralString, *columns: LiteralString) -> dict[LiteralString, LiteralString]:
    """Return this value for columns that lines of earlier exports lack, as the import writes it."""
    return {column: "coalesce(r." + column + ", " + value + ")" for column in columns}


def referenced_first(
    table: LiteralString, key: LiteralString, whose: LiteralString, top: LiteralString, below: LiteralString
) -> LiteralString:
    """Return the clauses that select rows of a table that refers to itself, with the depth of each as `placed.depth`.

    Args:
        key: Its id column.
        whose: The condition of the owner, without a table's name.
        top: The condition of rows that refer to no other.
        below: The condition of rows `n` that refer to `way.id`.
    """
    below_it = "select n." + key + ", way.depth + 1 from way join memory." + table + " as n on n." + whose  # noqa: S608  # of constants
    from_the_top = "select " + key + ", 0 from memory." + table + " where " + whose + " and " + top  # noqa: S608  # of constants
    way = "with recursive way (id, depth) as (" + from_the_top + " union " + below_it + " and " + below + ")"
    placed = way + " select id, max(depth) as depth from way group by id"  # noqa: S608  # of constants
    return "join (" + placed + ") as placed on placed.id = t." + key + " where t." + whose


KINDS: tuple[Kind, ...] = (
    Kind("soul", "souls", own("being_id")),
    Kind("soul_state", "soul_states", own("being_id")),
    Kind("persona", "persona", own("kind, position, entry_id")),
    Kind("profile", "profiles", own("process")),
    Kind("vault_profile", "vault_profiles", own("being_id")),
    Kind("run", "patrol_runs", own("run_id", "state in ('done', 'failed')")),
    Kind(
        "cluster",
        "clusters",
        referenced_first(
            "clusters",
            "cluster_id",
            "being_id = %(being)s",
            "is_parent",
            "not n.is_parent and (n.parent_id = way.id or n.merged_into = way.id)",
        )
        + " order by placed.depth, t.cluster_id",
        apart=("nodes", "active_nodes", "fresh_nodes", "dying_nodes", "vector_state"),
        # Exports made before this column existed have names by other rules.
        filled=absent("true", "name_outdated"),
    ),
    # A note that was stamped by an unfinished run is pending after the import.
    Kind(
        "note",
        "notes",
        own("note_id"),
        apart=("request_key_id",),
        filled={
            "state": "case r.state when 'stamped' then 'pending' else r.state end",
            **absent("'producer'", "origin"),
            **absent("true", "in_snapshot"),
        },
    ),
    Kind(
        "node",
        "memory_nodes",
        referenced_first(
            "memory_nodes", "node_id", "being_id = %(being)s", "absorbed_into is null", "n.absorbed_into = way.id"
        )
        + " order by placed.depth, t.node_id",
        former=("embedding_model", "vector"),
        history=("node_history", "node_id"),
    ),
    Kind(
        "node_vector",
        "node_vectors",
        own("node_id"),
        vectors=True,
        apart=("living", "standing"),
        filled={
            "living": "(select n.status <> 'dead'" + OF_NODE,
            "standing": "(select n.forgotten_at is null and n.absorbed_into is null" + OF_NODE,
        },
    ),
    Kind("node_event", "node_history", own("event_id")),
    Kind("diary", "diary", own("day")),
    Kind(
        "response",
        "model_responses",
        own("response_id", "retained"),
        filled={"user_id": "%(user)s", **absent("'{}'", "shown_ids")},
    ),
    Kind("session_state", "session_states", own("being_id")),
    # The user model is shown again in the session's next context. A session that waited for a joint summary is due.
    Kind(
        "session",
        "sessions",
        own("session_id"),
        apart=("shown_user_model_hash",),
        filled={"summary_due": "r.summary_due or r.deferral_id is not null", "deferral_id": "null::uuid"},
    ),
    Kind(
        "message",
        "messages",
        own("created_at, message_id"),
        apart=("request_key_id",),
        filled=absent("false", "drawn", "aged", "follows"),
        history=("working_memory", "message_id"),
    ),
    Kind("retracted_message", "retracted_messages", own("message_id"), filled=absent("false", "aged")),
    Kind("confidence", "confidences", own("message_id, asked_in")),
    Kind("transcript_turn", "transcript_turns", own("message_id, conversation"), filled=absent("false", "abandoned")),
    Kind("awaited_retraction", "awaited_retractions", own("producer_id")),
    Kind("scene_message", "scene_messages", own("note_id, message_id")),
    Kind("session_summary", "session_summaries", own("session_id, version")),
    Kind("session_impression", "session_impressions", own("session_id, kind, place")),
    Kind("rolling_summary", "rolling_summaries", own("version")),
    # An entry of a message has the message's conversation, in exports too that were made before entries had one.
    Kind(
        "working_memory",
        "working_memory",
        own("said_at, entry_id"),
        filled={
            "conversation": "coalesce(r.conversation, (select m.conversation from memory.messages as m"
            " where m.being_id = %(being)s and m.message_id = r.message_id))"
        },
    ),
    # Exports made before these columns existed.
    Kind("todo", "todos", own("todo_id"), filled=absent("false", "corrected", "due_corrected", "in_confidence")),
    Kind("todo_evidence", "todo_evidence", own("todo_id, message_id"), filled=absent("false", "outdated")),
    Kind("judgement", "judgements", own("judgement_id"), filled=absent("'{}'", "judged_ids", "shown_ids")),
    Kind("user_model", "user_models", users("user_id"), owner="user"),
    Kind("seed", "user_seeds", users("seed_id", SCOPED), owner="user", of=BY_SCOPE, scoped=True, ids=("seed_id",)),
    Kind(
        "spine",
        "summary_spines",
        users("being_id nulls first, version", SCOPED),
        owner="user",
        apart=("conversation_id",),
        former=("conversation_id",),
        of=BY_SCOPE,
        scoped=True,
        filled={"conversation_id": "coalesce(r.being_id::text, 'default')"},
    ),
    Kind(
        "entity",
        "entity_aliases",
        users("alias_ref <> entity_ref, alias_ref", "alias_ref in " + NAMES),
        owner="user",
    ),
    Kind(
        "entity_label",
        "entity_labels",
        users("label_id", SCOPED + " and alias_ref in " + NAMES),
        owner="user",
        apart=("label_id",),
        of=BY_SCOPE,
        scoped=True,
    ),
    Kind(
        "entity_merge",
        "entity_merges",
        users("merge_id", "kept_ref in " + NAMES + " and merged_ref in " + NAMES),
        owner="user",
    ),
    Kind(
        "fact",
        "facts",
        referenced_first("facts", "fact_id", "user_id = %(user)s", "folded_into is null", "n.folded_into = way.id")
        + " and "
        + KNOWN
        + " order by placed.depth, t.fact_id",
        owner="user",
        apart=("content", "mentions", "sessions", "curated"),
        of=BY_SCOPE,
        scoped=True,
        ids=("fact_id", "folded_into"),
        # Exports made before these columns existed.
        filled={**absent("r.pinned", "user_pinned"), **absent("false", "never_fold")},
    ),
    # Newest first, because a statement refers to the later one that replaced it.
    Kind(
        "statement",
        "fact_statements",
        "join memory.facts as f using (user_id, fact_id), lateral (select t.*) as s"
        " where " + OF_USER + " and " + STATED + " order by t.statement_id desc",
        owner="user",
        of=BY_FACT,
        ids=("statement_id", "fact_id", "replaced_by"),
        filled={
            # Derived from conflicts, but exports made before these have no other record of them.
            "replaced_by": "case when r.said_at is null then r.replaced_by end",
            **absent("r.created_at", "said_at"),
            **absent("false", "pinned", "weighed"),
            **absent("true", "compared"),
            "importance": "coalesce(r.importance, (select f.base_importance from memory.facts as f"
            " where f.user_id = %(user)s and f.fact_id = r.fact_id), 1)",
        },
    ),
    Kind(
        "statement_conflict",
        "fact_conflicts",
        "join memory.fact_statements as s using (user_id, statement_id) join memory.facts as f using (user_id, fact_id)"
        " where " + OF_USER + " and " + STATED + " and exists (select from memory.fact_statements as other"
        " join lateral (select other.*) as s on true"
        " where other.user_id = t.user_id and other.statement_id = t.other_id"
        " and " + STATED + ") order by t.statement_id, t.other_id",
        owner="user",
        of=BY_FACT,
        ids=("statement_id", "other_id"),
    ),
    Kind(
        "evidence",
        "fact_evidence",
        "join memory.fact_statements as s using (user_id, statement_id) join memory.facts as f using (user_id, fact_id)"
        " where "
        + OF_USER
        + " and (t.being_id = %(being)s or t.seed_id is not null) and "
        + STATED
        + " order by t.told_at, t.evidence_id",
        owner="user",
        apart=("evidence_id",),
        of=BY_FACT,
        ids=("statement_id", "seed_id"),
        filled={
            "being_id": "case when r.message_id is not null then %(being)s::uuid end",
            **absent("false", "outdated"),
        },
        unless="r.seed_id is not null and exists (select from memory.fact_evidence as there where"
        " there.user_id = %(user)s and there.statement_id = r.statement_id and there.seed_id = r.seed_id)",
    ),
    # A user's request about a fact goes where the fact goes.
    Kind(
        "spoken_request",
        "spoken_requests",
        own(
            "request_id",
            "(t.fact_id is null or exists (select from "
            + STATEMENTS
            + " where s.user_id = %(user)s and s.fact_id = t.fact_id and "
            + STATED
            + "))",
        ),
        of="case when exists (select from memory.facts as f where f.user_id = %(user)s and f.fact_id = t.fact_id"
        " and f.being_id is not null) then 'being' else 'user' end",
        ids=("fact_id",),
        filled={"user_id": "case when r.fact_id is not null then %(user)s::uuid end"},
    ),
    Kind(
        "vault_record",
        "vault_records",
        users("sequence", SCOPED),
        owner="user",
        of=BY_SCOPE,
        scoped=True,
        ids=("id",),
    ),
    # Last: a mute applies to rows that are there when it comes in, and to rows that come later.
    Kind("mute", "mutes", users("mute_id", SCOPED), owner="user", of=BY_SCOPE, scoped=True, ids=("mute_id",)),
)

# Why tables are not exported, by the reason.
_REASONS: Mapping[str, str] = {
    "the importing system has its own users": "users",
    "of several Beings; what a Being heard there is exported with it": "rooms",
    "of several Beings": "room_beings",
    "in the header line": "beings",
    "valid in this system only": "api_tokens operator_tokens page_sessions",
    "a secret": "provider_keys erasure_keys",
    "about answers of this system's upstreams": "answer_traces",
    "has a secret of this system": "webhooks",
    "about what this system noticed": "due_notices",
    "accounting of this system": (
        "budgets_reached budget_warnings spending model_calls dropped_items unanswered_questions"
    ),
    "digests made with keys of this system": "erased_items unrecorded_turns",
    "pending work of this system": "work owed_thinking",
    "pending requests of this system": "provider_batches",
    "reports of imports into this system": "imports",
    "state of this system": "migrations clock heartbeats provider_breakers model_call_totals",
    "derived, and computed again": (
        "embeddings fact_vectors fact_states vault_heads node_words search_owners "
        "search_queue search_documents search_postings search_terms search_statistics search_vectors session_snapshot"
    ),
    "derived from mutes, and computed again": "muted_items",
    "derived from statements, and starts anew": "fact_history",
    "applied within seconds": "pending_activations",
    "about contexts that this system assembled": "receipts shown_texts",
    "about requests to this system": "vault_idempotency request_answers applied_retractions",
}
STAYS_BEHIND: Mapping[str, str] = {table: reason for reason, tables in _REASONS.items() for table in tables.split()}
