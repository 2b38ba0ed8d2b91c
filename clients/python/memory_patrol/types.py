"""The JSON objects of the API. Times and ids are strings, as they are sent.

Generated from openapi.json by `make docs`; do not edit.
"""

from typing import Any, Literal, NotRequired, TypedDict


class AssembledContext(TypedDict):
    """An assembled context in short."""

    context_id: str
    process: str
    """The mental process that it was assembled for."""
    conversation: str | None
    """The conversation that it was assembled for; null: none was named."""
    created_at: str
    items: int
    """How many memories and facts it showed."""


class Being(TypedDict):
    """One AI companion of one user; the unit of isolation. `ticked_at` is when its patrol counter was last raised."""

    being_id: str
    user_id: str
    slug: str
    name: str
    embedding_model: str | None
    language: str
    scenes: Literal["auto", "on", "off"] | None
    """Whether scenes are drawn from its talk; null: as PATROL_SCENES says."""
    patrol_counter: int
    ticked_at: str | None
    daily_cost: str | None
    daily_tokens: int | None
    created_at: str


class BeingChanges(TypedDict):
    """Changes to a Being. Omitted fields stay."""

    name: NotRequired[str | None]
    """Its new display name."""
    language: NotRequired[
        Literal[
            "auto",
            "ar",
            "ca",
            "cs",
            "da",
            "de",
            "el",
            "en",
            "es",
            "fi",
            "fr",
            "hi",
            "hu",
            "hy",
            "id",
            "it",
            "ja",
            "ko",
            "nl",
            "no",
            "pl",
            "pt",
            "ro",
            "ru",
            "sv",
            "ta",
            "th",
            "tr",
            "zh",
        ]
        | None
    ]
    """The language that it is talked to in, by its ISO 639-1 code, for the stems of words in the search; `auto`:
    the language of what it is told.
    """
    scenes: NotRequired[Literal["auto", "on", "off"] | None]
    """Whether the call that summarises a closed session also draws scene notes from its messages; `auto`: unless a
    producer's own scene notes are of the same time; null: as PATROL_SCENES says.
    """
    daily_cost: NotRequired[float | str | None]
    """The budget of its model calls for a day of the user, in dollars; null: PATROL_DAILY_COST."""
    daily_tokens: NotRequired[int | None]
    """The most tokens of its model calls in a day; null: PATROL_DAILY_TOKENS."""


class BeingErased(TypedDict):
    """The number of rows that were erased with a Being or a user."""

    beings: int
    notes: int
    nodes: int
    messages: int
    facts: int
    """The Being's own, and those of the user without other evidence."""
    todos: int
    diary_entries: int
    vault_records: int
    """Versions in the Being's vault scope."""


class Block(TypedDict):
    """Fenced text for a prompt; empty if there is no content."""

    text: str


class BlockRequest(TypedDict):
    """A block of relevant records for a prompt."""

    query: NotRequired[str | None]
    """What the records must be relevant to; all records if omitted."""
    scopes: NotRequired[list[str] | None]
    """Only these scopes: `shared`, the Being's slug, or both."""
    max_items: NotRequired[int | None]
    """The most records; the configured number if omitted."""


class Cluster(TypedDict):
    """A topic of nodes, with their numbers by status."""

    cluster_id: str
    name: str
    is_parent: bool
    parent_id: str
    nodes: int
    active_nodes: int
    fresh_nodes: int
    dying_nodes: int
    named_by: Literal["words", "model", "person"]
    """Where the name comes from; `words`: the topic's distinctive words, until a model names it."""
    created_at: str
    removed_at: str | None
    merged_into: str | None


class Compacted(TypedDict):
    """The outcome of a compaction."""

    removed: int
    """Removed versions: superseded ones, and old tombstones with their records."""


class ContextRequest(TypedDict):
    """A request for a context."""

    process: NotRequired[str]
    """A mental process, such as `externalDialog`."""
    budget_tokens: NotRequired[int]
    """The longest context, in estimated tokens."""
    format: NotRequired[Literal["text", "anthropic", "openai"]]
    """`text` is one string; `anthropic` is messages with cache markers; `openai` is messages."""
    activate: NotRequired[bool]
    """Whether recalled nodes count as activated. With false, assembling changes nothing: the user model does not
    count as shown, and the context has no `context_id`, by which later messages would be recognised as echoes
    of it.
    """
    explain: NotRequired[bool]
    """Whether the answer has the scores of each node and fact."""
    message: NotRequired[str | None]
    """The user's message, by which memories are recalled. It is not stored: see `turns`."""
    conversation: NotRequired[str | None]
    """The chat or tab, as its messages name it: whose lines, pauses and regions the context shows. Omitted: the
    session's, else the conversation of what names none.
    """
    session: NotRequired[str | None]
    """The session; the conversation's open one if omitted."""


class CuratorState(TypedDict):
    """The curator's last run over the user's facts."""

    lastRunAt: str | None
    lastMemoryCountAtRun: int


class Deleted(TypedDict):
    """The outcome of a deletion."""

    deleted: list[str]
    """Ids that now end in a tombstone."""
    missing: list[str]
    """Ids without a live record in the Being's scopes."""


class Deletion(TypedDict):
    """Records to delete."""

    ids: list[str]


class Demanded(TypedDict):
    """The patrol that will do it."""

    run_id: str


class DiaryEntry(TypedDict):
    """A Being's diary entry for one day in its user's time zone."""

    day: str
    text: str
    run_id: str
    last_node_id: str
    written_at: str


class Emotion(TypedDict):
    """The VADSNT emotion vector, each number from -1 to 1."""

    valence: float
    arousal: float
    dominance: float
    safety: float
    novelty: float
    trust: float


class Entity(TypedDict):
    """An entity that facts name."""

    entity_ref: str
    label: str
    aliases: list[str]
    """Other names that stand for it."""
    facts: int


class EntityCard(TypedDict):
    """Further facts about an entity that the retrieved facts name."""

    entity_ref: str
    facts: list[str]
    """Up to three: pinned first, then by importance, then the newest."""
    text: str
    """`[person:john]: fact; fact; fact`"""


class EntityMerge(TypedDict):
    """Two entities that may be one, and the decision about them."""

    merge_id: str
    kept_ref: str
    merged_ref: str
    state: Literal["proposed", "merged", "declined", "undone"]
    similarity: float
    created_at: str
    decided_at: str | None


class Erased(TypedDict):
    """What was removed and changed along with erased messages."""

    messages: int
    scenes: int
    """Scenes that were drawn from the messages; their memories went with them."""
    facts_removed: list[str]
    """Facts without other evidence."""
    facts_changed: list[str]
    """Facts that lost a statement; a replaced statement may be current again."""
    todos_removed: list[str]
    todos_reopened: list[str]


class EverythingRequest(TypedDict):
    """What to look for in everything that the Being was told."""

    query: str
    """A question, a sentence or a few words, in any language."""
    limit: NotRequired[int]
    """The most results."""
    kinds: NotRequired[list[Literal["message", "node", "fact", "summary", "diary", "vault", "knowledge"]]]
    """What to look among: all but the vault."""
    since: NotRequired[str | None]
    """Only what was said or happened at this moment or later."""
    until: NotRequired[str | None]
    """Only what was said or happened before this moment."""
    as_of: NotRequired[str | None]
    """Answer from what had arrived by this moment, and take it for now in words like `last week`. What was erased
    since is not shown.
    """
    speaker: NotRequired[str | None]
    """Only messages of this speaker: a name, the Being's, or `user` for the user's without a name."""
    neighbours: NotRequired[int]
    """How many messages before and after each message to show with it."""
    explain: NotRequired[bool]
    """Whether to show each signal and its share of the score."""
    activate: NotRequired[bool]
    """Whether being found keeps memories alive, as `recall` does."""


