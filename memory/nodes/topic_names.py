"""Names topics: by their distinctive words, by a model once there is one, or by a person for good."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from memory.llm.portions import ask_at_once
from memory.llm.prompting import about, prompt
from memory.llm.session import LlmSession, ValidAnswer
from memory.nodes.distinctive_words import distinctive_names
from memory.nodes.prompt_rendering import shown
from memory.text.prompt_escaping import tagged, unescaped
from providers.errors import BadAnswer, InputRefused
from schemas.limits import TOPIC_NAME_CHARACTERS
from schemas.nodes.nodes import Cluster, ShownNode
from schemas.patrol.model_answers import TopicName
from store.accounts import beings
from store.context import souls
from store.database import Store
from store.nodes import clusters, lineage, topic_names
from store.nodes.shown import newest
from store.transaction import Transaction

NAME = prompt("name", TopicName, size="small", most_tokens=500)
# The newest nodes of a topic that a name is made of, and of the Being that it is compared with.
NODES_NAMED = 200
TOPICS_NAMED = 20
TOPICS_RENAMED = 50
NODES_SHOWN = 12
UNNAMED = "UnnamedTopic"


@dataclass(frozen=True)
class UnnamedTopic:
    """A topic without a proper name, with the nodes that the model is shown and the names in use."""

    cluster: Cluster
    nodes: Sequence[ShownNode]
    taken: Sequence[str]

    def smaller(self) -> list["UnnamedTopic"]:
        """The topic with half of its nodes, if there are several."""
        half = len(self.nodes) // 2
        return [replace(self, nodes=self.nodes[:half])] if half else []


@dataclass(frozen=True)
class ProposedNames:
    """The model's names.

    Attributes:
        answered: The topics with their names and the ids of the model responses.
        refused: Topics for which no answer was valid; they keep their words, and are not asked about again.
    """

    answered: Sequence[tuple[UnnamedTopic, str, UUID]]
    refused: Sequence[UnnamedTopic]

    def apply(self, tx: Transaction, being_id: UUID) -> dict[str, Any]:
        """Rename topics with unchanged nodes, in the transaction that finishes the step; returns the report."""
        named = 0
        for topic, name, response_id in self.answered:
            lineage.cite(tx, being_id, response_id, topic.nodes)
            named += topic_names.give_proper(tx, being_id, topic.cluster.cluster_id, name, topic.nodes)
        lineage.cite_none(tx)
        for topic in self.refused:
            topic_names.give_proper(tx, being_id, topic.cluster.cluster_id, topic.cluster.name, topic.nodes)
        return {"named": named}


def material(topic: UnnamedTopic) -> str:
    """Render a topic for the prompt."""
    return "\n".join(
        [
            tagged("words", topic.cluster.name),
            tagged("neighbours", "\n".join(topic.taken)),
            shown({f"m{number}": node for number, node in enumerate(topic.nodes, start=1)}, states=False),
        ]
    )


def check(topic: UnnamedTopic, answer: TopicName) -> None:
    """Validate a name.

    Raises:
        BadAnswer: It is empty, too long, or in use.
    """
    name = plain(answer.name)
    if not 0 < len(name) <= TOPIC_NAME_CHARACTERS:
        raise BadAnswer(f"A name has two to five words, and {TOPIC_NAME_CHARACTERS} characters at most.")
    if name.casefold() in {other.casefold() for other in topic.taken}:
        raise BadAnswer("Another topic has this name already.")


def plain(name: str) -> str:
    """Undo the escaping of a model's name, and join its lines."""
    return " ".join(unescaped(name).split())


def choose_names(store: Store, llm: LlmSession, being_id: UUID) -> ProposedNames:
    """Ask the model to name the topics that are named by words, TOPICS_NAMED at most.

    Raises:
        ProviderError: The model is unavailable; answers so far are stored.
    """
    with store.transaction() as tx:
        who = about(beings.get_being(tx, being_id), souls.get(tx, being_id))
        taken = [cluster.name for cluster in clusters.live(tx, being_id)]
        topics = [
            UnnamedTopic(cluster, nodes, [name for name in taken if name != cluster.name])
            for cluster in topic_names.named_by_words(tx, being_id, TOPICS_NAMED)
            if (nodes := newest(tx, being_id, cluster.cluster_id, NODES_SHOWN))
        ]
    answers = ask_at_once(
        llm, topics, lambda topic: (NAME.question(who, material(topic)), partial(check, topic)), UnnamedTopic.smaller
    )
    return ProposedNames(
        [
            (topic, plain(answer.answer.name), answer.response_id)
            for topic, answer in answers
            if isinstance(answer, ValidAnswer)
        ],
        [topic for topic, answer in answers if isinstance(answer, BadAnswer | InputRefused)],
    )


def rename_outdated(tx: Transaction, being_id: UUID) -> None:
    """Rename topics with memories that changed since they were named by words; TOPICS_RENAMED at most."""
    rename_by_words(tx, being_id, topic_names.outdated(tx, being_id, TOPICS_RENAMED))


def rename_by_words(tx: Transaction, being_id: UUID, cluster_ids: Sequence[UUID]) -> int:
    """Name topics anew by the distinctive words of the nodes that they have now; returns how many.

    A topic without a word common to its nodes loses its name, which may hold words of nodes that are gone.
    """
    if not cluster_ids:
        return 0
    texts = topic_names.texts(tx, being_id, cluster_ids, NODES_NAMED)
    members = [[node for node in texts if node.cluster_id == cluster_id] for cluster_id in cluster_ids]
    others = [node for node in texts if node.cluster_id not in set(cluster_ids)]
    taken = [cluster.name for cluster in clusters.live(tx, being_id) if cluster.cluster_id not in set(cluster_ids)]
    names = distinctive_names(members, others, taken, [beings.get_being(tx, being_id).name])
    for cluster_id, name, nodes in zip(cluster_ids, names, members, strict=True):
        topic_names.give(tx, being_id, cluster_id, name or UNNAMED, [node.node_id for node in nodes])
    return len(cluster_ids)
