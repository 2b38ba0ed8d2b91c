"""Impressions: statements of a session on the user as a person, and on the companion's project, mood and topic.

The call that summarises a session proposes statements, each with the user's own messages that it rests on, and code
decides. The user model is shared by all of the user's Beings, as the spine is, but for statements that rest on messages
in confidence: only the Being that received these knows them. A Being's project, mood and topic are its own in any case.
A statement has no name or number that its messages lack, and no word that only stands in a message of another speaker,
or in one in confidence where its own are not. Stored statements are visible once their messages are judged
(`seen_impressions`).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from memory.grounding.setting import Setting
from memory.text.prompt_escaping import unescaped
from memory.text.words import words
from schemas.limits import USER_MODEL_ITEMS
from schemas.talk.impressions import ClosedSession, Impression, ImpressionKind, RestingImpression
from schemas.talk.messages import Message


@dataclass
class Impressions:
    """The impressions of one session, over all its portions.

    Attributes:
        own_texts: The texts of messages with the words of contexts blanked.
        setting: The talk's user, time zone and language, for the grounding of names and numbers.
        of_user: The statements about the user, in order.
        state: The companion's project, mood and topic, by kind; a later portion's replaces an earlier one's.
        dropped: The counts of dropped statements by reason.
    """

    own_texts: Mapping[UUID, str]
    setting: Setting
    of_user: list[RestingImpression] = field(default_factory=list)
    state: dict[ImpressionKind, RestingImpression] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter)

    @property
    def kept(self) -> list[RestingImpression]:
        """All impressions; of the statements about the user the newest USER_MODEL_ITEMS, each once."""
        once = {one.content: one for one in self.of_user}
        return [*list(once.values())[-USER_MODEL_ITEMS:], *self.state.values()]

    def take(self, answer: ClosedSession, portion: Sequence[Message], own_refs: Mapping[UUID, str]) -> None:
        """Take the impressions of a valid answer.

        Args:
            portion: The session's messages that it is about.
            own_refs: As `refs` made them for the prompt.
        """
        own = {own_refs[message.message_id]: message for message in portion if message.message_id in own_refs}
        for found in answer.user_model:
            if passed := self._checked("user-model", found, portion, own):
                self.of_user.append(passed)
        state: dict[ImpressionKind, Impression | None] = {
            "project": answer.project,
            "mood": answer.mood,
            "topic": answer.topic,
        }
        for kind, proposed in state.items():
            if proposed and (passed := self._checked(kind, proposed, portion, own)):
                self.state[kind] = passed

    def _checked(
        self, kind: ImpressionKind, found: Impression, portion: Sequence[Message], own: Mapping[str, Message]
    ) -> RestingImpression | None:
        evidence = list({ref: own[ref] for ref in found.messages if ref in own}.values())
        content = " ".join(unescaped(found.text).split())
        if fault := self._fault(content, evidence, portion):
            self.dropped[fault] += 1
            return None
        told_at = max(message.created_at for message in evidence)
        return RestingImpression(kind, content, [message.message_id for message in evidence], told_at)

    def _fault(self, content: str, evidence: Sequence[Message], portion: Sequence[Message]) -> str | None:
        if not content or not evidence:
            return "no such message"
        confided = any(message.in_confidence for message in evidence)
        texts = [(self.own_texts[message.message_id], message.created_at) for message in evidence]
        if faults := self.setting.of_texts(texts).faults(content):
            return faults[0]
        shared, others = set[str](), set[str]()
        for message in portion:
            is_shared = message.role == "user" and (confided or not message.in_confidence)
            (shared if is_shared else others).update(words(self.own_texts[message.message_id]))
        return "words of others" if (others - shared).intersection(words(content)) else None


def refs(shown: Iterable[Message]) -> dict[UUID, str]:
    """The refs of the user's own messages in a prompt, by message id."""
    own = (message.message_id for message in shown if message.role == "user")
    return {message_id: f"u{place}" for place, message_id in enumerate(own, start=1)}
