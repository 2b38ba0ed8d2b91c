"""Marks that a provider writes into a model's answer beside its words: citations, names of things, placeholders."""

import json
import re
from collections.abc import Mapping
from typing import Any

# Blanks before a mark, from the first of them: from each of many, they would be read again and again.
_BLANKS = r"(?<![ \t])[ \t]*+"
# ChatGPT's markup: a kind and its arguments between private-use characters.
_MARKUP = re.compile(rf"{_BLANKS}" "\ue200([^\ue200\ue201\ue202]{0,100})((?:\ue202[^\ue200\ue201]*)?)\ue201")
# One of these is in every mark of a citation: most texts are read once, and not at each of their characters.
_MAY_CITE = re.compile("[\ue200-\ue206†]|turn\\d|oaicite")
_SEPARATOR = "\ue202"
_CITATIONS = re.compile(
    rf"{_BLANKS}(?<!`)(?:"
    # A mark whose beginning or end got lost.
    "\ue200\\w{0,30}(?:\ue202[^\ue200-\ue206\\s]{0,200}){0,20}\ue201?"
    "|(?:(?:file)?cite|navlist|i)?(?:\ue202[^\ue200-\ue206\\s]{0,200}){1,20}\ue201?"
    # Names of results that were left when the private-use characters got lost; a name behind a digit goes on a row.
    r"|(?:(?:file)?cite |(?:file)?cite|navlist|i)?"
    r"(?<!\d)(?:turn\d{1,4}(?:search|view|news|image|file|product|finance|sports|forecast"
    r"|time|maps?|reddit|academia|fetch|click|video|business|event)\d{1,4}(?:L\d{1,5}(?:-L?\d{1,5})?)?)++(?!\w)"
    # [8†source], 【12:0†notes.pdf】
    r"|【turn\d[^【】\n]{0,100}】"
    r"|【[^【】\n]{0,200}†[^【】\n]{0,200}】"
    r"|\[\d{1,4}(?::\d{1,4})?†[^\[\]\n]{1,100}\]"
    r"|:{1,3}contentReference\[oaicite:\d{1,4}\](?:\{index=\d{1,4}\})?"
    r"|\[oaicite:\d{1,4}\](?:\{index=\d{1,4}\})?)(?!`)"
    # Private-use characters without their partners.
    "|[\ue200-\ue206]"
)
# ChatGPT's marks around a text that it wrote to be used elsewhere.
_WRITING = re.compile(r"^:::writing\{[^{}\n]{0,500}\}[ \t]*+\n?|^:::[ \t]*+(?:\n|\Z)", re.MULTILINE)
_WRITES = ":::writing{"
# Claude's export writes these in place of blocks that are none of text.
_UNSUPPORTED = re.compile(
    r"\n?```\n?(?:This block is not supported on your current device yet\."
    r"|Viewing artifacts created via the Analysis Tool web feature preview isn.t yet supported on mobile\.)\n?```\n?"
)
# Tags around cited text, or around text that is written as a document.
_CITED = re.compile(r"</?(?:antml:)?cite\b[^<>]{0,500}>")
_GLUED = re.compile(r"(?<=\S)</?(?:ant|xai)Artifact\b[^<>]{0,500}>(?=\S)")
_DOCUMENT = re.compile(r"</?(?:ant|xai)Artifact\b[^<>]{0,500}>")
# Marks of a source in other programs' answers: DeepSeek, Grok, Gemini, Copilot. In backticks a mark is only mentioned.
_SOURCES = re.compile(
    rf"{_BLANKS}(?<!`)(?:\[(?:citation|web|page|attached_file|memory):\d{{1,4}}\]"
    rf"|\[ref_\d{{1,4}}\]|\[\^\d{{1,4}}\^\]|\[cite: ?\d{{1,4}}(?:, ?\d{{1,4}}){{0,50}}\]"
    r"|</?co(?:: ?\d{1,4}(?:, ?\d{1,4}){0,50})?>"
    r"|<grok:render\b[^<>]{0,500}>(?:(?!</?grok:render).){0,2000}</grok:render>)+(?!`)|(?<!`)\[cite_start\](?!`)",
    re.DOTALL,
)


def of_chatgpt(text: str, references: Any) -> str:
    """Return an answer of ChatGPT without its marks; the name that a mark shows stays.

    Args:
        text: The answer.
        references: Its `content_references`, which hold the names that some marks show; of any shape.
    """
    names = _referred(references)
    text = _WRITING.sub("", text) if _WRITES in text else text
    if not _MAY_CITE.search(text):
        return text
    return _CITATIONS.sub(_between, _MARKUP.sub(lambda mark: _named(mark, names) or _between(mark), text))


def of_claude(text: str) -> str:
    """Return an answer of Claude's export without its placeholders and marks."""
    text = _CITED.sub("", _UNSUPPORTED.sub("\n", text))
    return _DOCUMENT.sub("", _GLUED.sub("\n\n", text))


def of_others(text: str) -> str:
    """Return an answer of a model of whichever program without the marks of its sources."""
    return _SOURCES.sub(_between, of_claude(of_chatgpt(text, None)))


def _referred(references: Any) -> dict[str, str]:
    """The names that stand for marks, by the marks' texts, of those references that have one."""
    found: dict[str, str] = {}
    for one in references if isinstance(references, list) else ():
        matched = one.get("matched_text") if isinstance(one, Mapping) else None
        name = one.get("name") if isinstance(one, Mapping) else None
        if isinstance(matched, str) and matched.startswith("\ue200") and isinstance(name, str) and name.strip():
            found.setdefault(matched, name)
    return found


def _named(mark: re.Match[str], names: Mapping[str, str]) -> str:
    """The text of a mark: the name of a thing, the title of a link; nothing for a citation."""
    kind, arguments = mark[1].strip(), mark[2].split(_SEPARATOR)[1:]
    whole = mark[0].lstrip(" \t")
    before = mark[0].removesuffix(whole)
    shown = "" if kind.endswith("cite") else names.get(whole, "")
    if shown:
        return before + shown
    if kind in {"entity", "product_entity", "product"} and arguments:
        shown = _name_of(arguments[0])
    elif kind in {"url", "link", "link_title", "video"} and len(arguments) > 1:
        shown = arguments[0]
    return before + shown if shown.strip() else ""


def _between(mark: re.Match[str]) -> str:
    """The rest of a mark without a name: the blank that parts the words around it."""
    return " " if mark[0][:1] in " \t" and mark.string[mark.end() : mark.end() + 1].isalnum() else ""


def _name_of(argument: str) -> str:
    """The name in an entity's argument, as in `["city","Bergen","Norway"]`."""
    try:
        parsed = json.loads(argument)
    except (ValueError, RecursionError):
        return ""
    names = [part for part in parsed if isinstance(part, str)] if isinstance(parsed, list) else []
    return names[1] if len(names) > 1 else "".join(names)
