// The JSON objects of the API. Times and ids are strings, as they are sent.
// Generated from openapi.json by `make docs`; do not edit.

/** An assembled context in short. */
export interface AssembledContext {
  context_id: string;
  /** The mental process that it was assembled for. */
  process: string;
  /** The conversation that it was assembled for; null: none was named. */
  conversation: string | null;
  created_at: string;
  /** How many memories and facts it showed. */
  items: number;
}

/** One AI companion of one user; the unit of isolation. `ticked_at` is when its patrol counter was last raised. */
export interface Being {
  being_id: string;
  user_id: string;
  slug: string;
  name: string;
  embedding_model: string | null;
  language: string;
  /** Whether scenes are drawn from its talk; null: as PATROL_SCENES says. */
  scenes: "auto" | "on" | "off" | null;
  patrol_counter: number;
  ticked_at: string | null;
  daily_cost: string | null;
  daily_tokens: number | null;
  created_at: string;
}

/** Changes to a Being. Omitted fields stay. */
export interface BeingChanges {
  /** Its new display name. */
  name?: string | null;
  /** The language that it is talked to in, by its ISO 639-1 code, for the stems of words in the search; `auto`: the language of what it is told. */
  language?: "auto" | "ar" | "ca" | "cs" | "da" | "de" | "el" | "en" | "es" | "fi" | "fr" | "hi" | "hu" | "hy" | "id" | "it" | "ja" | "ko" | "nl" | "no" | "pl" | "pt" | "ro" | "ru" | "sv" | "ta" | "th" | "tr" | "zh" | null;
  /** Whether the call that summarises a closed session also draws scene notes from its messages; `auto`: unless a producer's own scene notes are of the same time; null: as PATROL_SCENES says. */
  scenes?: "auto" | "on" | "off" | null;
  /** The budget of its model calls for a day of the user, in dollars; null: PATROL_DAILY_COST. */
  daily_cost?: number | string | null;
  /** The most tokens of its model calls in a day; null: PATROL_DAILY_TOKENS. */
  daily_tokens?: number | null;
}

/** The number of rows that were erased with a Being or a user. */
export interface BeingErased {
  beings: number;
  notes: number;
  nodes: number;
  messages: number;
  /** The Being's own, and those of the user without other evidence. */
  facts: number;
  todos: number;
  diary_entries: number;
  /** Versions in the Being's vault scope. */
  vault_records: number;
}

/** Fenced text for a prompt; empty if there is no content. */
export interface Block {
  text: string;
}

/** A block of relevant records for a prompt. */
export interface BlockRequest {
  /** What the records must be relevant to; all records if omitted. */
  query?: string | null;
  /** Only these scopes: `shared`, the Being's slug, or both. */
  scopes?: string[] | null;
  /** The most records; the configured number if omitted. */
  max_items?: number | null;
}

/** A topic of nodes, with their numbers by status. */
export interface Cluster {
  cluster_id: string;
  name: string;
  is_parent: boolean;
  parent_id: string;
  nodes: number;
  active_nodes: number;
  fresh_nodes: number;
  dying_nodes: number;
  /** Where the name comes from; `words`: the topic's distinctive words, until a model names it. */
  named_by: "words" | "model" | "person";
  created_at: string;
  removed_at: string | null;
  merged_into: string | null;
}

/** The outcome of a compaction. */
export interface Compacted {
  /** Removed versions: superseded ones, and old tombstones with their records. */
  removed: number;
}

/** A request for a context. */
export interface ContextRequest {
  /** A mental process, such as `externalDialog`. */
  process?: string;
  /** The longest context, in estimated tokens. */
  budget_tokens?: number;
  /** `text` is one string; `anthropic` is messages with cache markers; `openai` is messages. */
  format?: "text" | "anthropic" | "openai";
  /** Whether recalled nodes count as activated. With false, assembling changes nothing: the user model does not count as shown, and the context has no `context_id`, by which later messages would be recognised as echoes of it. */
  activate?: boolean;
  /** Whether the answer has the scores of each node and fact. */
  explain?: boolean;
  /** The user's message, by which memories are recalled. It is not stored: see `turns`. */
  message?: string | null;
  /** The chat or tab, as its messages name it: whose lines, pauses and regions the context shows. Omitted: the session's, else the conversation of what names none. */
  conversation?: string | null;
  /** The session; the conversation's open one if omitted. */
  session?: string | null;
}

/** The curator's last run over the user's facts. */
export interface CuratorState {
  lastRunAt: string | null;
  lastMemoryCountAtRun: number;
}

/** The outcome of a deletion. */
export interface Deleted {
  /** Ids that now end in a tombstone. */
  deleted: string[];
  /** Ids without a live record in the Being's scopes. */
  missing: string[];
}

/** Records to delete. */
export interface Deletion {
  ids: string[];
}

/** The patrol that will do it. */
export interface Demanded {
  run_id: string;
}

/** A Being's diary entry for one day in its user's time zone. */
export interface DiaryEntry {
  day: string;
  text: string;
  run_id: string;
  last_node_id: string;
  written_at: string;
}

/** The VADSNT emotion vector, each number from -1 to 1. */
export interface Emotion {
  valence: number;
  arousal: number;
  dominance: number;
  safety: number;
  novelty: number;
  trust: number;
}

/** An entity that facts name. */
export interface Entity {
  entity_ref: string;
  label: string;
  /** Other names that stand for it. */
  aliases: string[];
  facts: number;
}

/** Further facts about an entity that the retrieved facts name. */
export interface EntityCard {
  entity_ref: string;
  /** Up to three: pinned first, then by importance, then the newest. */
  facts: string[];
  /** `[person:john]: fact; fact; fact` */
  text: string;
}

/** Two entities that may be one, and the decision about them. */
export interface EntityMerge {
  merge_id: string;
  kept_ref: string;
  merged_ref: string;
  state: "proposed" | "merged" | "declined" | "undone";
  similarity: number;
  created_at: string;
  decided_at: string | null;
}

/** What was removed and changed along with erased messages. */
export interface Erased {
  messages: number;
  /** Scenes that were drawn from the messages; their memories went with them. */
  scenes: number;
  /** Facts without other evidence. */
  facts_removed: string[];
  /** Facts that lost a statement; a replaced statement may be current again. */
  facts_changed: string[];
  todos_removed: string[];
  todos_reopened: string[];
}

/** What to look for in everything that the Being was told. */
export interface EverythingRequest {
  /** A question, a sentence or a few words, in any language. */
  query: string;
  /** The most results. */
  limit?: number;
  /** What to look among: all but the vault. */
  kinds?: ("message" | "node" | "fact" | "summary" | "diary" | "vault" | "knowledge")[];
  /** Only what was said or happened at this moment or later. */
  since?: string | null;
  /** Only what was said or happened before this moment. */
  until?: string | null;
  /** Answer from what had arrived by this moment, and take it for now in words like `last week`. What was erased since is not shown. */
  as_of?: string | null;
  /** Only messages of this speaker: a name, the Being's, or `user` for the user's without a name. */
  speaker?: string | null;
  /** How many messages before and after each message to show with it. */
  neighbours?: number;
  /** Whether to show each signal and its share of the score. */
  explain?: boolean;
  /** Whether being found keeps memories alive, as `recall` does. */
  activate?: boolean;
}

/** A quotation that supports a statement: from a message, or from a seed. */
export interface Evidence {
  being_id: string | null;
  message_id: string | null;
  seed_id: string | null;
  span: string;
  told_at: string;
}