class Evidence(TypedDict):
    """A quotation that supports a statement: from a message, or from a seed."""

    being_id: str | None
    message_id: str | None
    seed_id: str | None
    span: str
    told_at: str


class Explanation(TypedDict):
    """Why a node was found."""

    node_id: str
    similarity: float | None
    """Cosine similarity to the query; null for a match by words."""
    effective_importance: float
    """importance × exp(−session_count / 30)."""
    session_count: int
    """Patrols since its last activation, before this recall."""
    why: str


class FactChanges(TypedDict):
    """Changes to a fact. Omitted fields stay as they are."""

    content: NotRequired[str | None]
    """The corrected content; earlier statements stay in the history."""
    importance: NotRequired[int | None]
    """0 to 3; while the fact is pinned, it counts as 3."""
    pinned: NotRequired[bool | None]
    """Whether it is in every context, and never archived by the curator."""
    status: NotRequired[Literal["ACTIVE", "ARCHIVED"] | None]
    """`ARCHIVED` hides the fact, `ACTIVE` restores it."""
    in_confidence: NotRequired[bool | None]
    """Whether the fact, with the messages that it rests on, stays with the Being that was told it."""


class FactEvent(TypedDict):
    """An event in a fact's history other than a mention."""

    event: str
    detail: dict[str, Any]
    happened_at: str


class FactExplanation(TypedDict):
    """The parts of a fact's score."""

    fact_id: str
    similarity: float
    recency: float
    """0.5^(days since it was last mentioned / 14)."""
    frequency: float
    """How often its commonest entity occurs among the candidates, over the highest such count."""
    score: float
    """0.4 · similarity + 0.3 · recency + 0.3 · frequency, unless the blend is off."""


class FactQuestion(TypedDict):
    """A query for facts."""

    query: str
    """A sentence or a few words; usually the user's latest message."""
    limit: NotRequired[int]
    """The most facts to return."""
    explain: NotRequired[bool]
    """Whether to return the parts of each fact's score."""


class Health(TypedDict):
    """The answer when no check failed."""

    status: Literal["ok"]


class HistoryEvent(TypedDict):
    """One event in a node's history."""

    event: str
    detail: Any
    run_id: str | None
    happened_at: str


class KeptRolling(TypedDict):
    """A version of a rolling summary."""

    version: int
    content: str
    message_count: int
    """The Being's messageCount when it was written."""
    created_at: str


class KeptSummary(TypedDict):
    """A version of a session's summary."""

    one_liner: str
    """The conversation in one sentence."""
    what_mattered: list[str]
    """What it was about, most important first; up to six short phrases."""
    open_loops: list[str]
    """What was left open; empty if nothing was."""
    commitments: list[str]
    """Promises that were made, each with who made it; empty if there were none."""
    people: list[str]
    """The names of people who were spoken of."""
    tone: str
    """The mood of the conversation, in a few words."""
    version: int
    turn_count: int
    """The number of turns that it covers."""
    created_at: str


class KeyedKnowledge(TypedDict):
    """Knowledge under its key."""

    namespace: list[str]
    key: str
    value: dict[str, Any]
    created_at: str
    updated_at: str
    score: float | None
    """How well it answers the query, where there is one that finds it."""


class KnowledgeChanged(TypedDict):
    """What was done."""

    kept: int
    """How many keys have new values."""
    removed: int
    """How many keys were there, and are gone."""


class KnowledgeKey(TypedDict):
    """Where a program keeps knowledge."""

    namespace: list[str]
    """Labels, from the outermost to the innermost."""
    key: str
    """The key within the namespace."""


class KnowledgeNote(TypedDict):
    """A piece of knowledge with a title."""

    id: NotRequired[str | None]
    """The producer's id. The same id again with the same content changes nothing."""
    metadata: NotRequired[dict[str, Any]]
    """The producer's own data, at most 4 KB of JSON."""
    type: Literal["knowledge"]
    content: str
    title: str
    in_snapshot: NotRequired[bool]
    """Whether it stands in the snapshot of every context; if not, it is found by searches alone."""


class KnowledgeQuestion(TypedDict):
    """What to look for among the knowledge under keys."""

    namespace_prefix: NotRequired[list[str]]
    """Only what is in this namespace, or in one below it."""
    query: NotRequired[str | None]
    """What it is about; best first. Without a query the newest come first."""
    filter: NotRequired[dict[str, Any] | None]
    """Only values whose fields equal these, or compare with them by the operators `$eq`, `$ne`, `$gt`, `$gte`,
    `$lt`, `$lte`.
    """
    limit: NotRequired[int]
    """The most results."""
    offset: NotRequired[int]
    """How many results to leave out first."""


class MappedNode(TypedDict):
    """A memory as the map shows it."""

    node_id: str
    cluster_id: str | None
    action: str
    """What happened, at most 160 characters of it."""
    importance: float
    effective_importance: float
    session_count: int
    status: Literal["active", "dying", "dead"]
    pinned: bool
    created_at: str
    patrols_left: int | None
    """Patrols until it will be dying; null for pinned and dead ones."""


class Message(TypedDict):
    """One turn of a conversation."""

    message_id: str
    producer_id: str | None
    session_id: str
    conversation: str | None
    role: Literal["user", "assistant", "other"]
    speaker: str | None
    content: str
    metadata: dict[str, Any]
    created_at: str
    received_at: str
    judged: bool
    in_confidence: bool
    """Whether it stays, with all that rests on it, with the Being that it was said to."""
    drawn: bool
    """Whether a model was asked for the scenes that it belongs to."""
    aged: bool
    """Whether scenes that are drawn from it age from its time on."""


class MessageChanges(TypedDict):
    """A decision about a message."""

    in_confidence: bool
    """Whether it stays, with all that rests on it, with the Being that it was said to."""


class MessageInput(TypedDict):
    """One turn of a conversation. The role `other` is a third person who takes part in it."""

    id: NotRequired[str | None]
    """The producer's id. The same id again with the same content changes nothing."""
    metadata: NotRequired[dict[str, Any]]
    """The producer's own data, at most 4 KB of JSON. `in_confidence: true` says that the message was said in
    confidence: it stays, with all that rests on it, with this Being.
    """
    role: Literal["user", "assistant", "other"]
    speaker: NotRequired[str | None]
    conversation: NotRequired[str | None]
    """The producer's id of the chat or tab. Sessions are separate for each conversation."""
    content: str
    created_at: NotRequired[str | None]
    """The time of the message, with its offset from UTC; default: now."""
    aged: NotRequired[bool]
    """Whether scenes that are drawn from it are born with the age that they would have if a patrol had run at each
    PATROL_TICK since `created_at`.
    """


class MessageSelection(TypedDict):
    """Messages by their ids, or those of a conversation behind one message."""

    ids: NotRequired[list[str] | None]
    """The producer's ids of messages, or the ids that their receipts gave; 1 to 1,000."""
    conversation: NotRequired[str | None]
    """A conversation, instead of `ids`."""
    after: NotRequired[str | None]
    """With `conversation`: only messages behind this one, which itself is left as it is. Omitted: all."""


class NamespaceCondition(TypedDict):
    """How a namespace has to begin or end."""

    at: Literal["prefix", "suffix"]
    """Where the path stands in the namespace."""
    path: list[str]
    """Labels; `*` stands for any."""


class Namespaces(TypedDict):
    """Namespaces in which something is kept, in order."""

    namespaces: list[list[str]]


class Neighbour(TypedDict):
    """A message beside a result."""

    id: str
    speaker: str | None
    text: str
    at: str


class NewBeing(TypedDict):
    """A Being to create."""

    slug: str
    """Its short name in URLs: lower-case letters, digits, `_` and `-`."""
    name: str
    """Its display name."""


class NewEntry(TypedDict):
    """An entry to write to working memory."""

    role: NotRequired[Literal["system", "user", "assistant"]]
    """The entry's role in the prompt; `system` needs the scope `manage`."""
    content: str
    """The text; contexts show it inside a fence."""


