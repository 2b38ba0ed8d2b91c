"""The user's own part of a line that a frontend has wrapped: without documents, search results, notes and instructions.

Frontends put retrieved, attached and configured text into the user's line. Its place and its marks separate it from the
user's words, never a marker in the midst of a sentence:

- a template that asks for an answer from retrieved text, and marks the place of the user's question
- at the beginning or the end of the line, on lines of their own: closed tags with names of retrieved things, blocks
  between marks of their beginning and end, a heading of such things with a quoted block, a fence or numbered results
  behind it, and paragraphs by which frontends steer the model
- comments that a frontend marks as its own, at any place
- coding agents' insertions (`agents`)
"""

import re
from bisect import bisect
from collections import deque

from memory.grounding.references import is_in_first_person, language_of
from memory.text.markup import Mark, Markup
from memory.wrapping.agents import without_insertions
from memory.wrapping.documents import may_stand_alone
from memory.wrapping.envelopes import without_envelope
from memory.wrapping.headings import is_heading
from memory.wrapping.steering import PARAGRAPHS
from memory.wrapping.wrappers import without_wrappers

# Frontends' requests to answer from retrieved text; the question stands behind the last tag, or a label.
_TASKS = re.compile(
    r"\s*(?:#{1,3}\s*Task:\s*Respond to the user|Use the following (?:\w+ ){0,3}(?:context|documents?|information)"
    r"|(?:Please )?answer the (?:user'?s? )?(?:question|query)(?: below)?(?: only)? (?:using|based|from|with)\b"
    r"|Use the content within <\w{1,20}></\w{1,20}> tags as your knowledge"
    r"|You are a helpful AI assistant\. Use the following pieces of context"
    r"|<指令>[^<>]{1,300}</指令>\s{0,9}<已知信息>"
    r"|You are an assistant for question[- ]answering|You are given a user query"
    r"|Context information (?:from multiple sources )?is below"
    r"|(?:(?:Please )?(?:answer|respond) )?(?:Based on|Using|Given|With|From) (?:only )?(?:the|this|these) [^\n]{0,60}?"
    r"(?:context|documents?|information|sources?)\b(?:[^\n]{0,60}(?:,\n[^\n]{0,60})?"
    r"\b(?:answer|question|query|respon[ds])|(?=[ \t]*:))"
    r"|You'?(?:re| are) an? retrieve augmented chatbot"
    r"|Pay attention and remember (?:the )?information below[^\n]{1,200}\bcontext\b"
    r"|Generate a comprehensive and informative answer[^\n]{0,80}\n?[^\n]{0,80}\bsolely\b"
    r"|You are also a helpful assistant good answering questions related to\b"
    r"|The user has attached (?:a|\d{1,3}) files? to the conversation"
    # LM Studio
    r"|The following citations were found in the files|Important: No citations were found in the user files"
    r"|This is an? Enriched Context Generation scenario"
    r"|(?:Bitte )?(?:beantworte|nutze|verwende)[^\n]{0,80}(?:Kontext|Dokument|Informationen|Quellen)"
    r"|(?:Réponds|Répondez|Utilisez?|En utilisant)[^\n]{0,80}(?:contexte|documents?|informations|sources)"
    r"|(?:Responde|Contesta|Usa|Utiliza|Utilice)[^\n]{0,80}(?:contexto|documentos|información|informações|fuentes)"
    r"|(?:Rispondi|Usa|Utilizza)[^\n]{0,80}(?:contesto|documenti|informazioni|fonti)"
    r"|(?:Ответь(?:те)?|Используй(?:те)?)[^\n]{0,80}(?:контекст|документ|информаци)"
    r"|请?(?:根据|基于|使用|参考|利用)[^\n]{0,60}(?:上下文|资料|文档|信息|内容|知识|结果)[^\n]{0,60}(?:回答|问题|知识)"
    r"|(?:以下|次|下記)の?[^\n]{0,60}(?:情報|文脈|コンテキスト|資料|文書)[^\n]{0,60}(?:答え|回答))",
    re.IGNORECASE,
)
_LABEL = r"(?:^|\n)[ \t]*(?:#{1,6}[ \t]*|\*\*|[-*•][ \t]+)?"
_USERS = (
    r"(?:the )?user'?s? (?:query|question|message|input|request)|用户(?:的)?(?:问题|提问|消息|输入)"
    r"|(?:Nutzer|Benutzer)(?:frage|anfrage|nachricht)|ユーザーの?質問"
)
_BEHIND_LABEL = r"(?:[ \t]is|[为是])?(?:\*\*)?[ \t\u00a0]*[:\uff1a](?:\*\*)?[ \t]*"
# h2oGPT's; the part up to a colon is the program's.
_FROM_SOURCES = (
    r"according to only the information in the document sources provided within the context above"
    r"(?:, write an? [^\n:]{0,50}\bresponse to:|[,:])\s*"
)
# No person labels their own words so.
_USER_ASKED = re.compile(
    rf"{_LABEL}(?:{_USERS}){_BEHIND_LABEL}|(?:^|\n)[ \t]*#{{1,6}}[ \t]*(?:{_USERS})[ \t]*\n|(?:^|\n){_FROM_SOURCES}",
    re.IGNORECASE,
)
# Before a label of the user's question.
_USES_CONTEXT = re.compile(
    r"(?:please )?(?:use|using|given|based on|consider|refer to|with)\b[^\n]{0,60}\b(?:context|documents?|information"
    r"|sources?|citations?|excerpts?|passages?|snippets?|references?|knowledge|memories|notes|results)\b"
    # A sentence that introduces the text behind it as found by a program
    r"|(?=[^\n]{0,300}(?:\b(?:search results|(?:information|content|citations?|excerpts?|passages?) (?:was|were) found"
    r"|retrieved)\b|搜索结果|检索结果|検索結果))[^\n]{1,300}[:\uff1a][ \t]*(?=\n|\Z)",
    re.IGNORECASE,
)
# A template in whichever language, if it has a tag with a context.
_HEADED = re.compile(r"\s*#{2,4}[ \t]*[^\n]{1,60}:[ \t]*\n")
_ASKED = re.compile(
    rf"{_LABEL}(?:(?:my question|the question to answer) is|answer the question|{_USERS}"
    r"|(?:final |original |current )?query|question|frage|anfrage|pregunta|domanda"
    rf"|pergunta|вопрос|问题|質問|질문|pytanie|soru|vraag|fråga)"
    rf"{_BEHIND_LABEL}(?=\S|\n)|(?:^|\n){_FROM_SOURCES}",
    re.IGNORECASE,
)
_SPEAKER = re.compile(r"(?:user|human)[ \t]*:[ \t]*(?=\S)", re.IGNORECASE)
_ASKED_NAME = re.compile(r"(?:user|raw)_?(?:query|question)")
_QUERY_NAME = re.compile(r"user_query|query|user_question|question|user_message|user_input|问题")
_CONTEXT_LABEL = re.compile(
    rf"{_LABEL}(?:(?:relevant|retrieved|known|background) )?(?:reference materials?|references?|context|sources?"
    rf"|documents?|citations?|memories(?:/facts)?|facts|notes|knowledge(?: base)?|information|kontext|contexte|contexto"
    rf"|contesto|kontekst|bağlam|dokumenty?|문서|문맥|컨텍스트|контекст|上下文|参考资料|资料|已知信息|知识库|コンテキスト|文脈){_BEHIND_LABEL}",
    re.IGNORECASE,
)
_ANSWER_LABEL = re.compile(
    r"(?:\n[ \t]*+[-=*]{3,}[ \t]*+)?\n[ \t]*+(?:#{1,6}[ \t]*+|\*\*)?(?:helpful |your |final |the )?"
    r"(?:answer|response|antwort|réponse|respuesta|risposta|resposta|ответ|回答|答案|답변"
    r"|odpowiedź|yan\u0131t|cevap|antwoord|svar)"
    r"(?:\*\*)?[ \t]*+[:\uff1a]?(?:\*\*)?\s*+\Z",
    re.IGNORECASE,
)
# Of Page Assist's template on one line.
_ENDS_ON_ONE_LINE = re.compile(r"[ ]helpful answer:\s*+\Z", re.IGNORECASE)
_ON_ONE_LINE = re.compile(r"[ ]{2}(?=question:)|[ ](?=helpful answer:)", re.IGNORECASE)
_RULE = re.compile(r"\n[ \t]*+[-=*]{3,}\s*+\Z")
_RULED = re.compile(r"(?P<before>[^\n]{1,300})\n\s*+(?P<rule>-{3,}+|={3,}+|\*{3,}+)[ \t]*+\n")
# Paragraphs behind retrieved text that tell the model how to answer.
_HOW_TO_ANSWER = re.compile(
    r"(?:when answer|given the context|answer the|use the (?:context|citations|information|above)|in your response"
    r"|avoid mentioning|remember to follow|if you don't know|---|###|(?:user'?s? )?(?:query|question)\s*:"
    r"|(?:answer(?:ing)?|response) (?:requirements|guidelines|rules)|回答要求)",
    re.IGNORECASE,
)
_HOW_TO_ANSWER_LINE = re.compile(rf"[-*•] |and answer according|{_HOW_TO_ANSWER.pattern}", re.IGNORECASE)
_REQUIREMENTS = re.compile(
    r"\n[ \t]*+(?:#{1,6}[ \t]*+|\*\*)?(?:回答要求|(?:answer(?:ing)?|response) (?:requirements|guidelines|rules|format))"
    r"(?:\*\*)?[ \t]*+[:\uff1a].*\Z",
    re.IGNORECASE | re.DOTALL,
)
# Such a paragraph behind search results, which a label of the user's question follows.
_WITH_RESULTS = re.compile(
    r"(?:current date:[^\n]{1,40}\n)?(?:instructions?[:\uff1a][ \t]*)?using the (?:provided|given|above)"
    r"(?: \w{1,20}){0,2} (?:results|sources)\b",
    re.IGNORECASE,
)
_REPLY_IN = re.compile(r"\n[ \t]*+Reply in [^\n.]{2,30}\Z")
_BREAKS = re.compile(r"\n")
_ENDS_LINE = re.compile(r"[^\S\n]*+(?:\n|\Z)")
_QUOTATION_MARKS = ('"""', "'''", "```")
_CONTEXT_NAME = re.compile(r"context|documents?|sources?|knowledge|references?|已知信息")

