"""Puts the messages of an exported chat in order, separates its branches, and builds the conversation to hand in.

The order is that of the parents; messages with unknown parents stand in the order of the file, or by their times
where the file has no order. Only a message with a sibling under the same known parent is another branch: a missing
parent, or equal times, retract nothing. Times are made to rise along the order.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from memory.intake.importers.entries import Conversation, ExportPersons, UnreadableEntry, entry_id
from memory.intake.importers.times import EARLIEST, STEP, risen
from schemas.limits import SPEAKER_CHARACTERS
from schemas.text.reasoning import spoken

# An id of fewer characters need not be another one in another chat.
UNIQUE_CHARACTERS = 16
# How exports name the parent of first messages. Of two of the user's, one was edited; messages of both sides have lost
# their links.
ROOTS = frozenset(("00000000-0000-4000-8000-000000000000", "00000000-0000-0000-0000-000000000000"))
# Of two clocks by which one chat was noted.
CLOCKS_DIFFER = timedelta(minutes=1)
THOUGHT_ALONE = "a model's reasoning alone"


@dataclass(frozen=True, slots=True)
class ChatNode:
    """A message of a chat, or a node of its tree without words.

    Attributes:
        id: Its id, as `entry_id` takes it.
        is_user: Whether the user said it.
        text: The text, with or without reasoning; None for a node that only links others.
        at: When, as the export says; None if it does not.
        speaker: The speaker's name; None where the format has none.
        key: By which others name it as their parent; None if none can.
        parent: The key of its parent; None if it names none.
        chosen: Whether it is no alternative that was left.
        again: The second moment that its time may mean, in an hour that a clock showed twice; None for other times.
    """

    id: str
    is_user: bool
    text: str | None
    at: datetime | None
    speaker: str | None = None
    key: str | None = None
    parent: str | None = None
    chosen: bool = True
    again: datetime | None = None


@dataclass(frozen=True, slots=True)
class ThreadDetails:
    """The facts about a chat beside its messages.

    Attributes:
        program: The program that it was exported from.
        id: Its id in the export; None for messages that belong to none.
        begins: When it began; the time of the export's file if that is not known.
        leaf: The key of the last message of the branch that the person sees; None if the export does not say.
        in_line: Whether the messages are in order.
    """

    program: str
    id: str | None
    begins: datetime | None
    leaf: str | None = None
    in_line: bool = True


def are_strangers(turns: Iterable[ChatNode], names: ExportPersons) -> bool:
    """Return whether several people talk and none is the user, so that the user has another name."""
    worded = [one for one in turns if one.text is not None]
    return (
        names.companion is None and not any(one.is_user for one in worded) and len({one.speaker for one in worded}) > 1
    )


def oldest_first(turns: Sequence[ChatNode]) -> list[ChatNode]:
    """Return the messages of a file that may begin with the newest one: along such a file, the times of each side fall.

    Where answers are not older than the question before them, the file begins with the newest exchange. Two clocks may
    have set the times of the two sides, also of a question and its answer alone.
    """
    worded = [one for one in turns if one.text is not None and one.chosen]
    sides = [[one for one in worded if one.at is not None and one.is_user is is_user] for is_user in (True, False)]
    if min(map(len, sides)) <= 1:
        sides = [[one for one in worded if one.at is not None]]
    is_pair = len(worded) == 2 and worded[0].is_user  # noqa: PLR2004  # a pair
    if is_pair or not all(map(_falls, sides)) or _rises(worded):
        return [*turns]
    answers = [(question.at, one.at) for question, one in pairwise(worded) if question.is_user and not one.is_user]
    answered = [question <= at for question, at in answers if question is not None and at is not None]
    # From a newest answer to an oldest question each message stands before the one that it follows, on any clock.
    by_message = not worded[0].is_user and worded[-1].is_user
    whole = _exchanges(turns) if 2 * sum(answered) > len(answered) and not by_message else [[one] for one in turns]
    return [one for exchange in reversed(whole) for one in exchange]


def _exchanges(turns: Sequence[ChatNode]) -> list[list[ChatNode]]:
    """Divide messages before each question, and before an older greeting; the first ones may be answers alone."""
    found: list[list[ChatNode]] = [[]]
    before: ChatNode | None = None
    for one in turns:
        if one.text is not None:
            if before is not None and not before.is_user and (one.is_user or _is_older(one, before)):
                found.append([])
            before = one
        found[-1].append(one)
    return found


def _is_older(one: ChatNode, other: ChatNode) -> bool:
    return one.at is not None and other.at is not None and one.at < other.at


def _falls(turns: Sequence[ChatNode]) -> bool:
    falls = sum(_is_older(behind, before) for before, behind in pairwise(turns))
    rises = sum(_is_older(before, behind) for before, behind in pairwise(turns))
    return falls > rises and _is_older(turns[-1], turns[0])


def _rises(turns: Iterable[ChatNode]) -> bool:
    """Whether times rise, where the clock may have been set back between two of them."""
    times = [at for at in _times_in_order(turns) if at is not None]
    return all(before <= behind for before, behind in pairwise(times))


def _times_in_order(turns: Iterable[ChatNode]) -> list[datetime | None]:
    """Return the times of messages in their order: behind a later time that the clock showed before, the second one.

    A time less than `CLOCKS_DIFFER` earlier is one of another clock.
    """
    found: list[datetime | None] = []
    last = EARLIEST
    for one in turns:
        is_second = one.at is not None and one.at < last - CLOCKS_DIFFER and one.again is not None and one.again >= last
        found.append(one.again if is_second else one.at)
        last = found[-1] or last
    return found


def conversation(
    chat: ThreadDetails,
    turns: Sequence[ChatNode],
    names: ExportPersons,
    bad: Iterable[UnreadableEntry] = (),
    left_out: Mapping[str, int] | None = None,
) -> Conversation:
    """Return the messages of a chat in order, those that stand before those of other branches.

    Args:
        chat: The chat.
        turns: Its messages, and the nodes that link them, in the order of the file.
        names: The persons of the export.
        bad: The entries that could not be read.
        left_out: How many entries were left out, by the reason.
    """
    turns = _rooted(_told_apart(turns))
    standing, beside = arranged(turns, chat)
    texts = {one.id: _text(one) for one in turns if one.text is not None}
    thoughts = sum(not text.strip() for text in texts.values())
    standing = [one for one in standing if texts.get(one.id, "").strip()]
    beside = [one for one in beside if texts.get(one.id, "").strip()]
    latest = datetime.now(UTC)
    times = dict(zip((one.id for one in standing), risen(_times_in_order(standing), chat.begins, latest), strict=True))
    by_key: dict[str | None, ChatNode] = {one.key: one for one in turns if one.key is not None}
    for one in beside:
        times[one.id] = _beside(one, times, by_key, chat.begins, latest)
    where = None if chat.id is None else entry_id(chat.program, chat.id)
    counts = dict(left_out or {})
    if thoughts:
        counts[THOUGHT_ALONE] = counts.get(THOUGHT_ALONE, 0) + thoughts
    return Conversation(
        [_message(chat, one, names, where, texts[one.id], times[one.id]) for one in (*standing, *beside)],
        [_message_id(chat, one) for one in beside],
        list(bad),
        counts,
    )


def _told_apart(turns: Sequence[ChatNode]) -> list[ChatNode]:
    """Return the messages, those with an id that another one has with another id; an equal one is the same message."""
    texts: dict[str, list[str | None]] = {}
    found = []
    for one in turns:
        known = texts.setdefault(one.id, [])
        if one.text in known:
            continue
        known.append(one.text)
        found.append(one if len(known) == 1 else replace(one, id=f"{one.id}/{len(known)}"))
    return found


def _rooted(turns: Sequence[ChatNode]) -> list[ChatNode]:
    """Return the messages, the first ones of the user behind the parent that stands for the beginning of the chat."""
    roots = {one.parent for one in turns if one.parent in ROOTS}
    if any(not one.is_user for one in turns if one.parent in ROOTS and one.text is not None):
        roots.clear()
    found = []
    for one in turns:
        if one.parent in roots:
            # At the place of its first child: a greeting may stand before.
            roots.remove(one.parent)
            found.append(ChatNode(str(one.parent), is_user=False, text=None, at=None, key=one.parent))
        found.append(one)
    return found


def _text(one: ChatNode) -> str:
    return (one.text or "") if one.is_user else spoken(one.text or "").strip()


def _message_id(chat: ThreadDetails, one: ChatNode) -> str:
    """The producer's id of a message; that of a program which numbers them in each chat belongs to the chat."""
    is_number = chat.id is not None and len(one.id) < UNIQUE_CHARACTERS
    return entry_id(chat.program, chat.id, one.id) if is_number else entry_id(chat.program, one.id)