class NewKey(TypedDict):
    """A key for a model provider, to store."""

    key: str
    """The key itself."""
    provider: NotRequired[Literal["anthropic", "openai"] | None]
    """Its provider; needed if the key's prefix does not show it."""


class NewKnowledge(TypedDict):
    """Knowledge in place of what is kept under its key, or the removal of that."""

    namespace: list[str]
    """Labels, from the outermost to the innermost."""
    key: str
    """The key within the namespace."""
    value: dict[str, Any] | None
    """The object to keep, at most 64 KB of JSON; null removes it."""
    search_text: NotRequired[str | None]
    """What searches find it by; null: the whole value as JSON, empty: nothing."""


class NewPersonaEntry(TypedDict):
    """An entry to add to one of a Being's lists."""

    name: str
    """The entry's name, unique in its list."""
    content: str
    """The entry's text."""
    enabled: NotRequired[bool]
    """Whether contexts show it."""
    position: NotRequired[int]
    """Entries are shown by position, then by age."""


class NewProfile(TypedDict):
    """The profile of a mental process, which replaces the one before."""

    regions: list[str]
    """The regions of the process, in this order."""
    others: NotRequired[bool]
    """Whether regions that are not named are included too."""
    instructions: NotRequired[str]
    """The content of the region `instructions`."""
    keep: NotRequired[list[Literal["skills", "user-model"]] | None]
    """Of `skills` and `user-model`, those that every context shows, for prompts that are assembled anew each turn.
    Null: `turns` keeps both, `context` neither.
    """


class NewRecord(TypedDict):
    """A record to add. Fields that a write gate checks are not validated here, so that the gate can name the
    fault.
    """

    text: str
    """The statement, at most 1200 characters."""
    scope: NotRequired[str | None]
    """`shared`, or the Being's slug, which is the default."""
    category: NotRequired[str]
    """The kind of statement, such as bio, mission, project or goal."""
    tier: NotRequired[str]
    """`canon` for durable statements, `register` for state that is overwritten."""
    topic_id: NotRequired[str | None]
    """The topic of a register; a record with the same topic updates it."""
    tags: NotRequired[list[str]]
    """Your own tags, to filter by."""
    source: NotRequired[str | None]
    """The origin, one of chat, manual, tool, operator, promotion."""
    force: NotRequired[bool]
    """Whether to add the record though the scope holds a near-duplicate, which is recorded as `forced_over`."""


class NewToken(TypedDict):
    """An access token to create for a user."""

    scopes: list[Literal["ingest", "read", "manage"]]
    """What the token allows."""
    being: NotRequired[str | None]
    """Id or slug of its only Being; null: all."""
    expires: NotRequired[str | None]
    """When it expires, with its offset from UTC; null: never."""


class NewUser(TypedDict):
    """A user to create: one person whom your application serves."""

    external_id: str
    """Your own id of the person. The same id again is the same user."""
    name: NotRequired[str | None]
    """The person's display name; the external id if omitted."""
    time_zone: NotRequired[str]
    """IANA name of the zone in which the person's days begin."""
    facts_scope: NotRequired[Literal["user", "being"] | None]
    """`user`: all of the person's Beings know what one of them hears. `being`: facts stay with the Being that
    heard them. Null: as PATROL_FACTS_SCOPE says.
    """


class NewUserModel(TypedDict):
    """A user model, which replaces the one before."""

    content: str
    """The description of the user as a person."""


class Node(TypedDict):
    """A scene stored as memory. `session_count` and `effective_importance` are the seed's, derived when read."""

    node_id: str
    note_id: str
    cluster_id: str | None
    scene: dict[str, Any]
    feeling: str | None
    themes: list[str]
    emotion: dict[str, float] | None
    importance: float
    effective_importance: float
    session_count: int
    status: Literal["active", "dying", "dead"]
    fresh: bool
    pinned: bool
    reactivation_count: int
    last_activated: str | None
    absorbed_into: str | None
    forgotten_at: str | None
    created_at: str
    patrols_left: int | None


class NodeErased(TypedDict):
    """The outcome of erasing a node."""

    nodes: int
    """The erased node, and those that it had absorbed."""
    notes: int
    """The notes of these nodes."""
    reworded: int
    """Nodes that had absorbed it, and have the words of their own note again."""
    parted: int
    """Other nodes that those had absorbed, and that are active again."""
    diary_entries: int
    """Erased diary pages about it."""
    renamed: int
    """Renamed topics, whose name had been its action."""


class Note(TypedDict):
    """A producer's note and its state of processing."""

    note_id: str
    producer_id: str | None
    type: str
    origin: Literal["producer", "mcp", "import", "talk"]
    """Where it comes from; `talk`: drawn from messages by a model."""
    content: Any
    ages_from: str | None
    """When its memory begins to age; null: at its birth."""
    title: str | None
    due_at: str | None
    read_at: str | None
    in_snapshot: bool
    """Whether a knowledge note stands in the snapshot of contexts."""
    updated_at: str | None
    """When its content was changed last; null: never."""
    namespace: list[str] | None
    """Of knowledge under a key: where the key counts."""
    key: str | None
    """The key under which a program keeps this knowledge."""
    metadata: dict[str, Any]
    state: Literal["kept", "pending", "stamped", "remembered", "parse_failed", "embed_failed"]
    reason: str | None
    run_id: str | None
    received_at: str


class NoteChanges(TypedDict):
    """Changes to a todo, reminder or knowledge note. Omitted fields stay."""

    read: NotRequired[bool | None]
    """Whether it was read; notes that were read leave the snapshot."""
    content: NotRequired[str | None]
    """Its text."""
    title: NotRequired[str | None]
    """The title of a knowledge note."""
    in_snapshot: NotRequired[bool | None]
    """Whether a knowledge note stands in the snapshot of contexts."""
    due_at: NotRequired[str | None]
    """When a reminder is due, with its offset from UTC."""


class Overview(TypedDict):
    """The numbers of a Being's memory, each at the same moment."""

    notes_pending: int
    """Scene notes that wait for a patrol or are part of a running one."""
    notes_failed: int
    """Scene notes that could not be parsed or embedded."""
    nodes_active: int
    nodes_dying: int
    nodes_dead: int
    topics: int
    """Clusters below the roots."""
    patrols: int
    """The patrol counter, by which memories age."""
    last_patrol: Literal["queued", "running", "done", "failed"] | None
    last_patrol_at: str | None
    """When the newest patrol was demanded or became due."""
    messages: int
    messages_unjudged: int
    """The user's messages from which no facts have been extracted yet."""
    waits_for_key: bool
    """Whether extraction waits for a model key."""
    sessions: int
    last_message_at: str | None
    facts: int
    """Active facts that the Being knows."""
    todos: int
    """Open todos."""
    diary_day: str | None
    """The day of the newest diary entry."""
    vault_records: int
    """Active records in its own scope and the shared one."""
    cost_today: str
    """Known cost of today's model calls in dollars."""
    work_dead: int
    """Dead work of the Being and of its user."""


class PersonaChanges(TypedDict):
    """Changes of an entry. Omitted fields stay."""

    name: NotRequired[str | None]
    """The entry's new name."""
    content: NotRequired[str | None]
    """The entry's text."""
    enabled: NotRequired[bool | None]
    """Whether contexts show it."""
    position: NotRequired[int | None]
    """Entries are shown by position, then by age."""


class PersonaEntry(TypedDict):
    """An entry of one of a Being's lists."""

    kind: Literal["partner_rules", "preferences", "relationships", "partner_tools", "partner_map", "skills"]
    entry_id: str
    name: str
    content: str
    enabled: bool
    position: int
    created_at: str
    updated_at: str


class Problem(TypedDict):
    """An error in the form of RFC 9457. It may have more members, depending on its type."""

    type: str
    """The kind of problem, a stable URN for programs."""
    title: str
    """The kind of problem in words."""
    status: int
    detail: str
    """What was wrong this time, where, and what to do."""
    instance: str
    """The path of the request, without its query."""


