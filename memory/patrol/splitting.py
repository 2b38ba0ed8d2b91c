"""❻ Splits crowded topics, and makes topics out of crowded roots (patrol seed; DESIGN section 6)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from memory.llm.portions import ask_at_once
from memory.llm.prompting import about, prompt
from memory.llm.session import LlmSession, RequestsStopped, ValidAnswer
from memory.nodes.distinctive_words import distinctive_names
from memory.nodes.prompt_rendering import shown
from memory.nodes.subject_vectors import Embed, embed_once, subject_vectors
from memory.nodes.topic_names import plain
from memory.nodes.topics import Candidate, parts, similar_groups
from memory.text.prompt_escaping import tagged
from providers.embedders import Embedders
from providers.errors import BadAnswer, InputRefused
from schemas.errors import BudgetSpent
from schemas.limits import BIRTH_NODES, TOPIC_NAME_CHARACTERS, TOPIC_NODES
from schemas.nodes.nodes import Cluster, ShownNode
from schemas.patrol.model_answers import NewTopic, Split
from store.accounts import beings
from store.context import souls
from store.database import Store
from store.nodes import lineage
from store.nodes.shown import newest
from store.patrol import splitting
from store.patrol.splitting import Member
from store.transaction import Transaction

SPLIT = prompt("split", Split, size="large", most_tokens=6_000)


@dataclass(frozen=True)
class CrowdedCluster:
    """A crowded cluster with its newest nodes, which the prompt calls m1, m2, and so on."""

    cluster: Cluster
    nodes: Sequence[ShownNode]
    neighbours: Sequence[str]

    @property
    def by_reference(self) -> dict[str, ShownNode]:
        """The nodes by their references in the prompt."""
        return {f"m{number}": node for number, node in enumerate(self.nodes, start=1)}

    @property
    def stays(self) -> int:
        """How many of the shown nodes must stay, so that the cluster keeps TOPIC_NODES; 0 for a root."""
        return 0 if self.cluster.is_parent else max(0, TOPIC_NODES - (self.cluster.active_nodes - len(self.nodes)))

    def smaller(self) -> list["CrowdedCluster"]:
        """The cluster with the newer half of its nodes, if these are enough for a topic."""
        newer = self.nodes[len(self.nodes) // 2 :]
        return [replace(self, nodes=newer)] if len(newer) >= TOPIC_NODES else []


def material(crowd: CrowdedCluster) -> str:
    """Render a crowded cluster for the prompt."""
    return "\n".join(
        [
            tagged("topic", crowd.cluster.name),
            tagged("neighbours", "\n".join(crowd.neighbours)),
            *([f"<stays>{crowd.stays}</stays>"] if crowd.stays else []),
            shown(crowd.by_reference, states=False),
        ]
    )


def check(crowd: CrowdedCluster, answer: Split) -> None:
    """Validate a split against the seed's rules.

    Raises:
        BadAnswer: It names an unknown node or one twice, leaves too few, or a topic is too small or badly named.
    """
    known = crowd.by_reference
    named = Counter(reference for topic in answer.topics for reference in topic.memories)
    faults = []
    if unknown := named.keys() - known.keys():
        faults.append(f"The answer names {len(unknown)} memories that are not there: use only the references given.")
    if twice := sorted(reference for reference, times in named.items() if times > 1 and reference in known):
        faults.append(f"Each memory is in one topic at most, and these are in more: {', '.join(twice)}.")
    if any(len(topic.memories) < TOPIC_NODES for topic in answer.topics):
        faults.append(f"Each topic has at least {TOPIC_NODES} memories.")
    if len(known) - len(named) < crowd.stays and answer.topics:
        faults.append(f"At least {crowd.stays} memories must be named in no topic, and stay.")
    names = [plain(topic.name).casefold() for topic in answer.topics]
    if not all(0 < len(name) <= TOPIC_NAME_CHARACTERS for name in names):
        faults.append(f"A name has two to five words, and {TOPIC_NAME_CHARACTERS} characters at most.")
    taken = {name.casefold() for name in (crowd.cluster.name, *crowd.neighbours)}
    if len(set(names)) < len(names) or taken & set(names):
        faults.append("Each new topic has a name of its own, unlike those that there are.")
    if faults:
        topics = _valid(crowd, answer, taken)
        raise BadAnswer(" ".join(faults), valid=Split(topics=topics) if topics else None)


def _valid(crowd: CrowdedCluster, answer: Split, taken: set[str]) -> list[NewTopic]:
    """The topics that break no rule, without memories that are not there or in a topic before."""
    left = set(crowd.by_reference)
    names = set(taken)
    topics: list[NewTopic] = []
    for topic in answer.topics:
        memories = [reference for reference in dict.fromkeys(topic.memories) if reference in left]
        name = plain(topic.name).casefold()
        fits = len(memories) >= TOPIC_NODES and len(left) - len(memories) >= crowd.stays
        if fits and 0 < len(name) <= TOPIC_NAME_CHARACTERS and name not in names:
            topics.append(NewTopic(name=topic.name, memories=memories))
            left -= set(memories)
            names.add(name)
    return topics


def decide_splits(store: Store, llm: LlmSession, being_id: UUID, *, births: bool) -> "SplitDecisions":
    """Ask the model how to split each crowded cluster, including roots if `births`.

    Raises:
        ProviderError: A model is unavailable; answers so far are stored.
        BudgetSpent: No question fits the day's budget.
        RequestsStopped: There is no stored answer to any of the questions.
    """
    with store.transaction() as tx:
        who = about(beings.get_being(tx, being_id), souls.get(tx, being_id))
        crowds = [
            CrowdedCluster(cluster, nodes, splitting.siblings(tx, being_id, cluster))
            for cluster in splitting.crowded(tx, being_id, roots=births)
            # Most of them may be muted.
            if len(nodes := newest(tx, being_id, cluster.cluster_id, BIRTH_NODES)[::-1]) >= TOPIC_NODES
        ]
    answers = ask_at_once(
        llm,
        crowds,
        lambda crowd: (SPLIT.question(who, material(crowd)), partial(check, crowd)),
        CrowdedCluster.smaller,
    )
    answered = [
        (crowd, answer.answer, answer.response_id) for crowd, answer in answers if isinstance(answer, ValidAnswer)
    ]
    ended = next((answer for _, answer in answers if isinstance(answer, BudgetSpent | RequestsStopped)), None)
    if ended and not answered:
        raise ended
    refused = [crowd for crowd, answer in answers if isinstance(answer, BadAnswer | InputRefused)]
    return SplitDecisions(answered, refused, left=len(crowds) - len(answered), reason=str(ended) if ended else None)


@dataclass(frozen=True)
class SplitDecisions:
    """Decisions about crowded clusters.

    Attributes:
        answered: Each cluster with its answer and the id of the model response.
        refused: Clusters without a valid answer; they are not asked again until more nodes arrive.
        left: The number of undecided clusters, including `refused`.
        reason: Why, if a budget or a stopped session is the cause.
    """

    answered: Sequence[tuple[CrowdedCluster, Split, UUID]]
    refused: Sequence[CrowdedCluster]
    left: int
    reason: str | None

    def apply(self, tx: Transaction, being_id: UUID) -> dict[str, Any]:
        """Move unchanged nodes into the new topics, in the transaction that finishes the step; returns the report."""
        counts = {"topics": 0, "moved": 0, "left": self.left}
        for crowd, answer, response_id in self.answered:
            if answer.topics:
                lineage.cite(tx, being_id, response_id, crowd.nodes)
            known = crowd.by_reference
            founded = [
                splitting.found_of_shown(
                    tx,
                    being_id,
                    crowd.cluster.cluster_id,
                    plain(topic.name),
                    "model",
                    [node.node_id for node in crowd.nodes],
                    {known[reference].node_id: known[reference].revision for reference in topic.memories},
                )
                for topic in answer.topics
            ]
            counts["topics"] += sum(moved > 0 for moved in founded)
            counts["moved"] += sum(founded)
            if sum(founded) == sum(len(topic.memories) for topic in answer.topics):
                splitting.mark_asked(tx, being_id, crowd.cluster.cluster_id)
            else:
                counts["left"] += 1
        lineage.cite_none(tx)
        for crowd in self.refused:
            splitting.mark_asked(tx, being_id, crowd.cluster.cluster_id)
        return counts | ({"reason": self.reason} if self.reason else {})


def group_by_similarity(store: Store, embedders: Embedders, being_id: UUID, *, births: bool) -> "SimilarTopics":
    """Group the newest nodes of crowded clusters by subject, including roots if `births`, without a model.

    Nodes of a root that are similar to no others stay; of a topic that comes apart the largest part stays.

    Raises:
        ProviderError: The embedder is unavailable.
    """
    with store.transaction() as tx:
        being = beings.get_being(tx, being_id)
        crowded = [
            (
                cluster,
                splitting.newest_members(tx, being_id, cluster.cluster_id, BIRTH_NODES),
                splitting.siblings(tx, being_id, cluster),
            )
            for cluster in splitting.crowded(tx, being_id, roots=births)
        ]
    topics = list[tuple[UUID, str, Sequence[Candidate]]]()
    for cluster, members, taken in crowded:
        candidates = _candidates(embed_once(store, embedders.serving(being.embedding_model), being_id), members)
        if cluster.is_parent:
            groups = similar_groups(candidates)
        else:
            _, *groups = parts(candidates)
        grouped = {one.node_id for group in groups for one in group}
        others = [one for one in candidates if one.node_id not in grouped]
        names = distinctive_names(groups, others, [*taken, cluster.name], [being.name])
        # A group without a common word ("ok", "go on") is no topic.
        topics += [(cluster.cluster_id, name, group) for name, group in zip(names, groups, strict=True) if name]
    return SimilarTopics([cluster.cluster_id for cluster, _, _ in crowded], topics)


def _candidates(embed: Embed, members: Sequence[Member]) -> list[Candidate]:
    vectors = subject_vectors(embed, members, [member.vector for member in members])
    return [
        Candidate(member.node_id, member.revision, member.action, member.themes, member.actors, vector)
        for member, vector in zip(members, vectors, strict=True)
    ]


@dataclass(frozen=True)
class SimilarTopics:
    """Topics of similar nodes, named by their words.

    Attributes:
        crowded: The crowded clusters, also those that are not split.
        topics: The cluster that the nodes are in, the name and the nodes of each topic.
    """

    crowded: Sequence[UUID]
    topics: Sequence[tuple[UUID, str, Sequence[Candidate]]]

    def apply(self, tx: Transaction, being_id: UUID) -> dict[str, Any]:
        """Move unchanged nodes into the topics, in the transaction that finishes the step; returns the report."""
        founded = 0
        for cluster_id, name, nodes in self.topics:
            revisions = {node.node_id: node.revision for node in nodes}
            founded += splitting.found_of_shown(tx, being_id, cluster_id, name, "words", revisions, revisions) > 0
        for cluster_id in self.crowded:
            splitting.mark_asked(tx, being_id, cluster_id)
        return {"topics": founded}
