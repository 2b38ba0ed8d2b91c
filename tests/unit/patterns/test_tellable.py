"""One rule decides what prompts are told: each statement that reads memories asks it, or stands here with a reason."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from store.search import scope

ROOT = Path(__file__).resolve().parents[3]
READS = re.compile(
    r"(?:from|join)\s+memory\.(?:messages|message_versions|memory_nodes|seen_nodes|facts|todos|diary|search_documents"
    r"|session_impressions|vault_heads|notes)\b"
)
ASKS = re.compile(r"is_muted|muted_items|tellable_")
# Parts of statements that have a name.
FRAGMENTS = {name: text for name, text in vars(scope).items() if name.isupper() and isinstance(text, str)}
# By reason the statements that read a memory whether it is muted or not, by module or file.
REASONS: Mapping[str, Mapping[str, str]] = {
    "exports, imports and erasures concern all that there is": {
        "store.accounts.erased": "notes notes_of_nodes messages all_notes all_messages",
        "store.accounts.erasure": "count_rows erase_being remove_unused_names with_absorbed survivors_of"
        " node_of nodes_of remove_derived erase_nodes",
        "store.accounts.message_erasure": "supported_by remaining",
        "store.accounts.overview": "overview",
        "store.accounts.portable": "is_empty settle in_absorption_cycles waiting_sessions",
        "store.accounts.portable_kinds": "STATEMENTS OF_NODE KINDS",
    },
    "answers a person who lists, or names one thing by its id": {
        "store.facts.entities": "shared_aliases neighbours is_known",
        "store.facts.facts": "count own_names",
        "store.facts.todos": "add_evidence found_again supported archive_old get",
        "store.intake.keyed_knowledge": "get by_ids namespaces",
        "store.intake.notes": "known pending left_over stamped unrepaired existing failed",
        "store.nodes.nodes": "insert age_new named absorbed_by",
        "store.search.id_endings": "_IDS",
        "store.talk.confidences": "are_kept messages fact_of",
        "store.talk.messages": "known sessions",
        "store.talk.mutes": "messages_named",
        "store.talk.retraction": "versions standing_after summarised",
        "store.talk.scenes": "count overlapping evidence source_messages",
        "store.vault": "_VERSIONS scopes_of ids_of_other_scopes",
        "10_nodes.sql": "seen_nodes pin_node note_before forget_node undo_node put_vectors correct_node serve_model",
        "45_knowledge.sql": "keyed_knowledge",
    },
    "counts, and looks after queues and indexes": {
        "store.facts.fact_vectors": "unembedded upsert",
        "store.ledger.metrics": "FIGURES unprocessed_input",
        "store.nodes.embeddings": "known keep texts_of_other_models",
        "store.patrol.diary": "due",
        "store.search.documents": "index_again",
        "store.search.vectors": "share unembedded _take_gone keep embed_again",
        "10_accounts.sql": "home_of_node",
        "15_limits.sql": "hold_count",
        "20_postings.sql": "told_item",
        "80_runs.sql": "begin_run begin_run_if_free",
    },
    "keeps what a patrol, a judge or the curator works on, which tells no prompt of a companion": {
        "store.facts.curator": "count_uncurated uncurated read record_run",
        "store.facts.dating": "of_facts of_todos",
        "store.facts.spoken_requests": "candidate_facts resting_on todos_resting_on",
        "store.facts.statements": "users_own",
        "store.nodes.topic_names": "made_from give_proper",
        "store.patrol.consolidation": "may_die marked undecided handed_in_later",
        "store.patrol.steps": "unassigned",
        "store.talk.judging": "waiting unjudged all_wait preceding",
        "100_vault.sql": "compact_vault compact_old_vault_versions keep_vault_head",
        "20_calls.sql": "brought_with",
        "40_activation.sql": "absorber_of",
        "50_patrol.sql": "assign_nodes",
        "55_consolidation.sql": "untouched",
        "10_fold.sql": "settle_facts",
        "20_statements.sql": "fact_under",
        "30_entities.sql": "refile_statements",
        "40_todos.sql": "word_todos",
        "50_curator.sql": "fold_facts unfold_withdrawn unfold_facts",
        "60_spoken_requests.sql": "restore_asked",
        "97_confidences.sql": "settle_confidences misplaced_evidence scope_statements"
        " move_statements forget_merges scope_fact",
    },
    "places, aligns and withdraws messages": {
        "store.context.context": "session",
        "store.context.provenance": "received user_texts",
        "store.talk.answer_traces": "way_to was_answer",
        "store.talk.rooms": "hearers",
        "store.talk.utterances": "following shown_with with_copy todos counterpart",
        "70_rooms.sql": "settle_utterances share_evidence share_confidences",
        "store.talk.transcripts": "messages_near contents standing_descendants without_ids",
        "store.talk.unplaced_messages": "with_words of_sessions conversations_of",
        "10_sessions.sql": "keep_messages count_unjudged",
        "20_placing.sql": "place_again",
        "30_retraction.sql": "message_versions count_again waits_for_judge withdraw_messages retract_messages"
        " restore_messages",
        "40_transcripts.sql": "leave_transcript relayed",
        "80_muting.sql": "answers_to",
        "98_summaries.sql": "forget_in_spine forget_in_summaries",
    },
    "returns keys to a statement that reads their rows": {
        "05_keys_past_policies.sql": "messages_of_words scenes_of_days note_under",
    },
    "reads what a statement that asks `is_muted` has found": {
        "store.nodes.finding": "_answer",
        "store.search.candidates": "speakers",
        "store.search.lexical": "_AMONG_KNOWLEDGE",
        "store.search.nearest": "_AMONG_KNOWLEDGE nearest_nodes",
        "store.search.result_texts": "texts_of messages_at",
        "30_ranking.sql": "rank_by_words",
    },
}


def in_python() -> Iterator[tuple[str, str]]:
    """The statements of each function, class and constant in `store`."""
    for path in sorted((ROOT / "store").rglob("*.py")):
        module = path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
        for node in ast.parse(path.read_text()).body:
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            name = getattr(node, "name", None) or getattr(target, "id", None)
            inside = [*ast.walk(node)]
            texts = [one.value for one in inside if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            texts += [FRAGMENTS[one.id] for one in inside if isinstance(one, ast.Name) and one.id in FRAGMENTS]
            if name:
                yield f"{module} {name}", " ".join(texts)


def in_sql() -> Iterator[tuple[str, str]]:
    """The text of each SQL function and view."""
    for path in sorted((ROOT / "sql" / "functions").rglob("*.sql")):
        for part in re.split(r"(?=^create or replace (?:function|view) )", path.read_text(), flags=re.MULTILINE)[1:]:
            kind, name = re.findall(r"create or replace (function|view) (\w+)", part)[0]
            assert kind
            yield f"{path.name} {name}", re.sub(r"--.*", "", part)


def test_each_statement_that_reads_a_memory_asks_whether_it_may_be_told_or_has_a_reason_not_to():
    unasked = {
        name
        for name, text in [*in_python(), *in_sql()]
        if READS.search(re.sub(r"delete from memory\.\w+", "", text)) and not ASKS.search(text)
    }
    excused = {
        f"{module} {name}"
        for of_reason in REASONS.values()
        for module, names in of_reason.items()
        for name in names.split()
    }
    assert unasked - excused == set(), "read a view `tellable_*`, or ask `is_muted`"
    assert excused - unasked == set(), "these have no need of a reason"