class Profile(TypedDict):
    """The regions of a mental process in their order, and its instructions."""

    process: str
    regions: list[str]
    others: bool
    instructions: str
    keep: list[str] | None
    """Of `skills` and `user-model`, those that every context shows; null: `turns` keeps both, `context` shows
    skills until the Being has answered and the user model once a session.
    """
    updated_at: str | None
    """When it was set; null for a default."""


class Promotion(TypedDict):
    """The promotion of a register to canon."""

    canonical_text: NotRequired[str | None]
    """The text as canon; the register's text if omitted."""


class ProposedMerge(TypedDict):
    """Two entities that are one."""

    kept_ref: str
    """The entity that stays, as `<type>:<slug>`."""
    merged_ref: str
    """The entity whose names shall stand for it."""
    accept: NotRequired[bool]
    """Whether to merge them at once, rather than only propose it."""


class ProviderKey(TypedDict):
    """A user's key for a provider, without the secret itself."""

    key_id: str
    provider: Literal["anthropic", "openai"]
    last_four: str
    """Its last four characters."""
    created_at: str
    expires_at: str | None
    """When it is deleted; null if it was stored for good."""
    last_used_at: str | None
    refused_at: str | None
    """Since when the provider rejects it."""
    refusal: str | None
    """Why the provider rejects it."""


class Rebuilds(TypedDict):
    """What workers derive again, and so what the change costs; in the background, a model call for many at a time."""

    messages: int
    """Messages that are judged again, or for the first time when restored."""
    summaries: int
    """Closed sessions that are summarised again."""
    scenes: int
    """Scenes that are removed; the other messages of each are drawn from again."""
    rolling_summary: bool
    """Whether the rolling summary is written again, from 40 messages."""
    spine: bool
    """Whether the user's spine is written again, from 40 messages."""


class RecallRequest(TypedDict):
    """A query for recall, and the form of the answer."""

    query: str
    """A sentence or a few words; usually the user's last message."""
    limit: NotRequired[int]
    """The most nodes to return."""
    threshold: NotRequired[float]
    """The least cosine similarity between query and node."""
    format: NotRequired[Literal["fragments", "nodes"]]
    """A shuffled stream of fragments for a prompt, or the nodes as they are."""
    activate: NotRequired[bool]
    """Whether this recall activates the nodes, which delays their fading."""
    explain: NotRequired[bool]
    """Whether to explain why each node was found."""


class RecalledNode(TypedDict):
    """A recalled node."""

    node_id: str
    note_id: str
    cluster_id: str | None
    scene: dict[str, Any]
    feeling: str | None
    themes: list[str]
    emotion: dict[str, float] | None
    importance: float
    effective_importance: float
    session_count: int
    status: Literal["active", "dying", "dead"]
    fresh: bool
    pinned: bool
    reactivation_count: int
    last_activated: str | None
    absorbed_into: str | None
    forgotten_at: str | None
    created_at: str
    patrols_left: int | None
    similarity: float | None
    """Cosine similarity to the query; null for a match by words."""


class RecordChanges(TypedDict):
    """The fields of a record to change; its scope, tier and topic cannot change."""

    text: NotRequired[str | None]
    """The new text, at most 1200 characters."""
    category: NotRequired[str | None]
    tags: NotRequired[list[str] | None]
    source: NotRequired[str | None]
    """The origin, one of chat, manual, tool, operator, promotion."""


class Refusal(TypedDict):
    """A rejected item: the gate, its rule, and what to do instead."""

    position: int
    """The item's position in the list, from 0."""
    gate: str | None
    """The gate that refused it; null if the item is not a valid record."""
    rule: str
    """What is wrong."""
    instead: str | None
    """What to do instead."""
    existing: str | None
    """The id of the existing record that it collides with, if any."""


class RegionReport(TypedDict):
    """One region of a context."""

    region: str
    origin: str
    """The source of its content."""
    entries: int
    tokens: int
    """Estimated."""
    stable: bool
    """Whether its bytes stay the same from turn to turn, so that a cache can serve it."""
    dropped: NotRequired[str | None]
    """Why it was left out; null if it is in the context."""


class RejectedLine(TypedDict):
    """A rejected line and the reason."""

    line: int
    """The line's number, from 1."""
    reason: str
    """What is wrong."""


class ReminderNote(TypedDict):
    """Something to be reminded of at a given time."""

    id: NotRequired[str | None]
    """The producer's id. The same id again with the same content changes nothing."""
    metadata: NotRequired[dict[str, Any]]
    """The producer's own data, at most 4 KB of JSON."""
    type: Literal["reminder"]
    content: str
    due_at: str


class RetractedMessage(TypedDict):
    """A version of a message that was taken back; nothing is derived from it."""

    message_id: str
    producer_id: str | None
    conversation: str | None
    role: Literal["user", "assistant", "other"]
    speaker: str | None
    content: str
    metadata: dict[str, Any]
    created_at: str
    received_at: str
    retracted_at: str


class RollingError(TypedDict):
    """Why the last attempt at a rolling summary failed, wholly or in part."""

    reason: str
    detail: str | None


class SearchRequest(TypedDict):
    """Words to search for."""

    query: str
    """Words; double quotes keep a phrase together."""
    mode: NotRequired[Literal["or", "and"]]
    """Whether any term suffices, or all must match."""
    limit: NotRequired[int]
    """The most nodes to return."""
    activate: NotRequired[bool]
    """Whether the found nodes are activated, which delays their fading."""


class Seed(TypedDict):
    """A fact about the user that a producer hands in directly."""

    type: Literal["PROFILE", "PEOPLE", "PROJECT", "OPEN_LOOP"]
    """`PROFILE`, `PEOPLE` or `PROJECT`; `OPEN_LOOP`, of older data, becomes a todo."""
    content: str
    """One statement in the third person."""
    entity_refs: NotRequired[list[str]]
    """The entities that it names, as `<type>:<name>`, first the one that it is about."""
    entity_label: NotRequired[str | None]
    """A display name for the entity that it is about."""
    fact_type: NotRequired[Literal["fact", "preference", "relationship", "friction", "habit"]]
    """What kind of statement it is."""
    importance: NotRequired[int]
    """0 trivial, 1 usual, 2 significant, 3 who the user is."""
    pinned: NotRequired[bool]
    """Whether it is in every context, and never archived by the curator."""
    in_confidence: NotRequired[bool]
    """Whether only this Being may know it."""


class Seeded(TypedDict):
    """How many seeds became what."""

    facts: int
    """New facts."""
    told_again: int
    """Seeds whose memory key was known; their statements were added to those facts."""
    todos: int
    repeated: int
    """Seeds equal to earlier ones; they changed nothing."""
    fact_ids: list[str]
    """The new facts, in the order of their seeds."""


class Session(TypedDict):
    """A conversation, open while `ended_at` is null."""

    session_id: str
    conversation: str | None
    started_at: str
    last_activity_at: str
    ended_at: str | None
    turn_count: int
    pause: float | None
    """Seconds between the last message of the session before and the first of this one."""


class ShownFact(TypedDict):
    """A fact that a context showed."""

    fact_id: str
    content: str
    """What it says today."""
    scores: dict[str, float] | None
    """The parts of its score; null for a pinned fact."""


class ShownMemory(TypedDict):
    """A memory that a context showed."""

    node_id: str
    text: str
    """What it says today, in one line."""
    regions: list[str]
    """The regions in which it stood."""
    similarity: float | None
    """To the message; null if it was not chosen by the message."""


class ShownPassage(TypedDict):
    """A passage of earlier talk that a context showed."""

    message_ids: list[str]
    session_id: str
    text: str
    """Its messages, a line each."""
    score: float


