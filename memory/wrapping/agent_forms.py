"""Forms that frameworks for agents fill with the user's words, and with talk that went on before."""

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Literal, NamedTuple

from memory.wrapping.field_forms import users_field
from memory.wrapping.written_calls import NEXT_TASK

# Of more turns the first ones are read.
MOST_RETOLD = 1_000

RetoldRole = Literal["user", "assistant", "system"]


class _Form(NamedTuple):
    """A form around the user's words.

    Attributes:
        begins: How it begins.
        ends: The texts behind the user's words; the first of these ends them.
        behind: The texts before them.
        is_open: Whether there may be nothing behind them.
    """

    begins: str
    ends: Sequence[str]
    behind: str
    is_open: bool = False


_FORMS = (
    # CrewAI
    _Form(
        "Current Task: ",
        (
            "\n\nThis is the expected criteria for your final answer:",
            "\n\nThis is the context you're working with:",
            "\n\nProvide your complete response:",
            "\n\nBegin! This is VERY important to you,",
        ),
        "Current Task: ",
    ),
    # smolagents
    _Form(
        "New task:\n",
        ("\nYou have been provided with these additional arguments, that you can access directly",),
        "New task:\n",
        is_open=True,
    ),
    # Codex, in an editor
    _Form("# Context from my IDE setup:", (), "## My request for Codex:\n", is_open=True),
    # Open WebUI's skills
    _Form("[/skills:create] The user wants", ("\n\nThe request is open-ended and may mix SOURCES",), "THE REQUEST:\n"),
    # Strands
    _Form("Original Task: ", ("\nInputs from previous nodes:\n",), "Original Task: "),
    _Form("Handoff Message: ", ("\n\nPrevious agents who worked on this: ",), "\n\nUser Request: "),
    # mini-swe-agent
    _Form(
        "Please solve this issue: ",
        ("\n\nYou can execute bash commands and edit files to implement the necessary changes.",),
        "Please solve this issue: ",
    ),
    # LangChain's conversational agent, and its ReAct
    _Form("TOOLS\n------\n", (), "a single action, and NOTHING else):\n\n", is_open=True),
    _Form(
        "Answer the following questions as best you can. You have access to the following tools:",
        ("\nThought:",),
        "\nBegin!\n\nQuestion: ",
    ),
)
# Texts that an agent's program writes whole, by their first words.
_WHOLE = re.compile(
    # smolagents, of which one agent asks another
    r"New task:\nYou're a helpful agent named '[^\n]{1,100}'\.\nYou have been submitted this task by your manager\."
    r"|Now proceed and carry out this plan\.\s*\Z"
    # CrewAI
    r"|Now it's time you MUST give your absolute best final answer\. You'll ignore all previous instructions"
    # Google's ADK, Strands, mini-swe-agent
    r"|For context: below is a transcript of what another agent did, quoted between <<<"
    r"|\[[^\n\[\]]{1,100}\] [^\n]{1,300}:\n<<<BEGIN_QUOTED_AGENT_CONTENT>>>\n"
    r"|You must format the previous response as structured output\.\s*\Z"
    r"|<returncode>-?\d{1,5}</returncode>\n(?s:.*)>\Z|(?:Format|Tool call) error:\n\n<error>\n"
    # LangChain
    r"|TOOL RESPONSE: ?\n-{9,30}\n"
    # Instructor
    r"|Correct your JSON ONLY RESPONSE, based on the following errors:\n"
    r"|Recall the function correctly, fix the errors, exceptions found\n"
    # AutoGen
    r"|No valid name was mentioned\. Please select from: \["
    # LibreChat, of which one agent goes on behind another
    r"|Continue as the receiving agent using the preceding user request and context\.\s*\Z"
    r"|\[The assistant message above is the completed output of a previous agent\. Respond now according to\b"
    # Pictures among results: HuggingChat, Open WebUI
    r"|\[Images returned by the tool calls above\.[^\n\[\]]{0,200}\]\s*\Z"
    r"|Here are the images from the tool results above\.(?: Please analyze them\.)?\s*\Z"
    r"|Image \d{1,3}, from \S{1,100} call \S{1,200}:\s*\Z"
    # Open WebUI, where its skills can't be written
    r"|\[/skills:create\] (?:The user tried|Skill creation)\b"
)
_RETRIES = (
    # smolagents
    (
        re.compile(r"(?:Call id: \S{1,100}\s{1,3})?Error:\n"),
        "\nNow let's retry: take care not to repeat previous errors!",
    ),
    # Pydantic AI
    (
        re.compile(r"Validation feedback:\n|Plain text responses are not permitted\b|\d{1,3} validation errors?:"),
        "\n\nFix the errors and try again.",
    ),
    # Instructor
    (
        re.compile(r"Validation Errors? (?:found|due to no tool invocation):\n"),
        "\nRecall the function correctly, fix the errors",
    ),
    # CrewAI
    (
        re.compile(r"<summary>\n"),
        "</summary>\n\nContinue the task from where the conversation left off. The above is a structured summary of",
    ),
    # LibreChat
    (re.compile(r"<summary>\n"), "</summary>\n\nThis is your own checkpoint: you wrote it to preserve context"),
)
# The form in which OpenAI's Agents SDK shows an agent the conversation with the one before it.
_RETOLD = re.compile(
    r"\s*For context, here is the conversation so far between the user and the previous agent:\n"
    r"<CONVERSATION HISTORY>\n"
)
_RETOLD_ENDS = "</CONVERSATION HISTORY>"
_ROLES: Mapping[str | None, RetoldRole] = {"user": "user", "assistant": "assistant"}
_RETOLD_TURN = re.compile(
    r"^\d{1,4}\. (?:(?P<role>user|assistant|system|developer|tool)(?: \([^()\n]{0,100}\))?: |(?=\{))", re.MULTILINE
)


def users_part(text: str) -> str:
    """Return the user's words in a form, or the text if it is none; empty if an agent's program wrote all of it."""
    plain = text.strip()
    if _WHOLE.match(plain):
        return ""
    for begins, reports in _RETRIES:
        if begins.match(plain) and (ending := plain.find(reports)) >= 0:
            further = NEXT_TASK.search(plain, ending)
            return users_part(plain[further.start() :]) if further else ""
    for form in _FORMS:
        _, found, rest = plain.partition(form.behind)
        if found and plain.startswith(form.begins):
            ends = [place for end in form.ends if (place := rest.find(end)) >= 0]
            if ends or form.is_open:
                return rest[: min(ends, default=len(rest))]
    return users_field(text)


def repeated_turns(text: str) -> list[tuple[RetoldRole, str]]:
    """Return the earlier turns that an answer only repeats, with their roles; none if it has no such form."""
    begins = _RETOLD.match(text)
    if begins is None:
        return []
    end = text.rfind(_RETOLD_ENDS)
    end = end if end >= 0 else len(text)
    found = list(islice(_RETOLD_TURN.finditer(text, begins.end(), end), MOST_RETOLD))
    ends = [*(one.start() for one in found[1:]), end]
    turns = [
        (_ROLES.get(one["role"], "system"), text[one.end() : until].strip())
        for one, until in zip(found, ends, strict=True)
    ]
    return turns or [("system", text)]