/** Why a node was found. */
export interface Explanation {
  node_id: string;
  /** Cosine similarity to the query; null for a match by words. */
  similarity: number | null;
  /** importance × exp(−session_count / 30). */
  effective_importance: number;
  /** Patrols since its last activation, before this recall. */
  session_count: number;
  why: string;
}

/** Changes to a fact. Omitted fields stay as they are. */
export interface FactChanges {
  /** The corrected content; earlier statements stay in the history. */
  content?: string | null;
  /** 0 to 3; while the fact is pinned, it counts as 3. */
  importance?: number | null;
  /** Whether it is in every context, and never archived by the curator. */
  pinned?: boolean | null;
  /** `ARCHIVED` hides the fact, `ACTIVE` restores it. */
  status?: "ACTIVE" | "ARCHIVED" | null;
  /** Whether the fact, with the messages that it rests on, stays with the Being that was told it. */
  in_confidence?: boolean | null;
}

/** An event in a fact's history other than a mention. */
export interface FactEvent {
  event: string;
  detail: Record<string, unknown>;
  happened_at: string;
}

/** The parts of a fact's score. */
export interface FactExplanation {
  fact_id: string;
  similarity: number;
  /** 0.5^(days since it was last mentioned / 14). */
  recency: number;
  /** How often its commonest entity occurs among the candidates, over the highest such count. */
  frequency: number;
  /** 0.4 · similarity + 0.3 · recency + 0.3 · frequency, unless the blend is off. */
  score: number;
}

/** A query for facts. */
export interface FactQuestion {
  /** A sentence or a few words; usually the user's latest message. */
  query: string;
  /** The most facts to return. */
  limit?: number;
  /** Whether to return the parts of each fact's score. */
  explain?: boolean;
}

/** The answer when no check failed. */
export interface Health {
  status: "ok";
}

/** One event in a node's history. */
export interface HistoryEvent {
  event: string;
  detail: unknown;
  run_id: string | null;
  happened_at: string;
}

/** A version of a rolling summary. */
export interface KeptRolling {
  version: number;
  content: string;
  /** The Being's messageCount when it was written. */
  message_count: number;
  created_at: string;
}

/** A version of a session's summary. */
export interface KeptSummary {
  /** The conversation in one sentence. */
  one_liner: string;
  /** What it was about, most important first; up to six short phrases. */
  what_mattered: string[];
  /** What was left open; empty if nothing was. */
  open_loops: string[];
  /** Promises that were made, each with who made it; empty if there were none. */
  commitments: string[];
  /** The names of people who were spoken of. */
  people: string[];
  /** The mood of the conversation, in a few words. */
  tone: string;
  version: number;
  /** The number of turns that it covers. */
  turn_count: number;
  created_at: string;
}

/** Knowledge under its key. */
export interface KeyedKnowledge {
  namespace: string[];
  key: string;
  value: Record<string, unknown>;
  created_at: string;
  updated_at: string;
  /** How well it answers the query, where there is one that finds it. */
  score: number | null;
}

/** What was done. */
export interface KnowledgeChanged {
  /** How many keys have new values. */
  kept: number;
  /** How many keys were there, and are gone. */
  removed: number;
}

/** Where a program keeps knowledge. */
export interface KnowledgeKey {
  /** Labels, from the outermost to the innermost. */
  namespace: string[];
  /** The key within the namespace. */
  key: string;
}

/** A piece of knowledge with a title. */
export interface KnowledgeNote {
  /** The producer's id. The same id again with the same content changes nothing. */
  id?: string | null;
  /** The producer's own data, at most 4 KB of JSON. */
  metadata?: Record<string, unknown>;
  type: "knowledge";
  content: string;
  title: string;
  /** Whether it stands in the snapshot of every context; if not, it is found by searches alone. */
  in_snapshot?: boolean;
}

/** What to look for among the knowledge under keys. */
export interface KnowledgeQuestion {
  /** Only what is in this namespace, or in one below it. */
  namespace_prefix?: string[];
  /** What it is about; best first. Without a query the newest come first. */
  query?: string | null;
  /** Only values whose fields equal these, or compare with them by the operators `$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte`. */
  filter?: Record<string, unknown> | null;
  /** The most results. */
  limit?: number;
  /** How many results to leave out first. */
  offset?: number;
}

/** A memory as the map shows it. */
export interface MappedNode {
  node_id: string;
  cluster_id: string | null;
  /** What happened, at most 160 characters of it. */
  action: string;
  importance: number;
  effective_importance: number;
  session_count: number;
  status: "active" | "dying" | "dead";
  pinned: boolean;
  created_at: string;
  /** Patrols until it will be dying; null for pinned and dead ones. */
  patrols_left: number | null;
}

/** One turn of a conversation. */
export interface Message {
  message_id: string;
  producer_id: string | null;
  session_id: string;
  conversation: string | null;
  role: "user" | "assistant" | "other";
  speaker: string | null;
  content: string;
  metadata: Record<string, unknown>;
  created_at: string;
  received_at: string;
  judged: boolean;
  /** Whether it stays, with all that rests on it, with the Being that it was said to. */
  in_confidence: boolean;
  /** Whether a model was asked for the scenes that it belongs to. */
  drawn: boolean;
  /** Whether scenes that are drawn from it age from its time on. */
  aged: boolean;
}

/** A decision about a message. */
export interface MessageChanges {
  /** Whether it stays, with all that rests on it, with the Being that it was said to. */
  in_confidence: boolean;
}

/** One turn of a conversation. The role `other` is a third person who takes part in it. */
export interface MessageInput {
  /** The producer's id. The same id again with the same content changes nothing. */
  id?: string | null;
  /** The producer's own data, at most 4 KB of JSON. `in_confidence: true` says that the message was said in confidence: it stays, with all that rests on it, with this Being. */
  metadata?: Record<string, unknown>;
  role: "user" | "assistant" | "other";
  speaker?: string | null;
  /** The producer's id of the chat or tab. Sessions are separate for each conversation. */
  conversation?: string | null;
  content: string;
  /** The time of the message, with its offset from UTC; default: now. */
  created_at?: string | null;
  /** Whether scenes that are drawn from it are born with the age that they would have if a patrol had run at each PATROL_TICK since `created_at`. */
  aged?: boolean;
}

/** Messages by their ids, or those of a conversation behind one message. */
export interface MessageSelection {
  /** The producer's ids of messages, or the ids that their receipts gave; 1 to 1,000. */
  ids?: string[] | null;
  /** A conversation, instead of `ids`. */
  conversation?: string | null;
  /** With `conversation`: only messages behind this one, which itself is left as it is. Omitted: all. */
  after?: string | null;
}

/** How a namespace has to begin or end. */
export interface NamespaceCondition {
  /** Where the path stands in the namespace. */
  at: "prefix" | "suffix";
  /** Labels; `*` stands for any. */
  path: string[];
}

/** Namespaces in which something is kept, in order. */
export interface Namespaces {
  namespaces: string[][];
}

/** A message beside a result. */
export interface Neighbour {
  id: string;
  speaker: string | null;
  text: string;
  at: string;
}

/** A Being to create. */
export interface NewBeing {
  /** Its short name in URLs: lower-case letters, digits, `_` and `-`. */
  slug: string;
  /** Its display name. */
  name: string;
}

/** An entry to write to working memory. */
export interface NewEntry {
  /** The entry's role in the prompt; `system` needs the scope `manage`. */
  role?: "system" | "user" | "assistant";
  /** The text; contexts show it inside a fence. */
  content: string;
}

/** A key for a model provider, to store. */
export interface NewKey {
  /** The key itself. */
  key: string;
  /** Its provider; needed if the key's prefix does not show it. */
  provider?: "anthropic" | "openai" | null;
}