# Programs' texts behind the user's words, to the end of the line: Open WebUI's instructions for its interpreter, n8n's
# and Instructor's requests for a form of the answer, aider's rules of edits, Strands' list of agents, and
# Copilot's notes on attachments.
_APPENDED = re.compile(
    r"(?:^|\n)[ \t]*+#{4}[ \t](?:Code Interpreter|Tools Available)[ \t]*+\n.{0,200}?"
    r"<code_interpreter type=\"code\".*\Z"
    r"|\n# (?:task_progress RECOMMENDED|TODO LIST (?:UPDATE|CREATION) REQUIRED)\b.*\Z"
    r"|\n(?:-{3,9}\s{1,9})?IMPORTANT: Always call `format_final_json_response` [^\n]{0,200}!\s{0,9}\Z"
    r"|(?:^|\n)Return the correct JSON response within a ```json codeblock\. not the JSON_SCHEMA\s*\Z"
    r"|\n\n\n?(?:# \*SEARCH/REPLACE block\* Rules:|# V4A Diff Format Rules:"
    r"|# File editing rules:\n\nReturn edits similar to|ONLY return code using the `\w{1,30}` function\."
    r"|To suggest changes to a file you MUST return the entire content of the updated file\.)[ \n].*\Z"
    r"|(?:^|\n)Use the following information to complete your task:\n\n- \[[^\n]{1,300}?\]: .*\Z"
    r"|\n\nOther agents available for collaboration:\nAgent name: .*\Z"
    r"|(?<=\S) \(See <attachments> above for file contents\.[^()\n]{0,200}\)(?=\s*(?:</[A-Za-z]{1,30}>\s*)?\Z)",
    re.DOTALL,
)
# Forms of an answer, as LangChain and n8n ask for them; they end with the schema, behind which the user may speak.
_FORM = re.compile(
    r"(?:\A|\s)(?:Output should be in JSON format and conform to the following schema:"
    r"|The output should be (?:formatted as a JSON instance that conforms to the JSON schema below\."
    r"|a markdown code snippet formatted in the following schema)"
    r"|You must format your output as a JSON value that adheres to a given \"JSON Schema\").*\Z",
    re.DOTALL,
)
# A switch of Qwen's models, which frontends put at either end of the line.
_THINKING = re.compile(r"\A\s*+/(?:no_?)?think\b[ \t]*+(?=\s|\Z)|(?<=\s)/(?:no_?)?think\s*+\Z")
_MARKED = re.compile(
    r"<!--[ \t]*SYSTEM CONTEXT\b.*?(?:<!--[ \t]*END SYSTEM CONTEXT[ \t]*-->|\Z)", re.IGNORECASE | re.DOTALL
)


