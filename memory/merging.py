"""What a consolidation may do, and what a survivor then says: the rules that code checks, whatever a model proposes."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any
from uuid import UUID

from memory.fences import unfenced
from memory.scene import Unparsable, parse_scene
from memory.showing import shown_whole
from providers.errors import BadAnswer
from schemas.patrol_answers import Consolidation, Merge
from schemas.rows import ShownNode
from schemas.wire import SceneInput

NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class Part:
    """Memories of one topic that are shown together.

    Attributes:
        cluster_id: The topic.
        nodes: The memories, oldest first; the model knows them as m1, m2, and so on.
        asked: Those whose marks are gone when this part has been looked at; the others are there for comparison.
    """

    cluster_id: UUID
    nodes: list[ShownNode]
    asked: frozenset[UUID]

    @cached_property
    def by_reference(self) -> dict[str, ShownNode]:
        """The memories by the references that the model knows them by."""
        return {f"m{number}": node for number, node in enumerate(self.nodes, start=1)}


def may_die(node: ShownNode) -> bool:
    """Whether a model may let a node go: only what is dying, not pinned, and was looked at before."""
    return node.status == "dying" and not node.pinned and not node.fresh


def check(part: Part, answer: Consolidation) -> None:
    """Hold an answer against the rules; one fault refuses all of it.

    Raises:
        BadAnswer: It names an unknown memory or one twice, absorbs what is pinned, lets go what may not die, or has a
            survivor say what none of its memories says. The message repeats nothing but references.
    """
    known = part.by_reference
    named = [reference for merge in answer.merges for reference in (merge.survivor, *merge.absorbed)]
    named += answer.make_dead
    if unknown := sum(reference not in known for reference in named):
        raise BadAnswer(f"The answer names {unknown} memories that are not there: use only the references given.")
    if twice := sorted(reference for reference, times in Counter(named).items() if times > 1):
        raise BadAnswer(f"Each memory may be named once, and these are named more often: {', '.join(twice)}.")
    if alive := [reference for reference in answer.make_dead if not may_die(known[reference])]:
        raise BadAnswer(f"make_dead is for what is dying, neither fresh nor pinned; these are not: {', '.join(alive)}.")
    for merge in answer.merges:
        _check_merge(known, merge)


def survivor_of(known: Mapping[str, ShownNode], merge: Merge) -> SceneInput:
    """What the survivor of a merge says from now on; the answer has been checked.

    Its actors, dialogue and themes are spelled as the merged memories have them, and where no feeling is proposed it
    keeps the first there is.
    """
    members = [known[reference] for reference in (merge.survivor, *merge.absorbed)]
    survivor, *absorbed = members
    feelings = [node.feeling for node in members if node.feeling]
    return parse_scene(
        {
            **survivor.scene,
            "action": unfenced(merge.action).strip(),
            "actors": _chosen(merge.actors, _said(members, "actors")),
            "dialogue": _chosen(merge.dialogue, _said(members, "dialogue")),
            "themes": _chosen(merge.themes, [theme for node in members for theme in node.themes]),
            "when": history(survivor, absorbed),
            "importance": survivor.importance,
            **({"feeling": unfenced(merge.feeling or "").strip() or feelings[0]} if feelings else {}),
            **({"emotion": survivor.emotion} if survivor.emotion else {}),
        }
    )


def history(survivor: ShownNode, absorbed: Iterable[ShownNode]) -> list[str | dict[str, str]]:
    """A survivor's `when`: its own, and that of the absorbed as `{date, action}` (patrol seed, "WhenItem").

    What bears an ISO date comes last and in order, so that the end is the newest; before it the rest as it was given.
    Nothing is in it twice.
    """
    lines: list[str | dict[str, str]] = list(survivor.scene["when"])
    for node in absorbed:
        lines += [
            {"date": item, "action": node.scene["action"]} if isinstance(item, str) else item
            for item in node.scene["when"]
        ]
    once = {_key(line): line for line in lines}
    undated = [line for key, line in once.items() if not _is_iso(key[0])]
    dated = sorted(key for key in once if _is_iso(key[0]))
    return [*undated, *(once[key] for key in dated)]


def _check_merge(known: Mapping[str, ShownNode], merge: Merge) -> None:
    where = f"The merge into {merge.survivor}"
    absorbed = [known[reference] for reference in merge.absorbed]
    members = [known[merge.survivor], *absorbed]
    if not absorbed:
        raise BadAnswer(f"{where} absorbs nothing: leave it away.")
    if any(node.pinned for node in absorbed):
        raise BadAnswer(f"{where} absorbs a pinned memory, which can only survive.")
    if not all(shown_whole(node) for node in members):
        raise BadAnswer(f"{where} has a shortened memory in it, which was not shown whole: leave it as it is.")
    _check_words(where, members, merge)
    try:
        survivor_of(known, merge)
    except Unparsable as fault:
        raise BadAnswer(f"{where} makes no scene: {fault}.") from None


def _check_words(where: str, members: Sequence[ShownNode], merge: Merge) -> None:
    feelings = [node.feeling for node in members if node.feeling]
    if len(unfenced(merge.action)) > sum(len(node.scene["action"]) for node in members):
        raise BadAnswer(f"{where} has an action that is longer than its memories' actions together.")
    if len(unfenced(merge.feeling or "")) > sum(map(len, feelings)):
        raise BadAnswer(f"{where} has a feeling that is longer than its memories' feelings together.")
    # Words can be put in other words, in any language; a number is there or is not.
    told = "\n".join([*_texts([node.scene for node in members]), *feelings])
    if not set(NUMBER.findall(f"{merge.action} {merge.feeling}")) <= set(NUMBER.findall(told)):
        raise BadAnswer(f"{where} tells a number that none of its memories has.")
    for name, proposed, said in (
        ("actors", merge.actors, _said(members, "actors")),
        ("dialogue", merge.dialogue, _said(members, "dialogue")),
        ("themes", merge.themes, [theme for node in members for theme in node.themes]),
    ):
        if {_folded(unfenced(text)) for text in proposed} - {_folded(text) for text in said}:
            raise BadAnswer(f"{where} has {name} that none of its memories has: choose from theirs, in their spelling.")


def _texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value, as it is: its `repr` would have digits of its own."""
    match value:
        case str():
            yield value
        case dict():
            yield from _texts(list(value.values()))
        case list():
            for item in value:
                yield from _texts(item)


def _said(members: Sequence[ShownNode], field: str) -> list[str]:
    return [text for node in members for text in node.scene.get(field, [])]


def _chosen(proposed: Sequence[str], said: Sequence[str]) -> list[str]:
    """What was proposed, once each, as it was said."""
    spelling = {_folded(text): text for text in reversed(said)}
    return list(dict.fromkeys(spelling[_folded(unfenced(text))] for text in proposed))


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