/** Knowledge in place of what is kept under its key, or the removal of that. */
export interface NewKnowledge {
  /** Labels, from the outermost to the innermost. */
  namespace: string[];
  /** The key within the namespace. */
  key: string;
  /** The object to keep, at most 64 KB of JSON; null removes it. */
  value: Record<string, unknown> | null;
  /** What searches find it by; null: the whole value as JSON, empty: nothing. */
  search_text?: string | null;
}

/** An entry to add to one of a Being's lists. */
export interface NewPersonaEntry {
  /** The entry's name, unique in its list. */
  name: string;
  /** The entry's text. */
  content: string;
  /** Whether contexts show it. */
  enabled?: boolean;
  /** Entries are shown by position, then by age. */
  position?: number;
}

/** The profile of a mental process, which replaces the one before. */
export interface NewProfile {
  /** The regions of the process, in this order. */
  regions: string[];
  /** Whether regions that are not named are included too. */
  others?: boolean;
  /** The content of the region `instructions`. */
  instructions?: string;
  /** Of `skills` and `user-model`, those that every context shows, for prompts that are assembled anew each turn. Null: `turns` keeps both, `context` neither. */
  keep?: ("skills" | "user-model")[] | null;
}

/** A record to add. Fields that a write gate checks are not validated here, so that the gate can name the fault. */
export interface NewRecord {
  /** The statement, at most 1200 characters. */
  text: string;
  /** `shared`, or the Being's slug, which is the default. */
  scope?: string | null;
  /** The kind of statement, such as bio, mission, project or goal. */
  category?: string;
  /** `canon` for durable statements, `register` for state that is overwritten. */
  tier?: string;
  /** The topic of a register; a record with the same topic updates it. */
  topic_id?: string | null;
  /** Your own tags, to filter by. */
  tags?: string[];
  /** The origin, one of chat, manual, tool, operator, promotion. */
  source?: string | null;
  /** Whether to add the record though the scope holds a near-duplicate, which is recorded as `forced_over`. */
  force?: boolean;
}

/** An access token to create for a user. */
export interface NewToken {
  /** What the token allows. */
  scopes: ("ingest" | "read" | "manage")[];
  /** Id or slug of its only Being; null: all. */
  being?: string | null;
  /** When it expires, with its offset from UTC; null: never. */
  expires?: string | null;
}

/** A user to create: one person whom your application serves. */
export interface NewUser {
  /** Your own id of the person. The same id again is the same user. */
  external_id: string;
  /** The person's display name; the external id if omitted. */
  name?: string | null;
  /** IANA name of the zone in which the person's days begin. */
  time_zone?: string;
  /** `user`: all of the person's Beings know what one of them hears. `being`: facts stay with the Being that heard them. Null: as PATROL_FACTS_SCOPE says. */
  facts_scope?: "user" | "being" | null;
}

/** A user model, which replaces the one before. */
export interface NewUserModel {
  /** The description of the user as a person. */
  content: string;
}

/** A scene stored as memory. `session_count` and `effective_importance` are the seed's, derived when read. */
export interface Node {
  node_id: string;
  note_id: string;
  cluster_id: string | null;
  scene: Record<string, unknown>;
  feeling: string | null;
  themes: string[];
  emotion: Record<string, number> | null;
  importance: number;
  effective_importance: number;
  session_count: number;
  status: "active" | "dying" | "dead";
  fresh: boolean;
  pinned: boolean;
  reactivation_count: number;
  last_activated: string | null;
  absorbed_into: string | null;
  forgotten_at: string | null;
  created_at: string;
  patrols_left: number | null;
}

/** The outcome of erasing a node. */
export interface NodeErased {
  /** The erased node, and those that it had absorbed. */
  nodes: number;
  /** The notes of these nodes. */
  notes: number;
  /** Nodes that had absorbed it, and have the words of their own note again. */
  reworded: number;
  /** Other nodes that those had absorbed, and that are active again. */
  parted: number;
  /** Erased diary pages about it. */
  diary_entries: number;
  /** Renamed topics, whose name had been its action. */
  renamed: number;
}

/** A producer's note and its state of processing. */
export interface Note {
  note_id: string;
  producer_id: string | null;
  type: string;
  /** Where it comes from; `talk`: drawn from messages by a model. */
  origin: "producer" | "mcp" | "import" | "talk";
  content: unknown;
  /** When its memory begins to age; null: at its birth. */
  ages_from: string | null;
  title: string | null;
  due_at: string | null;
  read_at: string | null;
  /** Whether a knowledge note stands in the snapshot of contexts. */
  in_snapshot: boolean;
  /** When its content was changed last; null: never. */
  updated_at: string | null;
  /** Of knowledge under a key: where the key counts. */
  namespace: string[] | null;
  /** The key under which a program keeps this knowledge. */
  key: string | null;
  metadata: Record<string, unknown>;
  state: "kept" | "pending" | "stamped" | "remembered" | "parse_failed" | "embed_failed";
  reason: string | null;
  run_id: string | null;
  received_at: string;
}

/** Changes to a todo, reminder or knowledge note. Omitted fields stay. */
export interface NoteChanges {
  /** Whether it was read; notes that were read leave the snapshot. */
  read?: boolean | null;
  /** Its text. */
  content?: string | null;
  /** The title of a knowledge note. */
  title?: string | null;
  /** Whether a knowledge note stands in the snapshot of contexts. */
  in_snapshot?: boolean | null;
  /** When a reminder is due, with its offset from UTC. */
  due_at?: string | null;
}

/** The numbers of a Being's memory, each at the same moment. */
export interface Overview {
  /** Scene notes that wait for a patrol or are part of a running one. */
  notes_pending: number;
  /** Scene notes that could not be parsed or embedded. */
  notes_failed: number;
  nodes_active: number;
  nodes_dying: number;
  nodes_dead: number;
  /** Clusters below the roots. */
  topics: number;
  /** The patrol counter, by which memories age. */
  patrols: number;
  last_patrol: "queued" | "running" | "done" | "failed" | null;
  /** When the newest patrol was demanded or became due. */
  last_patrol_at: string | null;
  messages: number;
  /** The user's messages from which no facts have been extracted yet. */
  messages_unjudged: number;
  /** Whether extraction waits for a model key. */
  waits_for_key: boolean;
  sessions: number;
  last_message_at: string | null;
  /** Active facts that the Being knows. */
  facts: number;
  /** Open todos. */
  todos: number;
  /** The day of the newest diary entry. */
  diary_day: string | null;
  /** Active records in its own scope and the shared one. */
  vault_records: number;
  /** Known cost of today's model calls in dollars. */
  cost_today: string;
  /** Dead work of the Being and of its user. */
  work_dead: number;
}

/** Changes of an entry. Omitted fields stay. */
export interface PersonaChanges {
  /** The entry's new name. */
  name?: string | null;
  /** The entry's text. */
  content?: string | null;
  /** Whether contexts show it. */
  enabled?: boolean | null;
  /** Entries are shown by position, then by age. */
  position?: number | null;
}

/** An entry of one of a Being's lists. */
export interface PersonaEntry {
  kind: "partner_rules" | "preferences" | "relationships" | "partner_tools" | "partner_map" | "skills";
  entry_id: string;
  name: string;
  content: string;
  enabled: boolean;
  position: number;
  created_at: string;
  updated_at: string;
}

/** An error in the form of RFC 9457. It may have more members, depending on its type. */
export interface Problem {
  /** The kind of problem, a stable URN for programs. */
  type: string;
  /** The kind of problem in words. */
  title: string;
  status: number;
  /** What was wrong this time, where, and what to do. */
  detail: string;
  /** The path of the request, without its query. */
  instance: string;
}

