"""A small memory in which each message has a word of its own, and all that prompts may tell of it.

The model is a function: what it finds in a message depends on that message alone, and its summaries repeat what they
were shown. A message's word is in its fact, todo and memory too.
"""

import json
import random
import re
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import numpy as np

from memory.asking.answering import AskInputs, ask
from memory.context.assembly import assemble
from memory.context.assembly_request import AssemblyRequest
from memory.facts import retrieval
from memory.facts.retrieval import FactQuery
from memory.nodes import recall
from memory.nodes.recall import RecallQuery
from memory.search import indexing
from memory.search.search import search
from memory.talk import muting, session_summary
from operations.facts.due import list_due
from operations.nodes.recall import recall_topic
from providers.thinkers import Thinkers
from samples.canned import policy
from samples.canned.material import Material
from schemas.context.asking import AskRequest
from schemas.context.context import ContextRequest
from schemas.errors import NotFound
from schemas.nodes.recall import TopicRequest
from schemas.search import EverythingRequest
from schemas.settings import Settings
from schemas.talk.mutes import MuteRequest
from store.context import context as material
from store.context import persona
from store.nodes import finding
from store.patrol import diary
from store.talk import messages
from tests.conversations import Talk
from tests.conversations import fact as found_fact
from tests.conversations import todo as found_todo
from tests.databases import answer_of
from tests.scenes import EAST, MODEL, make_topic, remember, words

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
KINDS = ["message", "node", "fact", "summary", "diary", "vault", "knowledge"]
MARK = re.compile(r"zq\d+x")
NAMES = ("Anna", "Boris")


def judgement(asked):
    facts, todos = [], []
    for message in asked.all("message"):
        if message.attributes["new"] != "yes":
            continue
        if told := re.search(r"^(\w+) told me of (\w+)\.", message.text):
            about = [{"type": "person", "name": told[1]}]
            statement = f"{told[1]} told of {told[2]}."
            facts.append(found_fact(told[0], statement, message=message.ref, entities=about, type="PEOPLE"))
        elif told := re.search(r"^I like (\w+)\.", message.text):
            about = [{"type": "thing", "name": told[1]}]
            facts.append(found_fact(told[0], f"Likes {told[1]}.", message=message.ref, entities=about))
        elif told := re.search(r"^I must buy (\w+) (tomorrow)", message.text):
            todos.append(found_todo(told[0], f"Buy {told[1]}", message=message.ref, due=told[2]))
    return {"facts": facts, "todos": todos, "confidences": [], "requests": []}


def answer(request):
    if request.purpose == "Judgement":
        return json.dumps(judgement(Material(request.material)))
    if request.purpose == "Reconciliation":
        return json.dumps({"comparisons": []})
    return policy.answer(request)


