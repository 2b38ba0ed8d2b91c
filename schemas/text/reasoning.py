"""Takes a model's reasoning out of its text, in all the forms that models and frontends write it.

Every way in uses `spoken`: the proxy, the importers, `messages`. A marker counts at the beginning of a text, where it
may stay open because the text broke off, and around a closed block outside code. Words that mention a marker stay: in
code or between quotation marks, an opening marker without its closing one, and two that are words of one sentence. A
lone closing marker counts where the request opened the reasoning, and on the line's end before the answer's first
paragraph, adjoining what it closes or alone on its line.

The forms are those that the parsers of llama.cpp, vLLM and SGLang know, and those that Open WebUI, LibreChat and
SillyTavern show. A text is read in time linear in its length.
"""

import re
from dataclasses import dataclass

from schemas.text.turn_tokens import own_turn, without_turn_limits

_NAMES = r"thinking|thoughts?|think|reasoning|reason|antthinking|scratchpad|inner_monologue|reflection"
# Names that people, models and cards make up, as `chain_of_thought` and `thinking_process`.
_MADE_UP = (
    r"(?:[a-z]{1,15}[_-]){1,2}(?:thinking|thoughts?|think|reasoning|monologue|reflection)|monologue|cot|ponder(?:ing)?"
    r"|(?:thinking|thoughts?|think|reasoning)(?:[_-][a-z]{1,15}){1,2}|deepthink|reflect|rationale|deliberation"
    r"|inner(?:thoughts?|monologue)|lobethinking|scratch_pad|思考(?:过程)?|推理(?:过程)?"
    r"|inner[_-]?voice|内心(?:独白|想法)?|思考過程|размышлени[ея]|мысли|рассуждени[ея]"
    r"|gedanken|réflexion|pensées?|razonamiento|pensamiento|ragionamento|raciocínio"
)
# Common words.
_ANALYSIS = r"analysis|analyze|plan|planning|brainstorm|consider|considerations|draft"
_ATTRIBUTES = r"(?:\s[^<>=]{0,100}=[^<>]{0,500}|\s{0,5})"
_CAPITALS = "THINK|THINKING|THOUGHT|REASON|REASONING"
_NAMESPACE = r"(?:[a-z][\w.-]{0,30}:)?"
# Special tokens, as tokenizers of models write them.
_BAR, _JOIN, _IN_TOKENS = r"[|\uff5c]", r"[_\u2581]?", r"(?:think(?:ing)?|thoughts?|reasoning)"
# Harmony names the type of what follows.
_CONSTRAINED = r"(?:<\|constrain\|>[^<\n]{0,40})?"
_ENDS_TOKEN = rf"(?:/|end{_JOIN}(?:of{_JOIN})?){_IN_TOKENS}|{_IN_TOKENS}{_JOIN}end"


@dataclass(frozen=True, slots=True)
class _Form:
    """How reasoning begins and ends.

    Attributes:
        opens: A regular expression that reads a bounded number of characters behind its first.
        closes: Another; `{name}` is the tag's name.
        at_beginning: Whether it counts at the beginning of a text alone, and closed, because these are common words.
        closed: Whether it counts closed alone.
        may_be_all: Whether an answer may be nothing but such a block, whose content is the speech then.
    """

    opens: str
    closes: str
    at_beginning: bool = False
    closed: bool = False
    may_be_all: bool = False