/** The regions of a mental process in their order, and its instructions. */
export interface Profile {
  process: string;
  regions: string[];
  others: boolean;
  instructions: string;
  /** Of `skills` and `user-model`, those that every context shows; null: `turns` keeps both, `context` shows skills until the Being has answered and the user model once a session. */
  keep: string[] | null;
  /** When it was set; null for a default. */
  updated_at: string | null;
}

/** The promotion of a register to canon. */
export interface Promotion {
  /** The text as canon; the register's text if omitted. */
  canonical_text?: string | null;
}

/** Two entities that are one. */
export interface ProposedMerge {
  /** The entity that stays, as `<type>:<slug>`. */
  kept_ref: string;
  /** The entity whose names shall stand for it. */
  merged_ref: string;
  /** Whether to merge them at once, rather than only propose it. */
  accept?: boolean;
}

/** A user's key for a provider, without the secret itself. */
export interface ProviderKey {
  key_id: string;
  provider: "anthropic" | "openai";
  /** Its last four characters. */
  last_four: string;
  created_at: string;
  /** When it is deleted; null if it was stored for good. */
  expires_at: string | null;
  last_used_at: string | null;
  /** Since when the provider rejects it. */
  refused_at: string | null;
  /** Why the provider rejects it. */
  refusal: string | null;
}

/** What workers derive again, and so what the change costs; in the background, a model call for many at a time. */
export interface Rebuilds {
  /** Messages that are judged again, or for the first time when restored. */
  messages: number;
  /** Closed sessions that are summarised again. */
  summaries: number;
  /** Scenes that are removed; the other messages of each are drawn from again. */
  scenes: number;
  /** Whether the rolling summary is written again, from 40 messages. */
  rolling_summary: boolean;
  /** Whether the user's spine is written again, from 40 messages. */
  spine: boolean;
}

/** A query for recall, and the form of the answer. */
export interface RecallRequest {
  /** A sentence or a few words; usually the user's last message. */
  query: string;
  /** The most nodes to return. */
  limit?: number;
  /** The least cosine similarity between query and node. */
  threshold?: number;
  /** A shuffled stream of fragments for a prompt, or the nodes as they are. */
  format?: "fragments" | "nodes";
  /** Whether this recall activates the nodes, which delays their fading. */
  activate?: boolean;
  /** Whether to explain why each node was found. */
  explain?: boolean;
}

/** A recalled node. */
export interface RecalledNode {
  node_id: string;
  note_id: string;
  cluster_id: string | null;
  scene: Record<string, unknown>;
  feeling: string | null;
  themes: string[];
  emotion: Record<string, number> | null;
  importance: number;
  effective_importance: number;
  session_count: number;
  status: "active" | "dying" | "dead";
  fresh: boolean;
  pinned: boolean;
  reactivation_count: number;
  last_activated: string | null;
  absorbed_into: string | null;
  forgotten_at: string | null;
  created_at: string;
  patrols_left: number | null;
  /** Cosine similarity to the query; null for a match by words. */
  similarity: number | null;
}

/** The fields of a record to change; its scope, tier and topic cannot change. */
export interface RecordChanges {
  /** The new text, at most 1200 characters. */
  text?: string | null;
  category?: string | null;
  tags?: string[] | null;
  /** The origin, one of chat, manual, tool, operator, promotion. */
  source?: string | null;
}

/** A rejected item: the gate, its rule, and what to do instead. */
export interface Refusal {
  /** The item's position in the list, from 0. */
  position: number;
  /** The gate that refused it; null if the item is not a valid record. */
  gate: string | null;
  /** What is wrong. */
  rule: string;
  /** What to do instead. */
  instead: string | null;
  /** The id of the existing record that it collides with, if any. */
  existing: string | null;
}

/** One region of a context. */
export interface RegionReport {
  region: string;
  /** The source of its content. */
  origin: string;
  entries: number;
  /** Estimated. */
  tokens: number;
  /** Whether its bytes stay the same from turn to turn, so that a cache can serve it. */
  stable: boolean;
  /** Why it was left out; null if it is in the context. */
  dropped?: string | null;
}

/** A rejected line and the reason. */
export interface RejectedLine {
  /** The line's number, from 1. */
  line: number;
  /** What is wrong. */
  reason: string;
}

/** Something to be reminded of at a given time. */
export interface ReminderNote {
  /** The producer's id. The same id again with the same content changes nothing. */
  id?: string | null;
  /** The producer's own data, at most 4 KB of JSON. */
  metadata?: Record<string, unknown>;
  type: "reminder";
  content: string;
  due_at: string;
}

/** A version of a message that was taken back; nothing is derived from it. */
export interface RetractedMessage {
  message_id: string;
  producer_id: string | null;
  conversation: string | null;
  role: "user" | "assistant" | "other";
  speaker: string | null;
  content: string;
  metadata: Record<string, unknown>;
  created_at: string;
  received_at: string;
  retracted_at: string;
}

/** Why the last attempt at a rolling summary failed, wholly or in part. */
export interface RollingError {
  reason: string;
  detail: string | null;
}

/** Words to search for. */
export interface SearchRequest {
  /** Words; double quotes keep a phrase together. */
  query: string;
  /** Whether any term suffices, or all must match. */
  mode?: "or" | "and";
  /** The most nodes to return. */
  limit?: number;
  /** Whether the found nodes are activated, which delays their fading. */
  activate?: boolean;
}

/** A fact about the user that a producer hands in directly. */
export interface Seed {
  /** `PROFILE`, `PEOPLE` or `PROJECT`; `OPEN_LOOP`, of older data, becomes a todo. */
  type: "PROFILE" | "PEOPLE" | "PROJECT" | "OPEN_LOOP";
  /** One statement in the third person. */
  content: string;
  /** The entities that it names, as `<type>:<name>`, first the one that it is about. */
  entity_refs?: string[];
  /** A display name for the entity that it is about. */
  entity_label?: string | null;
  /** What kind of statement it is. */
  fact_type?: "fact" | "preference" | "relationship" | "friction" | "habit";
  /** 0 trivial, 1 usual, 2 significant, 3 who the user is. */
  importance?: number;
  /** Whether it is in every context, and never archived by the curator. */
  pinned?: boolean;
  /** Whether only this Being may know it. */
  in_confidence?: boolean;
}

/** How many seeds became what. */
export interface Seeded {
  /** New facts. */
  facts: number;
  /** Seeds whose memory key was known; their statements were added to those facts. */
  told_again: number;
  todos: number;
  /** Seeds equal to earlier ones; they changed nothing. */
  repeated: number;
  /** The new facts, in the order of their seeds. */
  fact_ids: string[];
}

/** A conversation, open while `ended_at` is null. */
export interface Session {
  session_id: string;
  conversation: string | null;
  started_at: string;
  last_activity_at: string;
  ended_at: string | null;
  turn_count: number;
  /** Seconds between the last message of the session before and the first of this one. */
  pause: number | null;
}

/** A fact that a context showed. */
export interface ShownFact {
  fact_id: string;
  /** What it says today. */
  content: string;
  /** The parts of its score; null for a pinned fact. */
  scores: Record<string, number> | null;
}

/** A memory that a context showed. */
export interface ShownMemory {
  node_id: string;
  /** What it says today, in one line. */
  text: string;
  /** The regions in which it stood. */
  regions: string[];
  /** To the message; null if it was not chosen by the message. */
  similarity: number | null;
}

/** A passage of earlier talk that a context showed. */
export interface ShownPassage {
  message_ids: string[];
  session_id: string;
  /** Its messages, a line each. */
  text: string;
  score: number;
}

