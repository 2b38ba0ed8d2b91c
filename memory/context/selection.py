"""Chooses the content of `rag-context`: a whole memory that fits, else the items that add most, until it is full."""

import random
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

from memory.context.blocks import fenced_nodes
from memory.context.rag_context import (
    EmbeddedMessage,
    FindPassages,
    Retrieval,
    fenced_cards,
    fenced_facts,
    fenced_passages,
    fenced_recalled,
    passage_finder,
)
from memory.context.room import Room, cost
from memory.facts.retrieval import FactQuery, retrieve_by_meaning
from memory.nodes.fragments import to_fragments
from memory.nodes.recall import RecallQuery, recall_by_vector
from memory.search.passages import passages, whole_talk
from memory.text.courtesies import is_courtesy
from schemas.accounts.accounts import Being
from schemas.facts.fact_rows import Fact
from schemas.limits import (
    CONTEXT_FACTS,
    ESSENTIAL_FACTS,
    RECALL_NODES,
    RECALL_SIMILARITY,
    WHOLE_NODES,
)
from schemas.nodes.nodes import Node
from schemas.nodes.recall import Recalled
from schemas.settings import Settings
from store.context import context as material
from store.context import whole
from store.facts import cards as fact_cards
from store.facts import evidence
from store.talk import scenes
from store.transaction import Transaction

# A long chat has several nodes near its newest words, and all of them may rest on messages of its transcript.
NODE_CANDIDATES = 4 * RECALL_NODES
# This part of the room is for recalled nodes before passages are chosen.
NODES_PART = 10
# The region's own tags and its heading.
HEAD_TOKENS = 20
# The least tokens of a message and of a fact, with their tags, and the most bytes of an estimated token.
LEAST_MESSAGE_TOKENS = 4
LEAST_FACT_TOKENS = 8
BYTES_PER_TOKEN = 3