_FORMS = {
    # <think>, <thinking duration="3">, <mm:think> (MiniMax), <seed:think>, <think:opensource> (Hunyuan)
    "tag": _Form(
        rf"< ?{_NAMESPACE}(?P<name>{_NAMES})(?::\w{{1,30}})?{_ATTRIBUTES}>",
        rf"< ?\\?/\s?{_NAMESPACE}{{name}}(?::\w{{1,30}})?\s?>",
    ),
    "made_up": _Form(
        rf"<(?:{_MADE_UP}){_ATTRIBUTES}>|【(?:思考|推理)(?:过程)?】",
        rf"</(?:{_MADE_UP})\s?>|【/(?:思考|推理)(?:过程)?】",
        closed=True,
    ),
    # NanoClaw; within a line, or indented, it is markup that the answer shows.
    "internal": _Form(r"^<internal>", r"</internal>", closed=True),
    "common_tag": _Form(
        rf"<(?:{_ANALYSIS}){_ATTRIBUTES}>", rf"</(?:{_ANALYSIS})\s?>", at_beginning=True, may_be_all=True
    ),
    "escaped": _Form(rf"&lt;(?:{_NAMES})&gt;", rf"&lt;/(?:{_NAMES})&gt;", closed=True),
    # Mistral; capitals, for people write stage directions in brackets.
    "bracket": _Form(rf"\[(?-i:{_CAPITALS})\]", rf"\[/(?-i:{_CAPITALS})\]"),
    "small_bracket": _Form(rf"\[(?:{_NAMES}|analysis)\]", rf"\[/(?:{_NAMES}|analysis)\]", closed=True),
    # Kimi
    "triangle": _Form("◁think▷", "◁/think▷"),
    # Sky-T1, Cohere, Apertus, Solar and others
    "token": _Form(
        rf"<{_BAR}(?:(?:(?:begin|start){_JOIN}(?:of{_JOIN})?)?{_IN_TOKENS}(?:{_JOIN}(?:begin|start))?|inner_prefix){_BAR}>",
        rf"<{_BAR}(?:{_ENDS_TOKEN}|inner_suffix|end){_BAR}>",
    ),
    # gpt-oss (Harmony) and Gemma; a call of a tool is no speech either
    "channel": _Form(
        r"(?:<\|start\|>assistant)?<\|channel\|?>\s?(?:analysis|thought|thinking|commentary\s{1,3}to=[^<]{1,100})"
        rf"[^<\n]{{0,100}}{_CONSTRAINED}(?:<\|message\|>)?",
        r"<channel\|>|<\|(?:end|return|call)\|>|(?=<\|start\|>assistant)|(?=<\|channel\|?>)",
    ),
    # Pangu and MedGemma
    "unused": _Form(r"\[unused16\]|<unused94>", r"\[unused17\]|<unused95>"),
    # Open WebUI's, also of calls of tools, and frontends that show a summary
    "details": _Form(
        r"<details\b(?=[^<>]*+>)(?:[^<>]*?\b(?:type|class)=[\"']?"
        r"(?:reasoning|thinking|thoughts?|tool_calls|code_interpreter)\b[^<>]*+>"
        r"|[^<>]*+>\s{0,5}<summary>(?:<\w{1,9}>)?"
        r"(?:\U0001f4ad\s?[^<>\s]{1,40}['\u2019]s\s(?=thoughts)|\W{0,5}"
        r"(?:(?:(?:click to )?(?:view|show|hide|expand|see)|toggle|model|ai|model's)\s)?)"
        r"(?:thinking|thoughts?|reasoning|reasoned|chain.of.thought|inner monologue"
        r"|(?:已?深度|已)?思考(?:过程|過程|中|完成)?|推理(?:过程)?|réflexion|pensées"
        r"|gedankengang|denkprozess|raisonnement|razonamiento|ragionamento|raciocínio|рассуждения|размышления)"
        r"(?: process)?(?: for [^<]{1,40}|\s?\([^()<]{1,40}\))?\W{0,5}(?:</\w{1,9}>)?\W{0,5}</summary>)",
        r"</details>",
    ),
    # Code that a model has run by Open WebUI, and its output, as they are sent again
    "run": _Form(
        r"<code_interpreter(?:_output|\s[^<>]{0,200})?>",
        r"</code_interpreter(?:_output)?>(?!\s{0,9}<code_interpreter_output>)",
    ),
    # LibreChat
    "colons": _Form(
        r"^[ \t]{0,3}:::[ \t]?(?:thinking|think|thoughts?|reasoning)[ \t]{0,5}$", r"^[ \t]{0,3}:::[ \t]{0,5}$"
    ),
    # Granite
    "granite": _Form(r"here(?:'s|\sis)\smy\sthought\sprocess:", r"here(?:'s|\sis)\smy\sresponse:", at_beginning=True),
    # Apriel
    "apriel": _Form(r"here\sare\smy\sreasoning\ssteps:", r"\[BEGIN FINAL RESPONSE\]", at_beginning=True),
    # Blocks of code that frontends render folded
    "fence": _Form(
        r"(?:`{3,9}|~{3,9})[ \t]?(?:thinking|think|thoughts?|reasoning)[ \t]{0,5}$",
        r"^[ \t]{0,3}(?:`{3,9}|~{3,9})[ \t]{0,5}$",
        at_beginning=True,
        may_be_all=True,
    ),
    # Poe and others quote it.
    "quote": _Form(
        r"(?:>[ \t]?)?(?:\[!\w{1,20}\][-+]?[ \t]?)?[^\w\n<>#-]{0,6}(?:thinking|thoughts?|thought process|reasoning)"
        r"(?: for \d{1,4}(?:\.\d)? ?(?:s|sec(?:onds?)?|m|min(?:utes?)?)\b)?(?:\.\.\.|:|…)?[*_]{0,3}:?"
        r"(?: \(\d{1,4}s elapsed\))?[ \t]{0,5}\n\s{0,5}(?=>)",
        r"^(?=[^\s>])",
        at_beginning=True,
    ),
    # Ollama
    "ollama": _Form(r"thinking\.\.\.[ \t]{0,5}$", r"^\.\.\.done thinking\.", at_beginning=True),
    # Headings, and labels, as agents that follow ReAct write them
    "heading": _Form(
        r"(?:#{1,4}[ \t]|\*\*)(?:thinking|thoughts?|(?:thought|reasoning) process|reasoning|inner monologue):?"
        r"(?:\*\*)?:?\s",
        r"^(?:#{1,4}[ \t]|\*\*)(?:my |final )?(?:answer|response|reply|output):?(?:\*\*)?:?",
        at_beginning=True,
    ),
    # Empty: the model was instructed not to think.
    "empty": _Form(rf"<{_NAMESPACE}(?:{_NAMES})\s?/>(?! (?-i:[a-z]))", "", at_beginning=True),
    "labelled": _Form(r"(?:reasoning|thinking|thought):\s", r"^(?:final )?answer:", at_beginning=True),
    "comment": _Form(r"<!--", r"-->[ \t]{0,9}$", at_beginning=True, may_be_all=True),
    # OpenCode's copy of GLM's earlier reasoning in the prompt
    "previous": _Form(r"\[previous reasoning:\s", r"\][ \t]{0,5}$", at_beginning=True, may_be_all=True),
    # Harmony, of which a server took the special tokens and left the words
    "stripped": _Form(r"analysis(?=[\s\"'A-Z*])", r"assistantfinal", at_beginning=True),
}
# A fence in a list is indented; so far at most.
INDENT = 12
_FLAGS = re.IGNORECASE | re.MULTILINE
# Where something may begin that is to be looked at: code or a marker.
_PLACE = re.compile(r"`++|< ?[a-z|\uff5c思推内м\u0440]|&lt;|\[[aiprstu]|【[思推]|◁|^[ \t]{0,12}(?:~{3}|:::)", _FLAGS)
_FENCE = re.compile(r"[ \t]{0,12}(?P<fence>`{3,}|~{3,})")
_FENCE_ENDS = re.compile(r"^[ \t]*+(?P<fence>`{3,}|~{3,})[ \t]*+$", re.MULTILINE)
_FENCE_LINES = re.compile(r"^[ \t]{0,12}(?:`{3}|~{3})", re.MULTILINE)
_NEW_PARAGRAPH = re.compile(r"[ \t\r]*+\n[ \t\r]*+\n")
_TICKS = re.compile(r"`+")
_WHITE_SPACE = re.compile(r"\s*+")
_OPENS = re.compile(
    "|".join(f"(?P<{kind}>{form.opens})" for kind, form in _FORMS.items() if not form.at_beginning), _FLAGS
)
_OPENS_AT_BEGINNING = re.compile(
    r"\s*+(?:" + "|".join(f"(?P<{kind}>{form.opens})" for kind, form in _FORMS.items() if form.at_beginning) + ")",
    _FLAGS,
)
_TAGS = _NAMES.replace("thoughts?", "thought|thoughts").split("|")
# By a form and, of tags, a name; a tag that no tag of its name closes is closed by one of another.
_CLOSES = {
    (kind, name): re.compile(form.closes.replace("{name}", name or f"(?:{_NAMES})"), _FLAGS)
    for kind, form in _FORMS.items()
    for name in (*(_TAGS if kind == "tag" else ()), "")
}
# A closing marker of the forms that a template opens in the prompt.
_LONE_CLOSE = re.compile(
    "|".join(_FORMS[kind].closes for kind in ("bracket", "triangle"))
    + rf"|</{_NAMESPACE}(?:{_NAMES})(?::\w{{1,30}})?\s?>"
    + rf"|<{_BAR}(?:{_ENDS_TOKEN}){_BAR}>|<channel\|>",
    _FLAGS,
)
# Words that models write around the answer that follows their reasoning.
_FRAME = re.compile(
    rf"(?:<\|start\|>assistant)?<\|channel\|?>\s?(?:final|commentary)[^<\n]{{0,100}}{_CONSTRAINED}(?:<\|message\|>)?"
    r"|(?:<\|begin\|>assistant)?<\|content\|>(?! )"
    r"|<\|(?:begin|end)_of_(?:solution|box)\|>|<\|(?:start|end)_(?:response|text)\|>|\[(?:BEGIN|END) FINAL RESPONSE\]"
    r"|<\|(?:return|end|message)\|>",
    _FLAGS,
)
_ANSWER = re.compile(
    r"\s*<(answer|response|output|final(?:_answer|_response)?)>(?P<said>(?:(?!</?\1>).)*)</\1>\s*",
    re.DOTALL | re.IGNORECASE,
)
_QUOTES = frozenset("\"'`“”„‟‘’‚«»‹›「」『』")  # noqa: RUF001  # as people write them
# Between two markers that are only mentioned.
_BETWEEN = frozenset(("", "and", "or", "to", "und", "oder", "bis", "et", "ou", "à", "y", "o", "e", "と", "和", "や"))
# Words that mention a marker stand apart from it, and in its sentence; a model's reasoning adjoins it.
_APART = frozenset(" ,.;:)")
SENTENCE = 200
_ENDS_SENTENCE = re.compile(r"[.!?:\u3002\uff01\uff1f]\s")
# A sentence goes on behind a marker that it begins with; reasoning begins one.
_MENTIONED = re.compile(r" (?-i:[a-z])|['\u2019]s\b|[,;]")
_GOES_ON = frozenset(".,:;?!=)|/")
# The beginning of an item of a list, which has each marker in an item of its own.
_ITEM = re.compile(r"\s{0,12}(?:[-*•]|\d{1,3}[.)])\s")
# Before the sign that opens a quotation, or a text in a program.
_OPENS_A_QUOTATION = re.compile(r"(?:\A|[\s(\[:=,])[rbf]?\Z")
_PUNCTUATION = " \t\n.,;:…/|&+-–—"


