"""What a Being takes along when it leaves: which rows of which tables, in an order in which they can come in again.

Each table is named once: among the kinds of lines, or among what stays behind. A row refers to rows of lines before it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, LiteralString

OWN: LiteralString = "t.being_id = %(being)s"
OF_USER: LiteralString = "t.user_id = %(user)s"
# A fact is the Being's own, or the user's as far as this Being was told it: what it rests on elsewhere is others'.
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
# The names in those statements, and those of what they stand for.
HEARD: LiteralString = "select unnest(s.told_as) from " + STATEMENTS + " where s.user_id = %(user)s and " + STATED  # noqa: S608  # of constants
ALIASES: LiteralString = "select unnest(array[alias_ref, entity_ref]) from memory.entity_aliases"
NAMES: LiteralString = "(" + ALIASES + " where user_id = %(user)s and alias_ref in (" + HEARD + "))"


@dataclass(frozen=True)
class Kind:
    """One kind of line.

    Args:
        name: What a line of it calls itself.
        table: Where its rows are.
        rows: Which rows: the joins and conditions after `from memory.<table> as t`, and their order.
        owner: Whose the table is. What is the user's may be there when it comes in: then what is there stays.
        apart: Columns that are not in lines, because they are derived or begin anew.
        vectors: Columns that are in lines only where vectors are taken along.
        of: Where rows are the Being's or the user's, which of the two, as an expression.
        scoped: Whether that decides the row's `being_id`.
        ids: Columns in which the Being's own rows of a user's table are named: they are not the ids of another Being's.
        filled: What import puts into columns, as expressions over a line `r`.
        unless: Which lines `r` are there already, where no key tells.
        told_by: A table in which triggers keep what happens to such rows, and its column with their ids. What they
            write of a row's coming in is not true of it: what happened stands in lines of its own.
    """

    name: str
    table: LiteralString
    rows: LiteralString
    owner: Literal["being", "user"] = "being"
    apart: tuple[str, ...] = ()
    vectors: tuple[str, ...] = ()
    of: LiteralString | None = None
    scoped: bool = False
    ids: tuple[str, ...] = ()
    filled: Mapping[LiteralString, LiteralString] = field(default_factory=dict)
    unless: LiteralString = "false"
    told_by: tuple[LiteralString, LiteralString] | None = None


def own(by: LiteralString, also: LiteralString = "true") -> LiteralString:
    """Rows of the Being's, in this order."""
    return "where " + OWN + " and " + also + " order by " + by


def users(by: LiteralString, also: LiteralString = "true") -> LiteralString:
    """Rows of the user's, in this order."""
    return "where " + OF_USER + " and " + also + " order by " + by