def _message(
    chat: ThreadDetails, one: ChatNode, names: ExportPersons, where: str | None, text: str, at: datetime
) -> dict[str, Any]:
    speaker = (one.speaker or "").strip()[:SPEAKER_CHARACTERS]
    return {
        "id": _message_id(chat, one),
        "role": names.role(one.speaker, is_user=one.is_user),
        **({"speaker": speaker} if speaker else {}),
        **({"conversation": where} if where else {}),
        "content": text,
        "created_at": at.isoformat(),
    }


def _beside(
    one: ChatNode,
    times: Mapping[str, datetime],
    by_key: Mapping[str | None, ChatNode],
    begins: datetime | None,
    now: datetime,
) -> datetime:
    """Return the time of a message of another branch: after the message that it answers, if that is known."""
    before, seen = by_key.get(one.parent), {one.id}
    while before is not None and before.id not in times and before.id not in seen:
        seen.add(before.id)
        before = by_key.get(before.parent)
    least = times[before.id] + STEP if before is not None and before.id in times else EARLIEST
    at = one.at if one.at is not None and one.at <= now else max(least, begins or EARLIEST)
    return min(max(at, least), now)


def arranged(turns: Sequence[ChatNode], chat: ThreadDetails) -> tuple[list[ChatNode], list[ChatNode]]:
    """Return the messages that stand, in order, and those on other branches, each behind its parent."""
    tree = _Tree(turns, chat)
    standing: list[ChatNode] = []
    beside: list[ChatNode] = []
    for root in tree.roots:
        at: int | None = root
        while at is not None:
            (standing if turns[at].chosen else beside).append(turns[at])
            on = tree.goes_on_with(at)
            for child in tree.children[at]:
                if child != on:
                    beside += [turns[place] for place in tree.below(child)]
            at = on
    return standing, beside


