"""❻ Splitting: a crowded topic comes apart, a crowded root gives birth to topics (patrol seed; DESIGN section 6)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from memory.fences import fenced, unfenced
from memory.prompting import about, prompt
from memory.showing import shown
from memory.thinking import Answered, Mind, NotAsked
from memory.topics import Leaf, born_topics
from providers.errors import BadAnswer, InputRefused
from schemas.limits import BIRTH_NODES, TOPIC_NAME_CHARACTERS, TOPIC_NODES
from schemas.patrol_answers import Split
from schemas.rows import Cluster, ShownNode
from store import lineage, souls, splitting, users
from store.database import Store
from store.errors import BudgetSpent
from store.transaction import Transaction

SPLIT = prompt("split", Split, size="large", most_tokens=6_000)


@dataclass(frozen=True)
class Crowd:
    """A crowded cluster, as much of it as is shown: its newest nodes, known to the model as m1, m2, and so on."""

    cluster: Cluster
    nodes: Sequence[ShownNode]
    neighbours: Sequence[str]

    @property
    def by_reference(self) -> dict[str, ShownNode]:
        """The nodes by the references that the model knows them by."""
        return {f"m{number}": node for number, node in enumerate(self.nodes, start=1)}

    @property
    def stays(self) -> int:
        """How many of the shown must stay, for the cluster to live on: a root always does."""
        return 0 if self.cluster.is_parent else max(0, TOPIC_NODES - (self.cluster.active_nodes - len(self.nodes)))


def material(crowd: Crowd) -> str:
    """A crowded cluster as a model is shown it."""
    return "\n".join(
        [
            fenced("topic", crowd.cluster.name),
            fenced("neighbours", "\n".join(crowd.neighbours)),
            *([f"<stays>{crowd.stays}</stays>"] if crowd.stays else []),
            shown(crowd.by_reference, states=False),
        ]
    )


def check(crowd: Crowd, answer: Split) -> None:
    """Hold a split against the seed's rules.

    Raises:
        BadAnswer: It names an unknown memory or one twice, leaves too few, or a topic is too small or badly named.
    """
    known = crowd.by_reference
    named = Counter(reference for topic in answer.topics for reference in topic.memories)
    if unknown := named.keys() - known.keys():
        raise BadAnswer(f"The answer names {len(unknown)} memories that are not there: use only the references given.")
    if twice := sorted(reference for reference, times in named.items() if times > 1):
        raise BadAnswer(f"Each memory is in one topic at most, and these are in more: {', '.join(twice)}.")
    if any(len(topic.memories) < TOPIC_NODES for topic in answer.topics):
        raise BadAnswer(f"Each topic has at least {TOPIC_NODES} memories.")
    if len(known) - len(named) < crowd.stays and answer.topics:
        raise BadAnswer(f"At least {crowd.stays} memories must be named in no topic, and stay.")
    names = [_name(topic.name).casefold() for topic in answer.topics]
    if not all(0 < len(name) <= TOPIC_NAME_CHARACTERS for name in names):
        raise BadAnswer(f"A name has two to five words, and {TOPIC_NAME_CHARACTERS} characters at most.")
    taken = {name.casefold() for name in (crowd.cluster.name, *crowd.neighbours)}
    if len(set(names)) < len(names) or taken & set(names):
        raise BadAnswer("Each new topic has a name of its own, unlike those that there are.")


def divided(store: Store, mind: Mind, being_id: UUID, *, births: bool) -> "Divided":
    """Ask of each crowded cluster how it comes apart; of roots too where `births` is on.

    Raises:
        ProviderError: A model is out of reach; what was said before is kept.
        BudgetSpent: Nothing could be asked today.
        NotAsked: Nobody is asked any longer, and nothing was answered before.
    """
    with store.transaction() as tx:
        who = about(users.get_being(tx, being_id), souls.get(tx, being_id))
        crowds = [
            Crowd(
                cluster,
                splitting.newest(tx, being_id, cluster.cluster_id, BIRTH_NODES),
                splitting.siblings(tx, being_id, cluster),
            )
            for cluster in splitting.crowded(tx, being_id, roots=births)
        ]
    answers = mind.ask_each([(SPLIT.question(who, material(crowd)), partial(check, crowd)) for crowd in crowds])
    answered = [
        (crowd, answer.answer, answer.response_id)
        for crowd, answer in zip(crowds, answers, strict=True)
        if isinstance(answer, Answered)
    ]
    ended = next((answer for answer in answers if isinstance(answer, BudgetSpent | NotAsked)), None)
    if ended and not answered:
        raise ended
    refused = [
        crowd for crowd, answer in zip(crowds, answers, strict=True) if isinstance(answer, BadAnswer | InputRefused)
    ]
    return Divided(answered, refused, left=len(crowds) - len(answered), reason=str(ended) if ended else None)


@dataclass(frozen=True)
class Divided:
    """What was decided about crowded clusters.

    Attributes:
        answered: Each cluster with the answer and the response that it came in.
        refused: Clusters for which no answer passed; they too are left in peace until more nodes come.
        left: How many clusters nobody could decide about, these included.
        reason: Why, if it was for want of means.
    """

    answered: Sequence[tuple[Crowd, Split, UUID]]
    refused: Sequence[Crowd]
    left: int
    reason: str | None

    def apply(self, tx: Transaction, being_id: UUID) -> dict[str, Any]:
        """Move what was not touched meanwhile, in the transaction that finishes the step; returns the report."""
        counts = {"topics": 0, "moved": 0, "left": self.left}
        for crowd, answer, response_id in self.answered:
            if answer.topics:
                lineage.cite(tx, being_id, response_id)
            known = crowd.by_reference
            founded = [
                splitting.found_of_shown(
                    tx,
                    being_id,
                    crowd.cluster.cluster_id,
                    _name(topic.name),
                    [known[reference] for reference in topic.memories],
                )
                for topic in answer.topics
            ]
            counts["topics"] += sum(moved > 0 for moved in founded)
            counts["moved"] += sum(founded)
            if sum(founded) == sum(len(topic.memories) for topic in answer.topics):
                splitting.asked(tx, being_id, crowd.cluster.cluster_id)
            else:
                counts["left"] += 1
        lineage.cite(tx, being_id, None)
        for crowd in self.refused:
            splitting.asked(tx, being_id, crowd.cluster.cluster_id)
        return counts | ({"reason": self.reason} if self.reason else {})


def born(tx: Transaction, being_id: UUID) -> dict[str, Any]:
    """Let crowded roots give birth to topics by likeness alone, where nobody can be asked; returns the report."""
    topics = 0
    for cluster in splitting.crowded(tx, being_id, roots=True):
        if cluster.is_parent:
            leaves = splitting.newest_vectors(tx, being_id, cluster.cluster_id, BIRTH_NODES)
            for topic in born_topics([Leaf(*leaf) for leaf in leaves]):
                splitting.found(tx, being_id, cluster.cluster_id, topic.name, topic.node_ids)
                topics += 1
            splitting.asked(tx, being_id, cluster.cluster_id)
    return {"topics": topics}


def _name(text: str) -> str:
    return " ".join(unfenced(text).split())