def after_what_they_name(
    table: LiteralString, key: LiteralString, whose: LiteralString, top: LiteralString, below: LiteralString
) -> LiteralString:
    """Rows that name others of their own table, each after those that it names.

    Args:
        table: The table.
        key: Its column with ids.
        whose: Which rows belong together, without a table's name.
        top: What is true of rows that name none.
        below: What is true of rows `n` that name `way.id`.
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
    Kind("run", "patrol_runs", own("run_id", "state in ('done', 'failed')"), apart=("paid_by",)),
    Kind(
        "cluster",
        "clusters",
        after_what_they_name(
            "clusters",
            "cluster_id",
            "being_id = %(being)s",
            "is_parent",
            "not n.is_parent and (n.parent_id = way.id or n.merged_into = way.id)",
        )
        + " order by placed.depth, t.cluster_id",
        apart=("nodes", "active_nodes", "fresh_nodes", "dying_nodes", "vector_state"),
    ),
    # The run that had begun with a note is not there to end.
    Kind(
        "note",
        "notes",
        own("note_id"),
        filled={"state": "case r.state when 'stamped' then 'pending' else r.state end"},
    ),
    # A vector without direction is like nothing.
    Kind(
        "node",
        "memory_nodes",
        after_what_they_name(
            "memory_nodes", "node_id", "being_id = %(being)s", "absorbed_into is null", "n.absorbed_into = way.id"
        )
        + " order by placed.depth, t.node_id",
        vectors=("embedding_model", "vector"),
        filled={
            "embedding_model": "coalesce(r.embedding_model, %(unembedded)s)",
            "vector": "coalesce(r.vector, '[0]'::halfvec)",
        },
        told_by=("node_history", "node_id"),
    ),
    Kind("node_event", "node_history", own("event_id")),
    Kind("diary", "diary", own("day")),
    Kind("response", "model_responses", own("response_id", "kept"), filled={"user_id": "%(user)s"}),
    Kind("session_state", "session_states", own("being_id")),
    # What a session was shown of its user is shown again: contexts of elsewhere are nobody's here.
    Kind("session", "sessions", own("session_id"), apart=("user_model_shown",)),
    Kind("message", "messages", own("created_at, message_id"), told_by=("working_memory", "message_id")),
    Kind("session_summary", "session_summaries", own("session_id, version")),
    Kind("rolling_summary", "rolling_summaries", own("version")),
    Kind("working_memory", "working_memory", own("said_at, entry_id")),
    Kind("todo", "todos", own("todo_id")),
    Kind("todo_evidence", "todo_evidence", own("todo_id, message_id")),
    Kind("judgement", "judgements", own("judgement_id")),
    Kind("user_model", "user_models", users("user_id"), owner="user"),
    Kind("seed", "user_seeds", users("seed_id"), owner="user"),
    Kind("spine", "summary_spines", users("conversation_id, version"), owner="user"),
    Kind(
        "entity",
        "entity_aliases",
        users("alias_ref <> entity_ref, alias_ref", "alias_ref in " + NAMES),
        owner="user",
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
        after_what_they_name("facts", "fact_id", "user_id = %(user)s", "folded_into is null", "n.folded_into = way.id")
        + " and "
        + KNOWN
        + " order by placed.depth, t.fact_id",
        owner="user",
        apart=("content", "mentions", "sessions"),
        of="case when t.being_id is null then 'user' else 'being' end",
        scoped=True,
        ids=("fact_id", "folded_into"),
    ),
    # What replaced a statement is younger than it.
    Kind(
        "statement",
        "fact_statements",
        "join memory.facts as f using (user_id, fact_id), lateral (select t.*) as s"
        " where " + OF_USER + " and " + STATED + " order by t.statement_id desc",
        owner="user",
        of="case when f.being_id is null then 'user' else 'being' end",
        ids=("statement_id", "fact_id", "replaced_by"),
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
        of="case when f.being_id is null then 'user' else 'being' end",
        ids=("statement_id",),
        filled={"being_id": "case when r.message_id is not null then %(being)s::uuid end"},
        unless="r.seed_id is not null and exists (select from memory.fact_evidence as there where"
        " there.user_id = %(user)s and there.statement_id = r.statement_id and there.seed_id = r.seed_id)",
    ),
    Kind(
        "vault_record",
        "vault_records",
        users("line", "(t.being_id = %(being)s or t.being_id is null)"),
        owner="user",
        of="case when t.being_id is null then 'user' else 'being' end",
        scoped=True,
        ids=("id",),
    ),
)

STAYS_BEHIND: Mapping[str, str] = {
    "users": "who one is elsewhere, is for elsewhere to say",
    "beings": "stands in the first line",
    "api_tokens": "opens the doors of this system alone",
    "operator_tokens": "opens the doors of this system alone",
    "provider_keys": "a secret",
    "model_calls": "this system's accounts",
    "work": "what this system still has to do",
    "batches": "what this system still waits for",
    "imports": "how the Being came to this system",
    "migrations": "this system's own",
    "clock": "this system's own",
    "pulses": "this system's own",
    "embeddings": "made again",
    "fact_vectors": "made again",
    "fact_keeping": "made again",
    "vault_heads": "made again",
    "session_snapshot": "made again",
    "fact_history": "begins anew: what a fact said before stands in its statements",
    "activations": "found a moment ago, and entered in the next",
    "receipts": "of contexts that this system gave",
    "shown_texts": "of contexts that this system gave",
    "vault_receipts": "of requests that this system took",
}
