"""Headings of retrieved things, each alone on its line, and the entries and quoted blocks below them."""

import re
from collections.abc import Iterator
from itertools import pairwise

from memory.text.markup import Markup
from memory.wrapping.delimited import delimited_blocks

_OF_WHAT = (
    r"relevant|retrieved|attached|uploaded|additional|provided|context|web|internet|online|google|search|background"
    r"|reference"
    r"|knowledge(?:[ \t]base)?|related|user(?:'s)?|active|recalled|stored|long-term"
)
_WHAT = (
    r"context(?:[ \t]information)?|(?:relevant|retrieved)[ \t]information|documents?|document\(s\)|files?|file\(s\)"
    r"|attachments?|search results?|results?"
    r"|sources?|references?|reference materials?|materials?|knowledge(?:[ \t]base)?|excerpts?|passages?|snippets?"
    r"|memor(?:y|ies)|web pages?|pages?|selected text|clipboard|(?:video[ \t])?transcripts?"
    r"|kontext|dokumente?|suchergebnisse|quellen|anhänge|dateien|contexte|contexto"
    r"|documentos|résultats|resultados|datei|fichiers?|archivos?|arquivos?|контекст|документы?|файлы?|источники"
    r"|上下文|已知信息|知识库|参考资料|参考情報|搜索结果|检索结果|検索結果|文件|文档|附件|資料|ファイル|파일|문서"
    r"|검색 결과"
)
_HEADING = re.compile(
    r"[ \t]*+(?:#{1,6}[ \t]*+|\*\*|--++[ \t]*+|=++[ \t]*+|\[)?(?:the[ \t]++)?"
    r"(?:(?:here[ \t]++(?:are|is)|use|using|see|based on|given)[ \t]++)?(?:(?:the|some|an?)[ \t]++)?"
    r"(?:following[ \t]++)?"
    rf"(?:(?:{_OF_WHAT})[ \t]++){{0,3}}(?:{_WHAT})"
    r"[ \t]*+(?:(?<=[ \t])(?:information|contents?|excerpts?"
    r"|from (?:the )?(?:web|internet|files?|documents?|knowledge base|(?:past|previous|earlier) [a-z]{1,20})"
    r"|for [^\n:]{1,60}|below)[ \t]*+)?(?:if (?:it helps|needed|relevant|helpful|useful)[ \t]*+)?"
    r"(?:\([^()\n]{0,80}\)[ \t]*+)?(?:\*\*|\]|--++|=++)?[ \t]*+[:\uff1a]?(?:\*\*)?[ \t]*+:?[ \t]*+"
    r"(?:[^\n:]{1,80}\.\w{1,5})?\Z",
    re.IGNORECASE,
)
# The content of a file or of a page, by its name or address.
_CONTENT_OF = re.compile(
    r"[ \t]*+(?:#{1,6}[ \t]*+|\*\*|\[)?(?:the[ \t]++)?(?:(?:page|file|document|article)[ \t]++)?"
    r"contents?[ \t]++(?:of|from)[ \t]++(?=[^\n]{0,200}(?:[^\s.]\.\w|://))[^\n]{1,200}\Z",
    re.IGNORECASE,
)
# A longer line is no heading.
_HEADING_CHARACTERS = 400
# Below such a heading people list things of their own as well, but not with numbers in brackets, or addresses.
_ENTRY = re.compile(
    r"[ \t]*(?:\[\^?\d{1,3}\]|https?://|(?:[-*•][ \t]{1,4})?(?:url|title|source|link|snippet|collection"
    r"|excerpt|path|file ?name)[ \t]*:"
    r"|(?:\d{1,3}[.):]|[-*•])[ \t][^\n]{0,300}https?://)",
    re.IGNORECASE,
)
# The most line breaks between a heading and its first entry.
_ENTRY_APART = 2
_RESULT = re.compile(r"[ \t]*(?:\d{1,3}[.):]|[-*•])[ \t]")
_SEARCHED = re.compile(
    r"\b(?:search|web|internet|google|online|retrieved)\b|suchergebnisse|résultats|resultados|搜索|检索|検索|검색|поиск",
    re.IGNORECASE,
)
# A sentence that says of the block behind it that it is a file's.
_OF_FILE = re.compile(
    r"(?![^\n]{0,300}\b(?:I|my|me)\b)(?=[^\n]{0,300}\b(?:uploaded|attached|attaching|content:|(?:file|document) named"
    r"|contents? of (?:the |this )?(?:file|document|page|article|attachment|pdf|website))\b)[^\n]{1,300}:[ \t]*\Z"
    r"|This is the text of an? (?:web )?(?:page|file|document):\Z",
    re.IGNORECASE,
)
# OpenClaw says so of all that it adds.
_UNTRUSTED = re.compile(r"[^\n]{1,80}\(untrusted\b[^()\n]{0,80}\)[ \t]*:?\Z", re.IGNORECASE)
# A heading of retrieved text that ends with a rule.
_SURE = re.compile(
    r"\b(?:context|contexto|contexte|kontext|retrieved|relevant|reference|search|attached|uploaded|provided|knowledge"
    r"|recalled|active memory)\b"
    r"|контекст|kontekst|bağlam|컨텍스트|문맥|コンテキスト|文脈|上下文|已知|知识库|参考|搜索|検索",
    re.IGNORECASE,
)
_ATTACHED = re.compile(
    r"\[?(?:(?:attached|uploaded)[ \t]+(?:file|document)|(?:file|document|attachment)(?:[ \t]?name|[ \t]\d{1,3})?"
    r"|datei|fichier|archivo|文件|ファイル)[ \t]*[:\uff1a][ \t]*[^\n\[\]]{1,150}\.\w{1,5}\]?\Z"
    r"|(?:\[|#[ \t])[^\n\[\]]{1,100}\.(?:txt|md|pdf|docx?|csv|json|html?|xlsx?|pptx?|epub|log|py|js|ts)\]?\Z"
    r"|<(?:context|documents?|files?|attachments?|(?:search|web)_?results?|knowledge|references?)(?:\s[^<>\n]{0,300})?>\Z",
    re.IGNORECASE,
)
_RULE = re.compile(r"^[ \t]*+(?:-{3,}+|={3,}+|\*{3,}+|_{3,}+)[ \t]*+$", re.MULTILINE)
FENCE_OF_FILE = (
    r"(?:(?:[\w+-]{1,20}[ \t])?[^\s`]{1,120}\.\w{1,5}(?:[ \t]\([\d-]{1,20}\))?|https?://[^\s`.]{1,100}\.[^\s`]{1,300})"
)
"""The text behind the ticks of a fence around a file or a page: its language, name and lines, or its address."""
# Likewise, or the result of a tool of NextChat's.
_FILE_NAME = re.compile(rf"(?:{FENCE_OF_FILE}|json:mcp-response:\S{{1,200}})[ \t]*+(?=\n)")
_PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")
_WHITE_SPACE = re.compile(r"\s*+")
_LINE = re.compile(r"[^\n]+")


