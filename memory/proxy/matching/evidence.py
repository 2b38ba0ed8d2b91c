"""The sequence of matches with the most evidence on one way through a tree of messages.

Of a match of turn `i` with message `m` the best sequence that ends with it is known from those that end with an earlier
turn at a message before `m`. The turns are gone through in order, each for all of its messages at once:

- `reached[m]` is the best of all earlier turns at `m` or before it,
- `level[m]` the best of those with as many turns as messages between them and this place, and
- `direct[m]` the sequence that ends with the turn right before, at `m`.

The precedence of a sequence is one number, with these fields, from the highest: evidence in characters, standing
messages, matches that follow each other directly, and matches that have as many turns between them as messages. Turns
times messages are the steps, of `log(messages)` operations on a machine's words each; the scores of all matches are
kept to find the way back.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from store.talk.transcripts import PlacedMessage

# Up to this many searches take less time than to go through all messages.
FEW = 8

Scores = NDArray[np.int64]
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class ChainLevel:
    """Chains of messages, each said after the one before it, that begin behind a message of an earlier level.

    Attributes:
        within: The place of the level in the order of the messages.
        begins: The first message of each chain.
        behind: The messages that these follow.
        chain: By message, the number of its chain within the level.
        is_one_way: Whether it is one chain, with nothing before it.
    """

    within: slice
    begins: Places
    behind: Places
    chain: Scores
    is_one_way: bool


@dataclass(frozen=True)
class MessageTree:
    """Messages by numbers. The number behind the last stands for no message, and is said before all first ones.

    Attributes:
        messages: The messages, by levels and chains.
        number: Their numbers.
        depth: How many messages are before each.
        parent: By message, the one that it was said after.
        levels: The levels, first to last: at most the logarithm of the number of messages.
        stands: One for each that stands.
        by_id: Their places in the order of their ids.
    """

    messages: Sequence[PlacedMessage]
    number: Mapping[UUID, int]
    depth: Sequence[int]
    parent: Places
    levels: Sequence[ChainLevel]
    stands: Scores
    by_id: Places


def message_tree(
    messages: Mapping[UUID, PlacedMessage], after: Mapping[UUID | None, Sequence[PlacedMessage]]
) -> MessageTree:
    """Number the messages of a conversation; a chain goes on with the message after which the most were said."""
    first = [one for one in messages.values() if one.parent_id not in messages]
    ordered = [*first]
    for message in ordered:
        ordered += after.get(message.message_id, ())
    none = len(ordered)
    size = Counter(one.message_id for one in ordered)
    for message in reversed(ordered):
        if message.parent_id is not None and message.parent_id in size:
            size[message.parent_id] += size[message.message_id]

    ordered, number = [], {}
    depth: list[int] = []
    levels: list[ChainLevel] = []
    tops = [(one, none) for one in first]
    while tops:
        start, begins, chains, below = len(ordered), [], [], []
        for chain, (top, behind) in enumerate(tops):
            begins.append(len(ordered))
            onward: PlacedMessage | None = top
            place = behind
            while onward is not None:
                depth.append(0 if place == none else depth[place] + 1)
                place = number[onward.message_id] = len(ordered)
                ordered.append(onward)
                chains.append(chain)
                following = after.get(onward.message_id, ())
                onward = max(following, key=lambda one: size[one.message_id], default=None)
                below += [(one, place) for one in following if one is not onward]
        level = ChainLevel(
            within=slice(start, len(ordered)),
            begins=np.array(begins, dtype=np.intp),
            behind=np.array([behind for _, behind in tops], dtype=np.intp),
            chain=np.array(chains, dtype=np.int64),
            is_one_way=not levels and len(begins) == 1,
        )
        levels.append(level)
        tops = below
    parents = [none if one.parent_id is None else number.get(one.parent_id, none) for one in ordered]
    by_id = np.empty(none, dtype=np.intp)
    by_id[sorted(range(none), key=lambda place: ordered[place].message_id)] = np.arange(none)
    stands = np.array([one.stands for one in ordered], dtype=np.int64)
    return MessageTree(ordered, number, depth, np.array([*parents, none], dtype=np.intp), levels, stands, by_id)


@dataclass(frozen=True, slots=True)
class EqualMessages:
    """Messages that a turn matches, by its text or as `alike`, and the evidence of each match."""

    messages: Places
    evidence: Scores


class _Candidates(NamedTuple):
    """The messages that a turn matches, their parents, and the score that each match adds."""

    messages: Places
    parents: Places
    gain: Scores


@dataclass(slots=True)
class _Scored:
    """The scores of the matches of some turns, all with the same messages; `place` has where each message is."""

    place: Mapping[int, int]
    scores: Scores
    turns: list[int] = field(default_factory=list)

    def at(self, turn: int, message: int) -> int | None:
        """The score of a match; None if it is none of these."""
        row, column = bisect_left(self.turns, turn), self.place.get(message)
        found = column is not None and row < len(self.turns) and self.turns[row] == turn
        return int(self.scores[row, column]) if found else None

    def first(self, message: int, before: int, score: int) -> int | None:
        """Return the first turn before another one with this score of its match with a message."""
        has_score = self.scores[: bisect_left(self.turns, before), self.place[message]] == score
        row = int(has_score.argmax()) if len(has_score) else 0
        return self.turns[row] if row < len(has_score) and has_score[row] else None


class _Fields:
    """The places of a score's fields, for a transcript of `turns` turns, and the number that is above all scores."""

    def __init__(self, turns: int, most_evidence: int) -> None:
        width = (turns + 1).bit_length()
        self.even, self.adjacent, self.standing, self.evidence = 1, 1 << width, 1 << 2 * width, 1 << 3 * width
        self.above = 1 << 3 * width + (turns * most_evidence).bit_length()

    def before_turn(self, score: int) -> int:
        """The decision of precedence before it asks for the earlier turn."""
        return score // self.standing


