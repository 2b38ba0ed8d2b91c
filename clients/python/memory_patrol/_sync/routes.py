"""One synchronous method for each route.

Generated from openapi.json by `make docs`; do not edit.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from memory_patrol import types
from memory_patrol._requests import Request, part


class Routes:
    """The routes of the API, by their operation ids."""

    def send(self, request: Request) -> Any:
        """Send a request; returns the JSON of its answer."""
        raise NotImplementedError

    def stream(self, request: Request) -> Iterator[str]:
        """Send a request; returns the lines of its answer."""
        raise NotImplementedError

    def create_user(self, body: types.NewUser) -> types.User:
        """Create a user for a person, or return the user whom you created with the same `external_id`.

        An operator's token. A user is one person: what one of the person's Beings hears about the person, all
        of them know, unless `facts_scope` is `being`. So create a user for each person, and a Being for each
        companion of that person.

        The answer is 201 for a new user, and 200 for a known one, who is returned as stored: change a user with
        `PATCH`.
        """
        answer: types.User = self.send(Request("POST", "/v1/users", body=body))
        return answer

    def list_users(
        self, *, external_id: str | None = None, cursor: str | None = None, limit: int | None = None
    ) -> types.UserPage:
        """List users, oldest first.

        An operator's token.
        """
        answer: types.UserPage = self.send(
            Request("GET", "/v1/users", query={"external_id": external_id, "cursor": cursor, "limit": limit})
        )
        return answer

    def show_user(self, user_id: str) -> types.User:
        """Show a user.

        An operator's token.
        """
        answer: types.User = self.send(Request("GET", f"/v1/users/{part(user_id)}"))
        return answer

    def change_user(self, user_id: str, body: types.UserChanges) -> types.User:
        """Change a user's name, time zone or scope of facts.

        An operator's token. A new scope applies to facts that are heard from then on.
        """
        answer: types.User = self.send(Request("PATCH", f"/v1/users/{part(user_id)}", body=body))
        return answer

    def erase_user(self, user_id: str) -> types.BeingErased:
        """Erase a user for good, with all Beings, facts, keys and tokens. This can't be undone.

        An operator's token.
        """
        answer: types.BeingErased = self.send(Request("DELETE", f"/v1/users/{part(user_id)}"))
        return answer

    def create_token(self, user_id: str, body: types.NewToken) -> types.IssuedToken:
        """Create an access token for a user. Its secret is in this answer alone.

        An operator's token. Scopes: `ingest` hands in notes and messages, `read` reads and recalls, `manage`
        creates Beings and changes memory. A user may have up to PATROL_MOST_TOKENS valid tokens.
        """
        answer: types.IssuedToken = self.send(Request("POST", f"/v1/users/{part(user_id)}/tokens", body=body))
        return answer

    def list_tokens(self, user_id: str) -> types.TokenPage:
        """List a user's tokens without their secrets, oldest first, revoked ones included.

        An operator's token.
        """
        answer: types.TokenPage = self.send(Request("GET", f"/v1/users/{part(user_id)}/tokens"))
        return answer

    def revoke_token(self, user_id: str, token_id: str) -> None:
        """Revoke a user's token at once. Provider keys that came with its requests are deleted.

        An operator's token.
        """
        self.send(Request("DELETE", f"/v1/users/{part(user_id)}/tokens/{part(token_id)}"))

    def make_being(self, body: types.NewBeing) -> types.Being:
        """Create a Being with its two root clusters, Business and Private.

        Scope `manage`. A user may have up to PATROL_MOST_BEINGS Beings.
        """
        answer: types.Being = self.send(Request("POST", "/v1/beings", body=body))
        return answer

    def list_beings(self) -> types.BeingPage:
        """List the Beings that your token opens, oldest first.

        Scope `read`.
        """
        answer: types.BeingPage = self.send(Request("GET", "/v1/beings"))
        return answer

    def show_being(self, being: str) -> types.Being:
        """Show a Being.

        Scope `read`.
        """
        answer: types.Being = self.send(Request("GET", f"/v1/beings/{part(being)}"))
        return answer

    def change_being(self, being: str, body: types.BeingChanges) -> types.Being:
        """Change a Being's display name, its daily budget, or whether scenes are drawn from its talk; its slug
        stays.

        Scope `manage`.

        A budget limits the Being's model calls for a day in your time zone; it can't exceed the platform's.
        When it is spent, patrols skip the steps that need a model, intake goes on, and model calls resume on
        the next day.
        """
        answer: types.Being = self.send(Request("PATCH", f"/v1/beings/{part(being)}", body=body))
        return answer

    def erase_being(self, being: str) -> types.BeingErased:
        """Erase a Being and its memory for good. This can't be undone.

        Scope `manage`.

        Facts without other evidence than messages to this Being are erased too. Your seeds, your user model and
        the shared vault scope stay.
        """
        answer: types.BeingErased = self.send(Request("DELETE", f"/v1/beings/{part(being)}"))
        return answer

    def show_overview(self, being: str) -> types.Overview:
        """Count what a Being's memory holds, and what waits.

        Scope `read`.
        """
        answer: types.Overview = self.send(Request("GET", f"/v1/beings/{part(being)}/overview"))
        return answer

    def export_being(self, being: str, *, vectors: bool | None = None) -> Iterator[str]:
        """Export all that a Being knows, as of one moment, for `patrol import`.

        Scope `manage`.

        The first line is a header, the last the number of lines. Lines with `"of": "user"`, and those of the
        kinds `user_model`, `seed`, `spine`, `entity` and `entity_merge`, belong to the user, whose other Beings
        know them too. Keys, tokens and accounts are not included.
        """
        return self.stream(Request("GET", f"/v1/beings/{part(being)}/export", query={"vectors": vectors}))

    def erase_node(self, being: str, node_id: str) -> types.NodeErased:
        """Erase a memory for good, with its note and all memories that it absorbed. This can't be undone.

        Scope `manage`.

        Memories that had absorbed it return to the words of their own notes, and other memories that these had
        absorbed are active again. Diary pages about it are erased as a whole.
        """
        answer: types.NodeErased = self.send(Request("POST", f"/v1/beings/{part(being)}/nodes/{part(node_id)}/erase"))
        return answer

    def erase_note(self, being: str, note_id: str) -> types.NodeErased:
        """Erase a note for good, with the memory that was made from it. This can't be undone.

        Scope `manage`.
        """
        answer: types.NodeErased = self.send(Request("POST", f"/v1/beings/{part(being)}/notes/{part(note_id)}/erase"))
        return answer

    def hand_in_notes(
        self,
        being: str,
        body: types.SceneNote
        | types.TodoNote
        | types.ReminderNote
        | types.KnowledgeNote
        | Sequence[types.SceneNote | types.TodoNote | types.ReminderNote | types.KnowledgeNote],
        *,
        llm_api_key: str | None = None,
        llm_provider: Literal["anthropic", "openai"] | None = None,
    ) -> types.Receipt:
        """Hand in one note, or a list of up to 1,000. Accepted means committed.

        Scope `ingest`.

        Items are at most 64 KB each. An invalid item is listed under `rejected` by its position, and the others
        are accepted; if all are invalid, the answer is a 422 with the same list. An item whose id is stored
        with the same content is a duplicate and changes nothing; with other content it is listed under
        `conflicts` and changes nothing either.
        """
        answer: types.Receipt = self.send(
            Request(
                "POST",
                f"/v1/beings/{part(being)}/notes",
                headers={"X-LLM-API-Key": llm_api_key, "X-LLM-Provider": llm_provider},
                body=body,
            )
        )
        return answer

    def list_notes(
        self,
        being: str,
        *,
        state: Literal["kept", "pending", "stamped", "remembered", "parse_failed", "embed_failed"] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> types.NotePage:
        """List notes with their state and outcome.

        Scope `read`.
        """
        answer: types.NotePage = self.send(
            Request("GET", f"/v1/beings/{part(being)}/notes", query={"state": state, "cursor": cursor, "limit": limit})
        )
        return answer

    def show_note(self, being: str, note_id: str) -> types.Note:
        """Show a note.

        Scope `read`.
        """
        answer: types.Note = self.send(Request("GET", f"/v1/beings/{part(being)}/notes/{part(note_id)}"))
        return answer

    def change_note(self, being: str, note_id: str, body: types.NoteChanges) -> types.Note:
        """Mark a todo or a reminder as read or unread, or change a todo, reminder or knowledge note.

        Scope `manage`.

        Notes that were read leave the snapshot, and knowledge does with `in_snapshot` false. A scene note can't
        be changed: correct the memory that was made from it.
        """
        answer: types.Note = self.send(Request("PATCH", f"/v1/beings/{part(being)}/notes/{part(note_id)}", body=body))
        return answer

    def remove_note(self, being: str, note_id: str) -> None:
        """Delete a todo, a reminder or a knowledge note.

        Scope `manage`.
        """
        self.send(Request("DELETE", f"/v1/beings/{part(being)}/notes/{part(note_id)}"))

    def hand_in_messages(
        self,
        being: str,
        body: types.MessageInput | Sequence[types.MessageInput],
        *,
        llm_api_key: str | None = None,
        llm_provider: Literal["anthropic", "openai"] | None = None,
    ) -> types.Receipt:
        """Hand in one message, or a list of up to 1,000. Accepted means committed.

        Scope `ingest`.

        A message belongs to the session within 30 minutes of its own `created_at`. A time up to an hour in the
        future becomes now, and a later one is refused. Of a message with more than 64 KB the beginning is kept;
        it is listed under `shortened`. Characters that are none (NUL, halves of UTF-16 pairs) become U+FFFD. As
        for notes, refused items are listed under `rejected`, and an id is taken once.
        """
        answer: types.Receipt = self.send(
            Request(
                "POST",
                f"/v1/beings/{part(being)}/messages",
                headers={"X-LLM-API-Key": llm_api_key, "X-LLM-Provider": llm_provider},
                body=body,
            )
        )
        return answer

    def retract_messages(self, being: str, body: types.MessageSelection) -> types.Retracted:
        """Take messages back: by `ids`, or those of a `conversation` behind the message `after`.

        Scope `ingest`.

        A retracted message counts as never said. It is in no search, context or prompt, and workers derive
        again, without it, what was derived from it. A retraction that comes before its message waits for it.
        The same id with other content is then a new version of the message.
        """
        answer: types.Retracted = self.send(Request("POST", f"/v1/beings/{part(being)}/messages/retract", body=body))
        return answer

    def restore_messages(self, being: str, body: types.MessageSelection) -> types.Restored:
        """Let retracted messages stand again, under their own ids and times.

        Scope `ingest`.

        They are processed as new messages are. What was erased does not come back: 410, and nothing is
        restored.
        """
        answer: types.Restored = self.send(Request("POST", f"/v1/beings/{part(being)}/messages/restore", body=body))
        return answer

    def change_message(self, being: str, message_id: str, body: types.MessageChanges) -> types.Message:
        """Set or lift the confidence of a message.

        Scope `manage`.

        A message in confidence stays, with all that rests on it, with the Being that it was said to. The
        decision precedes the mark of the message's producer and what a model finds, and facts and the spine
        follow it.
        """
        answer: types.Message = self.send(
            Request("PATCH", f"/v1/beings/{part(being)}/messages/{part(message_id)}", body=body)
        )
        return answer

    def erase_message(self, being: str, message_id: str) -> types.Erased:
        """Erase a message, with the facts and todos that no other message supports; the answer names them.

        Scope `manage`.

        Scenes that were drawn from it go with their memories. Its other effects are undone: a statement that it
        replaced is current again, a todo that it closed is open.
        """
        answer: types.Erased = self.send(Request("DELETE", f"/v1/beings/{part(being)}/messages/{part(message_id)}"))
        return answer

    def preview_erasure(self, being: str, message_id: str) -> types.Erased:
        """Show what erasing a message would remove and change; nothing is erased.

        Scope `manage`.
        """
        answer: types.Erased = self.send(
            Request("GET", f"/v1/beings/{part(being)}/messages/{part(message_id)}/erasure")
        )
        return answer

    def list_sessions(self, being: str, *, cursor: str | None = None, limit: int | None = None) -> types.SessionPage:
        """List sessions, the one opened last first; an open session has no `ended_at`.

        Scope `read`.
        """
        answer: types.SessionPage = self.send(
            Request("GET", f"/v1/beings/{part(being)}/sessions", query={"cursor": cursor, "limit": limit})
        )
        return answer

    def show_session(self, being: str, session_id: str) -> types.SessionDetail:
        """Show a session with its summary, which is written after the session has closed, if a model is available.

        Scope `read`.

        A late message that belongs to the session causes a new version of the summary.
        """
        answer: types.SessionDetail = self.send(Request("GET", f"/v1/beings/{part(being)}/sessions/{part(session_id)}"))
        return answer

    def list_messages(
        self, being: str, session_id: str, *, cursor: str | None = None, limit: int | None = None
    ) -> types.MessagePage:
        """List the messages of a session, in order.

        Scope `read`.
        """
        answer: types.MessagePage = self.send(
            Request(
                "GET",
                f"/v1/beings/{part(being)}/sessions/{part(session_id)}/messages",
                query={"cursor": cursor, "limit": limit},
            )
        )
        return answer

    def list_party_messages(
        self, being: str, *, cursor: str | None = None, limit: int | None = None
    ) -> types.MessagePage:
        """List third speakers' messages of all sessions, the one received last first.

        Scope `read`.
        """
        answer: types.MessagePage = self.send(
            Request("GET", f"/v1/beings/{part(being)}/party-messages", query={"cursor": cursor, "limit": limit})
        )
        return answer

    def list_retracted_messages(
        self, being: str, *, conversation: str | None = None, cursor: str | None = None, limit: int | None = None
    ) -> types.RetractedPage:
        """List messages that were taken back and can be restored, the one received last first.

        Scope `read`.
        """
        answer: types.RetractedPage = self.send(
            Request(
                "GET",
                f"/v1/beings/{part(being)}/retracted-messages",
                query={"conversation": conversation, "cursor": cursor, "limit": limit},
            )
        )
        return answer

    def show_state(self, being: str) -> types.SessionState:
        """Show the state that survives sessions: message count, rolling summary, and the summary's last attempt.

        Scope `read`.
        """
        answer: types.SessionState = self.send(Request("GET", f"/v1/beings/{part(being)}/session-state"))
        return answer

    def list_rolling_summaries(
        self, being: str, *, cursor: str | None = None, limit: int | None = None
    ) -> types.RollingPage:
        """List the versions of the rolling summary, newest first; it is rewritten every four messages.

        Scope `read`.
        """
        answer: types.RollingPage = self.send(
            Request("GET", f"/v1/beings/{part(being)}/rolling-summaries", query={"cursor": cursor, "limit": limit})
        )
        return answer

    def list_spines(self, being: str, *, cursor: str | None = None, limit: int | None = None) -> types.SpinePage:
        """List versions of the spine, the long-term summary of the Being's user, newest first; one unless `limit`
        is set.

        Scope `read`.

        It is rewritten every 20 judged messages, and holds nothing that was said in confidence.
        """
        answer: types.SpinePage = self.send(
            Request("GET", f"/v1/beings/{part(being)}/spine", query={"cursor": cursor, "limit": limit})
        )
        return answer

    def demand_patrol(self, being: str) -> types.Demanded:
        """Demand a patrol.

        Scope `manage`, for a demanded patrol counts as a day that passes.

        It takes the notes that wait when it begins. During another patrol it is queued; demands meanwhile are
        one patrol.
        """
        answer: types.Demanded = self.send(Request("POST", f"/v1/beings/{part(being)}/patrols"))
        return answer

    def list_patrols(self, being: str, *, cursor: str | None = None, limit: int | None = None) -> types.RunPage:
        """List patrols, newest first.

        Scope `read`.
        """
        answer: types.RunPage = self.send(
            Request("GET", f"/v1/beings/{part(being)}/patrols", query={"cursor": cursor, "limit": limit})
        )
        return answer

    def show_patrol(self, being: str, run_id: str) -> types.RunReport:
        """Show how far a patrol has come: its nine steps, and the one it is at.

        Scope `read`.
        """
        answer: types.RunReport = self.send(Request("GET", f"/v1/beings/{part(being)}/patrols/{part(run_id)}"))
        return answer

    def recall_memories(self, being: str, body: types.RecallRequest) -> types.RecalledFragments | types.RecalledNodes:
        """Recall by meaning, up to `limit` living memories.

        Scope `read`.

        As `fragments`, actions and feelings are shuffled into one stream, which blurs their borders as human
        memory does; as `nodes`, each memory comes whole. While the embedder is out of reach words have to do,
        and the answer says so.
        """
        answer: types.RecalledFragments | types.RecalledNodes = self.send(
            Request("POST", f"/v1/beings/{part(being)}/recall", body=body)
        )
        return answer

    def recall_topic(self, being: str, body: types.TopicRequest) -> types.TopicPage:
        """Remember a topic: all its memories, dead ones too, newest first, 50 at a time.

        Scope `read`.
        """
        answer: types.TopicPage = self.send(Request("POST", f"/v1/beings/{part(being)}/recall_memory", body=body))
        return answer

    def search_memories(self, being: str, body: types.SearchRequest) -> types.Searched:
        """Search memories, dead ones too, by words.

        Scope `read`.

        Themes match whole and to the letter; action, feeling and dates match as parts, whatever the case.
        """
        answer: types.Searched = self.send(Request("POST", f"/v1/beings/{part(being)}/search_memory", body=body))
        return answer

    def search_everything(self, being: str, body: types.EverythingRequest) -> types.Found:
        """Search all that a Being was told: messages, memories, facts, summaries, diary, knowledge; the vault
        where named.

        Scope `read`.

        It finds by words, in any language, within a second of what was accepted, and by meaning once that was
        embedded; `unindexed` counts what is not there yet. Names of speakers and times in the query count for
        what was said by them and then, and exclude nothing else; `since`, `until` and `speaker` do.
        """
        answer: types.Found = self.send(Request("POST", f"/v1/beings/{part(being)}/search", body=body))
        return answer

    def put_knowledge(self, being: str, body: types.KnowledgeChanges) -> types.KnowledgeChanged:
        """Keep JSON objects under keys, in place of what is there, or remove them.

        Scope `ingest`.

        What is kept is a knowledge note of the Being: it is found by its searches, and stays out of the
        snapshot. All of a request is done, or nothing.
        """
        answer: types.KnowledgeChanged = self.send(Request("POST", f"/v1/beings/{part(being)}/knowledge", body=body))
        return answer

    def get_knowledge(self, being: str, body: types.KnowledgeKeys) -> types.KnowledgeShown:
        """Show what is kept under each of some keys, null where nothing is.

        Scope `read`.
        """
        answer: types.KnowledgeShown = self.send(Request("POST", f"/v1/beings/{part(being)}/knowledge/get", body=body))
        return answer

    def search_knowledge(self, being: str, body: types.KnowledgeQuestion) -> types.KnowledgeFound:
        """Search what is kept under keys: in a namespace, by fields, and by words and meaning where there is a
        query.

        Scope `read`.

        What was put is found at once. With a query, what it does not find comes last and has no score.
        """
        answer: types.KnowledgeFound = self.send(
            Request("POST", f"/v1/beings/{part(being)}/knowledge/search", body=body)
        )
        return answer

    def list_knowledge_namespaces(self, being: str, body: types.NamespaceQuestion) -> types.Namespaces:
        """List the namespaces in which knowledge is kept.

        Scope `read`.
        """
        answer: types.Namespaces = self.send(
            Request("POST", f"/v1/beings/{part(being)}/knowledge/namespaces", body=body)
        )
        return answer

    def retrieve_facts(self, being: str, body: types.FactQuestion) -> types.Retrieved:
        """Find the facts that are relevant to a query, with cards of the entities that they name, and the pinned
        facts.

        Scope `read`.

        The 50 most similar facts are ranked by similarity, recency and frequency. Retrieval changes no fact.
        """
        answer: types.Retrieved = self.send(Request("POST", f"/v1/beings/{part(being)}/facts/retrieve", body=body))
        return answer

    def list_facts(
        self,
        being: str,
        *,
        type: Literal["PROFILE", "PEOPLE", "PROJECT"] | None = None,
        status: Literal["ACTIVE", "ARCHIVED"] | None = None,
        entity: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> types.FactPage:
        """List the facts that a Being knows, newest first: the user's, and those said to it in confidence.

        Scope `read`.
        """
        answer: types.FactPage = self.send(
            Request(
                "GET",
                f"/v1/beings/{part(being)}/facts",
                query={"type": type, "status": status, "entity": entity, "cursor": cursor, "limit": limit},
            )
        )
        return answer

    def introduce_user(self, being: str, body: Sequence[types.Seed]) -> types.Seeded:
        """Add up to 1,000 facts about the user, known to all of the user's Beings unless `in_confidence`.

        Scope `manage`.

        An item that was added before changes nothing. An item with the memory key of a known fact is added to
        that fact.
        """
        answer: types.Seeded = self.send(Request("POST", f"/v1/beings/{part(being)}/facts", body=body))
        return answer

    def show_fact(self, being: str, fact_id: str) -> types.FactDetail:
        """Show a fact with all its statements, the quotations that support them, and its history.

        Scope `read`.
        """
        answer: types.FactDetail = self.send(Request("GET", f"/v1/beings/{part(being)}/facts/{part(fact_id)}"))
        return answer

    def change_fact(self, being: str, fact_id: str, body: types.FactChanges) -> types.Fact:
        """Correct a fact, set its importance, pin, archive or restore it, set or lift its confidence.

        Scope `manage`.

        A pinned fact has importance 3 and can't be archived. A confidence is set on all messages that the fact
        rests on: what they told stays with the Being that each was said to. If that Being has a fact of the
        same key, the answer is that one.
        """
        answer: types.Fact = self.send(Request("PATCH", f"/v1/beings/{part(being)}/facts/{part(fact_id)}", body=body))
        return answer

    def erase_fact(self, being: str, fact_id: str) -> None:
        """Erase a fact with all its statements. The messages that support it stay; mentioned again, it is a new
        fact.

        Scope `manage`.
        """
        self.send(Request("DELETE", f"/v1/beings/{part(being)}/facts/{part(fact_id)}"))

    def unfold_fact(self, being: str, fact_id: str) -> types.FactPage:
        """Undo a fold of the curator. The folded facts are active again, and are never folded again.

        Scope `manage`.
        """
        answer: types.FactPage = self.send(Request("POST", f"/v1/beings/{part(being)}/facts/{part(fact_id)}/unfold"))
        return answer

    def list_entities(self, being: str, *, cursor: str | None = None, limit: int | None = None) -> types.EntityPage:
        """List the entities that facts name, those with the most facts first, with their aliases.

        Scope `read`.
        """
        answer: types.EntityPage = self.send(
            Request("GET", f"/v1/beings/{part(being)}/entities", query={"cursor": cursor, "limit": limit})
        )
        return answer

    def list_merges(
        self,
        being: str,
        *,
        state: Literal["proposed", "merged", "declined", "undone"] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> types.Proposals:
        """List merges of entities: proposed, merged, declined or undone.

        Scope `read`.
        """
        answer: types.Proposals = self.send(
            Request(
                "GET",
                f"/v1/beings/{part(being)}/entities/merges",
                query={"state": state, "cursor": cursor, "limit": limit},
            )
        )
        return answer

    def propose_merge(self, being: str, body: types.ProposedMerge) -> types.EntityMerge:
        """Propose that two entities are one, or with `accept` merge them.

        Scope `manage`.
        """
        answer: types.EntityMerge = self.send(Request("POST", f"/v1/beings/{part(being)}/entities/merges", body=body))
        return answer

    def merge_entities(self, being: str, merge_id: str) -> types.EntityMerge:
        """Accept a merge. The facts of both entities are filed under one of them; no fact is reworded.

        Scope `manage`.
        """
        answer: types.EntityMerge = self.send(
            Request("POST", f"/v1/beings/{part(being)}/entities/merges/{part(merge_id)}/accept")
        )
        return answer

    def part_entities(self, being: str, merge_id: str) -> types.EntityMerge:
        """Keep two entities apart: decline a proposed merge, or undo an accepted one.

        Scope `manage`.
        """
        answer: types.EntityMerge = self.send(
            Request("POST", f"/v1/beings/{part(being)}/entities/merges/{part(merge_id)}/decline")
        )
        return answer

    def list_todos(
        self,
        being: str,
        *,
        status: Literal["OPEN", "DONE", "ARCHIVED"] | None = None,
        kind: Literal["commitment", "habit", "thread", "friction", "promise"] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> types.TodoPage:
        """List the user's commitments, habits, open threads and frictions, as told to this Being, newest first.

        Scope `read`.
        """
        answer: types.TodoPage = self.send(
            Request(
                "GET",
                f"/v1/beings/{part(being)}/todos",
                query={"status": status, "kind": kind, "cursor": cursor, "limit": limit},
            )
        )
        return answer

    def change_todo(self, being: str, todo_id: str, body: types.TodoChanges) -> types.Todo:
        """Correct a todo, pin, close, archive or reopen it, set or lift the confidence of the messages that it
        rests on.

        Scope `manage`.
        """
        answer: types.Todo = self.send(Request("PATCH", f"/v1/beings/{part(being)}/todos/{part(todo_id)}", body=body))
        return answer

    def erase_todo(self, being: str, todo_id: str) -> None:
        """Erase a todo. The messages that support it stay.

        Scope `manage`.
        """
        self.send(Request("DELETE", f"/v1/beings/{part(being)}/todos/{part(todo_id)}"))

    def list_clusters(self, being: str) -> types.ClusterPage:
        """List the topics: each root, then its topics by size.

        Scope `read`.
        """
        answer: types.ClusterPage = self.send(Request("GET", f"/v1/beings/{part(being)}/clusters"))
        return answer

    def change_topic(self, being: str, cluster_id: str, body: types.TopicChanges) -> types.Cluster:
        """Rename a topic, move it to the other root, or both.

        Scope `manage`.

        Patrols keep a name that a person gave. Roots can't be changed.
        """
        answer: types.Cluster = self.send(
            Request("PATCH", f"/v1/beings/{part(being)}/clusters/{part(cluster_id)}", body=body)
        )
        return answer

    def list_nodes(
        self,
        being: str,
        *,
        cluster: str | None = None,
        status: Literal["active", "dying", "dead"] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> types.NodePage:
        """List memories, newest first, dead and forgotten ones too; looking keeps nothing alive.

        Scope `read`.
        """
        answer: types.NodePage = self.send(
            Request(
                "GET",
                f"/v1/beings/{part(being)}/nodes",
                query={"cluster": cluster, "status": status, "cursor": cursor, "limit": limit},
            )
        )
        return answer

    def list_fading(
        self, being: str, *, patrols: int | None = None, cursor: str | None = None, limit: int | None = None
    ) -> types.NodePage:
        """List what will be dying within so many patrols, soonest first; `patrols_left` says how soon.

        Scope `read`.
        """
        answer: types.NodePage = self.send(
            Request(
                "GET", f"/v1/beings/{part(being)}/fading", query={"patrols": patrols, "cursor": cursor, "limit": limit}
            )
        )
        return answer

    def show_map(
        self, being: str, *, dead: bool | None = None, cursor: str | None = None, limit: int | None = None
    ) -> types.TopicMap:
        """Show the topics, and all memories in few words with their strength, for a drawing of the whole memory.

        Scope `read`.
        """
        answer: types.TopicMap = self.send(
            Request("GET", f"/v1/beings/{part(being)}/map", query={"dead": dead, "cursor": cursor, "limit": limit})
        )
        return answer

    def show_node(self, being: str, node_id: str) -> types.Node:
        """Show a memory.

        Scope `read`.
        """
        answer: types.Node = self.send(Request("GET", f"/v1/beings/{part(being)}/nodes/{part(node_id)}"))
        return answer

    def change_node(self, being: str, node_id: str, body: types.NodeChanges) -> types.Node:
        """Pin or unpin a memory, correct what it says, or both at once.

        Scope `manage`.

        Corrected words are embedded anew. A pinned memory never fades; a dead one can't be pinned before it is
        revived.
        """
        answer: types.Node = self.send(Request("PATCH", f"/v1/beings/{part(being)}/nodes/{part(node_id)}", body=body))
        return answer

    def forget_node(self, being: str, node_id: str) -> types.Node:
        """Forget a memory: nothing finds it, until it is revived. A pinned one must be unpinned first.

        Scope `manage`.
        """
        answer: types.Node = self.send(Request("DELETE", f"/v1/beings/{part(being)}/nodes/{part(node_id)}"))
        return answer

    def tell_story(self, being: str, node_id: str) -> types.NodeStory:
        """Tell where a memory came from and what happened to it.

        Scope `read`.
        """
        answer: types.NodeStory = self.send(Request("GET", f"/v1/beings/{part(being)}/nodes/{part(node_id)}/history"))
        return answer

    def revive_node(self, being: str, node_id: str) -> types.Node:
        """Bring a dying, dead, absorbed or forgotten memory back.

        Scope `manage`.
        """
        answer: types.Node = self.send(Request("POST", f"/v1/beings/{part(being)}/nodes/{part(node_id)}/revive"))
        return answer

    def undo_node(self, being: str, node_id: str) -> types.Node:
        """Undo the latest forgetting or reviving by a person, if nothing else happened to the memory's state
        since.

        Scope `manage`.

        The memory is what it would be without it: dying, dead, absorbed or active, and as old as it would be by
        now.
        """
        answer: types.Node = self.send(Request("POST", f"/v1/beings/{part(being)}/nodes/{part(node_id)}/undo"))
        return answer

    def export_vault(self, being: str, *, scope: str | None = None) -> Iterator[str]:
        """Export all versions in the Being's scopes, tombstones too, as lines of JSON.

        Scope `read`.
        """
        return self.stream(Request("GET", f"/v1/beings/{part(being)}/vault/export", query={"scope": scope}))

    def import_vault(self, being: str, body: bytes) -> types.Imported:
        """Import versions, a line of JSON each, of at most 64 KB; `id`, `text` and `scope` are required.

        Scope `manage`.

        Invalid lines are listed under `rejected` by their numbers, from 1, and the others are imported.
        Importing the same lines again changes nothing. After 1,000 invalid lines the import stops, and
        `stopped_at` is the next line.
        """
        answer: types.Imported = self.send(
            Request("POST", f"/v1/beings/{part(being)}/vault/import", body=body, media="application/x-ndjson")
        )
        return answer

    def show_snapshot(self, being: str, *, scope: list[str] | None = None) -> types.Block:
        """Show the block that every prompt contains: canon, and registers with a topic, fenced.

        Scope `read`.
        """
        answer: types.Block = self.send(
            Request("GET", f"/v1/beings/{part(being)}/vault/snapshot", query={"scope": scope})
        )
        return answer

    def build_block(self, being: str, body: types.BlockRequest) -> types.Block:
        """Build a block of the records relevant to a query, canon first, fenced for a prompt.

        Scope `read`.
        """
        answer: types.Block = self.send(Request("POST", f"/v1/beings/{part(being)}/vault/block", body=body))
        return answer

    def show_profile(self, being: str) -> types.VaultConfigOutput:
        """Show the Being's vault configuration.

        Scope `read`.
        """
        answer: types.VaultConfigOutput = self.send(Request("GET", f"/v1/beings/{part(being)}/vault/profile"))
        return answer

    def change_profile(self, being: str, body: types.VaultConfigInput) -> types.VaultConfigOutput:
        """Replace the Being's vault configuration; omitted fields get their defaults.

        Scope `manage`.
        """
        answer: types.VaultConfigOutput = self.send(
            Request("PUT", f"/v1/beings/{part(being)}/vault/profile", body=body)
        )
        return answer

    def compact_vault(self, being: str, *, scope: str | None = None) -> types.Compacted:
        """Remove superseded versions and old tombstones; live records stay the same.

        Scope `manage`.
        """
        answer: types.Compacted = self.send(
            Request("POST", f"/v1/beings/{part(being)}/vault/compact", query={"scope": scope})
        )
        return answer

    def add_records(self, being: str, body: types.NewRecord | Sequence[types.NewRecord]) -> types.VaultReceipt:
        """Add one record, or a list of up to 1,000; eight gates check each of them.

        Scope `manage`.

        A register with a known topic becomes that register's next version. An item that a gate refuses is
        listed under `rejected` with the gate, the rule and what to do instead; if all items are refused, the
        answer is a 422 with the same list. Items that were permanently erased before are listed under `erased`
        and not stored. With an `Idempotency-Key` a repeated request changes nothing.
        """
        answer: types.VaultReceipt = self.send(Request("POST", f"/v1/beings/{part(being)}/vault", body=body))
        return answer

    def list_records(
        self,
        being: str,
        *,
        scope: str | None = None,
        tier: Literal["canon", "register"] | None = None,
        category: str | None = None,
        tag: str | None = None,
    ) -> types.RecordPage:
        """List the live records: canon, then registers, each by age.

        Scope `read`.
        """
        answer: types.RecordPage = self.send(
            Request(
                "GET",
                f"/v1/beings/{part(being)}/vault",
                query={"scope": scope, "tier": tier, "category": category, "tag": tag},
            )
        )
        return answer

    def search_records(self, being: str, body: types.VaultSearch) -> types.HitPage:
        """Search the vault by words, the highest score first.

        Scope `read`.

        The score is token overlap, + 0.3 if the record contains the query, + 0.4 times their sequence
        similarity. Records that share no word with the query are not found.
        """
        answer: types.HitPage = self.send(Request("POST", f"/v1/beings/{part(being)}/vault/search", body=body))
        return answer

    def show_stats(self, being: str) -> types.VaultStats:
        """Show how full the vault is, and how much a compaction would remove.

        Scope `read`.
        """
        answer: types.VaultStats = self.send(Request("GET", f"/v1/beings/{part(being)}/vault/stats"))
        return answer

    def list_candidates(
        self, being: str, *, scope: str | None = None, floor: float | None = None
    ) -> types.CandidatePage:
        """List pairs of similar records, the most similar first.

        Scope `read`.
        """
        answer: types.CandidatePage = self.send(
            Request("GET", f"/v1/beings/{part(being)}/vault/candidates", query={"scope": scope, "floor": floor})
        )
        return answer

    def list_proposals(self, being: str, *, scope: str | None = None) -> types.ProposalPage:
        """List records proposed for deletion, each with its reasons. Nothing is deleted.

        Scope `read`.
        """
        answer: types.ProposalPage = self.send(
            Request("GET", f"/v1/beings/{part(being)}/vault/proposals", query={"scope": scope})
        )
        return answer

    def write_topic(self, being: str, topic_id: str, body: types.TopicText) -> types.VaultRecord:
        """Write a new version of a topic's register, or create it.

        Scope `manage`.
        """
        answer: types.VaultRecord = self.send(
            Request("PUT", f"/v1/beings/{part(being)}/vault/topics/{part(topic_id)}", body=body)
        )
        return answer

    def delete_records(self, being: str, body: types.Deletion) -> types.Deleted:
        """Delete several records; each ends in a tombstone.

        Scope `manage`.
        """
        answer: types.Deleted = self.send(Request("POST", f"/v1/beings/{part(being)}/vault/delete", body=body))
        return answer

    def show_record(self, being: str, record_id: str) -> types.RecordPage:
        """Show the stored versions of a record, oldest first, its tombstone too.

        Scope `read`.
        """
        answer: types.RecordPage = self.send(Request("GET", f"/v1/beings/{part(being)}/vault/{part(record_id)}"))
        return answer

    def change_record(self, being: str, record_id: str, body: types.RecordChanges) -> types.VaultRecord:
        """Change a record; gates 1 to 5 check the change.

        Scope `manage`.
        """
        answer: types.VaultRecord = self.send(
            Request("PATCH", f"/v1/beings/{part(being)}/vault/{part(record_id)}", body=body)
        )
        return answer

    def delete_record(self, being: str, record_id: str) -> types.VaultRecord:
        """Delete a record. The answer is its tombstone, which has no text.

        Scope `manage`.

        Earlier versions stay until the vault is compacted; erase the record to remove them now.
        """
        answer: types.VaultRecord = self.send(Request("DELETE", f"/v1/beings/{part(being)}/vault/{part(record_id)}"))
        return answer

    def erase_record(self, being: str, record_id: str) -> types.VaultErased:
        """Permanently erase a record with all its versions.

        Scope `manage`.

        Keyed digests of its id and text stay, by which every door refuses them from now on.
        """
        answer: types.VaultErased = self.send(
            Request("POST", f"/v1/beings/{part(being)}/vault/{part(record_id)}/erase")
        )
        return answer

    def promote_record(self, being: str, record_id: str, body: types.Promotion) -> types.VaultRecord:
        """Make a register canon, with another text if one is given.

        Scope `manage`.
        """
        answer: types.VaultRecord = self.send(
            Request("POST", f"/v1/beings/{part(being)}/vault/{part(record_id)}/promote", body=body)
        )
        return answer

    def read_diary(self, being: str, *, cursor: str | None = None, limit: int | None = None) -> types.DiaryPage:
        """Read the diary, newest day first, and what the Being wants to have in mind next time.

        Scope `read`.
        """
        answer: types.DiaryPage = self.send(
            Request("GET", f"/v1/beings/{part(being)}/diary", query={"cursor": cursor, "limit": limit})
        )
        return answer

    def store_key(self, body: types.NewKey) -> types.ProviderKey:
        """Store your key for a model provider, encrypted; it can't be read again.

        Scope `manage`, of a token for all your Beings.

        The key that you stored last pays for your Beings' model calls. While one is stored, neither a request's
        key nor the platform's is used in its place. Storing the same key again makes it the newest.
        """
        answer: types.ProviderKey = self.send(Request("POST", "/v1/keys", body=body))
        return answer

    def list_keys(self) -> types.KeyPage:
        """List the keys that you have stored, by their last four characters.

        Scope `manage`, of a token for all your Beings.
        """
        answer: types.KeyPage = self.send(Request("GET", "/v1/keys"))
        return answer

    def remove_key(self, key_id: str) -> None:
        """Delete a stored key.

        Scope `manage`, of a token for all your Beings.
        """
        self.send(Request("DELETE", f"/v1/keys/{part(key_id)}"))

    def show_cost(self, *, since: str | None = None) -> types.SpendingPage:
        """Show calls of models, their tokens and cost by day, Being, purpose and model, newest day first.

        Scope `read`. A token for one Being shows that Being's.
        """
        answer: types.SpendingPage = self.send(Request("GET", "/v1/cost", query={"since": since}))
        return answer

    def show_cost_of_being(self, being: str, *, since: str | None = None) -> types.SpendingPage:
        """Show what one Being's models have cost, by day, purpose and model, newest day first.

        Scope `read`.
        """
        answer: types.SpendingPage = self.send(Request("GET", f"/v1/beings/{part(being)}/cost", query={"since": since}))
        return answer

    def show_soul(self, being: str) -> types.WholeSoul:
        """Show a Being's soul and its state.

        Scope `read`.
        """
        answer: types.WholeSoul = self.send(Request("GET", f"/v1/beings/{part(being)}/soul"))
        return answer

    def change_soul(self, being: str, body: types.SoulChanges) -> types.WholeSoul:
        """Change parts of a Being's soul or of its state.

        Scope `manage`.

        Omitted parts stay; an empty text removes a part. Each change alters Block 1-A, so that the provider's
        prompt cache misses once.
        """
        answer: types.WholeSoul = self.send(Request("PATCH", f"/v1/beings/{part(being)}/soul", body=body))
        return answer

    def list_persona(
        self,
        being: str,
        kind: Literal["partner_rules", "preferences", "relationships", "partner_tools", "partner_map", "skills"],
    ) -> types.PersonaPage:
        """List the entries of one of a Being's lists in the order of contexts; disabled ones too.

        Scope `read`.
        """
        answer: types.PersonaPage = self.send(Request("GET", f"/v1/beings/{part(being)}/persona/{part(kind)}"))
        return answer

    def add_persona(
        self,
        being: str,
        kind: Literal["partner_rules", "preferences", "relationships", "partner_tools", "partner_map", "skills"],
        body: types.NewPersonaEntry,
    ) -> types.PersonaEntry:
        """Add an entry to one of a Being's lists, which hold up to 100 each.

        Scope `manage`.
        """
        answer: types.PersonaEntry = self.send(
            Request("POST", f"/v1/beings/{part(being)}/persona/{part(kind)}", body=body)
        )
        return answer

    def change_persona(
        self,
        being: str,
        kind: Literal["partner_rules", "preferences", "relationships", "partner_tools", "partner_map", "skills"],
        entry_id: str,
        body: types.PersonaChanges,
    ) -> types.PersonaEntry:
        """Change an entry, enable it or disable it.

        Scope `manage`.
        """
        answer: types.PersonaEntry = self.send(
            Request("PATCH", f"/v1/beings/{part(being)}/persona/{part(kind)}/{part(entry_id)}", body=body)
        )
        return answer

    def remove_persona(
        self,
        being: str,
        kind: Literal["partner_rules", "preferences", "relationships", "partner_tools", "partner_map", "skills"],
        entry_id: str,
    ) -> None:
        """Remove an entry.

        Scope `manage`.
        """
        self.send(Request("DELETE", f"/v1/beings/{part(being)}/persona/{part(kind)}/{part(entry_id)}"))

    def show_user_model(self) -> types.UserModel:
        """Show the user model, the description of you as a person; all your Beings share it.

        Scope `read`.
        """
        answer: types.UserModel = self.send(Request("GET", "/v1/user-model"))
        return answer

    def write_user_model(self, body: types.NewUserModel) -> types.UserModel:
        """Replace the user model. A session is shown it once, and again after a change.

        Scope `manage`, with a token for all of your Beings.
        """
        answer: types.UserModel = self.send(Request("PUT", "/v1/user-model", body=body))
        return answer

    def remove_user_model(self) -> None:
        """Remove the user model.

        Scope `manage`, with a token for all of your Beings.
        """
        self.send(Request("DELETE", "/v1/user-model"))

    def assemble_context(self, being: str, body: types.ContextRequest) -> types.Context:
        """Assemble a context: a prompt from the Being's memory, ready to be sent to a model.

        Scope `read`.

        The lines, the pauses and the regions of your own are those of the `conversation`; what was said in
        another one is memory. Regions come in the order of the process's profile. The bytes of stable regions
        stay the same from turn to turn, and for Anthropic they carry cache markers. Regions beyond the token
        budget are left out whole, never cut.
        """
        answer: types.Context = self.send(Request("POST", f"/v1/beings/{part(being)}/context", body=body))
        return answer

    def list_contexts(
        self,
        being: str,
        *,
        shows: str | None = None,
        conversation: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> types.AssembledPage:
        """List the contexts that were assembled, newest first, for as long as PATROL_KEEP_RECEIPTS says.

        Scope `read`.
        """
        answer: types.AssembledPage = self.send(
            Request(
                "GET",
                f"/v1/beings/{part(being)}/contexts",
                query={"shows": shows, "conversation": conversation, "cursor": cursor, "limit": limit},
            )
        )
        return answer

    def show_context(self, being: str, context_id: str) -> types.ShownContext:
        """Show which memories, facts and passages a context showed, and why: the scores by which they were chosen.

        Scope `read`.
        """
        answer: types.ShownContext = self.send(Request("GET", f"/v1/beings/{part(being)}/contexts/{part(context_id)}"))
        return answer

    def take_turn_in(
        self,
        being: str,
        body: types.Turn,
        *,
        llm_api_key: str | None = None,
        llm_provider: Literal["anthropic", "openai"] | None = None,
    ) -> types.TurnAnswer:
        """Store new messages and assemble the context for the answer, in one call.

        Scopes `ingest` and `read`.

        Usually these are the Being's answer of the turn before and the user's new message. Accepted means
        committed. Messages with known ids change nothing, and the context is assembled again. It is of the last
        message's `conversation`: its lines, its pauses and the regions that callers wrote for it.
        """
        answer: types.TurnAnswer = self.send(
            Request(
                "POST",
                f"/v1/beings/{part(being)}/turns",
                headers={"X-LLM-API-Key": llm_api_key, "X-LLM-Provider": llm_provider},
                body=body,
            )
        )
        return answer

    def show_session_snapshot(self, being: str) -> types.Snapshot:
        """Show Block 1-B as it is now, and the ids it is made from.

        Scope `read`.
        """
        answer: types.Snapshot = self.send(Request("GET", f"/v1/beings/{part(being)}/snapshot"))
        return answer

    def list_profiles(self, being: str) -> types.ProfilePage:
        """List the process profiles: this Being's own, and the defaults of the other processes.

        Scope `read`.
        """
        answer: types.ProfilePage = self.send(Request("GET", f"/v1/beings/{part(being)}/profiles"))
        return answer

    def write_profile(self, being: str, process: str, body: types.NewProfile) -> types.Profile:
        """Set the regions of a mental process, their order, and its instructions.

        Scope `manage`.
        """
        answer: types.Profile = self.send(
            Request("PUT", f"/v1/beings/{part(being)}/profiles/{part(process)}", body=body)
        )
        return answer

    def reset_profile(self, being: str, process: str) -> None:
        """Remove this Being's own profile of a mental process, so that the default applies.

        Scope `manage`.
        """
        self.send(Request("DELETE", f"/v1/beings/{part(being)}/profiles/{part(process)}"))

    def show_working_memory(self, being: str, *, conversation: str | None = None) -> types.WorkingMemoryPage:
        """Show a conversation's working memory by region: what was said, and the entries that callers wrote.

        Scope `read`.
        """
        answer: types.WorkingMemoryPage = self.send(
            Request("GET", f"/v1/beings/{part(being)}/working-memory", query={"conversation": conversation})
        )
        return answer

    def replace_region(
        self, being: str, region: str, body: Sequence[types.NewEntry], *, conversation: str | None = None
    ) -> types.WorkingMemoryPage:
        """Replace the entries of a region of your own in a conversation; an empty list removes it.

        Scope `ingest`; entries of the role `system`, which is the default, need `manage` as well.
        """
        answer: types.WorkingMemoryPage = self.send(
            Request(
                "PUT",
                f"/v1/beings/{part(being)}/working-memory/{part(region)}",
                query={"conversation": conversation},
                body=body,
            )
        )
        return answer

    def add_to_region(
        self, being: str, region: str, body: Sequence[types.NewEntry], *, conversation: str | None = None
    ) -> types.WorkingMemoryPage:
        """Append entries to a region of your own in a conversation. A region with more than 40 is cut to the
        newest 20.

        Scope `ingest`; entries of the role `system`, which is the default, need `manage` as well.
        """
        answer: types.WorkingMemoryPage = self.send(
            Request(
                "POST",
                f"/v1/beings/{part(being)}/working-memory/{part(region)}",
                query={"conversation": conversation},
                body=body,
            )
        )
        return answer

    def list_work(
        self,
        *,
        state: Literal["ready", "running", "done", "dead"] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> types.WorkPage:
        """List work of the Beings that the token gives access to, oldest first; by default dead work.

        Scope `read`. An operator's token lists all users' work.
        """
        answer: types.WorkPage = self.send(
            Request("GET", "/v1/work", query={"state": state, "cursor": cursor, "limit": limit})
        )
        return answer

    def show_work(self, work_id: str) -> types.Work:
        """Show a unit of work, with its last error.

        Scope `read`.
        """
        answer: types.Work = self.send(Request("GET", f"/v1/work/{part(work_id)}"))
        return answer

    def drop_work(self, work_id: str) -> None:
        """Delete dead work, or waiting work of a kind that is unknown to this version.

        Scope `manage`.
        """
        self.send(Request("DELETE", f"/v1/work/{part(work_id)}"))

    def replay_work(self, work_id: str) -> None:
        """Make dead work ready again. A dead step of a patrol is replayed as a new patrol.

        Scope `manage`.
        """
        answer: None = self.send(Request("POST", f"/v1/work/{part(work_id)}/replay"))
        return answer

    def show_metrics(self) -> None:
        """Show the system's metrics in Prometheus's text format.

        An operator's token. `patrol operator add` creates one.
        """
        self.send(Request("GET", "/metrics"))

    def live(self) -> types.Health:
        """Check that the process answers.

        It needs no thread, so it succeeds even while all threads wait for the database.
        """
        answer: types.Health = self.send(Request("GET", "/health/live"))
        return answer

    def ready(self) -> types.Health:
        """Check that this process can answer requests, for a load balancer.

        It can if the database answers and is migrated; input is accepted without Redis and without workers.
        Otherwise the answer is a 503 that says what is wrong.
        """
        answer: types.Health = self.send(Request("GET", "/health/ready"))
        return answer

    def working(self) -> types.Health:
        """Check that the system's work gets done, for monitoring.

        The database and Redis answer, the due work of each queue is taken in time, work in progress ends, and
        beat runs. Otherwise the answer is a 503 that names what is wrong, queues by name, with all that was
        checked under `checks`.
        """
        answer: types.Health = self.send(Request("GET", "/health/work"))
        return answer
