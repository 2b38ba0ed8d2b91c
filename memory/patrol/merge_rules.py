"""Validates a model's merges, and builds the survivor's scene."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any
from uuid import UUID

from memory.nodes.prompt_rendering import shown_whole
from memory.nodes.scenes import Unparsable, parse_scene, told
from memory.text.prompt_escaping import texts_in, unescaped
from providers.errors import BadAnswer
from schemas.intake.inputs import SCENE_FIELDS, SceneInput
from schemas.intake.scene_fields import SceneField
from schemas.nodes.nodes import ShownNode
from schemas.patrol.model_answers import Consolidation, Merge

NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class PromptBatch:
    """Nodes of one topic that one prompt shows.

    Attributes:
        cluster_id: The topic.
        nodes: The nodes, oldest first; the prompt calls them m1, m2, and so on.
        asked: The ids of nodes that this batch decides; the others are shown for comparison.
    """

    cluster_id: UUID
    nodes: list[ShownNode]
    asked: frozenset[UUID]

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
        decides = [(nodes, self.asked.intersection(node.node_id for node in nodes)) for nodes in parts]
        return [PromptBatch(self.cluster_id, nodes, asked) for nodes, asked in decides if asked]


def check(batch: PromptBatch, answer: Consolidation) -> None:
    """Validate an answer; one violation refuses it whole.

    Raises:
        BadAnswer: It names an unknown node or one twice, absorbs a pinned one, lets a node die that may not, or gives a
            survivor content that none of its nodes has. The message repeats nothing but references.
    """
    known = batch.by_reference
    named = [reference for merge in answer.merges for reference in (merge.survivor, *merge.absorbed)]
    named += answer.make_dead
    if unknown := sum(reference not in known for reference in named):
        raise BadAnswer(f"The answer names {unknown} memories that are not there: use only the references given.")
    if twice := sorted(reference for reference, times in Counter(named).items() if times > 1):
        raise BadAnswer(f"Each memory may be named once, and these are named more often: {', '.join(twice)}.")
    if alive := [reference for reference in answer.make_dead if not known[reference].may_die]:
        raise BadAnswer(f"make_dead is for memories in the state `dying`; these are not: {', '.join(alive)}.")
    for merge in answer.merges:
        _check_merge(known, merge)


def survivor_of(known: Mapping[str, ShownNode], merge: Merge) -> SceneInput:
    """Build the survivor's scene of a valid merge: each field by the rule that it declares (`MergeRule`).

    What the model chose is kept in the nodes' spelling. United items are the survivor's first.
    """
    members = [known[reference] for reference in (merge.survivor, *merge.absorbed)]
    return parse_scene({name: _merged(field, name, members, merge) for name, field in SCENE_FIELDS.items()})


def _merged(field: SceneField, name: str, members: Sequence[ShownNode], merge: Merge) -> Any:
    survivor, *absorbed = members
    values = [value for node in members if (value := told(node).get(name))]
    merged: Any
    match field.merge:
        case "proposed":
            merged = _proposed(merge, name)
        case "proposed or first":
            merged = (_proposed(merge, name) or values[0]) if values else None
        case "chosen":
            merged = _chosen(getattr(merge, name), _said(members, name))
        case "history":
            merged = history(survivor, absorbed, _proposed(merge, "action"))
        case "most important":
            ranked = [survivor, *sorted(absorbed, key=lambda node: node.importance, reverse=True)]
            merged = next((value for node in ranked if (value := told(node).get(name))), None)
        case "united":
            merged = _distinct(_said(members, name))[: field.most_merged]
        case "survivor":
            merged = told(survivor).get(name)
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


def _check_merge(known: Mapping[str, ShownNode], merge: Merge) -> None:
    where = f"The merge into {merge.survivor}"
    absorbed = [known[reference] for reference in merge.absorbed]
    members = [known[merge.survivor], *absorbed]
    if not absorbed:
        raise BadAnswer(f"{where} absorbs nothing: leave it out.")
    if any(node.pinned for node in absorbed):
        raise BadAnswer(f"{where} absorbs a pinned memory, which can only survive.")
    if len({node.scene.get("realm") for node in members}) > 1:
        raise BadAnswer(f"{where} joins what happened with what was played or imagined: keep `realm`s apart.")
    if not all(shown_whole(node) for node in members):
        raise BadAnswer(f"{where} has a shortened memory in it, which was not shown whole: leave it as it is.")
    _check_words(where, members, merge)
    try:
        survivor_of(known, merge)
    except Unparsable as fault:
        raise BadAnswer(f"{where} makes no scene: {fault}.") from None


def _check_words(where: str, members: Sequence[ShownNode], merge: Merge) -> None:
    feelings = [node.feeling for node in members if node.feeling]
    if len(unescaped(merge.action)) > sum(len(node.scene["action"]) + len(" ") for node in members):
        raise BadAnswer(f"{where} has an action that is longer than its memories' actions together.")
    if len(unescaped(merge.feeling or "")) > sum(map(len, feelings)):
        raise BadAnswer(f"{where} has a feeling that is longer than its memories' feelings together.")
    # Words can be put in other words, in any language; a number is there or is not.
    told = "\n".join([*texts_in([node.scene for node in members]), *feelings])
    if not set(NUMBER.findall(f"{merge.action} {merge.feeling}")) <= set(NUMBER.findall(told)):
        raise BadAnswer(f"{where} tells a number that none of its memories has.")
    for name, proposed, said in (
        ("actors", merge.actors, _said(members, "actors")),
        ("dialogue", merge.dialogue, _said(members, "dialogue")),
        ("themes", merge.themes, _said(members, "themes")),
    ):
        if {_folded(unescaped(text)) for text in proposed} - {_folded(text) for text in said}:
            raise BadAnswer(f"{where} has {name} that none of its memories has: choose from theirs, in their spelling.")


def _said(members: Sequence[ShownNode], field: str) -> list[str]:
    return [text for node in members for text in told(node).get(field) or []]


def _chosen(proposed: Sequence[str], said: Sequence[str]) -> list[str]:
    """What was proposed, once each, as it was said."""
    spelling = {_folded(text): text for text in reversed(said)}
    return list(dict.fromkeys(spelling[_folded(unescaped(text))] for text in proposed))


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _key(line: str | dict[str, str]) -> tuple[str, str]:
    return (line, "") if isinstance(line, str) else (line["date"], line["action"])


def _is_iso(text: str) -> bool:
    try:
        date.fromisoformat(text[:10])
    except ValueError:
        return False
    return True
