"""The output schemas of summaries that come with scenes.

Enumerations and limits are part of the JSON schema that the model sees, and `memory/talk/scene_rules.py` checks each
scene by itself: one that breaks a rule does not cost the summary.
"""

from typing import Annotated

from pydantic import Field

from schemas.facts.judgement import MessageRef, RealmName
from schemas.limits import DEFAULT_IMPORTANCE, SCENE_CHARACTERS, SUMMARY_LINE_CHARACTERS
from schemas.llm.answer_form import CutAtCharacters, Ref, WhenAbsent
from schemas.talk.impressions import ClosedSession
from schemas.talk.summaries import Summary

ShortText = Annotated[str, CutAtCharacters(SUMMARY_LINE_CHARACTERS, at_once=True)]


class DrawnScene(Summary):
    """An event of a conversation, with the messages that it rests on."""

    messages: list[MessageRef] = Field(description="The refs of the messages that it rests on.")
    action: Annotated[str, CutAtCharacters(SCENE_CHARACTERS, at_once=True)] = Field(
        description="What happened, in one to three sentences."
    )
    quote: ShortText | None = Field(description="Words of one of these messages, copied letter by letter.")
    actors: list[str] = Field(description="Who took part.")
    setting: ShortText | None = Field(description="Where it happened.")
    feeling: ShortText | None = Field(description="What it means to the companion, in its first person.")
    themes: list[str] = Field(description="One to three short tags.")
    importance: Annotated[float, WhenAbsent(DEFAULT_IMPORTANCE)] = Field(description="0 to 1.")
    realm: RealmName


class SessionWithScenes(ClosedSession):
    """The answer about a session, with the scenes of the messages that had a ref."""

    scenes: list[DrawnScene] = Field(description="Its scenes; empty if nothing is worth one.")


class ShortWithScenes(SessionWithScenes):
    """The answer about one of several short sessions, with its scenes."""

    conversation: Annotated[str, Ref("c")] = Field(description="The ref of the conversation.")


class SessionsWithScenes(Summary):
    """The answer about several short sessions, with their scenes."""

    summaries: list[ShortWithScenes] = Field(description="One for each conversation.")