class BestSequence:
    """Finds the best sequence of matches of a transcript.

    Args:
        tree: The known messages.
        texts: By turn, a key of its text.
        same: By text, the messages with it.
        alike: By turn, messages that it matches although their texts differ.
        most_evidence: The most that one match has.
    """

    def __init__(
        self,
        tree: MessageTree,
        texts: Sequence[bytes],
        same: Mapping[bytes, EqualMessages],
        alike: Mapping[int, EqualMessages],
        most_evidence: int,
    ) -> None:
        self._tree, self._texts = tree, texts
        self._fields = _Fields(len(texts), most_evidence)
        self._same = {text: self._candidates_of(one) for text, one in same.items()}
        self._alike = {turn: self._candidates_of(one) for turn, one in alike.items()}
        turns = Counter(texts)
        self._of_text = {text: _scored(one, turns[text]) for text, one in self._same.items()}
        self._of_turn = {turn: _scored(one, 1) for turn, one in self._alike.items()}
        self._of_message = defaultdict[int, list[_Scored]](list)
        for scored in (*self._of_text.values(), *self._of_turn.values()):
            for message in scored.place:
                self._of_message[message].append(scored)
        self._is_one_way = len(tree.levels) == 1 and tree.levels[0].is_one_way
        # The addend that lifts the scores of each chain above those of the chains before it; None for the first one.
        self._lift = [None if one.is_one_way else one.chain * self._fields.above for one in tree.levels]

    def matches(self) -> list[tuple[int, PlacedMessage]]:
        """Return the matches in order: turns and messages."""
        last = self._score()
        found = []
        while last is not None:
            found.append((last[0], self._tree.messages[last[1]]))
            last = self._before(*last)
        return found[::-1]

    def _score(self) -> tuple[int, int] | None:
        """Score all matches; returns the one that the best sequence ends with."""
        tree, fields = self._tree, self._fields
        count, turns = len(tree.messages) + 1, len(self._texts)
        reached, level, passed, direct = np.zeros((4, count), dtype=np.int64)
        # On one way each turn's level is the last one's, moved on by a message.
        moving = np.zeros(count + turns, dtype=np.int64) if self._is_one_way else None
        best, ends = 0, None
        for turn in range(turns):
            if moving is not None:
                level = moving[turns - turn : turns - turn + count]
            else:
                np.take(level, tree.parent, out=passed, mode="clip")
                level, passed = passed, level
            found = self._candidates(turn)
            if found is None:
                direct.fill(0)
                continue
            scores = np.maximum(np.maximum(reached[found.parents], level[found.messages]), direct[found.parents])
            scores += found.gain
            self._keep(turn, scores)
            level[found.messages] = np.maximum(level[found.messages], scores + fields.even)
            direct.fill(0)
            direct[found.messages] = scores + (fields.even + fields.adjacent)
            self._reach(reached, found.messages, scores)
            most = int(scores.max())
            if fields.before_turn(most) > fields.before_turn(best):
                equal = found.messages[scores == most]
                best, ends = most, (turn, int(equal[tree.by_id[equal].argmax()]))
        return ends

    def _reach(self, reached: Scores, messages: Places, scores: Scores) -> None:
        """Give messages their scores, and each the highest of those before it, if that is more than it had."""
        if len(messages) <= FEW and self._is_one_way:
            # On one way the reached scores never fall.
            for message, score in zip(messages.tolist(), scores.tolist(), strict=True):
                reached[message : max(message, int(reached[:-1].searchsorted(score)))] = score
            return
        reached[messages] = np.maximum(reached[messages], scores)
        self._spread(reached)

    def _spread(self, scores: Scores) -> None:
        """Give each message the highest score of those before it, and its own."""
        for level, lift in zip(self._tree.levels, self._lift, strict=True):
            within = scores[level.within]
            if lift is None:
                np.maximum.accumulate(within, out=within)
            else:
                scores[level.begins] = np.maximum(scores[level.begins], scores[level.behind])
                within += lift
                np.maximum.accumulate(within, out=within)
                within -= lift

    def _candidates_of(self, same: EqualMessages) -> _Candidates:
        gain = same.evidence * self._fields.evidence + self._tree.stands[same.messages] * self._fields.standing
        return _Candidates(same.messages, self._tree.parent[same.messages], gain)

    def _candidates(self, turn: int) -> _Candidates | None:
        same, alike = self._same.get(self._texts[turn]), self._alike.get(turn)
        if same is None or alike is None:
            return same or alike
        return _Candidates(*(np.concatenate(both) for both in zip(same, alike, strict=True)))

    def _scored(self, turn: int) -> list[_Scored]:
        found = self._of_text.get(self._texts[turn]), self._of_turn.get(turn)
        return [one for one in found if one is not None]

    def _keep(self, turn: int, scores: Scores) -> None:
        for scored in self._scored(turn):
            count = len(scored.place)
            scored.scores[len(scored.turns)], scores = scores[:count], scores[count:]
            scored.turns.append(turn)

    def _at(self, turn: int, message: int) -> int | None:
        """The score of a match; None if the turn does not match the message."""
        found = (scored.at(turn, message) for scored in self._scored(turn))
        return next((score for score in found if score is not None), None)

    def _before(self, turn: int, message: int) -> tuple[int, int] | None:
        """The match before one: at the nearest message, of its turns the first, with which it has its score."""
        found = self._candidates(turn)
        score = self._at(turn, message)
        if found is None or score is None:
            raise ValueError("The turn does not match the message.")
        score -= int(found.gain[(found.messages == message).argmax()])
        before = message
        while score:
            before = int(self._tree.parent[before])
            first = self._turn_at(before, turn, self._tree.depth[message] - self._tree.depth[before], score)
            if first is not None:
                return first, before
        return None

    def _turn_at(self, message: int, behind: int, distance: int, score: int) -> int | None:
        """Return the first turn that, matched with a message, gives turn `behind`, at a `distance`, this score."""
        even = behind - distance
        gained = self._fields.even + (self._fields.adjacent if distance == 1 else 0)
        found = [even] if even >= 0 and self._at(even, message) == score - gained else []
        firsts = (scored.first(message, behind, score) for scored in self._of_message.get(message, ()))
        return min([*found, *(first for first in firsts if first is not None)], default=None)


def _scored(candidates: _Candidates, turns: int) -> _Scored:
    messages = candidates.messages
    place = {int(message): place for place, message in enumerate(messages)}
    return _Scored(place, np.zeros((turns, len(messages)), dtype=np.int64))
