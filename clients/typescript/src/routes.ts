// One method for each route.
// Generated from openapi.json by `make docs`; do not edit.

import { part, type Request } from "./requests.js";
import type * as types from "./types.js";

/** The routes of the API, by their operation ids. */
export abstract class Routes {
  /** Sends a request; resolves to the JSON of its answer. */
  abstract send(request: Request): Promise<unknown>;

  /** Sends a request; yields the lines of its answer. */
  abstract stream(request: Request): AsyncIterable<string>;

  /** Create a user for a person, or return the user whom you created with the same `external_id`. An operator's token. A user is one person: what one of the person's Beings hears about the person, all of them know, unless `facts_scope` is `being`. So create a user for each person, and a Being for each companion of that person. The answer is 201 for a new user, and 200 for a known one, who is returned as stored: change a user with `PATCH`. */
  createUser(body: types.NewUser): Promise<types.User> {
    return this.send({ method: "POST", path: `/v1/users`, body }) as Promise<types.User>;
  }

  /** List users, oldest first. An operator's token. */
  listUsers(options: { externalId?: string | null | undefined; cursor?: string | null | undefined; limit?: number | undefined; } = {}): Promise<types.UserPage> {
    return this.send({ method: "GET", path: `/v1/users`, query: { "external_id": options.externalId, "cursor": options.cursor, "limit": options.limit } }) as Promise<types.UserPage>;
  }

  /** Show a user. An operator's token. */
  showUser(userId: string): Promise<types.User> {
    return this.send({ method: "GET", path: `/v1/users/${part(userId)}` }) as Promise<types.User>;
  }

  /** Change a user's name, time zone or scope of facts. An operator's token. A new scope applies to facts that are heard from then on. */
  changeUser(userId: string, body: types.UserChanges): Promise<types.User> {
    return this.send({ method: "PATCH", path: `/v1/users/${part(userId)}`, body }) as Promise<types.User>;
  }

  /** Erase a user for good, with all Beings, facts, keys and tokens. This can't be undone. An operator's token. */
  eraseUser(userId: string): Promise<types.BeingErased> {
    return this.send({ method: "DELETE", path: `/v1/users/${part(userId)}` }) as Promise<types.BeingErased>;
  }

  /** Create an access token for a user. Its secret is in this answer alone. An operator's token. Scopes: `ingest` hands in notes and messages, `read` reads and recalls, `manage` creates Beings and changes memory. A user may have up to PATROL_MOST_TOKENS valid tokens. */
  createToken(userId: string, body: types.NewToken): Promise<types.IssuedToken> {
    return this.send({ method: "POST", path: `/v1/users/${part(userId)}/tokens`, body }) as Promise<types.IssuedToken>;
  }

  /** List a user's tokens without their secrets, oldest first, revoked ones included. An operator's token. */
  listTokens(userId: string): Promise<types.TokenPage> {
    return this.send({ method: "GET", path: `/v1/users/${part(userId)}/tokens` }) as Promise<types.TokenPage>;
  }

  /** Revoke a user's token at once. Provider keys that came with its requests are deleted. An operator's token. */
  revokeToken(userId: string, tokenId: string): Promise<void> {
    return this.send({ method: "DELETE", path: `/v1/users/${part(userId)}/tokens/${part(tokenId)}` }) as Promise<void>;
  }

  /** Create a Being with its two root clusters, Business and Private. Scope `manage`. A user may have up to PATROL_MOST_BEINGS Beings. */
  makeBeing(body: types.NewBeing): Promise<types.Being> {
    return this.send({ method: "POST", path: `/v1/beings`, body }) as Promise<types.Being>;
  }

  /** List the Beings that your token opens, oldest first. Scope `read`. */
  listBeings(): Promise<types.BeingPage> {
    return this.send({ method: "GET", path: `/v1/beings` }) as Promise<types.BeingPage>;
  }