class Signal(TypedDict):
    """One signal of a result."""

    value: float
    """The signal itself."""
    share: float
    """What it adds to the score; a negative share takes away."""


class Snapshot(TypedDict):
    """Block 1-B as it was last assembled, and the ids it was made from."""

    content: str
    made_from: dict[str, Any]
    made_at: str


class Soul(TypedDict):
    """A Being's personality. Users write all fields except `think_md`, which patrols write."""

    partner_type: str
    personality: str
    voice: str
    values: str
    backstory: str
    inner_world: str
    examples: str
    think_md: str
    thought_at: str | None
    updated_at: str | None


class SoulChanges(TypedDict):
    """Changes of a soul or its state. Omitted parts stay; an empty text removes a part."""

    partner_type: NotRequired[str | None]
    """The user's relation to the Being, such as friend or partner."""
    personality: NotRequired[str | None]
    """The Being's personality."""
    voice: NotRequired[str | None]
    """Its way of speaking."""
    values: NotRequired[str | None]
    """Its values."""
    backstory: NotRequired[str | None]
    """Its backstory."""
    inner_world: NotRequired[str | None]
    """Its inner world."""
    examples: NotRequired[str | None]
    """Examples of its answers."""
    think_md: NotRequired[str | None]
    """Its notes for the next session; patrols write them."""
    project: NotRequired[str | None]
    """The project it works on."""
    mood: NotRequired[str | None]
    """Its mood."""
    topic: NotRequired[str | None]
    """The topic of the talk."""


class SoulState(TypedDict):
    """The state of a soul; an empty part is the default, which contexts do not show."""

    project: str
    mood: str
    topic: str
    updated_at: str | None


class Spending(TypedDict):
    """The sum of calls. Calls whose outcome is unknown count with the highest usage that they can have had."""

    day: str
    being_id: str | None
    """Null for calls for the user, across Beings."""
    purpose: str
    provider: str
    model: str
    paid_with: Literal["request", "user", "platform"]
    """Whose key paid."""
    calls: int
    unpriced: int
    """Calls whose price is unknown; `cost` is without them."""
    unsettled: int
    """Calls that are in progress, or whose worker crashed."""
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost: str | None
    """In the currency of the prices; null where no call has a known price."""
    budget_reached_at: str | None
    """When that day's budget was exhausted: further calls wait for the next day. Null: it was not."""


class StepReport(TypedDict):
    """The outcome of one step of a patrol."""

    step: str
    outcome: str
    """`done`, `skipped`, `not due`, or `waiting` for the steps before it."""
    reason: str | None
    """Why it was skipped, or done in part or without a model."""
    counts: dict[str, int]
    """What it changed, in numbers."""
    finished_at: str | None


class StepUnderWay(TypedDict):
    """A patrol's current step."""

    step: str
    state: Literal["ready", "running", "done", "dead"]
    """`ready` while it waits for a worker or backs off."""
    attempts: int
    next_at: str
    """The earliest time of the next attempt."""
    error: str | None
    """The last error, without content."""


class Subtype(TypedDict):
    """What kind of entity a fact is about, and what kind of statement it makes."""

    entityType: Literal["person", "place", "org", "project", "thing"]
    factType: Literal["fact", "preference", "relationship", "friction", "habit"]


class SummarySpine(TypedDict):
    """The structured long-term summary of what a user has told."""

    PROFILE: list[str]
    """Who the user is: one short statement each."""
    PROJECTS: list[str]
    """What the user works on, and how it stands."""
    PEOPLE: list[str]
    """Who is in the user's life, and what about them."""
    OPEN_LOOPS: list[str]
    """What is open, promised or awaited."""


class Todo(TypedDict):
    """A commitment, habit, open thread or friction of the user's, or a promise that the Being made."""

    todo_id: str
    kind: Literal["commitment", "habit", "thread", "friction", "promise"]
    content: str
    status: Literal["OPEN", "DONE", "ARCHIVED"]
    pinned: bool
    due: str | None
    """When, in the user's own words."""
    in_confidence: bool
    """Whether a message that it rests on was said in confidence."""
    source: str
    confidence: float
    created_at: str
    last_told_at: str
    closed_at: str | None


class TodoChanges(TypedDict):
    """Changes to a todo. Omitted fields stay as they are."""

    content: NotRequired[str | None]
    """What the user means to do."""
    due: NotRequired[str | None]
    """When, in the user's own words."""
    pinned: NotRequired[bool | None]
    """Whether it is protected from archiving."""
    status: NotRequired[Literal["OPEN", "DONE", "ARCHIVED"] | None]
    """`DONE` closes it, `ARCHIVED` hides it, `OPEN` brings it back."""
    in_confidence: NotRequired[bool | None]
    """Whether the messages that it rests on stay with the Being that they were said to."""


class TodoNote(TypedDict):
    """Something to do."""

    id: NotRequired[str | None]
    """The producer's id. The same id again with the same content changes nothing."""
    metadata: NotRequired[dict[str, Any]]
    """The producer's own data, at most 4 KB of JSON."""
    type: Literal["todo"]
    content: str


class Token(TypedDict):
    """A bearer token without its secret."""

    user_id: str
    token_id: str
    being_id: str | None
    scopes: list[Literal["ingest", "read", "manage"]]
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None


class TopicChanges(TypedDict):
    """Changes to a topic. Omitted fields stay."""

    name: NotRequired[str | None]
    """The topic's name. Patrols keep a name that a person gave."""
    root: NotRequired[Literal["Business", "Private"] | None]
    """The root to move the topic to."""


class TopicRequest(TypedDict):
    """A cluster whose nodes are to be listed."""

    cluster_id: str
    """The cluster; for one that was merged, the cluster that has its nodes now."""
    cursor: NotRequired[str | None]
    """The previous page's cursor; omit it for the first page."""
    activate: NotRequired[bool]
    """Whether the returned nodes are activated, which delays their fading."""


class TopicText(TypedDict):
    """The new text of a topic's register."""

    text: str
    """The statement, at most 1200 characters."""
    scope: NotRequired[str | None]
    """`shared`, or the Being's slug, which is the default."""
    category: NotRequired[str | None]
    """Unchanged if omitted."""
    tags: NotRequired[list[str] | None]
    """Unchanged if omitted."""
    source: NotRequired[str | None]
    """The origin, one of chat, manual, tool, operator, promotion."""
    force: NotRequired[bool]
    """Whether to add the record though the scope holds a near-duplicate, which is recorded as `forced_over`."""


class Trouble(TypedDict):
    """An item that changed nothing, and why."""

    position: int
    """The item's place in the batch, from 0."""
    reason: str
    """What is wrong with it, and where."""


class User(TypedDict):
    """The person; owns Beings."""

    user_id: str
    external_id: str | None
    """The id that your application gave; null: made on the command line."""
    name: str
    time_zone: str
    facts_scope: Literal["user", "being"] | None
    """Who knows facts that were not told in confidence; null: as PATROL_FACTS_SCOPE says."""
    created_at: str


class UserChanges(TypedDict):
    """Changes to a user. Omitted fields stay."""

    name: NotRequired[str | None]
    """The new display name."""
    time_zone: NotRequired[str | None]
    """IANA name of the new time zone."""
    facts_scope: NotRequired[Literal["user", "being"] | None]
    """The scope of facts that are heard from now on; null: as PATROL_FACTS_SCOPE says."""


class UserModel(TypedDict):
    """The description of a user as a person."""

    content: str
    updated_at: str


class VaultConfigInput(TypedDict):
    """How a Being uses its vault: the section `memory` of the seed's profile."""

    enabled: NotRequired[bool]
    """Whether prompts show the vault."""
    scopes: NotRequired[list[str] | None]
    """The scopes that prompts show: `shared`, the Being's slug, or both, which is the default."""
    max_items: NotRequired[int]
    """The most records of a block for a query."""
    similarity_threshold: NotRequired[float]
    """The sequence similarity from which two records are near-duplicates."""