@dataclass
class World:
    """A small memory. Each message has a mark; `of` names the marks of each thing that can be muted."""

    talk: Talk
    marks: list[str] = field(default_factory=list)
    of: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    nodes: dict[str, list[str]] = field(default_factory=dict)

    def say(self, conversation, text, mark, minute):
        said = {
            "id": f"id-{mark}",
            "role": "user",
            "conversation": conversation,
            "content": text.format(mark),
            "created_at": (NOON + timedelta(minutes=minute)).isoformat(),
        }
        echo = {**said, "id": f"echo-{mark}", "role": "assistant", "content": f"I see: {text.format(mark)}"}
        ids = self.talk.says(said, echo)
        self.marks.append(mark)
        for thing in (("conversation", conversation), ("message", str(ids[0]))):
            self.of.setdefault(thing, set()).add(mark)
        for name in NAMES:
            if name in text:
                self.of.setdefault(("entity", name), set()).add(mark)
        return ids

    def lives(self, *, scenes=True):
        """Say and derive everything that there is."""
        talk, number = self.talk, iter(range(1, 100))
        said = []
        for place, conversation in enumerate(("work", "home", "trip")):
            for at, text in enumerate(
                ("I like {}.", "Anna told me of {}.", "I must buy {} tomorrow.", "Boris told me of {}.")
            ):
                mark = f"zq{next(number)}x"
                said.append((mark, self.say(conversation, text, mark, 100 * place + at)[0]))
        self.rest()
        for one in talk.facts():
            self.of["fact", str(one.fact_id)] = set(MARK.findall(one.content))
        if scenes:
            with talk.store.transaction() as tx:
                for name, part in (("Kitchen", said[:3]), ("Journeys", said[5:9])):
                    made = [remember(tx, talk.being, words(f"They spoke of {mark}."))[0] for mark, _ in part]
                    topic = make_topic(tx, talk.being, f"{name} {part[0][0]}", made)
                    self.of["topic", str(topic)] = {mark for mark, _ in part}
                    for node_id, (mark, message_id) in zip(made, part, strict=True):
                        self.of["node", str(node_id)] = {mark}
                        tx.execute(
                            "insert into memory.scene_messages select being_id, note_id, %s from memory.memory_nodes"
                            " where being_id = %s and node_id = %s",
                            [message_id, talk.being.being_id, node_id],
                        )
                today = tx.execute("select memory.now()::date as day").fetchone()["day"]
                text = f"We spoke of {said[0][0]} and {said[5][0]}."
                diary.write(tx, talk.being.being_id, today, text, run_id=uuid4(), last_node_id=made[-1])

    def rest(self):
        """Close the sessions, and do all work."""
        talk = self.talk
        with talk.store.transaction() as tx:
            messages.end_idle_sessions(tx, 1000)
            session_summary.request_due(tx, talk.being.being_id)
        talk.judged()
        talk.summed_up()
        indexing.index_waiting(talk.store, timedelta(seconds=30))

    def mute(self, kind, target):
        asked = MuteRequest(kind=kind, target=target)
        return muting.mute(self.talk.store, self.talk.settings, self.talk.being, asked)[0]

    def lift(self, mute):
        muting.lift(self.talk.store, self.talk.settings, self.talk.being, mute.mute_id)

    def found(self, query, *, muted=False):
        """The marks that a search finds."""
        question = EverythingRequest(query=query, kinds=KINDS, limit=50, neighbours=2)
        talk = self.talk
        results = search(talk.store, talk.embedders, talk.being, question, muted=muted).results
        return set(MARK.findall(" ".join(one.text for one in results)))

    def told(self):
        """All that a prompt may be made of, by what tells it."""
        talk, store, being = self.talk, self.talk.store, self.talk.being
        chance, query = random.Random(1), "Anna Boris told like buy spoke of"
        contexts = {
            f"context {process} {conversation}": assemble(
                store,
                talk.embedders,
                talk.settings,
                being,
                AssemblyRequest(
                    ContextRequest(process=process, conversation=conversation, budget_tokens=9000, activate=False),
                    query,
                ),
                chance,
            ).text
            for process, conversation in (("externalDialog", "work"), ("chatFrontend", None))
        }
        recalled = recall.recall(store, talk.embedders, being, RecallQuery(query, 50, 0.0, activate=False), chance)
        with closing(Thinkers(Settings(thinker="none"))) as nobody:
            answers = ask(AskInputs(store, talk.embedders, nobody, talk.settings, being, AskRequest(question=query)))
        with store.transaction() as tx:
            near = finding.match(
                tx, being.being_id, MODEL, [np.asarray(EAST, dtype=np.float32)], threshold=0.1, limit=50
            )
            topics = [target for kind, target in self.of if kind == "topic"]
            model = persona.user_model(tx, being.user_id)
            summaries = material.summaries(tx, being.being_id, being.user_id, None)
        # All that there is of four of them is found by one search.
        fours = (self.marks[at : at + 4] for at in range(0, len(self.marks), 4))
        parts = {
            **contexts,
            "recall": recalled,
            "nearest": near,
            "search_memory": recall.search(
                store, being.being_id, query, all_terms=False, limit=50, activate=False
            ).nodes,
            "search": [
                search(store, talk.embedders, being, EverythingRequest(query=f"{query} {some}", kinds=KINDS, limit=50))
                for some in ("", *NAMES, *map(" ".join, fours))
            ],
            "facts": retrieval.retrieve(
                store, talk.embedders, talk.settings, being, FactQuery(query, 50, explain=False)
            ),
            "ask": answers,
            "due": answer_of(store, list_due, being, until=NOON + timedelta(days=9999), limit=100),
            "user model": model,
            "summaries": summaries,
        }
        for topic in topics:
            try:
                parts[f"topic {topic}"] = answer_of(
                    store, recall_topic, being, TopicRequest(cluster_id=topic, activate=False)
                )
            except NotFound:
                continue
        return {name: f"{part}" for name, part in parts.items()}

    def marks_told(self):
        return {name: set(MARK.findall(text)) for name, text in self.told().items()}
