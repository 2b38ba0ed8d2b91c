"""The vault, facts, sessions and scenes."""

from datetime import timedelta
from typing import Literal

from pydantic import Field, PositiveInt

from schemas.settings.section import Duration, Section


class KnowledgeSettings(Section):
    """The vault, facts, sessions and scenes."""

    vault_capacity: PositiveInt = Field(100, description="The most active records in one scope of the vault.")
    vault_plain_overlap: bool = Field(
        False,
        description="Whether the vault's duplicate gate compares words and sequences alone, as in the seed, even if two"
        " records differ in a number, a name, a negation or another distinguishing word.",
    )
    vault_tombstones: Duration = Field(
        timedelta(days=30),
        description="Compaction keeps tombstones of vault records that are younger than this. Superseded versions and"
        " tombstones that are older are compacted on a schedule.",
    )
    rag_tokens: PositiveInt = Field(
        1_500,
        description="The estimated tokens of memory with which `rag-context` is filled. A request with a "
        "`budget_tokens` is above the default of 16,000 gets more in proportion.",
    )
    blended_ranking: bool = Field(
        True, description="Whether facts are ranked by similarity, recency and frequency, or by similarity alone."
    )
    curate_after: PositiveInt = Field(20, description="The number of new facts of a user that starts the curator.")
    facts_known_to: Literal["all", "present"] = Field(
        "all",
        description="The Beings that know facts outside of confidences: `all`: all of the user's Beings; `present`: the"
        " Beings that heard them. A user's own `facts_known_to` takes precedence.",
    )
    judge_messages: PositiveInt = Field(
        8, description="The number of unjudged user messages of a session that are judged at once."
    )
    judge_quiet: Duration = Field(
        timedelta(seconds=60), description="Fewer messages are judged when none arrives for this time."
    )
    todos_expire: Duration = Field(
        timedelta(days=90),
        description="An open todo is archived once its last mention and its due time are both this old. Pinned ones and"
        " habits stay.",
    )
    join_short_sessions: bool = Field(
        True,
        description="Whether closed sessions of at most two messages and 500 characters are summarised together, up to "
        "20 in one call. `off`: one call for each.",
    )
    short_session_wait: Duration = Field(
        timedelta(hours=24), description="The longest time that a short session waits for 20 of its Being."
    )
    scenes: Literal["auto", "on", "off"] = Field(
        "auto",
        description="Whether the model call that summarises a closed session also draws scene notes from its messages, "
        "which patrols then make memories of. `auto`: unless a producer's own scene notes are of the same time. A "
        "Being's own `scenes` takes precedence.",
    )