def users_words(text: str) -> str:
    """Return the user's words in a line: the own words, or all of a line that stands alone and may be the user's."""
    return own_words(text) or (text.strip() if may_stand_alone(text) else "")


def own_words(text: str) -> str:
    """Return the user's own part of a line, stripped; empty if a frontend wrote all of it."""
    # Programs on Windows end lines with two characters.
    lines = text.replace("\r\n", "\n")
    own = _own_part(lines)
    return text.strip() if own == lines.strip() else own


def _own_part(text: str) -> str:
    text = _THINKING.sub("", text)
    text = _FORM.sub("", text) if text.rstrip().endswith("```") else text
    text = without_insertions(without_envelope(_APPENDED.sub("", _MARKED.sub("\n\n", text))))
    if _TASKS.match(text) or _is_filled_in(text) or (_HEADED.match(text) and _end_of_context(text)):
        text = _ON_ONE_LINE.sub("\n", text) if _ENDS_ON_ONE_LINE.search(text) else text
        text = _question(_ANSWER_LABEL.sub("", text))
    elif (question := _last(_USER_ASKED, text)) and _is_retrieved(text[: question.start()].strip()):
        text = _asked(text[question.end() :])
    kept = without_wrappers(text)
    is_behind = not text.lstrip().startswith(kept)
    label = _ASKED.match(kept) if kept != text.strip() else None
    if kept != text.strip() and _WITH_RESULTS.match(kept) and (question := _ASKED.search(kept)) is not None:
        kept = _asked(kept[question.end() :])
    elif (label := label or (_SPEAKER.match(kept) if is_behind else None)) is not None:
        # The label told the model which part of the line the question is.
        kept = kept[label.end() :].strip()
    if not kept and (prompt := next(Markup(text, _ASKED_NAME.fullmatch).blocks("tag"), None)):
        # A block of retrieved things that says which part of it the question is.
        kept = text[prompt.content].strip()
    return without_envelope(kept)


