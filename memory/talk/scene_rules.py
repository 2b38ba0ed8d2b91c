"""Rules that each scene of a summary's answer must pass to become a scene note.

The model proposes and code decides: the scene must rest on messages that were shown to be drawn from, one of them not
the companion's, and may hold no name or number that was not said. A scene that fails is dropped with a reason.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import get_args
from uuid import UUID

from memory.grounding.references import continues
from memory.grounding.setting import Setting
from memory.nodes.scenes import Unparsable, parse_scene
from memory.text.prompt_escaping import unescaped_texts
from memory.text.quote_match import find_quote
from schemas.intake.inputs import Realm, SceneInput
from schemas.limits import (
    DEFAULT_IMPORTANCE,
    SCENE_ACTORS,
    SCENE_CHARACTERS,
    SCENE_THEMES,
    SUMMARY_LINE_CHARACTERS,
)
from schemas.talk.messages import Message
from schemas.talk.scenes import DrawnScene

# A day on which clocks are set back is longer.
ONE_DAY = timedelta(hours=25)


class SceneRuleBroken(ValueError):
    """A scene breaks a rule; the text names the rule, and is counted."""


@dataclass(frozen=True)
class RestingScene:
    """A scene that passed the rules, the messages that it rests on, in order, and the time from which it ages."""

    scene: SceneInput
    message_ids: Sequence[UUID]
    ages_from: datetime | None = None


def check(
    found: DrawnScene,
    shown: Mapping[str, Message],
    own_texts: Mapping[UUID, str],
    referred: str,
    zone: tzinfo,
    setting: Setting,
) -> RestingScene:
    """Check one scene.

    Args:
        found: The scene as the model answered it.
        shown: The messages that may be drawn from, by the refs in the prompt.
        own_texts: The texts of messages with the words of contexts blanked.
        referred: All text that the model was shown, to which the messages may refer.
        zone: The user's time zone, in which the scene's dates are.
        setting: The talk's user, time zone and language, for the grounding of names and numbers.

    Raises:
        SceneRuleBroken: The scene breaks a rule.
    """
    evidence = [message for ref, message in shown.items() if ref in found.messages]
    if not evidence:
        raise SceneRuleBroken("no such message")
    if all(message.role == "assistant" for message in evidence):
        raise SceneRuleBroken("the companion's words alone")
    if found.realm not in get_args(Realm):
        raise SceneRuleBroken("unknown realm")
    texts = unescaped_texts(found.model_dump())
    action = " ".join(texts["action"].split())
    if len(action) > SCENE_CHARACTERS:
        raise SceneRuleBroken("too long")
    ground = setting.of_texts(
        [
            (own_texts[one.message_id], one.created_at)
            for one in _with_continuations(evidence, list(shown.values()), own_texts)
        ],
        referred=referred,
        known={one.speaker for one in shown.values() if one.speaker},
        counted=len(evidence),
    )
    declared = [("person", actor) for actor in texts["actors"]]
    if faults := ground.faults(f"{action}\n{texts['setting'] or ''}", declared):
        raise SceneRuleBroken(faults[0])
    quote = next(filter(None, (find_quote(found.quote or "", own_texts[one.message_id]) for one in evidence)), None)
    days = [day for message in evidence for day in _days_of(message, own_texts[message.message_id], zone, setting)]
    importance = min(1.0, max(0.0, found.importance)) if math.isfinite(found.importance) else DEFAULT_IMPORTANCE
    try:
        scene = parse_scene(
            {
                "action": action,
                "actors": _few(texts["actors"], SCENE_ACTORS),
                "when": list(dict.fromkeys(days)),
                "setting": _short(texts["setting"]),
                "dialogue": [quote] if quote and len(quote) <= SUMMARY_LINE_CHARACTERS else [],
                "feeling": _short(texts["feeling"]),
                "themes": _few(texts["themes"], SCENE_THEMES),
                "importance": importance,
                "realm": found.realm,
            }
        )
    except Unparsable:
        raise SceneRuleBroken("no scene") from None
    ages_from = max((message.created_at for message in evidence if message.aged), default=None)
    return RestingScene(scene, [message.message_id for message in evidence], ages_from)


def _days_of(message: Message, text: str, zone: tzinfo, setting: Setting) -> list[str]:
    """The day of a message; where it speaks of another one that is past, that day, with the words and their day."""
    day_of_message = f"{message.created_at.astimezone(zone):%Y-%m-%d}"
    spoken = setting.time_of(text, message.created_at, ahead=False)
    if spoken is None or spoken.ends_at > message.created_at or spoken.ends_at - spoken.starts_at > ONE_DAY:
        return [day_of_message]
    day = f"{spoken.starts_at.astimezone(zone):%Y-%m-%d}"
    return [day_of_message] if day == day_of_message else [day, f"\u201c{spoken.words}\u201d, said on {day_of_message}"]


def _with_continuations(
    evidence: Sequence[Message], shown: Sequence[Message], own_texts: Mapping[UUID, str]
) -> Sequence[Message]:
    """Return the messages from the first piece of evidence to the last, and those that continue its clause."""
    places = [place for place, message in enumerate(shown) if message in evidence]
    end = max(places) + 1
    while end < len(shown) and shown[end].role == shown[end - 1].role and continues(own_texts[shown[end].message_id]):
        end += 1
    return shown[min(places) : end]


def _few(texts: Sequence[str], most: int) -> list[str]:
    plain = (" ".join(text.split()) for text in texts)
    return list(dict.fromkeys(text for text in plain if text and len(text) <= SUMMARY_LINE_CHARACTERS))[:most]


def _short(text: str | None) -> str | None:
    plain = " ".join((text or "").split())
    return plain if plain and len(plain) <= SUMMARY_LINE_CHARACTERS else None
