"""Distinguishes the requests that frontends make for themselves (titles, tags, summaries) from people's messages.

A request is a frontend's own only by a sign that no person writes by chance: a whole template of a frontend
or of the operator's, its end included, or talk that is quoted in a tag with the speakers' roles, without words of a
first person beside it. A template counts where frontends put it: as the request's last line or at its end, results of
tools and reports behind it left aside, or as the only system line. A request that only begins like a template, quotes
talk in another way, or asks for a title of the talk as a program would, may be either: it is stored as unsure.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from memory.grounding.references import is_in_first_person, language_of
from memory.proxy.reading.task_templates import TEMPLATES
from memory.proxy.reading.task_words import asks_for_title, asks_like_a_frontend
from memory.proxy.reading.transcript import Line, Transcript
from memory.text.markup import Markup
from memory.wrapping.agent_forms import users_part
from memory.wrapping.agents import is_preamble, names_sub_agent
from memory.wrapping.own_words import own_words
from schemas.proxy.upstreams import PLACEHOLDER

Maker = Literal["person", "frontend", "unsure"]

# The characters of a line's beginning, and of its end, that are compared.
_LOOKED_AT = 20_000
# A beginning of at least this many characters is a template's, and no turn of phrase that people use.
_TELLING = 40
# The last paragraphs that are looked at: frontends that send one role only merge a template with the line before it.
_PARAGRAPHS = 12
_QUOTED_USER = re.compile(
    r"^[ \t>*#-]{0,20}(?:user|human)\*{0,4}[ \t]{0,9}:|\"role\"\s*:\s*\"user\"|^<user>|^<message author=\"user\"",
    re.IGNORECASE | re.MULTILINE,
)
_QUOTED_MODEL = re.compile(
    r"^[ \t>*#-]{0,20}(?:assistant|ai|bot|model)\*{0,4}[ \t]{0,9}:|\"role\"\s*:\s*\"assistant\"|^<assistant>"
    r"|^<message author=\"(?!user\")",
    re.IGNORECASE | re.MULTILINE,
)
# The words with which frontends begin a request within a role-play.
_LEAVES_ROLE = re.compile(
    r"\s*+(?P<bracket>\[?)\s*+(?:system note:\s*+)?(?:ignore (?:all |your |the )?previous instructions"
    r"|(?:pause|stop|suspend) (?:your|the|this) role-?play)(?: now)?(?:\.|,| and\b|:)?\s*+",
    re.IGNORECASE,
)
# A label of the answer as a text's last line, such as "FINAL SUMMARY:".
_ENDS_WITH_LABEL = re.compile(
    r"\n[ \t#*]{0,9}(?:(?!my\b|our\b)[a-z]{1,20} ){0,3}(?:answer|response|output|summary|translation|grade|json|label)"
    r"[*]{0,2}:[*]{0,2}\s*\Z",
    re.IGNORECASE,
)
# A longer label is none.
_LABEL_WITHIN = 200
_QUOTES = re.compile(r"chat_history|history|conversation(?:_history)?|messages|dialogue|transcript|chat|content")
# Beside quoted talk: quoted or labelled words, and an instruction's mentions of the person who gives it.
_NOT_ONES_OWN = re.compile(
    r"[\"\u201c\u201e\u00ab][^\"\u201c\u201d\u201e\u00ab\u00bb\n]{1,500}[\"\u201c\u201d\u00bb]|(?<!\w)'[^'\n]{1,500}'(?!\w)"
    r"|^[ \t>*#-]{0,20}[^\W\d_][\w -]{0,30}:[^\n]*"
    r"|\bI(?:'ll| will| want| need| would like|'d like)\b[^.\n]{0,20}\byou\b"
    r"|\b(?:give|send|tell|show) me\b|\bgib mir\b|\bdonne-moi\b|\bdame\b|\bdammi\b",
    re.IGNORECASE | re.MULTILINE,
)


def maker_of(transcript: Transcript, task_prompts: Sequence[str] = ()) -> Maker:
    """Return the maker of a request: a person, who said its last line, or the frontend, for itself.

    Args:
        transcript: The request's lines.
        task_prompts: The operator's own templates.
    """
    lines = [line for line in transcript.lines if line.text.strip()]
    of_user = [number for number, line in enumerate(lines, 1) if line.role == "user"]
    if not of_user or lines[-1].role == "system":
        return _maker(lines, task_prompts)
    # Results of tools and a program's reports continue the request before them.
    for number in reversed(of_user):
        maker = _maker(lines[:number], task_prompts)
        if maker != "person" or own_words(lines[number - 1].text):
            return maker
    return "person"


def _maker(lines: Sequence[Line], task_prompts: Sequence[str]) -> Maker:  # noqa: PLR0911  # rules in order
    if not lines:
        return "person"
    system_lines = [line for line in lines if line.role == "system"]
    if any(names_sub_agent(line.text) for line in system_lines):
        return "frontend"
    system = [line for line in system_lines if not is_preamble(line.text)]
    templates = _templates(tuple(task_prompts))
    last = lines[-1]
    own = own_words(last.text) if last.role == "user" else ""
    if any(_ends_with(text, templates) for text in {last.text, last.last_part or "", own} - {""}):
        return "frontend"
    leaves = _LEAVES_ROLE.match(last.text)
    # No person writes a system line, so that its beginning is enough.
    if leaves is not None and last.role == "system":
        return "frontend"
    instruction = last if last.role == "system" else system[0] if len(system) == 1 else None
    if instruction is not None and (
        may_be_task(instruction.text, task_prompts)
        or any(template.is_whole(_plain(instruction.text)) for template in templates)
    ):
        return "frontend"
    is_alone = last.role == "user" and all(line.role == "system" for line in lines[:-1])
    if is_alone:
        own = own[-_LOOKED_AT:]
        quoted = Markup(own, _QUOTES.fullmatch).widest()
        if quoted is not None and _is_talk(own[quoted]):
            around = _NOT_ONES_OWN.sub(" ", f"{own[: quoted.start]}\n{own[quoted.stop :]}")
            is_own = is_in_first_person(around, language_of(around, "en"))
            return "unsure" if is_own and not asks_like_a_frontend(_plain(around)) else "frontend"
        if _is_talk(own):
            return "unsure"
    asks = (
        may_be_task(last.text, task_prompts)
        # The request for an answer in a form may be a program's around the user's words.
        or asks_like_a_frontend(_plain(users_part(last.text) or last.text))
        or _ENDS_WITH_LABEL.search(own.rstrip()[-_LABEL_WITHIN:])
        or (leaves is not None and leaves["bracket"])
        or (is_alone and len(system) == 1 and asks_for_title(_plain(system[0].text)))
    )
    return "unsure" if last.role == "user" and asks else "person"


def ends_with_task(transcript: Transcript) -> bool:
    """Whether a request ends with a system line that asks for a title or the like: its answer may be no talk."""
    last = transcript.last_line
    return last is not None and last.role == "system" and asks_like_a_frontend(_plain(last.text))


def may_be_task(text: str, task_prompts: Sequence[str] = ()) -> bool:
    """Whether a text begins like a template, so that a person or a frontend may have written it."""
    plain = _plain(text)
    return any(template.begins(plain) for template in _templates(tuple(task_prompts)))


class _Template:
    """The pieces of a template between its placeholders, as texts are compared."""

    def __init__(self, text: str) -> None:
        self._pieces = [_plain(piece) for piece in PLACEHOLDER.split(text)]
        self.is_closed = bool(self._pieces[-1])

    def is_whole(self, plain: str) -> bool:
        """Whether a text has all pieces in order, begins with the first and ends with the last."""
        first, last = self._pieces[0], self._pieces[-1]
        if not (plain.startswith(first) and plain.endswith(last)):
            return False
        if len(self._pieces) == 1:
            return plain == first
        at = len(first)
        for piece in self._pieces[1:-1]:
            found = plain.find(piece, at)
            if found < 0:
                return False
            at = found + len(piece)
        return len(plain) - len(last) >= at

    def begins(self, plain: str) -> bool:
        """Whether a text begins with so much of the template that it may be one."""
        first = self._pieces[0]
        return len(first) >= _TELLING and plain.startswith(first)


@lru_cache(maxsize=8)
def _templates(task_prompts: tuple[str, ...]) -> Sequence[_Template]:
    return [_Template(text) for text in (*TEMPLATES, *task_prompts)]


def _ends_with(text: str, templates: Sequence[_Template]) -> bool:
    """Whether a line is a template, or ends with one that has a known end, behind a blank line."""
    plain = _plain(text)
    if any(template.is_whole(plain) for template in templates):
        return True
    paragraphs = re.split(r"\n\s*\n", text[-_LOOKED_AT:])
    behind = [_plain("\n\n".join(paragraphs[-number:])) for number in range(1, min(len(paragraphs), _PARAGRAPHS + 1))]
    return any(template.is_whole(one) for template in templates if template.is_closed for one in behind)


def _is_talk(text: str) -> bool:
    return _QUOTED_USER.search(text) is not None and _QUOTED_MODEL.search(text) is not None


def _plain(text: str) -> str:
    """Return a text for comparison: without the midst of a long one, letter case, runs of white space and its frame."""
    if len(text) > 2 * _LOOKED_AT:
        text = f"{text[:_LOOKED_AT]} {text[-_LOOKED_AT:]}"
    if leaves := _LEAVES_ROLE.match(text):
        text = text[leaves.end() :]
    return " ".join(text.casefold().replace("\u2019", "'").split()).strip("[] ")