class VaultConfigOutput(TypedDict):
    """How a Being uses its vault: the section `memory` of the seed's profile."""

    enabled: bool
    """Whether prompts show the vault."""
    scopes: list[str] | None
    """The scopes that prompts show: `shared`, the Being's slug, or both, which is the default."""
    max_items: int
    """The most records of a block for a query."""
    similarity_threshold: float
    """The sequence similarity from which two records are near-duplicates."""


class VaultErased(TypedDict):
    """The outcome of a permanent erasure."""

    records: int
    """Erased versions, tombstones included."""


class VaultRecord(TypedDict):
    """One version of a durable statement. The newest version is the current one, unless it is a tombstone."""

    id: str
    """Twelve hexadecimal digits, the same in every version."""
    text: str
    """The statement, at most 1200 characters; empty in a tombstone."""
    scope: str
    """`shared`, for all Beings of the user, or the slug of one Being."""
    category: str
    """The kind of statement, such as bio, mission, project or goal."""
    tier: Literal["canon", "register"]
    """`canon` for durable statements, `register` for the current state of a topic."""
    topic_id: str | None
    """The topic of a register; a scope has one live record a topic."""
    tags: list[str]
    created_at: str
    updated_at: str | None
    source: Literal["chat", "manual", "tool", "operator", "promotion"] | None
    deleted_at: str | None
    """When the record was deleted; a version with it is a tombstone."""
    version: int
    """1 for the first version, one more with each change."""
    forced_over: str | None
    """The near-duplicate over which the record was added with `force`; null without."""


class VaultSearch(TypedDict):
    """A search of the vault."""

    query: str
    """Words, of which a record must contain at least one."""
    scopes: NotRequired[list[str] | None]
    """Only these scopes: `shared`, the Being's slug, or both."""
    tier: NotRequired[Literal["canon", "register"] | None]
    """Only this tier."""
    limit: NotRequired[int]
    """The most results."""


class VaultStats(TypedDict):
    """Counts of a vault."""

    active: int
    """Live records."""
    max: int
    """The capacity of all these scopes together."""
    utilization: float
    """Live records in percent of the capacity."""
    deleted: int
    """Records that end in a tombstone."""
    raw_lines: int
    """All stored versions."""
    bloat_ratio: float
    """Stored versions per live record; 1 is the least."""
    by_scope: dict[str, int]
    by_tier: dict[str, int]
    by_category: dict[str, int]
    register_topics: int
    """Live registers with a topic."""


class WhenEntry(TypedDict):
    """A dated line of a scene's history, as consolidation writes it."""

    date: str
    action: str


class Work(TypedDict):
    """A unit of work as the doors show it."""

    work_id: str
    owner_id: str
    kind: str
    key: str
    queue: str
    state: Literal["ready", "running", "done", "dead"]
    attempts: int
    next_at: str
    lease_until: str | None
    error: str | None
    created_at: str
    finished_at: str | None
    known: bool
    """False if this version has no task for the kind; the work then waits for a version that has one."""


class WorkingMemoryEntry(TypedDict):
    """An entry of a conversation's working memory; entries of the region `conversation` have the message's id."""

    entry_id: str
    conversation: str | None
    """The conversation; null: the one of what names none."""
    region: str
    role: Literal["system", "user", "assistant"]
    content: str
    other: bool | None
    """Whether the speaker is neither the user nor the Being; null if it is no message."""
    speaker: str | None
    message_id: str | None
    said_at: str


class AssembledPage(TypedDict):
    """One page of assembled contexts."""

    contexts: list[AssembledContext]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class BeingPage(TypedDict):
    """The Beings that a token opens."""

    beings: list[Being]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class CandidatePair(TypedDict):
    """Two similar records that could be merged."""

    first: VaultRecord
    second: VaultRecord
    similarity: float
    """The greater of token overlap and sequence similarity, 0 to 1."""


class ClusterPage(TypedDict):
    """The topics of a Being."""

    clusters: list[Cluster]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class Context(TypedDict):
    """An assembled prompt."""

    context_id: NotRequired[str | None]
    """Its id: put it as `context_id` into the metadata of messages that answer it. Null with `activate: false`."""
    process: str
    conversation: NotRequired[str | None]
    """The conversation that it is for; null: the one of what names none."""
    session_id: NotRequired[str | None]
    """The session that it is for, if there is one."""
    text: NotRequired[str | None]
    """The prompt as one string, for `format: text`."""
    system: NotRequired[list[dict[str, Any]] | None]
    """Anthropic's `system`, for `format: anthropic`."""
    messages: NotRequired[list[dict[str, Any]] | None]
    """Messages, for Anthropic or OpenAI."""
    tokens: int
    """The length of the prompt, in estimated tokens."""
    over_budget: bool
    """Whether the regions that are never dropped exceed the budget."""
    degraded: bool
    """Whether words were compared because the embedder was unavailable."""
    regions: list[RegionReport]
    """Every region with content, in the order of the prompt."""
    dropped: list[str]
    """The regions that the budget left out, in the order in which they were dropped."""
    explanation: NotRequired[Any | None]
    """The scores of each node and fact, if `explain` was set."""


class ConversationState(TypedDict):
    """The state that survives sessions."""

    messageCount: int
    """User and assistant messages, over all sessions."""
    lastInteraction: str | None
    lastUserMessage: str | None
    """Its first 200 characters."""
    curator: CuratorState
    lastRollingAttemptAt: str | None
    lastRollingSuccessAt: str | None
    lastRollingError: RollingError | None


class DiaryPage(TypedDict):
    """One page of a Being's diary."""

    entries: list[DiaryEntry]
    """Newest first, one for each day in the user's time zone."""
    cursor: str | None
    """Pass it to get the next page; null on the last page."""
    think_md: str
    """Its notes for the next conversation; empty until a patrol has written some."""


class EntityPage(TypedDict):
    """The entities that facts name."""

    entities: list[Entity]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class Fact(TypedDict):
    """A fact about the user: the current content of its statements."""

    fact_id: str
    being_id: str | None
    """The only Being that knows it; null if all of the user's Beings do."""
    type: Literal["PROFILE", "PEOPLE", "PROJECT"]
    content: str
    entity_refs: list[str]
    """`<type>:<slug>`; the first is what the fact is about."""
    entity_label: str
    subtype: Subtype
    importance: int
    """0 to 3; 3 while it is pinned, and 1 becomes 2 after mentions in 3 sessions."""
    pinned: bool
    memory_key: str
    source: Literal["shadow_extraction", "seeded_profile", "curated_fold"]
    status: Literal["ACTIVE", "ARCHIVED"]
    confidence: float
    mentions: int
    """How many times it was mentioned."""
    sessions: int
    """In how many sessions it was mentioned."""
    created_at: str
    last_told_at: str


class Imported(TypedDict):
    """The outcome of an import."""

    imported: int
    """New lines."""
    known: int
    """Lines that were stored before, with the same content."""
    erased: list[int]
    """Numbers of lines whose record or text was permanently erased before."""
    rejected: list[RejectedLine]
    """Rejected lines."""
    stopped_at: int | None
    """The first line that was not read, after 1,000 rejected ones; null if all were read."""


class IssuedToken(TypedDict):
    """A new access token."""

    secret: str
    """Send it as `Authorization: Bearer …`. It can't be read again."""
    token: Token


class KeyPage(TypedDict):
    """The keys that a user has stored."""

    keys: list[ProviderKey]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class KnowledgeChanges(TypedDict):
    """What to put and to remove, together or not at all; of several under one key the last counts."""

    items: list[NewKnowledge]
    """What to keep or remove."""


class KnowledgeFound(TypedDict):
    """What was found."""

    items: list[KeyedKnowledge]
    degraded: bool
    """Whether the embedder was out of reach and words had to do."""


class KnowledgeKeys(TypedDict):
    """Which knowledge to show."""

    keys: list[KnowledgeKey]
    """Namespaces and keys."""