/** One signal of a result. */
export interface Signal {
  /** The signal itself. */
  value: number;
  /** What it adds to the score; a negative share takes away. */
  share: number;
}

/** Block 1-B as it was last assembled, and the ids it was made from. */
export interface Snapshot {
  content: string;
  made_from: Record<string, unknown>;
  made_at: string;
}

/** A Being's personality. Users write all fields except `think_md`, which patrols write. */
export interface Soul {
  partner_type: string;
  personality: string;
  voice: string;
  values: string;
  backstory: string;
  inner_world: string;
  examples: string;
  think_md: string;
  thought_at: string | null;
  updated_at: string | null;
}

/** Changes of a soul or its state. Omitted parts stay; an empty text removes a part. */
export interface SoulChanges {
  /** The user's relation to the Being, such as friend or partner. */
  partner_type?: string | null;
  /** The Being's personality. */
  personality?: string | null;
  /** Its way of speaking. */
  voice?: string | null;
  /** Its values. */
  values?: string | null;
  /** Its backstory. */
  backstory?: string | null;
  /** Its inner world. */
  inner_world?: string | null;
  /** Examples of its answers. */
  examples?: string | null;
  /** Its notes for the next session; patrols write them. */
  think_md?: string | null;
  /** The project it works on. */
  project?: string | null;
  /** Its mood. */
  mood?: string | null;
  /** The topic of the talk. */
  topic?: string | null;
}

/** The state of a soul; an empty part is the default, which contexts do not show. */
export interface SoulState {
  project: string;
  mood: string;
  topic: string;
  updated_at: string | null;
}

/** The sum of calls. Calls whose outcome is unknown count with the highest usage that they can have had. */
export interface Spending {
  day: string;
  /** Null for calls for the user, across Beings. */
  being_id: string | null;
  purpose: string;
  provider: string;
  model: string;
  /** Whose key paid. */
  paid_with: "request" | "user" | "platform";
  calls: number;
  /** Calls whose price is unknown; `cost` is without them. */
  unpriced: number;
  /** Calls that are in progress, or whose worker crashed. */
  unsettled: number;
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  /** In the currency of the prices; null where no call has a known price. */
  cost: string | null;
  /** When that day's budget was exhausted: further calls wait for the next day. Null: it was not. */
  budget_reached_at: string | null;
}

/** The outcome of one step of a patrol. */
export interface StepReport {
  step: string;
  /** `done`, `skipped`, `not due`, or `waiting` for the steps before it. */
  outcome: string;
  /** Why it was skipped, or done in part or without a model. */
  reason: string | null;
  /** What it changed, in numbers. */
  counts: Record<string, number>;
  finished_at: string | null;
}

/** A patrol's current step. */
export interface StepUnderWay {
  step: string;
  /** `ready` while it waits for a worker or backs off. */
  state: "ready" | "running" | "done" | "dead";
  attempts: number;
  /** The earliest time of the next attempt. */
  next_at: string;
  /** The last error, without content. */
  error: string | null;
}

/** What kind of entity a fact is about, and what kind of statement it makes. */
export interface Subtype {
  entityType: "person" | "place" | "org" | "project" | "thing";
  factType: "fact" | "preference" | "relationship" | "friction" | "habit";
}

/** The structured long-term summary of what a user has told. */
export interface SummarySpine {
  /** Who the user is: one short statement each. */
  PROFILE: string[];
  /** What the user works on, and how it stands. */
  PROJECTS: string[];
  /** Who is in the user's life, and what about them. */
  PEOPLE: string[];
  /** What is open, promised or awaited. */
  OPEN_LOOPS: string[];
}

/** A commitment, habit, open thread or friction of the user's, or a promise that the Being made. */
export interface Todo {
  todo_id: string;
  kind: "commitment" | "habit" | "thread" | "friction" | "promise";
  content: string;
  status: "OPEN" | "DONE" | "ARCHIVED";
  pinned: boolean;
  /** When, in the user's own words. */
  due: string | null;
  /** Whether a message that it rests on was said in confidence. */
  in_confidence: boolean;
  source: string;
  confidence: number;
  created_at: string;
  last_told_at: string;
  closed_at: string | null;
}

/** Changes to a todo. Omitted fields stay as they are. */
export interface TodoChanges {
  /** What the user means to do. */
  content?: string | null;
  /** When, in the user's own words. */
  due?: string | null;
  /** Whether it is protected from archiving. */
  pinned?: boolean | null;
  /** `DONE` closes it, `ARCHIVED` hides it, `OPEN` brings it back. */
  status?: "OPEN" | "DONE" | "ARCHIVED" | null;
  /** Whether the messages that it rests on stay with the Being that they were said to. */
  in_confidence?: boolean | null;
}

/** Something to do. */
export interface TodoNote {
  /** The producer's id. The same id again with the same content changes nothing. */
  id?: string | null;
  /** The producer's own data, at most 4 KB of JSON. */
  metadata?: Record<string, unknown>;
  type: "todo";
  content: string;
}

/** A bearer token without its secret. */
export interface Token {
  user_id: string;
  token_id: string;
  being_id: string | null;
  scopes: ("ingest" | "read" | "manage")[];
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}

/** Changes to a topic. Omitted fields stay. */
export interface TopicChanges {
  /** The topic's name. Patrols keep a name that a person gave. */
  name?: string | null;
  /** The root to move the topic to. */
  root?: "Business" | "Private" | null;
}

/** A cluster whose nodes are to be listed. */
export interface TopicRequest {
  /** The cluster; for one that was merged, the cluster that has its nodes now. */
  cluster_id: string;
  /** The previous page's cursor; omit it for the first page. */
  cursor?: string | null;
  /** Whether the returned nodes are activated, which delays their fading. */
  activate?: boolean;
}

/** The new text of a topic's register. */
export interface TopicText {
  /** The statement, at most 1200 characters. */
  text: string;
  /** `shared`, or the Being's slug, which is the default. */
  scope?: string | null;
  /** Unchanged if omitted. */
  category?: string | null;
  /** Unchanged if omitted. */
  tags?: string[] | null;
  /** The origin, one of chat, manual, tool, operator, promotion. */
  source?: string | null;
  /** Whether to add the record though the scope holds a near-duplicate, which is recorded as `forced_over`. */
  force?: boolean;
}

/** An item that changed nothing, and why. */
export interface Trouble {
  /** The item's place in the batch, from 0. */
  position: number;
  /** What is wrong with it, and where. */
  reason: string;
}

/** The person; owns Beings. */
export interface User {
  user_id: string;
  /** The id that your application gave; null: made on the command line. */
  external_id: string | null;
  name: string;
  time_zone: string;
  /** Who knows facts that were not told in confidence; null: as PATROL_FACTS_SCOPE says. */
  facts_scope: "user" | "being" | null;
  created_at: string;
}

/** Changes to a user. Omitted fields stay. */
export interface UserChanges {
  /** The new display name. */
  name?: string | null;
  /** IANA name of the new time zone. */
  time_zone?: string | null;
  /** The scope of facts that are heard from now on; null: as PATROL_FACTS_SCOPE says. */
  facts_scope?: "user" | "being" | null;
}

/** The description of a user as a person. */
export interface UserModel {
  content: string;
  updated_at: string;
}

/** How a Being uses its vault: the section `memory` of the seed's profile. */
export interface VaultConfigInput {
  /** Whether prompts show the vault. */
  enabled?: boolean;
  /** The scopes that prompts show: `shared`, the Being's slug, or both, which is the default. */
  scopes?: string[] | null;
  /** The most records of a block for a query. */
  max_items?: number;
  /** The sequence similarity from which two records are near-duplicates. */
  similarity_threshold?: number;
}