def retrieve(
    tx: Transaction,
    settings: Settings,
    being: Being,
    message: EmbeddedMessage | None,
    chance: random.Random,
    tokens: int,
    shown: Collection[UUID] = (),
    in_prompt: AbstractSet[UUID] = frozenset(),
    find_passages: FindPassages | None = None,
) -> Retrieval:
    """Choose the facts, nodes and passages for a message.

    If facts and talk fit, they are shown whole, in a stable order, and so are the nodes where they fit as well;
    only nodes that the message recalls count as recalled. Of a larger memory facts take up to half of the room, and
    recalled nodes and passages the rest.

    Args:
        settings: The weights of fact ranking.
        being: The Being that recalls.
        message: The message and its vectors; None: there is none.
        chance: Shuffles the nodes' fragments.
        tokens: How many estimated tokens there is room for.
        shown: Messages that the context shows in other regions.
        in_prompt: Messages that the prompt shows in any case. Nodes and facts that rest on these alone are left out;
            pinned facts are not.
        find_passages: The result of `passage_finder`, if it has begun beside this transaction.
    """
    now, _ = material.local_time(tx, being.user_id)
    shown_facts = partial(fenced_facts, now=now)
    room = Room(max(0, tokens - HEAD_TOKENS))
    asks = message is not None and not is_courtesy(message.words)
    hidden = evidence.resting_only_on(tx, being.user_id, being.being_id, in_prompt) if in_prompt else set[UUID]()
    limits = {"most_bytes": BYTES_PER_TOKEN * room.tokens}
    known = whole.facts(tx, being.user_id, being.being_id, most=room.tokens // LEAST_FACT_TOKENS, **limits)
    facts = None if known is None else [fact for fact in known if fact.pinned or fact.fact_id not in hidden]
    in_facts = _messages_behind(tx, being, facts or ())
    spoken = whole.talk(tx, being.being_id, {*shown, *in_facts}, most=room.tokens // LEAST_MESSAGE_TOKENS, **limits)
    talk = None if spoken is None or facts is None else whole_talk(being, spoken)
    if talk is not None and not room.holds([*shown_facts(facts or ()), *fenced_passages(talk)]):
        talk = None

    retrieved = None
    if message is not None:
        query = FactQuery(message.words, CONTEXT_FACTS, explain=True, floor=True)
        retrieved = retrieve_by_meaning(tx, settings, being, query, message.meaning.facts, hidden)
    found = Retrieval(retrieved=retrieved, now=now)
    # The same words are shown once: as a fact, else as a node, else as a passage.
    if facts is not None and (talk is not None or Room(room.tokens // 2).holds(shown_facts(facts))):
        room.take(shown_facts(facts))
        found = replace(found, facts=facts)
    else:
        found = _relevant_facts(tx, being, found, hidden, room, asks=asks)
        in_facts = _messages_behind(tx, being, [*found.essential, *found.facts])
    already = AlreadyShown(in_facts, in_prompt)
    nodes = _recalled(tx, being, message, chance, already) if message else NOTHING_RECALLED
    if talk is not None:
        room.take(fenced_passages(talk))
        recalled = nodes.fitting(chance, room)
        room.take(fenced_recalled(recalled))
        in_nodes = nodes.messages(recalled)
        talk = whole_talk(being, [one for one in spoken or () if one.message_id not in in_nodes])
        found = replace(found, recalled=recalled, passages=talk)
        beside = _other_nodes(tx, being, recalled, AlreadyShown(in_facts, in_prompt, found.message_ids), room)
        return replace(found, beside=beside)
    # A node sums up many messages in few words, without their times and wording: passages come before most nodes.
    first = nodes.fitting(chance, Room(room.tokens // NODES_PART))
    if message and asks:
        room.take(fenced_recalled(first))
        candidates = (find_passages or passage_finder(being, message))(tx)
        apart_from = {*shown, *in_facts, *nodes.messages(first)}
        earlier = passages(tx, being, message.words, candidates, apart_from=apart_from, tokens=room.tokens)
        room.take(fenced_passages(earlier))
        room.tokens += cost(fenced_recalled(first))
        found = replace(found, passages=earlier)
    in_first = {node.node_id for node in first.nodes}
    rest = AlreadyShown(in_facts, in_prompt, found.message_ids)
    return replace(found, recalled=nodes.unshown(rest, besides=in_first).fitting(chance, room))


def _messages_behind(tx: Transaction, being: Being, facts: Sequence[Fact]) -> set[UUID]:
    """The messages that facts rest on."""
    return evidence.messages(tx, being.user_id, being.being_id, [fact.fact_id for fact in facts]) if facts else set()


@dataclass(frozen=True)
class AlreadyShown:
    """Messages that the prompt shows already: by facts, by itself, or as talk."""

    in_facts: AbstractSet[UUID]
    in_prompt: AbstractSet[UUID]
    in_talk: AbstractSet[UUID] = frozenset()

    def covers(self, messages: AbstractSet[UUID]) -> bool:
        """Return whether memory that rests on these messages is shown already."""
        return any(messages <= shown for shown in (self.in_facts, self.in_prompt, self.in_talk))


def _relevant_facts(
    tx: Transaction, being: Being, found: Retrieval, hidden: Collection[UUID], room: Room, *, asks: bool
) -> Retrieval:
    """Add the facts that are shown for any message, and relevant cards and facts, in half of the room."""
    shown_facts = partial(fenced_facts, now=found.now)
    half = Room(room.tokens // 2)
    before = half.tokens
    weighty = fact_cards.essential(tx, being.user_id, being.being_id, ESSENTIAL_FACTS)
    essential = half.filled([fact for fact in weighty if fact.pinned or fact.fact_id not in hidden], shown_facts)
    # The region is as long as its shortest content, so that the answer reports that the budget left it out.
    essential = essential or weighty[:1]
    if found.retrieved and asks:
        shown_contents = {fact.content for fact in essential}
        cards = half.filled(
            [card for card in found.retrieved.cards if not shown_contents.issuperset(card.facts)],
            partial(fenced_cards, now=found.now),
        )
        shown_contents |= {content for card in cards for content in card.facts}
        facts = half.filled([fact for fact in found.retrieved.facts if fact.content not in shown_contents], shown_facts)
        found = replace(found, cards=cards, facts=facts)
    room.tokens -= before - half.tokens
    return replace(found, essential=essential)


@dataclass(frozen=True)
class Recollection:
    """Nodes that a message recalls, best first.

    Attributes:
        recalled: The nodes.
        rests_on: The messages that they rest on; a node that rests on none is left out.
    """

    recalled: Recalled
    rests_on: Mapping[UUID, AbstractSet[UUID]]

    def unshown(self, already: AlreadyShown, besides: Collection[UUID] = ()) -> "Recollection":
        """Return the nodes that rest on a message not shown yet, and those of `besides` in any case."""
        return self._of(
            [
                node
                for node in self.recalled.nodes
                if node.node_id in besides
                or node.node_id not in self.rests_on
                or not already.covers(self.rests_on[node.node_id])
            ]
        )

    def fitting(self, chance: random.Random, room: Room) -> Recalled:
        """The best of them, as many as there is room for, up to the number that a prompt recalls."""
        nodes = list(self.recalled.nodes[:RECALL_NODES])
        while True:
            shown = self._of(nodes).recalled.model_copy(update={"fragments": to_fragments(nodes, chance)})
            if not nodes or room.holds(fenced_recalled(shown)):
                return shown
            nodes.pop()

    def messages(self, recalled: Recalled) -> set[UUID]:
        """The messages that some of them rest on."""
        return {message for node in recalled.nodes for message in self.rests_on.get(node.node_id, ())}

    def _of(self, nodes: Sequence[Node]) -> "Recollection":
        similarities = {
            node.node_id: near for node, near in zip(self.recalled.nodes, self.recalled.similarities, strict=True)
        }
        kept = {"nodes": list(nodes), "similarities": [similarities[node.node_id] for node in nodes]}
        return replace(self, recalled=self.recalled.model_copy(update=kept))


NOTHING_RECALLED = Recollection(Recalled(fragments="", nodes=[], similarities=[], degraded=False), {})


def _recalled(
    tx: Transaction, being: Being, message: EmbeddedMessage, chance: random.Random, already: AlreadyShown
) -> Recollection:
    """Recall the nodes for a message, without those that rest on shown messages alone."""
    most = NODE_CANDIDATES if already.in_prompt else RECALL_NODES
    query = RecallQuery(message.words, most, RECALL_SIMILARITY)
    recalled = recall_by_vector(tx, being.being_id, query, message.meaning.nodes, chance)
    rests_on = scenes.evidence(tx, being.being_id, [node.node_id for node in recalled.nodes])
    return Recollection(recalled, rests_on).unshown(already)


def _other_nodes(
    tx: Transaction, being: Being, recalled: Recalled, already: AlreadyShown, room: Room
) -> Sequence[Node]:
    """All further nodes of a small memory, if they fit."""
    known = {node.node_id for node in recalled.nodes}
    nodes = [node for node in whole.nodes(tx, being.being_id, most=WHOLE_NODES) if node.node_id not in known]
    rests_on = scenes.evidence(tx, being.being_id, [node.node_id for node in nodes]) if nodes else {}
    nodes = [node for node in nodes if node.node_id not in rests_on or not already.covers(rests_on[node.node_id])]
    return nodes if room.holds(fenced_nodes(nodes)) else ()
