"""Requests that frontends make for themselves: titles, tags, suggestions, summaries, impersonation.

They are recognised by the instructions that frontends send by default, as public sources and recordings show them. An
instruction counts only where these frontends put it, at the beginning of the request's last line or of its only system
line, so that a person who quotes one is not taken for a frontend. An operator who changes a frontend's
instructions has the frontend send the header instead (docs/proxy.md).
"""

import re

from memory.proxy.transcript import Line, Transcript

# By frontend: what an instruction begins with, or holds. Letter case and white space do not count.
_OPEN_WEBUI = (
    # Titles, tags, follow-ups, queries, image prompts and autocompletion: the conversation is quoted in the request.
    r"### task: (generate a concise, 3-5 word title|generate 1-3 broad tags|suggest 3-5 relevant follow-up)",
    r"### task: (analyze the chat history to|generate a detailed prompt for|you are an autocompletion system)",
    # The same in other words: an operator's own, which hold the conversation in the same way.
    r"### task: .*<chat_history>",
    # Choosing tools, by the system line.
    r"available tools: .*your task is to choose and return the correct tool",
    # An emoji for a message that is read aloud, and one answer from several models'.
    r"your task is to reflect the speaker's likely facial expression through a fitting emoji",
    r"you have been provided with a set of responses from various models to the latest user query",
    r"create a concise, 3-5 word (title|phrase)",
)
_LIBRECHAT = (
    r"provide a concise, 5-word-or-less title for the conversation",
    r"analyze this conversation and provide: 1\. the detected language",
    r"please generate a concise(, 5-word-or-less)? title",
    r"summarize the conversation by integrating new lines into the current summary",
    r"(please )?generate a title for the following conversation",
)
_SILLYTAVERN = (
    r"\[?write your next reply from the point of view of .*(don't|do not) write as ",
    r"\[?pause your roleplay",
    r"ignore previous instructions\.? ?(and )?(summarize|classify|provide|output|generate|analyze|choose)",
    r"\[?summarize the most important facts and events",
    r"in the next response i want you to provide only a detailed comma-delimited list",
    r"your next response must be formatted as",
)
_OTHERS = (
    # Goose, Cline's and others' names for a session.
    r"generate a short title .*(reply with only the title|four words or less)",
)
_INSTRUCTION = re.compile("|".join((*_OPEN_WEBUI, *_LIBRECHAT, *_SILLYTAVERN, *_OTHERS)), re.DOTALL)
# Instructions are looked for in so much of a line.
_LOOKED_AT = 20_000


def is_background(transcript: Transcript) -> bool:
    """Whether a frontend made a request for itself, so that it contains no turn of the user."""
    lines = [line for line in transcript.lines if line.text.strip()]
    system = [line for line in lines if line.role == "system"]
    places: list[Line] = lines[-1:]
    if len(system) == 1 and len(lines) <= 2:  # noqa: PLR2004  # the instruction, and what it is about
        places += system
    return any(_INSTRUCTION.match(_plain(line.text)) for line in places)


def _plain(text: str) -> str:
    return " ".join(text[:_LOOKED_AT].casefold().replace("\u2019", "'").split())