class KnowledgeShown(TypedDict):
    """What is kept under each of the keys, in their order."""

    items: list[KeyedKnowledge | None]


class MessagePage(TypedDict):
    """One page of messages."""

    messages: list[Message]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class NamedEntity(TypedDict):
    """A person or thing that the query names."""

    entity_ref: str
    label: str
    facts: list[str]
    """Up to three: pinned first, then by importance, then the newest."""
    first: Neighbour | None
    """The message that named it first."""
    last: Neighbour | None
    """The message that named it last."""


class NamespaceQuestion(TypedDict):
    """Which namespaces to list."""

    conditions: NotRequired[list[NamespaceCondition]]
    """All of them have to be fulfilled."""
    max_depth: NotRequired[int | None]
    """Cut deeper namespaces to so many labels."""
    limit: NotRequired[int]
    """The most namespaces."""
    offset: NotRequired[int]
    """How many namespaces to leave out first."""


class NodeChanges(TypedDict):
    """Changes to a node. Omitted fields stay; null removes an optional one."""

    pinned: NotRequired[bool | None]
    """Whether the node is kept from fading."""
    action: NotRequired[str | None]
    """What happened."""
    actors: NotRequired[list[str] | None]
    """The people who were present."""
    when: NotRequired[list[str | WhenEntry] | None]
    """Dates, or dated lines."""
    setting: NotRequired[str | None]
    """The place and its surroundings."""
    dialogue: NotRequired[list[str] | None]
    """Lines of dialogue; recall shows the first."""
    sensory: NotRequired[list[str] | None]
    """Sensory details: sights, sounds, smells, touch."""
    feeling: NotRequired[str | None]
    """The Being's own impression, in the first person."""
    importance: NotRequired[float | None]
    """0 to 1; values outside are clamped."""
    themes: NotRequired[list[str] | None]
    """Tags, matched whole by search."""
    emotion: NotRequired[Emotion | None]
    realm: NotRequired[Literal["real", "role-play", "hypothetical"] | None]
    """Whether it happened, belongs to a game or story, or was imagined."""


class NodePage(TypedDict):
    """One page of nodes."""

    nodes: list[Node]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class NodeStory(TypedDict):
    """A node's origin and history."""

    node: Node
    text: str
    """The scene in one line."""
    note: Note | None
    """The note that it was made from."""
    messages: list[Message]
    """If it, or a node that it absorbed, was drawn from talk: the messages that it rests on, in order."""
    absorbed: list[Node]
    """Nodes that it absorbed."""
    final_survivor: str | None
    """If it was absorbed, the node at the end of the chain."""
    history: list[HistoryEvent]


class NotePage(TypedDict):
    """One page of notes."""

    notes: list[Note]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class PersonaPage(TypedDict):
    """The entries of one of a Being's lists."""

    entries: list[PersonaEntry]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class ProfilePage(TypedDict):
    """The process profiles of a Being."""

    profiles: list[Profile]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class Proposal(TypedDict):
    """A record proposed for deletion, which only a caller's request deletes."""

    record: VaultRecord
    reasons: list[str]


class Proposals(TypedDict):
    """Merges of entities: proposed and decided."""

    proposals: list[EntityMerge]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class RecalledFragments(TypedDict):
    """The result of a recall as text for a prompt."""

    recalled: str
    """Actions and feelings, shuffled, inside <recalled_memory>; empty if nothing was found."""
    degraded: bool
    """Whether the embedder was unavailable and nodes were found by words alone."""
    explanation: NotRequired[list[Explanation] | None]
    """On request; nearest first."""


class RecalledNodes(TypedDict):
    """The result of a recall as nodes."""

    nodes: list[RecalledNode]
    """Nearest first."""
    degraded: bool
    """Whether the embedder was unavailable and nodes were found by words alone."""
    explanation: NotRequired[list[Explanation] | None]
    """On request; in the order of `nodes`."""


class Receipt(TypedDict):
    """What became of a batch, item by item."""

    accepted: int
    """Items that are committed now, and were not before."""
    duplicates: int
    """Items that were committed before, with the same content."""
    conflicts: list[Trouble]
    """Items whose id is known with other content, which stays."""
    rejected: list[Trouble]
    """Items that can't be taken."""
    erased: list[int]
    """Positions of items that were erased for good before; they are not kept, and it is no error."""
    shortened: list[int]
    """Positions of items whose text is longer than its limit; its beginning is kept."""
    ids: list[str | None]
    """For each item the id of its note, null where it was rejected, or erased before."""
    hint: NotRequired[str | None]
    """What keeps accepted items from being processed, and what to do; null if nothing does."""


class RecordPage(TypedDict):
    """Records of the vault, or the versions of one record."""

    records: list[VaultRecord]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class Restored(TypedDict):
    """What became of a restoration."""

    restored: int
    """Messages that stand now, and did not before."""
    unchanged: int
    """Ids of messages that stood before."""
    no_longer_awaited: int
    """Ids whose message has not arrived, and will stand when it does."""
    unknown: list[int]
    """Positions of ids that this Being has no message of."""
    conflicts: list[Trouble]
    """Ids of versions that can't stand beside another one."""
    ids: list[str]
    """The messages that stand again."""
    rebuilds: Rebuilds


class Result(TypedDict):
    """Something that was told."""

    kind: Literal["message", "node", "fact", "summary", "diary", "vault", "knowledge"]
    id: str
    """The id of a message, node, fact or note, of a summary's session, or of a vault record; a day."""
    producer_id: str | None
    """The producer's own id of a message or note, also of the note behind a node."""
    text: str
    at: str
    """When it was said or happened."""
    speaker: str | None
    """Who said it; null for what is no message."""
    session_id: str | None
    """The conversation of a message or summary."""
    score: float
    before: list[Neighbour]
    """The messages before it, oldest first."""
    after: list[Neighbour]
    """The messages after it."""
    signals: dict[str, Signal] | None
    """On request: each signal and its share of the score."""


class Retracted(TypedDict):
    """What became of a retraction."""

    retracted: int
    """Messages that are retracted now, and were not before."""
    unchanged: int
    """Ids of messages that were retracted, awaited or erased before."""
    awaited: int
    """Ids without a message: it is retracted when it arrives."""
    ids: list[str]
    """The messages that are retracted now."""
    rebuilds: Rebuilds


class RetractedPage(TypedDict):
    """One page of retracted messages."""

    messages: list[RetractedMessage]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class RetrievedFact(TypedDict):
    """A retrieved fact."""

    fact_id: str
    being_id: str | None
    """The only Being that knows it; null if all of the user's Beings do."""
    type: Literal["PROFILE", "PEOPLE", "PROJECT"]
    content: str
    entity_refs: list[str]
    """`<type>:<slug>`; the first is what the fact is about."""
    entity_label: str
    subtype: Subtype
    importance: int
    """0 to 3; 3 while it is pinned, and 1 becomes 2 after mentions in 3 sessions."""
    pinned: bool
    memory_key: str
    source: Literal["shadow_extraction", "seeded_profile", "curated_fold"]
    status: Literal["ACTIVE", "ARCHIVED"]
    confidence: float
    mentions: int
    """How many times it was mentioned."""
    sessions: int
    """In how many sessions it was mentioned."""
    created_at: str
    last_told_at: str
    similarity: float
    """Cosine similarity; if `degraded`, the share of the query's words that it contains."""
    score: float
    """The score by which facts are ranked."""


class RollingPage(TypedDict):
    """One page of the versions of a rolling summary."""

    versions: list[KeptRolling]
    """Newest first."""
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class RunReport(TypedDict):
    """The progress of a patrol."""

    run_id: str
    state: Literal["queued", "running", "done", "failed"]
    demanded: bool
    """Whether a request started it; it then always raises the patrol counter."""
    as_of: str | None
    """The moment that all its steps use as the current time."""
    created_at: str
    started_at: str | None
    finished_at: str | None
    steps: list[StepReport]
    """All nine, in order."""
    under_way: StepUnderWay | None
    """Null before the first step and after the last."""
    counts: dict[str, int]
    """What all steps changed together, in numbers."""
    error: str | None


