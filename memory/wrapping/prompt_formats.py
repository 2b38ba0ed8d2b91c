"""A prompt in a model's own format within one message: whole chats, and single turns, that a program has filled in.

    <|im_start|>user … <|im_end|>                       ChatML
    <|start_header_id|>user<|end_header_id|> … <|eot_id|>    Llama
    <start_of_turn>user … <end_of_turn>                 Gemma
    [INST] … [/INST]                                    Mistral, Llama 2
    ### Instruction: … ### Response:                    Alpaca
    USER: … ASSISTANT:                                  Vicuna and others

Tokens count where the message begins with one. Labels in words count where it ends with the model's, behind which the
model is to write. Before a whole dialogue that ends so anything may stand, such as a character's description. In all
other messages a person may quote them.
"""

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from schemas.text.turn_tokens import TURN_BEGINS, TurnRole, role_of, without_turn_limits

# Of more turns the first ones are read.
MOST_PIECES = 4_000
_WORDS = re.compile(
    r"^(?:###[ \t]*+(?P<alpaca>instruction|input|response|system|user|human|assistant)[ \t]*+(?:\([^()\n]{0,200}\))?+"
    # Behind the last heading the model's name may stand.
    r":?+[ \t]*+(?:\r?\n[^\n:]{1,100}:\s*+\Z|(?=\r?\n|\Z))|###[ \t]*+(?P<headed>user|human|assistant):[ \t]"
    r"|(?P<labelled>user|human|you|assistant|system|ai|bot|gpt):(?=\s|\Z))",
    re.IGNORECASE | re.MULTILINE,
)
# Further ends of a turn, beside the tokens that limit texts.
_CLOSES = ("<s>", *(f"</{name}>" for name in ("user", "human", "assistant", "bot", "ai", "model")))
_LONGEST_CLOSE = max(map(len, _CLOSES))
_LLAMA_SYSTEM, _LLAMA_SYSTEM_ENDS = "<<SYS>>", "<</SYS>>"


# Programs' texts before the first turn.
_BEFORE_TURNS = re.compile(
    r"A chat between\b|Below is an instruction\b|The following is an? (?:\w{1,20} )?(?:conversation|chat|dialogue)\b"
    r"|(?:You are|You're|Act as|Roleplay as)\s",
    re.IGNORECASE,
)


class Piece(NamedTuple):
    """The lines in one turn of a filled-in prompt; in a system's, instructions."""

    role: TurnRole
    text: str


def filled_in(text: str) -> list[Piece]:
    """Return the turns of a prompt that is all of a message, but for empty ones; an empty list if it is none."""
    whole = without_turn_limits(text).strip()
    before, pieces = _read(whole, TURN_BEGINS)
    is_begun = _is_dialogue(pieces) and _BEFORE_TURNS.match(before) is not None
    if not pieces or not (not before or whole != text.strip() or is_begun or _asks_to_go_on(pieces)):
        before, pieces = _read(whole, _WORDS)
        is_begun = not before or _BEFORE_TURNS.match(before) is not None
        if not (_asks_to_go_on(pieces) or (is_begun and _asks(pieces))):
            return []
    worded = [piece for piece in [Piece("system", before), *pieces] if piece.text]
    return worded if any(piece.role == "user" for piece in worded) else []


def may_be_filled_in(text: str) -> bool:
    """Whether a text has turns of the user and the model in a model's format, which a person may quote."""
    return _is_dialogue(_read(text, TURN_BEGINS)[1]) or _asks(_read(text, _WORDS)[1])


def _is_dialogue(pieces: Sequence[Piece]) -> bool:
    return {"user", "assistant"} <= {piece.role for piece in pieces}


def _asks(pieces: Sequence[Piece]) -> bool:
    """Whether the model is to write behind the last label."""
    return len(pieces) > 1 and pieces[-1] == Piece("assistant", "")


def _asks_to_go_on(pieces: Sequence[Piece]) -> bool:
    """Whether the model is to write behind the last label, and has written before."""
    return _asks(pieces) and _is_dialogue([piece for piece in pieces if piece.text])


def _read(text: str, header: re.Pattern[str]) -> tuple[str, list[Piece]]:
    """The text before the first turn, and the turns, empty ones included."""
    found = list(islice(header.finditer(text), MOST_PIECES))
    if not found:
        return text, []
    ends = [*(one.start() for one in found[1:]), len(text)]
    pieces = [Piece(role_of(one) or "tool", _bare(text[one.end() : end])) for one, end in zip(found, ends, strict=True)]
    return text[: found[0].start()].strip(), pieces


def _bare(words: str) -> str:
    """Return a turn without its closing token and Llama's instructions, which stand in the user's first one."""
    words = without_turn_limits(words.strip()).strip()
    close = next((close for close in _CLOSES if words[-_LONGEST_CLOSE:].casefold().endswith(close)), None)
    if close is not None:
        words = without_turn_limits(words[: -len(close)].strip()).strip()
    if words.startswith(_LLAMA_SYSTEM) and _LLAMA_SYSTEM_ENDS in words:
        words = words.partition(_LLAMA_SYSTEM_ENDS)[2].strip()
    return words