def spoken(text: str, *, opened: bool = False) -> str:
    """Return a model's text without its reasoning; blank if the text broke off within the reasoning.

    Args:
        text: The text as a model wrote it, or a frontend shows it.
        opened: Whether the request opened the reasoning, so that the text may only close it.
    """
    return without_turn_limits(_Reader(own_turn(text)).read(opened=opened))


def opens_reasoning(text: str) -> bool:
    """Return whether a text ends with an opening marker, as a frontend's prefill of an answer does."""
    end = text.rstrip()
    return any(match.end() == len(end) for match in _OPENS.finditer(end, max(0, len(end) - 600)))


class _Reader:
    """Reads one text from its beginning to its end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._kept: list[str] = []
        self._silent = True
        self._dropped = False
        # Markers that close nothing from some place on, so that none is looked for twice.
        self._missing: set[tuple[str, str]] = set()
        self._code_ends: dict[int, int] | None = None

    def read(self, *, opened: bool) -> str:
        """Return the speech in the text."""
        place = self._behind_lone_close(opened=opened)
        while place < len(self._text):
            place = self._next(place)
        spoken = "".join(self._kept)
        if not self._dropped and not _FRAME.match(spoken.lstrip()):
            return spoken
        spoken = without_turn_limits(_FRAME.sub("", spoken))
        whole = _ANSWER.fullmatch(spoken)
        return whole["said"] if whole else spoken

    def _behind_lone_close(self, *, opened: bool) -> int:
        """Return the start of the speech if a closing marker comes before any opening one; else 0."""
        close = _LONE_CLOSE.search(self._text)
        if close is None or _OPENS.search(self._text, 0, close.start()) or not (opened or self._ends_a_block(close)):
            return 0
        self._dropped = True
        return close.end()

    def _ends_a_block(self, close: re.Match[str]) -> bool:
        """Whether a closing marker stands as behind reasoning, and outside code: adjoining it, before a paragraph."""
        before, behind = self._text[: close.start()], self._text[close.end() :]
        goes_on = _MENTIONED.match(behind) or behind.lstrip()[:1] in _GOES_ON
        if not before.strip() and behind.strip() and not goes_on:
            # The prompt had opened an empty block.
            return True
        is_adjoined = before[len(before.rstrip()) :] in {"", "\n", "\r\n"} or not before.strip()
        in_code = len(_FENCE_LINES.findall(before)) % 2 == 1
        return is_adjoined and not in_code and behind.strip() != "" and _NEW_PARAGRAPH.match(behind) is not None

    def _next(self, place: int) -> int:
        """Read to behind the next code, marker or character that may begin one; returns the place behind it."""
        text = self._text
        if self._silent:
            begins = _OPENS_AT_BEGINNING.match(text, place)
            close = self._close_of(begins) if begins is not None else None
            if begins and close and (_follows_more(text, close.end()) or not _form_of(begins).may_be_all):
                return self._pass_over(close.end())
        found = _PLACE.search(text, place)
        if found is None:
            return self._keep(place, len(text))
        self._keep(place, found.start())
        start = found.start()
        if (end := self._end_of_code(start)) is not None:
            return self._keep(start, end)
        opens = _OPENS.match(text, start)
        if opens is None or self._is_quoted(opens):
            return self._keep(start, opens.end() if opens else found.end())
        return self._behind_block(opens)

    def _behind_block(self, opens: re.Match[str]) -> int:
        """Drop the block that a marker opens, unless it is only mentioned; returns the place behind the block."""
        close = self._close_of(opens)
        if close is None:
            may_be_open = self._silent and not _form_of(opens).closed and not _MENTIONED.match(self._text, opens.end())
            return self._pass_over(len(self._text)) if may_be_open else self._keep(opens.start(), opens.end())
        if self._are_spoken_of(opens, close):
            return self._keep(opens.start(), close.end())
        end = self._pass_over(close.end())
        # A block within a block has closed the first marker.
        within = sum(
            opens.lastgroup == other.lastgroup for other in _OPENS.finditer(self._text, opens.end(), close.start())
        )
        while (again := self._closes_outer(end, within)) is not None:
            end, within = self._pass_over(again.end()), within - 1
        return end

    def _closes_outer(self, place: int, within: int) -> re.Match[str] | None:
        """Return the marker that closes a block whose first marker one within it has closed."""
        again = _LONE_CLOSE.match(self._text, place)
        if again is None and within > 0 and (again := _LONE_CLOSE.search(self._text, place)) is not None:
            again = None if _OPENS.search(self._text, place, again.start()) else again
        return again

    def _keep(self, start: int, end: int) -> int:
        part = self._text[start:end]
        self._kept.append(part)
        self._silent = self._silent and not part.strip()
        return end

    def _pass_over(self, end: int) -> int:
        """Pass over the text that ends here, with the white space behind it if there is some before it."""
        self._dropped = True
        if self._silent or self._kept[-1][-1:].isspace():
            return _next_word(self._text, end)
        return end

    def _close_of(self, opens: re.Match[str]) -> re.Match[str] | None:
        """Return the marker that closes an opening one; one between quotation marks is only mentioned."""
        kind = str(opens.lastgroup)
        for name in (opens["name"].lower(), "") if kind == "tag" else ("",):
            if (kind, name) in self._missing:
                continue
            for close in _CLOSES[kind, name].finditer(self._text, opens.end()):
                if not self._is_quoted(close):
                    return close
            self._missing.add((kind, name))
        return None

    def _are_spoken_of(self, opens: re.Match[str], close: re.Match[str]) -> bool:
        """Whether two markers are words of one sentence, as in "put <think> before it and </think> behind it"."""
        between = self._text[opens.end() : close.start()]
        if self._is_quotation(opens.start(), close.end()):
            return True
        joined = between.strip(_PUNCTUATION).casefold()
        if self._silent:
            is_sentence = between[:1] == between[-1:] == " " and len(between) <= SENTENCE and "\n" not in between
            return joined != "" and (joined.rpartition(" ")[2] if is_sentence else joined) in _BETWEEN
        # An empty block on lines of its own comes from a model that was instructed not to think.
        if joined in _BETWEEN and (between.strip() or "\n" not in between):
            return True
        line = self._text[max(0, opens.start() - SENTENCE) : opens.start()].rpartition("\n")[2].rstrip()
        last = between.rpartition("\n")[2]
        if _ITEM.fullmatch(f"{line} ") and _ITEM.fullmatch(last):
            return True
        if "\n" in between and ((_ITEM.match(line) and _ITEM.match(last)) or line.strip() == last.strip() == "|"):
            return True
        in_sentence = line[-1:].isalnum() or line[-1:] in {",", "("}
        is_near = between[:1] in _APART and len(between) <= SENTENCE and "\n" not in between
        # The first may be named, and then shown again around words; behind the sentence the reasoning begins.
        again = _OPENS.search(between) if in_sentence and is_near else None
        is_shown = again is not None and not _ENDS_SENTENCE.search(between[: again.start()])
        return in_sentence and is_near and (between[-1:] == " " or is_shown)

    def _is_quoted(self, marker: re.Match[str]) -> bool:
        start, end = marker.span()
        return self._text[max(0, start - 1) : start] in _QUOTES and self._text[end : end + 1] in _QUOTES

    def _is_quotation(self, start: int, end: int) -> bool:
        """Whether all of a block is quoted in one line: its first sign opens a quotation, its last one closes it."""
        behind = self._text[end : end + 2]
        if "\n" in self._text[start:end] or behind[:1] not in _QUOTES or behind[1:].isalnum():
            return False
        before = self._text[max(0, start - 3) : start]
        return before[-1:] in _QUOTES and _OPENS_A_QUOTATION.search(before[:-1]) is not None

    def _end_of_code(self, start: int) -> int | None:
        """Return the end of the code that begins here: a fenced block, or a span between backticks."""
        fence = _FENCE.match(self._text, start)
        line = self._text.rfind("\n", max(0, start - INDENT), start) + 1
        if fence is not None and not self._text[line:start].strip(" \t"):
            for end in _FENCE_ENDS.finditer(self._text, fence.end()):
                if end["fence"].startswith(fence["fence"]):
                    return end.end()
            return len(self._text)
        if self._text[start] != "`":
            return None
        if self._code_ends is None:
            self._code_ends = _code_ends(self._text)
        return self._code_ends.get(start, start + len(_ticks(self._text, start)))


def _form_of(opens: re.Match[str]) -> _Form:
    return _FORMS[str(opens.lastgroup)]


def _follows_more(text: str, place: int) -> bool:
    return _next_word(text, place) < len(text)


def _next_word(text: str, place: int) -> int:
    found = _WHITE_SPACE.match(text, place)
    return found.end() if found else place


def _ticks(text: str, start: int) -> str:
    found = _TICKS.match(text, start)
    return found[0] if found else ""


def _code_ends(text: str) -> dict[int, int]:
    """Return, by the place of a run of backticks, where the next run of its length in the same paragraph ends."""
    nearest: dict[int, tuple[int, int]] = {}
    ends: dict[int, int] = {}
    for run in reversed(list(_TICKS.finditer(text))):
        length = run.end() - run.start()
        if length in nearest and text.find("\n\n", run.end(), nearest[length][0]) < 0:
            ends[run.start()] = nearest[length][1]
        nearest[length] = (run.start(), run.end())
    return ends