def is_heading(line: str) -> bool:
    """Whether a line is a heading of retrieved things."""
    return _HEADING.match(line) is not None


def names_retrieved(text: str) -> bool:
    """Whether a paragraph begins with a line that names a retrieved or attached thing, which has no mark of its end."""
    text = text.strip()
    for begins in (0, *(found.end() for found in _PARAGRAPHS.finditer(text))):
        ends = text.find("\n", begins, begins + _HEADING_CHARACTERS)
        line = text[begins:ends].strip() if ends >= 0 else ""
        if line and (_is_sure(line) or _ATTACHED.match(line)):
            return True
    return False


def blocks(text: str, markup: Markup) -> Iterator[tuple[int, int]]:
    """Yield where blocks of retrieved things begin, with the headings before them, and end.

    A fence or a quoted block is one below a heading, or if it says which file it is; others have marks of their own.
    """
    for block in markup.blocks("fence", "quote"):
        begins = _heading_before(text, block.opens.start)
        if begins is not None and (block.opens.kind == "quote" or "\n" in text[block.content]):
            yield begins, block.closes.end
        elif block.opens.kind == "fence" and _FILE_NAME.match(text, block.opens.end):
            yield block.opens.start, block.closes.end
    for start, end in delimited_blocks(text):
        yield start, end
        if (begins := _heading_before(text, start)) is not None:
            yield begins, end
    yield from _ruled(text)
    for tag in markup.marks:
        is_alone = tag.kind == "tag" and tag.opens and text[tag.start - 1 : tag.start] == "\n"
        if is_alone and (closes := markup.balanced.get(tag.start)):
            begins = _heading_before(text, tag.start)
            if begins is not None:
                yield begins, closes.end