  /** Show a Being. Scope `read`. */
  showBeing(being: string): Promise<types.Being> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}` }) as Promise<types.Being>;
  }

  /** Change a Being's display name, its daily budget, or whether scenes are drawn from its talk; its slug stays. Scope `manage`. A budget limits the Being's model calls for a day in your time zone; it can't exceed the platform's. When it is spent, patrols skip the steps that need a model, intake goes on, and model calls resume on the next day. */
  changeBeing(being: string, body: types.BeingChanges): Promise<types.Being> {
    return this.send({ method: "PATCH", path: `/v1/beings/${part(being)}`, body }) as Promise<types.Being>;
  }

  /** Erase a Being and its memory for good. This can't be undone. Scope `manage`. Facts without other evidence than messages to this Being are erased too. Your seeds, your user model and the shared vault scope stay. */
  eraseBeing(being: string): Promise<types.BeingErased> {
    return this.send({ method: "DELETE", path: `/v1/beings/${part(being)}` }) as Promise<types.BeingErased>;
  }

  /** Count what a Being's memory holds, and what waits. Scope `read`. */
  showOverview(being: string): Promise<types.Overview> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/overview` }) as Promise<types.Overview>;
  }

  /** Export all that a Being knows, as of one moment, for `patrol import`. Scope `manage`. The first line is a header, the last the number of lines. Lines with `"of": "user"`, and those of the kinds `user_model`, `seed`, `spine`, `entity` and `entity_merge`, belong to the user, whose other Beings know them too. Keys, tokens and accounts are not included. */
  exportBeing(being: string, options: { vectors?: boolean | undefined; } = {}): AsyncIterable<string> {
    return this.stream({ method: "GET", path: `/v1/beings/${part(being)}/export`, query: { "vectors": options.vectors } });
  }

  /** Erase a memory for good, with its note and all memories that it absorbed. This can't be undone. Scope `manage`. Memories that had absorbed it return to the words of their own notes, and other memories that these had absorbed are active again. Diary pages about it are erased as a whole. */
  eraseNode(being: string, nodeId: string): Promise<types.NodeErased> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/nodes/${part(nodeId)}/erase` }) as Promise<types.NodeErased>;
  }

  /** Erase a note for good, with the memory that was made from it. This can't be undone. Scope `manage`. */
  eraseNote(being: string, noteId: string): Promise<types.NodeErased> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/notes/${part(noteId)}/erase` }) as Promise<types.NodeErased>;
  }

  /** Hand in one note, or a list of up to 1,000. Accepted means committed. Scope `ingest`. Items are at most 64 KB each. An invalid item is listed under `rejected` by its position, and the others are accepted; if all are invalid, the answer is a 422 with the same list. An item whose id is stored with the same content is a duplicate and changes nothing; with other content it is listed under `conflicts` and changes nothing either. */
  handInNotes(being: string, body: types.SceneNote | types.TodoNote | types.ReminderNote | types.KnowledgeNote | (types.SceneNote | types.TodoNote | types.ReminderNote | types.KnowledgeNote)[], options: { lLMAPIKey?: string | null | undefined; lLMProvider?: "anthropic" | "openai" | null | undefined; } = {}): Promise<types.Receipt> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/notes`, headers: { "X-LLM-API-Key": options.lLMAPIKey, "X-LLM-Provider": options.lLMProvider }, body }) as Promise<types.Receipt>;
  }

  /** List notes with their state and outcome. Scope `read`. */
  listNotes(being: string, options: { state?: "kept" | "pending" | "stamped" | "remembered" | "parse_failed" | "embed_failed" | null | undefined; cursor?: string | null | undefined; limit?: number | undefined; } = {}): Promise<types.NotePage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/notes`, query: { "state": options.state, "cursor": options.cursor, "limit": options.limit } }) as Promise<types.NotePage>;
  }

  /** Show a note. Scope `read`. */
  showNote(being: string, noteId: string): Promise<types.Note> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/notes/${part(noteId)}` }) as Promise<types.Note>;
  }

  /** Mark a todo or a reminder as read or unread, or change a todo, reminder or knowledge note. Scope `manage`. Notes that were read leave the snapshot, and knowledge does with `in_snapshot` false. A scene note can't be changed: correct the memory that was made from it. */
  changeNote(being: string, noteId: string, body: types.NoteChanges): Promise<types.Note> {
    return this.send({ method: "PATCH", path: `/v1/beings/${part(being)}/notes/${part(noteId)}`, body }) as Promise<types.Note>;
  }

  /** Delete a todo, a reminder or a knowledge note. Scope `manage`. */
  removeNote(being: string, noteId: string): Promise<void> {
    return this.send({ method: "DELETE", path: `/v1/beings/${part(being)}/notes/${part(noteId)}` }) as Promise<void>;
  }

  /** Hand in one message, or a list of up to 1,000. Accepted means committed. Scope `ingest`. A message belongs to the session within 30 minutes of its own `created_at`. A time up to an hour in the future becomes now, and a later one is refused. Of a message with more than 64 KB the beginning is kept; it is listed under `shortened`. Characters that are none (NUL, halves of UTF-16 pairs) become U+FFFD. As for notes, refused items are listed under `rejected`, and an id is taken once. */
  handInMessages(being: string, body: types.MessageInput | types.MessageInput[], options: { lLMAPIKey?: string | null | undefined; lLMProvider?: "anthropic" | "openai" | null | undefined; } = {}): Promise<types.Receipt> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/messages`, headers: { "X-LLM-API-Key": options.lLMAPIKey, "X-LLM-Provider": options.lLMProvider }, body }) as Promise<types.Receipt>;
  }

  /** Take messages back: by `ids`, or those of a `conversation` behind the message `after`. Scope `ingest`. A retracted message counts as never said. It is in no search, context or prompt, and workers derive again, without it, what was derived from it. A retraction that comes before its message waits for it. The same id with other content is then a new version of the message. */
  retractMessages(being: string, body: types.MessageSelection): Promise<types.Retracted> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/messages/retract`, body }) as Promise<types.Retracted>;
  }

  /** Let retracted messages stand again, under their own ids and times. Scope `ingest`. They are processed as new messages are. What was erased does not come back: 410, and nothing is restored. */
  restoreMessages(being: string, body: types.MessageSelection): Promise<types.Restored> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/messages/restore`, body }) as Promise<types.Restored>;
  }

  /** Set or lift the confidence of a message. Scope `manage`. A message in confidence stays, with all that rests on it, with the Being that it was said to. The decision precedes the mark of the message's producer and what a model finds, and facts and the spine follow it. */
  changeMessage(being: string, messageId: string, body: types.MessageChanges): Promise<types.Message> {
    return this.send({ method: "PATCH", path: `/v1/beings/${part(being)}/messages/${part(messageId)}`, body }) as Promise<types.Message>;
  }

  /** Erase a message, with the facts and todos that no other message supports; the answer names them. Scope `manage`. Scenes that were drawn from it go with their memories. Its other effects are undone: a statement that it replaced is current again, a todo that it closed is open. */
  eraseMessage(being: string, messageId: string): Promise<types.Erased> {
    return this.send({ method: "DELETE", path: `/v1/beings/${part(being)}/messages/${part(messageId)}` }) as Promise<types.Erased>;
  }

  /** Show what erasing a message would remove and change; nothing is erased. Scope `manage`. */
  previewErasure(being: string, messageId: string): Promise<types.Erased> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/messages/${part(messageId)}/erasure` }) as Promise<types.Erased>;
  }

  /** List sessions, the one opened last first; an open session has no `ended_at`. Scope `read`. */
  listSessions(being: string, options: { cursor?: string | null | undefined; limit?: number | undefined; } = {}): Promise<types.SessionPage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/sessions`, query: { "cursor": options.cursor, "limit": options.limit } }) as Promise<types.SessionPage>;
  }

  /** Show a session with its summary, which is written after the session has closed, if a model is available. Scope `read`. A late message that belongs to the session causes a new version of the summary. */
  showSession(being: string, sessionId: string): Promise<types.SessionDetail> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/sessions/${part(sessionId)}` }) as Promise<types.SessionDetail>;
  }

  /** List the messages of a session, in order. Scope `read`. */
  listMessages(being: string, sessionId: string, options: { cursor?: string | null | undefined; limit?: number | undefined; } = {}): Promise<types.MessagePage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/sessions/${part(sessionId)}/messages`, query: { "cursor": options.cursor, "limit": options.limit } }) as Promise<types.MessagePage>;
  }

  /** List third speakers' messages of all sessions, the one received last first. Scope `read`. */
  listPartyMessages(being: string, options: { cursor?: string | null | undefined; limit?: number | undefined; } = {}): Promise<types.MessagePage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/party-messages`, query: { "cursor": options.cursor, "limit": options.limit } }) as Promise<types.MessagePage>;
  }

  /** List messages that were taken back and can be restored, the one received last first. Scope `read`. */
  listRetractedMessages(being: string, options: { conversation?: string | null | undefined; cursor?: string | null | undefined; limit?: number | undefined; } = {}): Promise<types.RetractedPage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/retracted-messages`, query: { "conversation": options.conversation, "cursor": options.cursor, "limit": options.limit } }) as Promise<types.RetractedPage>;
  }

  /** Show the state that survives sessions: message count, rolling summary, and the summary's last attempt. Scope `read`. */
  showState(being: string): Promise<types.SessionState> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/session-state` }) as Promise<types.SessionState>;
  }

  /** List the versions of the rolling summary, newest first; it is rewritten every four messages. Scope `read`. */
  listRollingSummaries(being: string, options: { cursor?: string | null | undefined; limit?: number | undefined; } = {}): Promise<types.RollingPage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/rolling-summaries`, query: { "cursor": options.cursor, "limit": options.limit } }) as Promise<types.RollingPage>;
  }

  /** List versions of the spine, the long-term summary of the Being's user, newest first; one unless `limit` is set. Scope `read`. It is rewritten every 20 judged messages, and holds nothing that was said in confidence. */
  listSpines(being: string, options: { cursor?: string | null | undefined; limit?: number | undefined; } = {}): Promise<types.SpinePage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/spine`, query: { "cursor": options.cursor, "limit": options.limit } }) as Promise<types.SpinePage>;
  }

  /** Demand a patrol. Scope `manage`, for a demanded patrol counts as a day that passes. It takes the notes that wait when it begins. During another patrol it is queued; demands meanwhile are one patrol. */
  demandPatrol(being: string): Promise<types.Demanded> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/patrols` }) as Promise<types.Demanded>;
  }

  /** List patrols, newest first. Scope `read`. */
  listPatrols(being: string, options: { cursor?: string | null | undefined; limit?: number | undefined; } = {}): Promise<types.RunPage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/patrols`, query: { "cursor": options.cursor, "limit": options.limit } }) as Promise<types.RunPage>;
  }

  /** Show how far a patrol has come: its nine steps, and the one it is at. Scope `read`. */
  showPatrol(being: string, runId: string): Promise<types.RunReport> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/patrols/${part(runId)}` }) as Promise<types.RunReport>;
  }

  /** Recall by meaning, up to `limit` living memories. Scope `read`. As `fragments`, actions and feelings are shuffled into one stream, which blurs their borders as human memory does; as `nodes`, each memory comes whole. While the embedder is out of reach words have to do, and the answer says so. */
  recallMemories(being: string, body: types.RecallRequest): Promise<types.RecalledFragments | types.RecalledNodes> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/recall`, body }) as Promise<types.RecalledFragments | types.RecalledNodes>;
  }

  /** Remember a topic: all its memories, dead ones too, newest first, 50 at a time. Scope `read`. */
  recallTopic(being: string, body: types.TopicRequest): Promise<types.TopicPage> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/recall_memory`, body }) as Promise<types.TopicPage>;
  }

  /** Search memories, dead ones too, by words. Scope `read`. Themes match whole and to the letter; action, feeling and dates match as parts, whatever the case. */
  searchMemories(being: string, body: types.SearchRequest): Promise<types.Searched> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/search_memory`, body }) as Promise<types.Searched>;
  }

  /** Search all that a Being was told: messages, memories, facts, summaries, diary, knowledge; the vault where named. Scope `read`. It finds by words, in any language, within a second of what was accepted, and by meaning once that was embedded; `unindexed` counts what is not there yet. Names of speakers and times in the query count for what was said by them and then, and exclude nothing else; `since`, `until` and `speaker` do. */
  searchEverything(being: string, body: types.EverythingRequest): Promise<types.Found> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/search`, body }) as Promise<types.Found>;
  }

  /** Keep JSON objects under keys, in place of what is there, or remove them. Scope `ingest`. What is kept is a knowledge note of the Being: it is found by its searches, and stays out of the snapshot. All of a request is done, or nothing. */
  putKnowledge(being: string, body: types.KnowledgeChanges): Promise<types.KnowledgeChanged> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/knowledge`, body }) as Promise<types.KnowledgeChanged>;
  }

  /** Show what is kept under each of some keys, null where nothing is. Scope `read`. */
  getKnowledge(being: string, body: types.KnowledgeKeys): Promise<types.KnowledgeShown> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/knowledge/get`, body }) as Promise<types.KnowledgeShown>;
  }

  /** Search what is kept under keys: in a namespace, by fields, and by words and meaning where there is a query. Scope `read`. What was put is found at once. With a query, what it does not find comes last and has no score. */
  searchKnowledge(being: string, body: types.KnowledgeQuestion): Promise<types.KnowledgeFound> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/knowledge/search`, body }) as Promise<types.KnowledgeFound>;
  }

  /** List the namespaces in which knowledge is kept. Scope `read`. */
  listKnowledgeNamespaces(being: string, body: types.NamespaceQuestion): Promise<types.Namespaces> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/knowledge/namespaces`, body }) as Promise<types.Namespaces>;
  }

  /** Find the facts that are relevant to a query, with cards of the entities that they name, and the pinned facts. Scope `read`. The 50 most similar facts are ranked by similarity, recency and frequency. Retrieval changes no fact. */
  retrieveFacts(being: string, body: types.FactQuestion): Promise<types.Retrieved> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/facts/retrieve`, body }) as Promise<types.Retrieved>;
  }

  /** List the facts that a Being knows, newest first: the user's, and those said to it in confidence. Scope `read`. */
  listFacts(being: string, options: { type?: "PROFILE" | "PEOPLE" | "PROJECT" | null | undefined; status?: "ACTIVE" | "ARCHIVED" | undefined; entity?: string | null | undefined; cursor?: string | null | undefined; limit?: number | undefined; } = {}): Promise<types.FactPage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/facts`, query: { "type": options.type, "status": options.status, "entity": options.entity, "cursor": options.cursor, "limit": options.limit } }) as Promise<types.FactPage>;
  }

  /** Add up to 1,000 facts about the user, known to all of the user's Beings unless `in_confidence`. Scope `manage`. An item that was added before changes nothing. An item with the memory key of a known fact is added to that fact. */
  introduceUser(being: string, body: types.Seed[]): Promise<types.Seeded> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/facts`, body }) as Promise<types.Seeded>;
  }

  /** Show a fact with all its statements, the quotations that support them, and its history. Scope `read`. */
  showFact(being: string, factId: string): Promise<types.FactDetail> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/facts/${part(factId)}` }) as Promise<types.FactDetail>;
  }

  /** Correct a fact, set its importance, pin, archive or restore it, set or lift its confidence. Scope `manage`. A pinned fact has importance 3 and can't be archived. A confidence is set on all messages that the fact rests on: what they told stays with the Being that each was said to. If that Being has a fact of the same key, the answer is that one. */
  changeFact(being: string, factId: string, body: types.FactChanges): Promise<types.Fact> {
    return this.send({ method: "PATCH", path: `/v1/beings/${part(being)}/facts/${part(factId)}`, body }) as Promise<types.Fact>;
  }

  /** Erase a fact with all its statements. The messages that support it stay; mentioned again, it is a new fact. Scope `manage`. */
  eraseFact(being: string, factId: string): Promise<void> {
    return this.send({ method: "DELETE", path: `/v1/beings/${part(being)}/facts/${part(factId)}` }) as Promise<void>;
  }

  /** Undo a fold of the curator. The folded facts are active again, and are never folded again. Scope `manage`. */
  unfoldFact(being: string, factId: string): Promise<types.FactPage> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/facts/${part(factId)}/unfold` }) as Promise<types.FactPage>;
  }

  /** List the entities that facts name, those with the most facts first, with their aliases. Scope `read`. */
  listEntities(being: string, options: { cursor?: string | null | undefined; limit?: number | undefined; } = {}): Promise<types.EntityPage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/entities`, query: { "cursor": options.cursor, "limit": options.limit } }) as Promise<types.EntityPage>;
  }

  /** List merges of entities: proposed, merged, declined or undone. Scope `read`. */
  listMerges(being: string, options: { state?: "proposed" | "merged" | "declined" | "undone" | null | undefined; cursor?: string | null | undefined; limit?: number | undefined; } = {}): Promise<types.Proposals> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/entities/merges`, query: { "state": options.state, "cursor": options.cursor, "limit": options.limit } }) as Promise<types.Proposals>;
  }

  /** Propose that two entities are one, or with `accept` merge them. Scope `manage`. */
  proposeMerge(being: string, body: types.ProposedMerge): Promise<types.EntityMerge> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/entities/merges`, body }) as Promise<types.EntityMerge>;
  }

  /** Accept a merge. The facts of both entities are filed under one of them; no fact is reworded. Scope `manage`. */
  mergeEntities(being: string, mergeId: string): Promise<types.EntityMerge> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/entities/merges/${part(mergeId)}/accept` }) as Promise<types.EntityMerge>;
  }

  /** Keep two entities apart: decline a proposed merge, or undo an accepted one. Scope `manage`. */
  partEntities(being: string, mergeId: string): Promise<types.EntityMerge> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/entities/merges/${part(mergeId)}/decline` }) as Promise<types.EntityMerge>;
  }

  /** List the user's commitments, habits, open threads and frictions, as told to this Being, newest first. Scope `read`. */
  listTodos(being: string, options: { status?: "OPEN" | "DONE" | "ARCHIVED" | undefined; kind?: "commitment" | "habit" | "thread" | "friction" | "promise" | null | undefined; cursor?: string | null | undefined; limit?: number | undefined; } = {}): Promise<types.TodoPage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/todos`, query: { "status": options.status, "kind": options.kind, "cursor": options.cursor, "limit": options.limit } }) as Promise<types.TodoPage>;
  }

  /** Correct a todo, pin, close, archive or reopen it, set or lift the confidence of the messages that it rests on. Scope `manage`. */
  changeTodo(being: string, todoId: string, body: types.TodoChanges): Promise<types.Todo> {
    return this.send({ method: "PATCH", path: `/v1/beings/${part(being)}/todos/${part(todoId)}`, body }) as Promise<types.Todo>;
  }

  /** Erase a todo. The messages that support it stay. Scope `manage`. */
  eraseTodo(being: string, todoId: string): Promise<void> {
    return this.send({ method: "DELETE", path: `/v1/beings/${part(being)}/todos/${part(todoId)}` }) as Promise<void>;
  }

  /** List the topics: each root, then its topics by size. Scope `read`. */
  listClusters(being: string): Promise<types.ClusterPage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/clusters` }) as Promise<types.ClusterPage>;
  }

  /** Rename a topic, move it to the other root, or both. Scope `manage`. Patrols keep a name that a person gave. Roots can't be changed. */
  changeTopic(being: string, clusterId: string, body: types.TopicChanges): Promise<types.Cluster> {
    return this.send({ method: "PATCH", path: `/v1/beings/${part(being)}/clusters/${part(clusterId)}`, body }) as Promise<types.Cluster>;
  }

  /** List memories, newest first, dead and forgotten ones too; looking keeps nothing alive. Scope `read`. */
  listNodes(being: string, options: { cluster?: string | null | undefined; status?: "active" | "dying" | "dead" | null | undefined; cursor?: string | null | undefined; limit?: number | undefined; } = {}): Promise<types.NodePage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/nodes`, query: { "cluster": options.cluster, "status": options.status, "cursor": options.cursor, "limit": options.limit } }) as Promise<types.NodePage>;
  }

  /** List what will be dying within so many patrols, soonest first; `patrols_left` says how soon. Scope `read`. */
  listFading(being: string, options: { patrols?: number | undefined; cursor?: string | null | undefined; limit?: number | undefined; } = {}): Promise<types.NodePage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/fading`, query: { "patrols": options.patrols, "cursor": options.cursor, "limit": options.limit } }) as Promise<types.NodePage>;
  }

  /** Show the topics, and all memories in few words with their strength, for a drawing of the whole memory. Scope `read`. */
  showMap(being: string, options: { dead?: boolean | undefined; cursor?: string | null | undefined; limit?: number | undefined; } = {}): Promise<types.TopicMap> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/map`, query: { "dead": options.dead, "cursor": options.cursor, "limit": options.limit } }) as Promise<types.TopicMap>;
  }

  /** Show a memory. Scope `read`. */
  showNode(being: string, nodeId: string): Promise<types.Node> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/nodes/${part(nodeId)}` }) as Promise<types.Node>;
  }

  /** Pin or unpin a memory, correct what it says, or both at once. Scope `manage`. Corrected words are embedded anew. A pinned memory never fades; a dead one can't be pinned before it is revived. */
  changeNode(being: string, nodeId: string, body: types.NodeChanges): Promise<types.Node> {
    return this.send({ method: "PATCH", path: `/v1/beings/${part(being)}/nodes/${part(nodeId)}`, body }) as Promise<types.Node>;
  }

  /** Forget a memory: nothing finds it, until it is revived. A pinned one must be unpinned first. Scope `manage`. */
  forgetNode(being: string, nodeId: string): Promise<types.Node> {
    return this.send({ method: "DELETE", path: `/v1/beings/${part(being)}/nodes/${part(nodeId)}` }) as Promise<types.Node>;
  }

  /** Tell where a memory came from and what happened to it. Scope `read`. */
  tellStory(being: string, nodeId: string): Promise<types.NodeStory> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/nodes/${part(nodeId)}/history` }) as Promise<types.NodeStory>;
  }

  /** Bring a dying, dead, absorbed or forgotten memory back. Scope `manage`. */
  reviveNode(being: string, nodeId: string): Promise<types.Node> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/nodes/${part(nodeId)}/revive` }) as Promise<types.Node>;
  }

  /** Undo the latest forgetting or reviving by a person, if nothing else happened to the memory's state since. Scope `manage`. The memory is what it would be without it: dying, dead, absorbed or active, and as old as it would be by now. */
  undoNode(being: string, nodeId: string): Promise<types.Node> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/nodes/${part(nodeId)}/undo` }) as Promise<types.Node>;
  }

  /** Export all versions in the Being's scopes, tombstones too, as lines of JSON. Scope `read`. */
  exportVault(being: string, options: { scope?: string | null | undefined; } = {}): AsyncIterable<string> {
    return this.stream({ method: "GET", path: `/v1/beings/${part(being)}/vault/export`, query: { "scope": options.scope } });
  }

  /** Import versions, a line of JSON each, of at most 64 KB; `id`, `text` and `scope` are required. Scope `manage`. Invalid lines are listed under `rejected` by their numbers, from 1, and the others are imported. Importing the same lines again changes nothing. After 1,000 invalid lines the import stops, and `stopped_at` is the next line. */
  importVault(being: string, body: string): Promise<types.Imported> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/vault/import`, body, media: "application/x-ndjson" }) as Promise<types.Imported>;
  }

  /** Show the block that every prompt contains: canon, and registers with a topic, fenced. Scope `read`. */
  showSnapshot(being: string, options: { scope?: string[] | null | undefined; } = {}): Promise<types.Block> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/vault/snapshot`, query: { "scope": options.scope } }) as Promise<types.Block>;
  }

  /** Build a block of the records relevant to a query, canon first, fenced for a prompt. Scope `read`. */
  buildBlock(being: string, body: types.BlockRequest): Promise<types.Block> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/vault/block`, body }) as Promise<types.Block>;
  }

  /** Show the Being's vault configuration. Scope `read`. */
  showProfile(being: string): Promise<types.VaultConfigOutput> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/vault/profile` }) as Promise<types.VaultConfigOutput>;
  }

  /** Replace the Being's vault configuration; omitted fields get their defaults. Scope `manage`. */
  changeProfile(being: string, body: types.VaultConfigInput): Promise<types.VaultConfigOutput> {
    return this.send({ method: "PUT", path: `/v1/beings/${part(being)}/vault/profile`, body }) as Promise<types.VaultConfigOutput>;
  }

  /** Remove superseded versions and old tombstones; live records stay the same. Scope `manage`. */
  compactVault(being: string, options: { scope?: string | null | undefined; } = {}): Promise<types.Compacted> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/vault/compact`, query: { "scope": options.scope } }) as Promise<types.Compacted>;
  }

  /** Add one record, or a list of up to 1,000; eight gates check each of them. Scope `manage`. A register with a known topic becomes that register's next version. An item that a gate refuses is listed under `rejected` with the gate, the rule and what to do instead; if all items are refused, the answer is a 422 with the same list. Items that were permanently erased before are listed under `erased` and not stored. With an `Idempotency-Key` a repeated request changes nothing. */
  addRecords(being: string, body: types.NewRecord | types.NewRecord[]): Promise<types.VaultReceipt> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/vault`, body }) as Promise<types.VaultReceipt>;
  }

  /** List the live records: canon, then registers, each by age. Scope `read`. */
  listRecords(being: string, options: { scope?: string | null | undefined; tier?: "canon" | "register" | null | undefined; category?: string | null | undefined; tag?: string | null | undefined; } = {}): Promise<types.RecordPage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/vault`, query: { "scope": options.scope, "tier": options.tier, "category": options.category, "tag": options.tag } }) as Promise<types.RecordPage>;
  }

  /** Search the vault by words, the highest score first. Scope `read`. The score is token overlap, + 0.3 if the record contains the query, + 0.4 times their sequence similarity. Records that share no word with the query are not found. */
  searchRecords(being: string, body: types.VaultSearch): Promise<types.HitPage> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/vault/search`, body }) as Promise<types.HitPage>;
  }

  /** Show how full the vault is, and how much a compaction would remove. Scope `read`. */
  showStats(being: string): Promise<types.VaultStats> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/vault/stats` }) as Promise<types.VaultStats>;
  }

  /** List pairs of similar records, the most similar first. Scope `read`. */
  listCandidates(being: string, options: { scope?: string | null | undefined; floor?: number | undefined; } = {}): Promise<types.CandidatePage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/vault/candidates`, query: { "scope": options.scope, "floor": options.floor } }) as Promise<types.CandidatePage>;
  }

  /** List records proposed for deletion, each with its reasons. Nothing is deleted. Scope `read`. */
  listProposals(being: string, options: { scope?: string | null | undefined; } = {}): Promise<types.ProposalPage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/vault/proposals`, query: { "scope": options.scope } }) as Promise<types.ProposalPage>;
  }

  /** Write a new version of a topic's register, or create it. Scope `manage`. */
  writeTopic(being: string, topicId: string, body: types.TopicText): Promise<types.VaultRecord> {
    return this.send({ method: "PUT", path: `/v1/beings/${part(being)}/vault/topics/${part(topicId)}`, body }) as Promise<types.VaultRecord>;
  }

  /** Delete several records; each ends in a tombstone. Scope `manage`. */
  deleteRecords(being: string, body: types.Deletion): Promise<types.Deleted> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/vault/delete`, body }) as Promise<types.Deleted>;
  }

  /** Show the stored versions of a record, oldest first, its tombstone too. Scope `read`. */
  showRecord(being: string, recordId: string): Promise<types.RecordPage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/vault/${part(recordId)}` }) as Promise<types.RecordPage>;
  }

  /** Change a record; gates 1 to 5 check the change. Scope `manage`. */
  changeRecord(being: string, recordId: string, body: types.RecordChanges): Promise<types.VaultRecord> {
    return this.send({ method: "PATCH", path: `/v1/beings/${part(being)}/vault/${part(recordId)}`, body }) as Promise<types.VaultRecord>;
  }

  /** Delete a record. The answer is its tombstone, which has no text. Scope `manage`. Earlier versions stay until the vault is compacted; erase the record to remove them now. */
  deleteRecord(being: string, recordId: string): Promise<types.VaultRecord> {
    return this.send({ method: "DELETE", path: `/v1/beings/${part(being)}/vault/${part(recordId)}` }) as Promise<types.VaultRecord>;
  }

  /** Permanently erase a record with all its versions. Scope `manage`. Keyed digests of its id and text stay, by which every door refuses them from now on. */
  eraseRecord(being: string, recordId: string): Promise<types.VaultErased> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/vault/${part(recordId)}/erase` }) as Promise<types.VaultErased>;
  }

  /** Make a register canon, with another text if one is given. Scope `manage`. */
  promoteRecord(being: string, recordId: string, body: types.Promotion): Promise<types.VaultRecord> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/vault/${part(recordId)}/promote`, body }) as Promise<types.VaultRecord>;
  }

  /** Read the diary, newest day first, and what the Being wants to have in mind next time. Scope `read`. */
  readDiary(being: string, options: { cursor?: string | null | undefined; limit?: number | undefined; } = {}): Promise<types.DiaryPage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/diary`, query: { "cursor": options.cursor, "limit": options.limit } }) as Promise<types.DiaryPage>;
  }

  /** Store your key for a model provider, encrypted; it can't be read again. Scope `manage`, of a token for all your Beings. The key that you stored last pays for your Beings' model calls. While one is stored, neither a request's key nor the platform's is used in its place. Storing the same key again makes it the newest. */
  storeKey(body: types.NewKey): Promise<types.ProviderKey> {
    return this.send({ method: "POST", path: `/v1/keys`, body }) as Promise<types.ProviderKey>;
  }

  /** List the keys that you have stored, by their last four characters. Scope `manage`, of a token for all your Beings. */
  listKeys(): Promise<types.KeyPage> {
    return this.send({ method: "GET", path: `/v1/keys` }) as Promise<types.KeyPage>;
  }

  /** Delete a stored key. Scope `manage`, of a token for all your Beings. */
  removeKey(keyId: string): Promise<void> {
    return this.send({ method: "DELETE", path: `/v1/keys/${part(keyId)}` }) as Promise<void>;
  }

  /** Show calls of models, their tokens and cost by day, Being, purpose and model, newest day first. Scope `read`. A token for one Being shows that Being's. */
  showCost(options: { since?: string | null | undefined; } = {}): Promise<types.SpendingPage> {
    return this.send({ method: "GET", path: `/v1/cost`, query: { "since": options.since } }) as Promise<types.SpendingPage>;
  }

  /** Show what one Being's models have cost, by day, purpose and model, newest day first. Scope `read`. */
  showCostOfBeing(being: string, options: { since?: string | null | undefined; } = {}): Promise<types.SpendingPage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/cost`, query: { "since": options.since } }) as Promise<types.SpendingPage>;
  }

  /** Show a Being's soul and its state. Scope `read`. */
  showSoul(being: string): Promise<types.WholeSoul> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/soul` }) as Promise<types.WholeSoul>;
  }

  /** Change parts of a Being's soul or of its state. Scope `manage`. Omitted parts stay; an empty text removes a part. Each change alters Block 1-A, so that the provider's prompt cache misses once. */
  changeSoul(being: string, body: types.SoulChanges): Promise<types.WholeSoul> {
    return this.send({ method: "PATCH", path: `/v1/beings/${part(being)}/soul`, body }) as Promise<types.WholeSoul>;
  }

  /** List the entries of one of a Being's lists in the order of contexts; disabled ones too. Scope `read`. */
  listPersona(being: string, kind: "partner_rules" | "preferences" | "relationships" | "partner_tools" | "partner_map" | "skills"): Promise<types.PersonaPage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/persona/${part(kind)}` }) as Promise<types.PersonaPage>;
  }

  /** Add an entry to one of a Being's lists, which hold up to 100 each. Scope `manage`. */
  addPersona(being: string, kind: "partner_rules" | "preferences" | "relationships" | "partner_tools" | "partner_map" | "skills", body: types.NewPersonaEntry): Promise<types.PersonaEntry> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/persona/${part(kind)}`, body }) as Promise<types.PersonaEntry>;
  }

  /** Change an entry, enable it or disable it. Scope `manage`. */
  changePersona(being: string, kind: "partner_rules" | "preferences" | "relationships" | "partner_tools" | "partner_map" | "skills", entryId: string, body: types.PersonaChanges): Promise<types.PersonaEntry> {
    return this.send({ method: "PATCH", path: `/v1/beings/${part(being)}/persona/${part(kind)}/${part(entryId)}`, body }) as Promise<types.PersonaEntry>;
  }

  /** Remove an entry. Scope `manage`. */
  removePersona(being: string, kind: "partner_rules" | "preferences" | "relationships" | "partner_tools" | "partner_map" | "skills", entryId: string): Promise<void> {
    return this.send({ method: "DELETE", path: `/v1/beings/${part(being)}/persona/${part(kind)}/${part(entryId)}` }) as Promise<void>;
  }

  /** Show the user model, the description of you as a person; all your Beings share it. Scope `read`. */
  showUserModel(): Promise<types.UserModel> {
    return this.send({ method: "GET", path: `/v1/user-model` }) as Promise<types.UserModel>;
  }

  /** Replace the user model. A session is shown it once, and again after a change. Scope `manage`, with a token for all of your Beings. */
  writeUserModel(body: types.NewUserModel): Promise<types.UserModel> {
    return this.send({ method: "PUT", path: `/v1/user-model`, body }) as Promise<types.UserModel>;
  }

  /** Remove the user model. Scope `manage`, with a token for all of your Beings. */
  removeUserModel(): Promise<void> {
    return this.send({ method: "DELETE", path: `/v1/user-model` }) as Promise<void>;
  }

  /** Assemble a context: a prompt from the Being's memory, ready to be sent to a model. Scope `read`. The lines, the pauses and the regions of your own are those of the `conversation`; what was said in another one is memory. Regions come in the order of the process's profile. The bytes of stable regions stay the same from turn to turn, and for Anthropic they carry cache markers. Regions beyond the token budget are left out whole, never cut. */
  assembleContext(being: string, body: types.ContextRequest): Promise<types.Context> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/context`, body }) as Promise<types.Context>;
  }

  /** List the contexts that were assembled, newest first, for as long as PATROL_KEEP_RECEIPTS says. Scope `read`. */
  listContexts(being: string, options: { shows?: string | null | undefined; conversation?: string | null | undefined; cursor?: string | null | undefined; limit?: number | undefined; } = {}): Promise<types.AssembledPage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/contexts`, query: { "shows": options.shows, "conversation": options.conversation, "cursor": options.cursor, "limit": options.limit } }) as Promise<types.AssembledPage>;
  }

  /** Show which memories, facts and passages a context showed, and why: the scores by which they were chosen. Scope `read`. */
  showContext(being: string, contextId: string): Promise<types.ShownContext> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/contexts/${part(contextId)}` }) as Promise<types.ShownContext>;
  }

  /** Store new messages and assemble the context for the answer, in one call. Scopes `ingest` and `read`. Usually these are the Being's answer of the turn before and the user's new message. Accepted means committed. Messages with known ids change nothing, and the context is assembled again. It is of the last message's `conversation`: its lines, its pauses and the regions that callers wrote for it. */
  takeTurnIn(being: string, body: types.Turn, options: { lLMAPIKey?: string | null | undefined; lLMProvider?: "anthropic" | "openai" | null | undefined; } = {}): Promise<types.TurnAnswer> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/turns`, headers: { "X-LLM-API-Key": options.lLMAPIKey, "X-LLM-Provider": options.lLMProvider }, body }) as Promise<types.TurnAnswer>;
  }

  /** Show Block 1-B as it is now, and the ids it is made from. Scope `read`. */
  showSessionSnapshot(being: string): Promise<types.Snapshot> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/snapshot` }) as Promise<types.Snapshot>;
  }

  /** List the process profiles: this Being's own, and the defaults of the other processes. Scope `read`. */
  listProfiles(being: string): Promise<types.ProfilePage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/profiles` }) as Promise<types.ProfilePage>;
  }

  /** Set the regions of a mental process, their order, and its instructions. Scope `manage`. */
  writeProfile(being: string, process: string, body: types.NewProfile): Promise<types.Profile> {
    return this.send({ method: "PUT", path: `/v1/beings/${part(being)}/profiles/${part(process)}`, body }) as Promise<types.Profile>;
  }

  /** Remove this Being's own profile of a mental process, so that the default applies. Scope `manage`. */
  resetProfile(being: string, process: string): Promise<void> {
    return this.send({ method: "DELETE", path: `/v1/beings/${part(being)}/profiles/${part(process)}` }) as Promise<void>;
  }

  /** Show a conversation's working memory by region: what was said, and the entries that callers wrote. Scope `read`. */
  showWorkingMemory(being: string, options: { conversation?: string | null | undefined; } = {}): Promise<types.WorkingMemoryPage> {
    return this.send({ method: "GET", path: `/v1/beings/${part(being)}/working-memory`, query: { "conversation": options.conversation } }) as Promise<types.WorkingMemoryPage>;
  }

  /** Replace the entries of a region of your own in a conversation; an empty list removes it. Scope `ingest`; entries of the role `system`, which is the default, need `manage` as well. */
  replaceRegion(being: string, region: string, body: types.NewEntry[], options: { conversation?: string | null | undefined; } = {}): Promise<types.WorkingMemoryPage> {
    return this.send({ method: "PUT", path: `/v1/beings/${part(being)}/working-memory/${part(region)}`, query: { "conversation": options.conversation }, body }) as Promise<types.WorkingMemoryPage>;
  }

  /** Append entries to a region of your own in a conversation. A region with more than 40 is cut to the newest 20. Scope `ingest`; entries of the role `system`, which is the default, need `manage` as well. */
  addToRegion(being: string, region: string, body: types.NewEntry[], options: { conversation?: string | null | undefined; } = {}): Promise<types.WorkingMemoryPage> {
    return this.send({ method: "POST", path: `/v1/beings/${part(being)}/working-memory/${part(region)}`, query: { "conversation": options.conversation }, body }) as Promise<types.WorkingMemoryPage>;
  }

  /** List work of the Beings that the token gives access to, oldest first; by default dead work. Scope `read`. An operator's token lists all users' work. */
  listWork(options: { state?: "ready" | "running" | "done" | "dead" | undefined; cursor?: string | null | undefined; limit?: number | undefined; } = {}): Promise<types.WorkPage> {
    return this.send({ method: "GET", path: `/v1/work`, query: { "state": options.state, "cursor": options.cursor, "limit": options.limit } }) as Promise<types.WorkPage>;
  }

  /** Show a unit of work, with its last error. Scope `read`. */
  showWork(workId: string): Promise<types.Work> {
    return this.send({ method: "GET", path: `/v1/work/${part(workId)}` }) as Promise<types.Work>;
  }

  /** Delete dead work, or waiting work of a kind that is unknown to this version. Scope `manage`. */
  dropWork(workId: string): Promise<void> {
    return this.send({ method: "DELETE", path: `/v1/work/${part(workId)}` }) as Promise<void>;
  }

  /** Make dead work ready again. A dead step of a patrol is replayed as a new patrol. Scope `manage`. */
  replayWork(workId: string): Promise<void> {
    return this.send({ method: "POST", path: `/v1/work/${part(workId)}/replay` }) as Promise<void>;
  }

  /** Show the system's metrics in Prometheus's text format. An operator's token. `patrol operator add` creates one. */
  showMetrics(): Promise<void> {
    return this.send({ method: "GET", path: `/metrics` }) as Promise<void>;
  }

  /** Check that the process answers. It needs no thread, so it succeeds even while all threads wait for the database. */
  live(): Promise<types.Health> {
    return this.send({ method: "GET", path: `/health/live` }) as Promise<types.Health>;
  }

  /** Check that this process can answer requests, for a load balancer. It can if the database answers and is migrated; input is accepted without Redis and without workers. Otherwise the answer is a 503 that says what is wrong. */
  ready(): Promise<types.Health> {
    return this.send({ method: "GET", path: `/health/ready` }) as Promise<types.Health>;
  }

  /** Check that the system's work gets done, for monitoring. The database and Redis answer, the due work of each queue is taken in time, work in progress ends, and beat runs. Otherwise the answer is a 503 that names what is wrong, queues by name, with all that was checked under `checks`. */
  working(): Promise<types.Health> {
    return this.send({ method: "GET", path: `/health/work` }) as Promise<types.Health>;
  }
}