def _is_filled_in(text: str) -> bool:
    """Whether a line is a form with a context, a question, and a place for the answer."""
    labels = [label.search(text) for label in (_ANSWER_LABEL, _CONTEXT_LABEL, _ASKED)]
    before = text[: min((label.start() for label in labels if label), default=0)]
    return all(labels) and not is_in_first_person(before, language_of(before, "en"))


def _is_retrieved(text: str) -> bool:
    """Whether the text before the user's words is a frontend's."""
    rest = without_wrappers(text)
    return bool(text) and (
        not rest
        or is_heading(rest.partition("\n")[0])
        or _CONTEXT_LABEL.match(rest) is not None
        or _USES_CONTEXT.match(rest) is not None
    )


def _question(text: str) -> str:
    """Return the question behind instructions to answer it from a context; the text unchanged if none is found."""
    end = _end_of_context(text)
    queries = Markup(text, _QUERY_NAME.fullmatch)
    if (quoted := queries.widest(end)) and text[quoted]:
        return text[quoted]
    behind = text[end:]
    if end and behind.strip():
        return _behind_instructions(behind.lstrip())
    if (quoted := queries.widest()) and text[quoted]:
        return text[quoted]
    return _labelled(text) or ("" if end else _behind_rules(text))


def _behind_rules(text: str) -> str:
    """The question behind the second of two rules that alone set the context apart; else the text."""
    found = _RULED.match(text)
    if found is None or is_in_first_person(found["before"], language_of(found["before"], "en")):
        return text
    parts = text.split(f"\n{found['rule']}\n")
    return parts[2] if len(parts) == 3 and parts[2].strip() else text  # noqa: PLR2004  # instruction, context, question