def _ruled(text: str) -> Iterator[tuple[int, int]]:
    """Yield blocks under a heading that end with a rule; one may stand before the heading, or below it."""
    before: int | None = None
    behind = 0
    for rule in _RULE.finditer(text):
        if before is None:
            # Up to the first rule: the heading is the first line.
            begins = _WHITE_SPACE.match(text)
            first = begins.end() if begins else 0
            end = text.find("\n", first)
            if first < rule.start() and 0 < end < rule.start() and _is_sure(text[first:end]):
                yield first, rule.end()
        else:
            begins = _WHITE_SPACE.match(text, behind)
            first = begins.end() if begins else behind
            end = text.find("\n", first)
            if 0 < end < rule.start() and end - first <= _HEADING_CHARACTERS and is_heading(text[first:end]):
                yield before, rule.end()
            heading = _heading_before(text, before)
            if heading is not None and _is_sure(text[heading:before].strip()):
                yield heading, rule.end()
        before, behind = rule.start(), rule.end()


def _is_sure(line: str) -> bool:
    return len(line) <= _HEADING_CHARACTERS and _HEADING.match(line) is not None and _SURE.search(line) is not None


def _heading_before(text: str, end: int) -> int | None:
    """Return the beginning of the heading in the line before a place; None if that line is no heading."""
    while end and text[end - 1].isspace():
        end -= 1
    earliest = max(0, end - _HEADING_CHARACTERS)
    begins = text.rfind("\n", earliest, end) + 1 or earliest
    if begins and text[begins - 1] != "\n":
        return None
    line = text[begins:end]
    if not (_HEADING.match(line) or _CONTENT_OF.match(line) or _OF_FILE.match(line) or _UNTRUSTED.match(line)):
        return None
    found = _WHITE_SPACE.match(text, begins)
    return found.end() if found else begins


def without_results(text: str) -> str:
    """A line without numbered results or addresses below a heading, up to the first paragraph that is none of them."""
    kept: list[str] = []
    place = 0
    for line, following in pairwise(_LINE.finditer(text)):
        apart = text[line.end() : following.start()].count("\n")
        if line.start() < place or apart > _ENTRY_APART or len(line[0]) > _HEADING_CHARACTERS:
            continue
        searched = apart == 1 and _SEARCHED.search(line[0]) is not None
        if _HEADING.match(line[0]) and _is_entry(following[0], searched=searched):
            kept.append(text[place : line.start()])
            place = _behind_entries(text, line.start())
    return "\n\n".join(one.strip() for one in [*kept, text[place:]]).strip() if kept else text


def _behind_entries(text: str, place: int) -> int:
    """Return the beginning of the first paragraph after a place that is no entry."""
    for found in _PARAGRAPHS.finditer(text, place):
        if not _is_entry(text[found.end() : found.end() + _HEADING_CHARACTERS], searched=True):
            return found.end()
    return len(text)


def _is_entry(line: str, *, searched: bool) -> bool:
    return _ENTRY.match(line) is not None or (searched and _RESULT.match(line) is not None)