/** How a Being uses its vault: the section `memory` of the seed's profile. */
export interface VaultConfigOutput {
  /** Whether prompts show the vault. */
  enabled: boolean;
  /** The scopes that prompts show: `shared`, the Being's slug, or both, which is the default. */
  scopes: string[] | null;
  /** The most records of a block for a query. */
  max_items: number;
  /** The sequence similarity from which two records are near-duplicates. */
  similarity_threshold: number;
}

/** The outcome of a permanent erasure. */
export interface VaultErased {
  /** Erased versions, tombstones included. */
  records: number;
}

/** One version of a durable statement. The newest version is the current one, unless it is a tombstone. */
export interface VaultRecord {
  /** Twelve hexadecimal digits, the same in every version. */
  id: string;
  /** The statement, at most 1200 characters; empty in a tombstone. */
  text: string;
  /** `shared`, for all Beings of the user, or the slug of one Being. */
  scope: string;
  /** The kind of statement, such as bio, mission, project or goal. */
  category: string;
  /** `canon` for durable statements, `register` for the current state of a topic. */
  tier: "canon" | "register";
  /** The topic of a register; a scope has one live record a topic. */
  topic_id: string | null;
  tags: string[];
  created_at: string;
  updated_at: string | null;
  source: "chat" | "manual" | "tool" | "operator" | "promotion" | null;
  /** When the record was deleted; a version with it is a tombstone. */
  deleted_at: string | null;
  /** 1 for the first version, one more with each change. */
  version: number;
  /** The near-duplicate over which the record was added with `force`; null without. */
  forced_over: string | null;
}

/** A search of the vault. */
export interface VaultSearch {
  /** Words, of which a record must contain at least one. */
  query: string;
  /** Only these scopes: `shared`, the Being's slug, or both. */
  scopes?: string[] | null;
  /** Only this tier. */
  tier?: "canon" | "register" | null;
  /** The most results. */
  limit?: number;
}

/** Counts of a vault. */
export interface VaultStats {
  /** Live records. */
  active: number;
  /** The capacity of all these scopes together. */
  max: number;
  /** Live records in percent of the capacity. */
  utilization: number;
  /** Records that end in a tombstone. */
  deleted: number;
  /** All stored versions. */
  raw_lines: number;
  /** Stored versions per live record; 1 is the least. */
  bloat_ratio: number;
  by_scope: Record<string, number>;
  by_tier: Record<string, number>;
  by_category: Record<string, number>;
  /** Live registers with a topic. */
  register_topics: number;
}

/** A dated line of a scene's history, as consolidation writes it. */
export interface WhenEntry {
  date: string;
  action: string;
}

/** A unit of work as the doors show it. */
export interface Work {
  work_id: string;
  owner_id: string;
  kind: string;
  key: string;
  queue: string;
  state: "ready" | "running" | "done" | "dead";
  attempts: number;
  next_at: string;
  lease_until: string | null;
  error: string | null;
  created_at: string;
  finished_at: string | null;
  /** False if this version has no task for the kind; the work then waits for a version that has one. */
  known: boolean;
}

/** An entry of a conversation's working memory; entries of the region `conversation` have the message's id. */
export interface WorkingMemoryEntry {
  entry_id: string;
  /** The conversation; null: the one of what names none. */
  conversation: string | null;
  region: string;
  role: "system" | "user" | "assistant";
  content: string;
  /** Whether the speaker is neither the user nor the Being; null if it is no message. */
  other: boolean | null;
  speaker: string | null;
  message_id: string | null;
  said_at: string;
}

