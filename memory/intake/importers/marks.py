"""What a provider writes into a model's answer beside its words: citations, names of things, placeholders."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

# ChatGPT's markup: a kind and its arguments between private-use characters.
_MARKUP = re.compile("[ \t]*\ue200([^\ue200\ue201\ue202]{0,100})((?:\ue202[^\ue200\ue201]*)?)\ue201")
_SEPARATOR = "\ue202"
_CITATIONS = re.compile(
    # Names of results that were left when the private-use characters got lost.
    r"[ \t]*(?:(?:file)?cite|navlist|i)?(?:turn\d{1,4}(?:search|view|news|image|file|product|finance|sports|forecast"
    r"|time|maps?|reddit|academia|fetch|click|video|business|event)\d{1,4})+(?![\w])"
    # [8†source], 【12:0†notes.pdf】
    r"|[ \t]*【[^【】\n]{0,200}†[^【】\n]{0,200}】"
    r"|[ \t]*:contentReference\[oaicite:\d{1,4}\](?:\{index=\d{1,4}\})?"
    r"|[ \t]*\[oaicite:\d{1,4}\](?:\{index=\d{1,4}\})?"
    # Private-use characters without their partners.
    "|[\ue200-\ue206]"
)
# Claude's export writes these in place of blocks that are none of text.
_UNSUPPORTED = re.compile(
    r"\n?```\n?(?:This block is not supported on your current device yet\."
    r"|Viewing artifacts created via the Analysis Tool web feature preview isn.t yet supported on mobile\.)\n?```\n?"
)
_CITE_TAG = re.compile(r"</?(?:antml:)?cite\b[^<>]{0,200}>")


def of_chatgpt(text: str, references: Any) -> str:
    """Return an answer of ChatGPT without its marks; what a mark names stays.

    Args:
        text: The answer.
        references: Its `content_references`, which name what some marks stand for; of any shape.
    """
    for matched, shown in _referred(references):
        text = text.replace(matched, shown)
    return _CITATIONS.sub("", _MARKUP.sub(_named, text))


def of_claude(text: str) -> str:
    """Return what Claude's export has for an answer without its placeholders and marks."""
    return _CITE_TAG.sub("", _UNSUPPORTED.sub("\n", text))


def _referred(references: Any) -> Sequence[tuple[str, str]]:
    """The texts of marks with the names that stand for them, of those references that have one."""
    found = []
    for one in references if isinstance(references, list) else ():
        matched = one.get("matched_text") if isinstance(one, Mapping) else None
        name = one.get("name") if isinstance(one, Mapping) else None
        if isinstance(matched, str) and matched.startswith("\ue200") and isinstance(name, str) and name.strip():
            found.append((matched, name))
    return found


def _named(mark: re.Match[str]) -> str:
    """What a mark shows in the text: the name of a thing, the title of a link; nothing for a citation."""
    kind, arguments = mark[1].strip(), mark[2].split(_SEPARATOR)[1:]
    before = mark[0][: len(mark[0]) - len(mark[0].lstrip(" \t"))]
    shown = ""
    if kind in {"entity", "product_entity", "product"} and arguments:
        shown = _name_of(arguments[0])
    elif kind in {"url", "link"} and len(arguments) > 1:
        shown = arguments[0]
    return before + shown if shown.strip() else ""


def _name_of(argument: str) -> str:
    """The name in an entity's argument, as in `["city","Bergen","Norway"]`."""
    try:
        told = json.loads(argument)
    except (ValueError, RecursionError):
        return ""
    names = [part for part in told if isinstance(part, str)] if isinstance(told, list) else []
    return names[1] if len(names) > 1 else "".join(names)
