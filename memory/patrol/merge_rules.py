"""Validates a model's merges, and builds the survivor's scene."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, NamedTuple
from uuid import UUID

from memory.grounding.grounding import NAME
from memory.grounding.setting import Setting
from memory.nodes.prompt_rendering import shown_whole
from memory.nodes.scenes import Unparsable, parse_scene, scene_fields
from memory.text.prompt_escaping import texts_in, unescaped
from memory.text.tokens import tokens
from providers.errors import BadAnswer
from schemas.intake.inputs import SCENE_FIELDS, SceneInput
from schemas.intake.scene_fields import SceneField
from schemas.nodes.nodes import ShownNode
from schemas.patrol.model_answers import Consolidation, Merge
from schemas.text.sentences import cut_at_sentence


@dataclass(frozen=True)
class PromptBatch:
    """Nodes of one topic that one prompt shows.

    Attributes:
        cluster_id: The topic.
        nodes: The nodes, oldest first; the prompt calls them m1, m2, and so on.
        to_decide: The ids of nodes that this batch decides; the others are shown for comparison.
    """

    cluster_id: UUID
    nodes: list[ShownNode]
    to_decide: frozenset[UUID]

    @cached_property
    def by_reference(self) -> dict[str, ShownNode]:
        """The nodes by their references in the prompt."""
        return {f"m{number}": node for number, node in enumerate(self.nodes, start=1)}

    @property
    def waiting(self) -> list[ShownNode]:
        """The nodes that consolidation has yet to decide, in this batch or another."""
        return [node for node in self.nodes if node.fresh or node.may_die]

    def halves(self) -> list["PromptBatch"]:
        """The halves of a batch that is too long for a model, without one that decides nothing; none of two nodes."""
        middle = len(self.nodes) // 2
        parts = [self.nodes[:middle], self.nodes[middle:]] if middle > 1 else []
        decides = [(nodes, self.to_decide.intersection(node.node_id for node in nodes)) for nodes in parts]
        return [PromptBatch(self.cluster_id, nodes, to_decide) for nodes, to_decide in decides if to_decide]


def check(batch: PromptBatch, answer: Consolidation) -> None:
    """Validate an answer.

    Raises:
        BadAnswer: It names an unknown node or one twice, absorbs a pinned one, lets a node die that may not, or gives a
            survivor content that none of its nodes has. The message repeats nothing but references, and says of all
            else where it stands. `valid` has the merges, and the nodes that may die, that break no rule.
    """
    known = batch.by_reference
    named = Counter(reference for merge in answer.merges for reference in _members(merge)) + Counter(answer.make_dead)
    faults = []
    if unknown := sum(times for reference, times in named.items() if reference not in known):
        faults.append(f"The answer names {unknown} memories that are not there: use only the references given.")
    if twice := sorted(reference for reference, times in named.items() if times > 1 and reference in known):
        faults.append(f"Each memory may be named once, and these are named more often: {', '.join(twice)}.")
    if alive := [each for each in answer.make_dead if each in known and not known[each].may_die]:
        faults.append(f"make_dead is for memories in the state `dying`; these are not: {', '.join(alive)}.")
    merges: list[Merge] = []
    taken = set[str]()
    for merge in answer.merges:
        members = _members(merge)
        if not known.keys() >= set(members):
            continue
        wrong = _faults(known, merge)
        faults += wrong
        mended = _in_words_of_members(known, merge) if wrong else merge
        if len({*members}) == len(members) and taken.isdisjoint(members) and not _faults(known, mended):
            merges.append(mended)
            taken.update(members)
    if faults:
        dead = [each for each in dict.fromkeys(answer.make_dead) if each in known.keys() - taken - {*alive}]
        valid = Consolidation(merges=merges, make_dead=dead) if merges or dead else None
        raise BadAnswer(" ".join(faults), valid=valid)


def _members(merge: Merge) -> list[str]:
    return [merge.survivor, *merge.absorbed]


def survivor_of(known: Mapping[str, ShownNode], merge: Merge) -> SceneInput:
    """Build the survivor's scene of a valid merge: each field by the rule that it declares (`MergeRule`).

    Values that the model chose are kept in the nodes' spelling. United items are the survivor's first.
    """
    members = [known[reference] for reference in (merge.survivor, *merge.absorbed)]
    return parse_scene({name: _merged(field, name, members, merge) for name, field in SCENE_FIELDS.items()})


def _merged(field: SceneField, name: str, members: Sequence[ShownNode], merge: Merge) -> Any:
    survivor, *absorbed = members
    values = [value for node in members if (value := scene_fields(node).get(name))]
    merged: Any
    match field.merge:
        case "proposed":
            merged = _proposed(merge, name)
        case "proposed or first":
            merged = (_proposed(merge, name) or values[0]) if values else None
        case "chosen":
            merged = _chosen(getattr(merge, name), _texts_of_field(members, name))
        case "history":
            merged = history(survivor, absorbed, _proposed(merge, "action"))
        case "most important":
            ranked = [survivor, *sorted(absorbed, key=lambda node: node.importance, reverse=True)]
            merged = next((value for node in ranked if (value := scene_fields(node).get(name))), None)
        case "united":
            merged = _distinct(_texts_of_field(members, name))[: field.most_merged]
        case "survivor":
            merged = scene_fields(survivor).get(name)
        case "weighted mean":
            merged = _mean_emotion(members)
    return merged


def _proposed(merge: Merge, name: str) -> str:
    return unescaped(getattr(merge, name) or "").strip()


def history(survivor: ShownNode, absorbed: Iterable[ShownNode], action: str) -> list[str | dict[str, str]]:
    """Build a survivor's `when`: its own items, and the absorbed ones' as `{date, action}` (patrol seed, "WhenItem").

    If the survivor is reworded, its own bare dates take its earlier action. A survivor without bare dates was merged
    before: its action only summarizes the lines that it has. Items with an ISO date come last and in order, so that the
    end is the newest; before them the others as given. No item is repeated.

    Args:
        survivor: The survivor as it was shown.
        absorbed: The nodes that it absorbs.
        action: The survivor's new action.
    """
    lines = list(survivor.scene["when"]) if action == survivor.scene["action"] else _dated_lines(survivor)
    lines += [line for node in absorbed for line in _dated_lines(node)]
    once = {_key(line): line for line in lines}
    undated = [line for key, line in once.items() if not _is_iso(key[0])]
    dated = sorted(key for key in once if _is_iso(key[0]))
    return [*undated, *(once[key] for key in dated)]


def _dated_lines(node: ShownNode) -> list[str | dict[str, str]]:
    return [
        {"date": item, "action": node.scene["action"]} if isinstance(item, str) else item for item in node.scene["when"]
    ]


def _mean_emotion(members: Sequence[ShownNode]) -> dict[str, float] | None:
    felt = [(node.emotion, node.importance) for node in members if node.emotion]
    if not felt:
        return None
    if not any(weight for _, weight in felt):
        felt = [(emotion, 1.0) for emotion, _ in felt]
    total = sum(weight for _, weight in felt)
    return {name: round(sum(emotion[name] * weight for emotion, weight in felt) / total, 3) for name in felt[0][0]}


def _distinct(texts: Iterable[str]) -> list[str]:
    once: dict[str, str] = {}
    for text in texts:
        once.setdefault(_folded(text), text)
    return list(once.values())


def _faults(known: Mapping[str, ShownNode], merge: Merge) -> list[str]:
    """The fault of a merge of known nodes, in words for the model."""
    where = f"The merge into {merge.survivor}"
    absorbed = [known[reference] for reference in merge.absorbed]
    members = [known[merge.survivor], *absorbed]
    faults = []
    if not absorbed:
        faults.append(f"{where} absorbs nothing: leave it out.")
    if any(node.pinned for node in absorbed):
        faults.append(f"{where} absorbs a pinned memory, which can only survive.")
    if len({node.scene.get("realm") for node in members}) > 1:
        faults.append(f"{where} joins what happened with what was played or imagined: keep `realm`s apart.")
    if not all(shown_whole(node) for node in members):
        faults.append(f"{where} has a shortened memory in it, which was not shown whole: leave it as it is.")
    faults += [f"{where} has {fault}" for fault in _faults_of_words(members, merge)]
    if not faults:
        try:
            survivor_of(known, merge)
        except Unparsable as fault:
            faults.append(f"{where} makes no scene: {fault}.")
    return faults


def _faults_of_words(members: Sequence[ShownNode], merge: Merge) -> Iterator[str]:
    feelings = [node.feeling for node in members if node.feeling]
    if len(unescaped(merge.action)) > _longest(members).action:
        yield "an action that is longer than its memories' actions together."
    if len(unescaped(merge.feeling or "")) > _longest(members).feeling:
        yield "a feeling that is longer than its memories' feelings together."
    # Words can be put in other words, in any language; a name or a number is there or is not.
    memories = "\n".join([*texts_in([node.scene for node in members]), *feelings])
    ground = Setting().of_texts([(memories, None)], counted=len(members))
    action = unescaped(merge.action)
    if missing := ground.missing_numbers(action):
        yield f"an `action` with a number or date that none of its memories has: {', '.join(missing)} in it."
    if NAME in ground.faults(action):
        yield "an `action` with a name that none of its memories has."
    for name, theirs in _choices(members).items():
        known = {_folded(text) for text in theirs}
        if other := [str(place) for place, text in enumerate(getattr(merge, name), 1) if _folded(text) not in known]:
            yield f"`{name}` that none of its memories has (item {', '.join(other)}): choose from theirs."


def _choices(members: Sequence[ShownNode]) -> dict[str, list[str]]:
    """The values that a merge may choose from, by field."""
    return {name: _texts_of_field(members, name) for name in ("actors", "dialogue", "themes")}


class _Longest(NamedTuple):
    """How many characters the texts of a merge may have: as many as those of its nodes together."""

    action: int
    feeling: int


def _longest(members: Sequence[ShownNode]) -> _Longest:
    return _Longest(
        action=sum(len(node.scene["action"]) + len(" ") for node in members),
        feeling=sum(len(node.feeling or "") for node in members),
    )


def _in_words_of_members(known: Mapping[str, ShownNode], merge: Merge) -> Merge:
    """The merge with texts as long as they may be, without actors, dialogue and themes that none of its nodes has."""
    members = [known[reference] for reference in _members(merge)]
    theirs = _choices(members)
    longest = _longest(members)
    merge = merge.model_copy(
        update={
            "action": cut_at_sentence(merge.action, longest.action),
            "feeling": cut_at_sentence(merge.feeling or "", longest.feeling) or None,
        }
    )
    proposable = {name: {_folded(text) for text in texts} for name, texts in theirs.items()}
    return merge.model_copy(
        update={name: [text for text in getattr(merge, name) if _folded(text) in proposable[name]] for name in theirs}
    )


def _texts_of_field(members: Sequence[ShownNode], field: str) -> list[str]:
    return [text for node in members for text in scene_fields(node).get(field) or []]


def _chosen(proposed: Sequence[str], spellings: Sequence[str]) -> list[str]:
    """Return the proposed values, once each, in the nodes' spelling."""
    spelling = {_folded(text): text for text in reversed(spellings)}
    return list(dict.fromkeys(spelling[_folded(text)] for text in proposed))


def _folded(text: str) -> str:
    """A text in the form in which two are the same."""
    plain = unescaped(text)
    return " ".join(token.form for token in tokens(plain)) or " ".join(plain.split()).casefold()


def _key(line: str | dict[str, str]) -> tuple[str, str]:
    return (line, "") if isinstance(line, str) else (line["date"], line["action"])


def _is_iso(text: str) -> bool:
    try:
        date.fromisoformat(text[:10])
    except ValueError:
        return False
    return True