class SceneInput(TypedDict):
    """A scene as a producer sends it: the scene itself, the Being's feeling, importance, themes and emotion."""

    action: str
    """What happened."""
    actors: list[str]
    """The people who were present."""
    when: list[str | WhenEntry]
    """Dates, or dated lines."""
    setting: NotRequired[str | None]
    """The place and its surroundings."""
    dialogue: NotRequired[list[str] | None]
    """Lines of dialogue; recall shows the first."""
    sensory: NotRequired[list[str] | None]
    """Sensory details: sights, sounds, smells, touch."""
    realm: NotRequired[Literal["real", "role-play", "hypothetical"] | None]
    """Whether it happened, belongs to a game or story, or was only imagined."""
    feeling: NotRequired[str | None]
    """The Being's own impression, in the first person."""
    importance: NotRequired[float | None]
    """0 to 1, clamped; null counts as absent, which is 0.5."""
    themes: NotRequired[list[str] | None]
    """Tags, matched whole by search."""
    emotion: NotRequired[Emotion | None]


class Searched(TypedDict):
    """The result of a search by words."""

    nodes: list[Node]
    """By number of matching terms, then by effective importance, descending."""
    terms: list[str]
    """The terms that the query was split into."""


class SessionDetail(TypedDict):
    """A session, with the newest version of its summary."""

    session_id: str
    conversation: str | None
    started_at: str
    last_activity_at: str
    ended_at: str | None
    turn_count: int
    pause: float | None
    """Seconds between the last message of the session before and the first of this one."""
    summary: KeptSummary | None
    """The newest version; null until the session was closed and summarised."""


class SessionPage(TypedDict):
    """One page of sessions."""

    sessions: list[Session]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class ShownContext(TypedDict):
    """What a context showed. What was erased, retracted or forgotten for good since then is left out."""

    context_id: str
    process: str
    """The mental process that it was assembled for."""
    conversation: str | None
    """The conversation that it was assembled for; null: none was named."""
    created_at: str
    items: int
    """How many memories and facts it showed."""
    memories: list[ShownMemory]
    facts: list[ShownFact]
    passages: list[ShownPassage]


class SpendingPage(TypedDict):
    """Sums of calls, newest day first."""

    spending: list[Spending]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class Spine(TypedDict):
    """A version of a user's spine."""

    version: int
    content: SummarySpine
    message_count: int
    """Messages since the version before."""
    created_at: str


class Statement(TypedDict):
    """A statement of a fact: current, or replaced by another."""

    statement_id: str
    content: str
    source: str
    confidence: float
    replaced_by: str | None
    created_at: str
    evidence: list[Evidence]


class TodoPage(TypedDict):
    """One page of todos."""

    todos: list[Todo]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class TokenPage(TypedDict):
    """All tokens of a user."""

    tokens: list[Token]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class TopicMap(TypedDict):
    """One page of the map."""

    clusters: list[Cluster]
    """All topics: each root, then its topics by size."""
    nodes: list[MappedNode]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class TopicPage(TypedDict):
    """One page of a topic's nodes."""

    cluster: Cluster
    nodes: list[Node]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class Turn(TypedDict):
    """New messages, and the options of the context for the answer to them."""

    process: NotRequired[str]
    """A mental process, such as `externalDialog`."""
    budget_tokens: NotRequired[int]
    """The longest context, in estimated tokens."""
    format: NotRequired[Literal["text", "anthropic", "openai"]]
    """`text` is one string; `anthropic` is messages with cache markers; `openai` is messages."""
    activate: NotRequired[bool]
    """Whether recalled nodes count as activated. With false, assembling changes nothing: the user model does not
    count as shown, and the context has no `context_id`, by which later messages would be recognised as echoes
    of it.
    """
    explain: NotRequired[bool]
    """Whether the answer has the scores of each node and fact."""
    messages: list[MessageInput]
    """The messages since the last turn, oldest first. The context is for the answer to the last one, in its
    `conversation`.
    """


class UserPage(TypedDict):
    """One page of users."""

    users: list[User]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class VaultHit(TypedDict):
    """A record that matches a query."""

    record: VaultRecord
    score: float
    """The seed's search score, from 0 to 1.7."""


class VaultReceipt(TypedDict):
    """The outcome of each item of a list."""

    added: int
    """New records."""
    updated: int
    """Existing registers that have one more version."""
    repeated: int
    """Items whose idempotency key was known, with the same content."""
    rejected: list[Refusal]
    """Rejected items."""
    erased: list[int]
    """Positions of items that were permanently erased before; they are not stored, which is no error."""
    records: list[VaultRecord | None]
    """Each item's record; null for rejected and erased items."""


class WholeSoul(TypedDict):
    """A soul and its state."""

    soul: Soul
    state: SoulState


class WorkPage(TypedDict):
    """One page of work."""

    work: list[Work]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class WorkingMemoryPage(TypedDict):
    """The entries of a conversation's working memory."""

    entries: list[WorkingMemoryEntry]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class CandidatePage(TypedDict):
    """Pairs of similar records, the most similar first."""

    candidates: list[CandidatePair]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class FactDetail(TypedDict):
    """A fact with all its statements, their evidence, and its history."""

    fact: Fact
    statements: list[Statement]
    """Oldest first; those with `replaced_by` are no longer part of `content`."""
    history: list[FactEvent]


class FactPage(TypedDict):
    """One page of facts."""

    facts: list[Fact]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class Found(TypedDict):
    """What was found."""

    entities: list[NamedEntity]
    """Up to three that the query names and facts know; none with `as_of`, or without the kind `fact`."""
    results: list[Result]
    """Best first."""
    degraded: bool
    """Whether the embedder was out of reach and words had to do."""
    unindexed: int
    """How much was accepted and is not searchable yet by every signal."""


class HitPage(TypedDict):
    """Records that match a search, the highest score first."""

    hits: list[VaultHit]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class ProposalPage(TypedDict):
    """Records proposed for deletion."""

    proposals: list[Proposal]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class Retrieved(TypedDict):
    """The facts that are relevant to a query."""

    facts: list[RetrievedFact]
    """Highest score first."""
    cards: list[EntityCard]
    foundation: list[Fact]
    """Pinned facts, up to 20, for every query."""
    text: str
    """Cards and facts as text for a prompt, one a line."""
    degraded: bool
    """Whether the query could not be embedded, so that facts were found by words."""
    explanation: list[FactExplanation] | None
    """On request; in the order of `facts`."""


class RunPage(TypedDict):
    """One page of patrols."""

    patrols: list[RunReport]
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class SceneNote(TypedDict):
    """One event, as an object, or as a string that the patrol parses."""

    id: NotRequired[str | None]
    """The producer's id. The same id again with the same content changes nothing."""
    metadata: NotRequired[dict[str, Any]]
    """The producer's own data, at most 4 KB of JSON."""
    type: Literal["scene"]
    content: SceneInput | str
    aged: NotRequired[bool]
    """Whether its memory is born with the age that it would have if it had been handed in on the last date (YYYY-
    MM-DD) of `when`, with a patrol at each PATROL_TICK since.
    """


class SessionState(TypedDict):
    """A Being's session state with its rolling summary."""

    state: ConversationState
    rollingSummary: str | None
    """600 characters at most."""


class SpinePage(TypedDict):
    """One page of the versions of a spine."""

    versions: list[Spine]
    """Newest first."""
    cursor: str | None
    """Pass it to get the next page; null on the last page."""


class TurnAnswer(TypedDict):
    """The receipt of the messages, and the context for the answer."""

    receipt: Receipt
    context: Context
