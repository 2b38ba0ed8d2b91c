"""Calls of tools that agents write as text in the model's lines, and their results, which come in the user's.

    Thought: I look it up.                  ReAct, as LangChain, LlamaIndex and CrewAI write it
    Action: weather
    Action Input: {"city": "Oslo"}
    Observation: Rain
    Calling tools: [{'id': …}]              smolagents; its results begin with Observation or Error
    <tool_call>{"name": …}</tool_call>      models with a server that does not read their calls

A call, and the thought before it, is no speech. A line of the user's is a result only behind such a call: people write
about observations and errors as well.
"""

import re

_ACTION = re.compile(r"^Action:[^\n]{0,200}\n\s{0,20}Action Input:", re.MULTILINE)
_CALLING = re.compile(r"^Calling tools:\s*\[\{", re.MULTILINE)
# Tokens of models (Mistral, DeepSeek, Kimi, Llama).
_TOKENS = (
    r"\[TOOL_CALLS\]\s{0,9}(?:\[\s{0,9}\{|[\w.-]{1,100}\s{0,9}(?:\[(?:ARGS|CALL_ID)\]|\{))"
    r"|<\uff5ctool\u2581calls\u2581begin\uff5c><\uff5ctool\u2581call\u2581begin\uff5c>"
    r"|<\|tool_calls_section_begin\|>\s{0,9}<\|tool_call_begin\|>|<\|python_tag\|>\s{0,9}\{"
    r"|<\|start\|>assistant to=[^<\n]{1,100}<\|channel\|>"
)
_TAG = r"(?:[a-z]{1,20}:)?(?:tool_calls?|function_calls?)"
_BLOCK = re.compile(
    rf"^[ \t]{{0,3}}(?:<{_TAG}>\s*(?:\[?\s{{0,9}}[{{<]|[\w.-]{{1,100}}\s{{0,9}}<arg_key>)"
    # A tag that people use for other things
    rf"|<tool>\s*(?:\{{|<function=)|{_TOKENS})",
    re.MULTILINE,
)
# LobeChat's report of another agent's work.
_TASK_RESULT = re.compile(r"\A\[Task Result from [^\n\]]{1,100}\]\n")
_CALLS = (_ACTION, _CALLING, _BLOCK, _TASK_RESULT)
# They adjoin the words before them; in a sentence that goes on they are spoken of.
_CALLS_AT_END = (*_CALLS, re.compile(_TOKENS))
_ENDS_OF_CALL = ("}", "]", ">")
_CLOSES = re.compile(rf"</(?:{_TAG}|tool)>|<\uff5ctool\u2581calls\u2581end\uff5c>|<\|tool_calls_section_end\|>")
_ANSWERS = re.compile(r"^(?:Final )?Answer:", re.MULTILINE)
_THOUGHT = re.compile(r"\s*Thoughts?:\s", re.IGNORECASE)
_RESULT = re.compile(
    r"\s*(?:Observation:|Call id: \S{1,100}\s+(?:Error|Observation):|Error:\s|<tool_response>|<tool_result)"
)
NEXT_TASK = re.compile(r"^New task:\s", re.MULTILINE)
"""Begins the user's next words, where smolagents puts them behind a report in the same message."""


def without_call(text: str) -> str:
    """Return an answer without the call that it ends with; empty if it says nothing else."""
    forms = _CALLS_AT_END if text.rstrip().endswith(_ENDS_OF_CALL) else _CALLS
    begins = min((found.start() for form in forms if (found := form.search(text)) is not None), default=None)
    # In a block of code a call is only shown, and an answer may follow a call.
    if begins is None or text.count("```", 0, begins) % 2 or _ANSWERS.search(text, begins):
        return text
    closes = max((found.end() for found in _CLOSES.finditer(text, begins)), default=0)
    words = f"{text[:begins].rstrip()}\n\n{text[closes:].strip()}".strip() if closes else text[:begins].rstrip()
    return "" if _THOUGHT.match(words) else words


def is_report(text: str) -> bool:
    """Whether an answer is a program's report of another agent, which no result of a call follows."""
    return _TASK_RESULT.match(text) is not None


def behind_result(text: str) -> str | None:
    """Return the user's words behind a call's result in the same line, mostly none; None if the line is no result."""
    if not _RESULT.match(text):
        return None
    further = NEXT_TASK.search(text)
    return text[further.start() :] if further else ""