class _Tree:
    """The messages of a chat by their links, each named by its place in the file."""

    def __init__(self, turns: Sequence[ChatNode], chat: ThreadDetails) -> None:
        self._said = turns
        places = {one.key: place for place, one in reversed(list(enumerate(turns))) if one.key is not None}
        self._parents = {place: places.get(one.parent) for place, one in enumerate(turns) if one.parent is not None}
        self._cut_circles()
        self.children: list[list[int]] = [[] for _ in turns]
        for place, parent in self._parents.items():
            if parent is not None:
                self.children[parent].append(place)
        self.roots = [place for place in range(len(turns)) if self._parents.get(place) is None]
        self._newest = self._newest_leaves()
        if not chat.in_line and all(turns[place].at for place in self.roots if turns[place].text is not None):
            timed = sorted(self.roots, key=lambda place: (self._times[place], not turns[place].is_user, place))
            # Clocks that differ a little, or equal times, part questions from their answers.
            is_near = all(
                self._times[one] - self._times[following] < CLOCKS_DIFFER for one, following in pairwise(self.roots)
            )
            self.roots = min(timed, self.roots, key=self._unanswered) if is_near else timed
        self._to_leaf = self._way_from(places.get(chat.leaf) if chat.leaf is not None else None)

    def _unanswered(self, order: Sequence[int]) -> int:
        """Return how often one side speaks twice, or answers nothing, in an order of messages with all below each."""
        turns = (self._said[place] for root in order for place in self.below(root))
        sides = [False, *(one.is_user for one in turns if one.text is not None)]
        return sum(one == other for one, other in pairwise(sides))

    def _cut_circles(self) -> None:
        """Take the link away that closes a circle, so that all messages hang on a root."""
        done: set[int] = set()
        for place in range(len(self._said)):
            way: dict[int, None] = {}
            at: int | None = place
            while at is not None and at not in done and at not in way:
                way[at] = None
                at = self._parents.get(at)
            if at is not None and at in way:
                self._parents[at] = None
            done.update(way)

    def _newest_leaves(self) -> list[tuple[bool, datetime, int]]:
        """Return, by message, whether it or one below says something, and the time and the place of the newest leaf.

        Of a tie it is the last one. A leaf of a branch on which nothing is said is no message's.
        """
        order = [place for root in self.roots for place in self.below(root)]
        self._times = [EARLIEST] * len(self._said)
        for place in order:
            parent = self._parents.get(place)
            self._times[place] = self._said[place].at or (EARLIEST if parent is None else self._times[parent])
        newest = [(self._said[place].text is not None, time, place) for place, time in enumerate(self._times)]
        for place in reversed(order):
            if self.children[place]:
                speaks, time, leaf = max(newest[child] for child in self.children[place])
                newest[place] = (speaks or newest[place][0], time, leaf)
        return newest

    def _way_from(self, leaf: int | None) -> set[int]:
        way: set[int] = set()
        while leaf is not None:
            way.add(leaf)
            leaf = self._parents.get(leaf)
        return way

    def goes_on_with(self, place: int) -> int | None:
        """Return the message that continues the talk after one."""
        children = self.children[place]
        on_the_way = next((child for child in children if child in self._to_leaf), None)
        return max(children, key=lambda child: self._newest[child], default=None) if on_the_way is None else on_the_way

    def below(self, place: int) -> list[int]:
        """Return a message and all below it, each behind its parent."""
        found, waiting = [], [place]
        while waiting:
            found.append(waiting.pop())
            waiting += reversed(self.children[found[-1]])
        return found