/** One page of assembled contexts. */
export interface AssembledPage {
  contexts: AssembledContext[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** The Beings that a token opens. */
export interface BeingPage {
  beings: Being[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** Two similar records that could be merged. */
export interface CandidatePair {
  first: VaultRecord;
  second: VaultRecord;
  /** The greater of token overlap and sequence similarity, 0 to 1. */
  similarity: number;
}

/** The topics of a Being. */
export interface ClusterPage {
  clusters: Cluster[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** An assembled prompt. */
export interface Context {
  /** Its id: put it as `context_id` into the metadata of messages that answer it. Null with `activate: false`. */
  context_id?: string | null;
  process: string;
  /** The conversation that it is for; null: the one of what names none. */
  conversation?: string | null;
  /** The session that it is for, if there is one. */
  session_id?: string | null;
  /** The prompt as one string, for `format: text`. */
  text?: string | null;
  /** Anthropic's `system`, for `format: anthropic`. */
  system?: Record<string, unknown>[] | null;
  /** Messages, for Anthropic or OpenAI. */
  messages?: Record<string, unknown>[] | null;
  /** The length of the prompt, in estimated tokens. */
  tokens: number;
  /** Whether the regions that are never dropped exceed the budget. */
  over_budget: boolean;
  /** Whether words were compared because the embedder was unavailable. */
  degraded: boolean;
  /** Every region with content, in the order of the prompt. */
  regions: RegionReport[];
  /** The regions that the budget left out, in the order in which they were dropped. */
  dropped: string[];
  /** The scores of each node and fact, if `explain` was set. */
  explanation?: unknown | null;
}

/** The state that survives sessions. */
export interface ConversationState {
  /** User and assistant messages, over all sessions. */
  messageCount: number;
  lastInteraction: string | null;
  /** Its first 200 characters. */
  lastUserMessage: string | null;
  curator: CuratorState;
  lastRollingAttemptAt: string | null;
  lastRollingSuccessAt: string | null;
  lastRollingError: RollingError | null;
}

/** One page of a Being's diary. */
export interface DiaryPage {
  /** Newest first, one for each day in the user's time zone. */
  entries: DiaryEntry[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
  /** Its notes for the next conversation; empty until a patrol has written some. */
  think_md: string;
}

/** The entities that facts name. */
export interface EntityPage {
  entities: Entity[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** A fact about the user: the current content of its statements. */
export interface Fact {
  fact_id: string;
  /** The only Being that knows it; null if all of the user's Beings do. */
  being_id: string | null;
  type: "PROFILE" | "PEOPLE" | "PROJECT";
  content: string;
  /** `<type>:<slug>`; the first is what the fact is about. */
  entity_refs: string[];
  entity_label: string;
  subtype: Subtype;
  /** 0 to 3; 3 while it is pinned, and 1 becomes 2 after mentions in 3 sessions. */
  importance: number;
  pinned: boolean;
  memory_key: string;
  source: "shadow_extraction" | "seeded_profile" | "curated_fold";
  status: "ACTIVE" | "ARCHIVED";
  confidence: number;
  /** How many times it was mentioned. */
  mentions: number;
  /** In how many sessions it was mentioned. */
  sessions: number;
  created_at: string;
  last_told_at: string;
}

/** The outcome of an import. */
export interface Imported {
  /** New lines. */
  imported: number;
  /** Lines that were stored before, with the same content. */
  known: number;
  /** Numbers of lines whose record or text was permanently erased before. */
  erased: number[];
  /** Rejected lines. */
  rejected: RejectedLine[];
  /** The first line that was not read, after 1,000 rejected ones; null if all were read. */
  stopped_at: number | null;
}

/** A new access token. */
export interface IssuedToken {
  /** Send it as `Authorization: Bearer …`. It can't be read again. */
  secret: string;
  token: Token;
}

/** The keys that a user has stored. */
export interface KeyPage {
  keys: ProviderKey[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** What to put and to remove, together or not at all; of several under one key the last counts. */
export interface KnowledgeChanges {
  /** What to keep or remove. */
  items: NewKnowledge[];
}

/** What was found. */
export interface KnowledgeFound {
  items: KeyedKnowledge[];
  /** Whether the embedder was out of reach and words had to do. */
  degraded: boolean;
}

/** Which knowledge to show. */
export interface KnowledgeKeys {
  /** Namespaces and keys. */
  keys: KnowledgeKey[];
}

/** What is kept under each of the keys, in their order. */
export interface KnowledgeShown {
  items: (KeyedKnowledge | null)[];
}

/** One page of messages. */
export interface MessagePage {
  messages: Message[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** A person or thing that the query names. */
export interface NamedEntity {
  entity_ref: string;
  label: string;
  /** Up to three: pinned first, then by importance, then the newest. */
  facts: string[];
  /** The message that named it first. */
  first: Neighbour | null;
  /** The message that named it last. */
  last: Neighbour | null;
}

/** Which namespaces to list. */
export interface NamespaceQuestion {
  /** All of them have to be fulfilled. */
  conditions?: NamespaceCondition[];
  /** Cut deeper namespaces to so many labels. */
  max_depth?: number | null;
  /** The most namespaces. */
  limit?: number;
  /** How many namespaces to leave out first. */
  offset?: number;
}

/** Changes to a node. Omitted fields stay; null removes an optional one. */
export interface NodeChanges {
  /** Whether the node is kept from fading. */
  pinned?: boolean | null;
  /** What happened. */
  action?: string | null;
  /** The people who were present. */
  actors?: string[] | null;
  /** Dates, or dated lines. */
  when?: (string | WhenEntry)[] | null;
  /** The place and its surroundings. */
  setting?: string | null;
  /** Lines of dialogue; recall shows the first. */
  dialogue?: string[] | null;
  /** Sensory details: sights, sounds, smells, touch. */
  sensory?: string[] | null;
  /** The Being's own impression, in the first person. */
  feeling?: string | null;
  /** 0 to 1; values outside are clamped. */
  importance?: number | null;
  /** Tags, matched whole by search. */
  themes?: string[] | null;
  emotion?: Emotion | null;
  /** Whether it happened, belongs to a game or story, or was imagined. */
  realm?: "real" | "role-play" | "hypothetical" | null;
}

/** One page of nodes. */
export interface NodePage {
  nodes: Node[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** A node's origin and history. */
export interface NodeStory {
  node: Node;
  /** The scene in one line. */
  text: string;
  /** The note that it was made from. */
  note: Note | null;
  /** If it, or a node that it absorbed, was drawn from talk: the messages that it rests on, in order. */
  messages: Message[];
  /** Nodes that it absorbed. */
  absorbed: Node[];
  /** If it was absorbed, the node at the end of the chain. */
  final_survivor: string | null;
  history: HistoryEvent[];
}

/** One page of notes. */
export interface NotePage {
  notes: Note[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** The entries of one of a Being's lists. */
export interface PersonaPage {
  entries: PersonaEntry[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** The process profiles of a Being. */
export interface ProfilePage {
  profiles: Profile[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** A record proposed for deletion, which only a caller's request deletes. */
export interface Proposal {
  record: VaultRecord;
  reasons: string[];
}

/** Merges of entities: proposed and decided. */
export interface Proposals {
  proposals: EntityMerge[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** The result of a recall as text for a prompt. */
export interface RecalledFragments {
  /** Actions and feelings, shuffled, inside <recalled_memory>; empty if nothing was found. */
  recalled: string;
  /** Whether the embedder was unavailable and nodes were found by words alone. */
  degraded: boolean;
  /** On request; nearest first. */
  explanation?: Explanation[] | null;
}

/** The result of a recall as nodes. */
export interface RecalledNodes {
  /** Nearest first. */
  nodes: RecalledNode[];
  /** Whether the embedder was unavailable and nodes were found by words alone. */
  degraded: boolean;
  /** On request; in the order of `nodes`. */
  explanation?: Explanation[] | null;
}

/** What became of a batch, item by item. */
export interface Receipt {
  /** Items that are committed now, and were not before. */
  accepted: number;
  /** Items that were committed before, with the same content. */
  duplicates: number;
  /** Items whose id is known with other content, which stays. */
  conflicts: Trouble[];
  /** Items that can't be taken. */
  rejected: Trouble[];
  /** Positions of items that were erased for good before; they are not kept, and it is no error. */
  erased: number[];
  /** Positions of items whose text is longer than its limit; its beginning is kept. */
  shortened: number[];
  /** For each item the id of its note, null where it was rejected, or erased before. */
  ids: (string | null)[];
  /** What keeps accepted items from being processed, and what to do; null if nothing does. */
  hint?: string | null;
}

/** Records of the vault, or the versions of one record. */
export interface RecordPage {
  records: VaultRecord[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** What became of a restoration. */
export interface Restored {
  /** Messages that stand now, and did not before. */
  restored: number;
  /** Ids of messages that stood before. */
  unchanged: number;
  /** Ids whose message has not arrived, and will stand when it does. */
  no_longer_awaited: number;
  /** Positions of ids that this Being has no message of. */
  unknown: number[];
  /** Ids of versions that can't stand beside another one. */
  conflicts: Trouble[];
  /** The messages that stand again. */
  ids: string[];
  rebuilds: Rebuilds;
}

/** Something that was told. */
export interface Result {
  kind: "message" | "node" | "fact" | "summary" | "diary" | "vault" | "knowledge";
  /** The id of a message, node, fact or note, of a summary's session, or of a vault record; a day. */
  id: string;
  /** The producer's own id of a message or note, also of the note behind a node. */
  producer_id: string | null;
  text: string;
  /** When it was said or happened. */
  at: string;
  /** Who said it; null for what is no message. */
  speaker: string | null;
  /** The conversation of a message or summary. */
  session_id: string | null;
  score: number;
  /** The messages before it, oldest first. */
  before: Neighbour[];
  /** The messages after it. */
  after: Neighbour[];
  /** On request: each signal and its share of the score. */
  signals: Record<string, Signal> | null;
}

/** What became of a retraction. */
export interface Retracted {
  /** Messages that are retracted now, and were not before. */
  retracted: number;
  /** Ids of messages that were retracted, awaited or erased before. */
  unchanged: number;
  /** Ids without a message: it is retracted when it arrives. */
  awaited: number;
  /** The messages that are retracted now. */
  ids: string[];
  rebuilds: Rebuilds;
}

/** One page of retracted messages. */
export interface RetractedPage {
  messages: RetractedMessage[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** A retrieved fact. */
export interface RetrievedFact {
  fact_id: string;
  /** The only Being that knows it; null if all of the user's Beings do. */
  being_id: string | null;
  type: "PROFILE" | "PEOPLE" | "PROJECT";
  content: string;
  /** `<type>:<slug>`; the first is what the fact is about. */
  entity_refs: string[];
  entity_label: string;
  subtype: Subtype;
  /** 0 to 3; 3 while it is pinned, and 1 becomes 2 after mentions in 3 sessions. */
  importance: number;
  pinned: boolean;
  memory_key: string;
  source: "shadow_extraction" | "seeded_profile" | "curated_fold";
  status: "ACTIVE" | "ARCHIVED";
  confidence: number;
  /** How many times it was mentioned. */
  mentions: number;
  /** In how many sessions it was mentioned. */
  sessions: number;
  created_at: string;
  last_told_at: string;
  /** Cosine similarity; if `degraded`, the share of the query's words that it contains. */
  similarity: number;
  /** The score by which facts are ranked. */
  score: number;
}

/** One page of the versions of a rolling summary. */
export interface RollingPage {
  /** Newest first. */
  versions: KeptRolling[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** The progress of a patrol. */
export interface RunReport {
  run_id: string;
  state: "queued" | "running" | "done" | "failed";
  /** Whether a request started it; it then always raises the patrol counter. */
  demanded: boolean;
  /** The moment that all its steps use as the current time. */
  as_of: string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  /** All nine, in order. */
  steps: StepReport[];
  /** Null before the first step and after the last. */
  under_way: StepUnderWay | null;
  /** What all steps changed together, in numbers. */
  counts: Record<string, number>;
  error: string | null;
}

/** A scene as a producer sends it: the scene itself, the Being's feeling, importance, themes and emotion. */
export interface SceneInput {
  /** What happened. */
  action: string;
  /** The people who were present. */
  actors: string[];
  /** Dates, or dated lines. */
  when: (string | WhenEntry)[];
  /** The place and its surroundings. */
  setting?: string | null;
  /** Lines of dialogue; recall shows the first. */
  dialogue?: string[] | null;
  /** Sensory details: sights, sounds, smells, touch. */
  sensory?: string[] | null;
  /** Whether it happened, belongs to a game or story, or was only imagined. */
  realm?: "real" | "role-play" | "hypothetical" | null;
  /** The Being's own impression, in the first person. */
  feeling?: string | null;
  /** 0 to 1, clamped; null counts as absent, which is 0.5. */
  importance?: number | null;
  /** Tags, matched whole by search. */
  themes?: string[] | null;
  emotion?: Emotion | null;
}

/** The result of a search by words. */
export interface Searched {
  /** By number of matching terms, then by effective importance, descending. */
  nodes: Node[];
  /** The terms that the query was split into. */
  terms: string[];
}

/** A session, with the newest version of its summary. */
export interface SessionDetail {
  session_id: string;
  conversation: string | null;
  started_at: string;
  last_activity_at: string;
  ended_at: string | null;
  turn_count: number;
  /** Seconds between the last message of the session before and the first of this one. */
  pause: number | null;
  /** The newest version; null until the session was closed and summarised. */
  summary: KeptSummary | null;
}

/** One page of sessions. */
export interface SessionPage {
  sessions: Session[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** What a context showed. What was erased, retracted or forgotten for good since then is left out. */
export interface ShownContext {
  context_id: string;
  /** The mental process that it was assembled for. */
  process: string;
  /** The conversation that it was assembled for; null: none was named. */
  conversation: string | null;
  created_at: string;
  /** How many memories and facts it showed. */
  items: number;
  memories: ShownMemory[];
  facts: ShownFact[];
  passages: ShownPassage[];
}

/** Sums of calls, newest day first. */
export interface SpendingPage {
  spending: Spending[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** A version of a user's spine. */
export interface Spine {
  version: number;
  content: SummarySpine;
  /** Messages since the version before. */
  message_count: number;
  created_at: string;
}

/** A statement of a fact: current, or replaced by another. */
export interface Statement {
  statement_id: string;
  content: string;
  source: string;
  confidence: number;
  replaced_by: string | null;
  created_at: string;
  evidence: Evidence[];
}

/** One page of todos. */
export interface TodoPage {
  todos: Todo[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** All tokens of a user. */
export interface TokenPage {
  tokens: Token[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** One page of the map. */
export interface TopicMap {
  /** All topics: each root, then its topics by size. */
  clusters: Cluster[];
  nodes: MappedNode[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** One page of a topic's nodes. */
export interface TopicPage {
  cluster: Cluster;
  nodes: Node[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** New messages, and the options of the context for the answer to them. */
export interface Turn {
  /** A mental process, such as `externalDialog`. */
  process?: string;
  /** The longest context, in estimated tokens. */
  budget_tokens?: number;
  /** `text` is one string; `anthropic` is messages with cache markers; `openai` is messages. */
  format?: "text" | "anthropic" | "openai";
  /** Whether recalled nodes count as activated. With false, assembling changes nothing: the user model does not count as shown, and the context has no `context_id`, by which later messages would be recognised as echoes of it. */
  activate?: boolean;
  /** Whether the answer has the scores of each node and fact. */
  explain?: boolean;
  /** The messages since the last turn, oldest first. The context is for the answer to the last one, in its `conversation`. */
  messages: MessageInput[];
}

/** One page of users. */
export interface UserPage {
  users: User[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** A record that matches a query. */
export interface VaultHit {
  record: VaultRecord;
  /** The seed's search score, from 0 to 1.7. */
  score: number;
}

/** The outcome of each item of a list. */
export interface VaultReceipt {
  /** New records. */
  added: number;
  /** Existing registers that have one more version. */
  updated: number;
  /** Items whose idempotency key was known, with the same content. */
  repeated: number;
  /** Rejected items. */
  rejected: Refusal[];
  /** Positions of items that were permanently erased before; they are not stored, which is no error. */
  erased: number[];
  /** Each item's record; null for rejected and erased items. */
  records: (VaultRecord | null)[];
}

/** A soul and its state. */
export interface WholeSoul {
  soul: Soul;
  state: SoulState;
}

/** One page of work. */
export interface WorkPage {
  work: Work[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** The entries of a conversation's working memory. */
export interface WorkingMemoryPage {
  entries: WorkingMemoryEntry[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** Pairs of similar records, the most similar first. */
export interface CandidatePage {
  candidates: CandidatePair[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** A fact with all its statements, their evidence, and its history. */
export interface FactDetail {
  fact: Fact;
  /** Oldest first; those with `replaced_by` are no longer part of `content`. */
  statements: Statement[];
  history: FactEvent[];
}

/** One page of facts. */
export interface FactPage {
  facts: Fact[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** What was found. */
export interface Found {
  /** Up to three that the query names and facts know; none with `as_of`, or without the kind `fact`. */
  entities: NamedEntity[];
  /** Best first. */
  results: Result[];
  /** Whether the embedder was out of reach and words had to do. */
  degraded: boolean;
  /** How much was accepted and is not searchable yet by every signal. */
  unindexed: number;
}

/** Records that match a search, the highest score first. */
export interface HitPage {
  hits: VaultHit[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** Records proposed for deletion. */
export interface ProposalPage {
  proposals: Proposal[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** The facts that are relevant to a query. */
export interface Retrieved {
  /** Highest score first. */
  facts: RetrievedFact[];
  cards: EntityCard[];
  /** Pinned facts, up to 20, for every query. */
  foundation: Fact[];
  /** Cards and facts as text for a prompt, one a line. */
  text: string;
  /** Whether the query could not be embedded, so that facts were found by words. */
  degraded: boolean;
  /** On request; in the order of `facts`. */
  explanation: FactExplanation[] | null;
}

/** One page of patrols. */
export interface RunPage {
  patrols: RunReport[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** One event, as an object, or as a string that the patrol parses. */
export interface SceneNote {
  /** The producer's id. The same id again with the same content changes nothing. */
  id?: string | null;
  /** The producer's own data, at most 4 KB of JSON. */
  metadata?: Record<string, unknown>;
  type: "scene";
  content: SceneInput | string;
  /** Whether its memory is born with the age that it would have if it had been handed in on the last date (YYYY-MM-DD) of `when`, with a patrol at each PATROL_TICK since. */
  aged?: boolean;
}

/** A Being's session state with its rolling summary. */
export interface SessionState {
  state: ConversationState;
  /** 600 characters at most. */
  rollingSummary: string | null;
}

/** One page of the versions of a spine. */
export interface SpinePage {
  /** Newest first. */
  versions: Spine[];
  /** Pass it to get the next page; null on the last page. */
  cursor: string | null;
}

/** The receipt of the messages, and the context for the answer. */
export interface TurnAnswer {
  receipt: Receipt;
  context: Context;
}