def _end_of_context(text: str) -> int:
    """Return the end of the last tag that closes a context; 0 without one."""
    markup = Markup(text, _CONTEXT_NAME.fullmatch)
    ends = [mark for mark in markup.marks if mark.kind == "tag" and mark.closes]
    # In the midst of a line instructions speak of the tag, unless it closes a block that began on another line.
    breaks = [found.start() for found in _BREAKS.finditer(text)] if ends else []

    def tells(closes: Mark) -> bool:
        opens = markup.balanced.get(closes.start)
        has_lines = opens is not None and bisect(breaks, opens.end - 1) < bisect(breaks, closes.start)
        return has_lines or _ENDS_LINE.match(text, closes.end) is not None

    return next((mark.end for mark in reversed(ends) if tells(mark)), ends[-1].end if ends else 0)


def _behind_instructions(text: str) -> str:
    """Return the question behind instructions to the model, if there are some."""
    if (label := _ASKED.match(text)) is not None:
        return _asked(text[label.end() :])
    if not _HOW_TO_ANSWER.match(text):
        return text
    if (question := _ASKED.search(text)) is not None:
        return _asked(text[question.end() :])
    begins = 0
    for found in PARAGRAPHS.finditer(text):
        if not _HOW_TO_ANSWER.match(text, begins):
            break
        begins = found.end()
    if _HOW_TO_ANSWER.match(text, begins):
        # The question may follow on the next line.
        while _HOW_TO_ANSWER_LINE.match(text, begins) and (end := text.find("\n", begins)) >= 0:
            begins = end + 1
    return text[begins:]


def _labelled(text: str) -> str | None:
    """Return the question behind its label: the first if retrieved text follows it, else the last."""
    first = _ASKED.search(text)
    if first is None:
        return None
    context = _CONTEXT_LABEL.search(text, first.end())
    if context is not None and _CONTEXT_LABEL.search(text, 0, first.start()) is None:
        return text[first.end() : context.start()]
    last = _last(_USER_ASKED, text) or _last(_ASKED, text) or first
    return _asked(_RULE.sub("", text[last.end() :]))


def _asked(text: str) -> str:
    """The question behind its label, without its quotation marks, and how to answer it."""
    text = _REPLY_IN.sub("", _REQUIREMENTS.sub("", text).strip()).strip()
    mark = next((one for one in _QUOTATION_MARKS if text.startswith(one) and text.endswith(one)), "")
    return text.removeprefix(mark).removesuffix(mark)


def _last(label: re.Pattern[str], text: str) -> re.Match[str] | None:
    return next(iter(deque(label.finditer(text), maxlen=1)), None)
