"""The tokens of models' templates, which servers leave in answers and programs write into prompts."""

import re
from typing import Literal

TurnRole = Literal["system", "user", "assistant", "tool"]
# By the names that templates give the speakers of turns.
_ROLES: dict[str, TurnRole] = {
    **dict.fromkeys(("user", "human", "you", "prompter", "inst", "instruction", "input"), "user"),
    **dict.fromkeys(("assistant", "bot", "model", "gpt", "ai", "chatbot", "/inst", "response"), "assistant"),
    **dict.fromkeys(("system", "developer", "system_prompt"), "system"),
    **dict.fromkeys(("tool", "ipython", "observation"), "tool"),
}
# Whose turn begins; each group is the speaker's name.
TURN_BEGINS = re.compile(
    r"<\|im_start\|>[ \t]*(?P<chatml>\w{1,20})[^\n<]{0,100}(?:\n|<\|im_sep\|>|\Z)"
    r"|<\|(?:start_header_id|header_start)\|>[ \t\n]*(?P<llama>\w{1,20})[ \t\n]*<\|(?:end_header_id|header_end)\|>"
    r"|<\|start_of_role\|>(?P<granite>\w{1,20})[^<\n]{0,100}<\|end_of_role\|>"
    r"|<\|start\|>(?P<harmony>system|developer|user|assistant|tool)(?:<\|message\|>)?"
    r"|<(?:start_of_turn>|\|turn>)(?P<gemma>\w{1,20})(?:\n|\Z)"
    r"|<\|START_OF_TURN_TOKEN\|><\|(?P<cohere>USER|CHATBOT|SYSTEM)_TOKEN\|>"
    r"|<\|(?P<zephyr>system|user|assistant|human|bot|model|observation|tool|prompter)\|>"
    r"|<\uff5c(?P<deepseek>User|Assistant|System)\uff5c>"
    r"|(?:^|(?<=\n))<(?P<tag>user|human|assistant|bot|ai|model)>"
    r"|\[(?P<mistral>/?INST|SYSTEM_PROMPT)\]",
    re.IGNORECASE,
)
# Where a text or a turn begins or ends.
_LIMIT = (
    r"<\|(?:im_end|eot_id|eom_id|eot|end_of_text|endoftext|begin_of_text|end_of_turn|return|end|im_sep"
    r"|END_OF_TURN_TOKEN)\|>|<(?:end_of_turn|turn\||bos|eos|BOS_TOKEN|EOS_TOKEN)>|\[/SYSTEM_PROMPT\]"
    r"|<\uff5c(?:begin|end)\u2581of\u2581sentence\uff5c>|\[gMASK\]|<sop>"
)
_LIMITS_BEFORE = re.compile(rf"(?:\s*+(?:{_LIMIT}|<s>(?=\s*+\[INST\])))++\s*+")
# One that no `<s>` opens: HTML strikes words out by the same.
_LIMIT_BEHIND = re.compile(rf"(?:{_LIMIT}|(?P<struck></s>))\Z")
_LIMIT_CHARACTERS = 40


def role_of(header: re.Match[str]) -> TurnRole | None:
    """Return the role of the speaker that a turn's header names in its only group that matches; None: unknown."""
    return _ROLES.get(str(header[header.lastgroup or 0]).casefold())


def without_turn_limits(text: str) -> str:
    """Return a text without the tokens at either end of it that mark the limits of a turn."""
    begins = _LIMITS_BEFORE.match(text)
    begin, end = begins.end() if begins else 0, len(text)
    words_end = _last_word(text, begin, end)
    is_struck = "<s>" in text[begin:] and "[INST]" not in text
    while (limit := _limit_before(text, begin, words_end)) is not None:
        if limit["struck"] and is_struck:
            break
        end = words_end = _last_word(text, begin, limit.start())
    return text[begin:end]


def own_turn(text: str) -> str:
    """Return an answer without the header of its turn, and without the turns that a server let the model go on with.

    The next turn begins behind a token that ends one. A text whose first header stands elsewhere, or in code, speaks of
    such tokens, and stays whole. Harmony's answers have several turns of the model's, and are returned with them.
    """
    begins = _LIMITS_BEFORE.match(text)
    begin = begins.end() if begins else 0
    header = TURN_BEGINS.match(text, len(text) - len(text[begin:].lstrip()))
    if header is not None and role_of(header) == "assistant" and not (header["harmony"] or header["tag"]):
        begin = header.end()
    headers = TURN_BEGINS.finditer(text, begin)
    following = next((one for one in headers if not one["harmony"] or role_of(one) != "assistant"), None)
    return text[begin : following.start()] if following and _ends_a_turn(text, begin, following) else text[begin:]


def _ends_a_turn(text: str, begin: int, following: re.Match[str]) -> bool:
    """Whether a token that ends a turn stands before a header, outside code; in HTML `</s>` is none."""
    limit = _limit_before(text, begin, _last_word(text, begin, following.start()))
    if limit is None or (limit["struck"] and "<s>" in text):
        return False
    return "```" not in text[begin : limit.start()] and text[limit.start() - 1 : limit.start()] != "`"


def _limit_before(text: str, begin: int, end: int) -> re.Match[str] | None:
    return _LIMIT_BEHIND.search(text, max(begin, end - _LIMIT_CHARACTERS), end)


def _last_word(text: str, begin: int, end: int) -> int:
    """The end of the last word before a place."""
    while end > begin and text[end - 1].isspace():
        end -= 1
    return end
