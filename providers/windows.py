"""Cuts texts that are longer than an embedder reads into overlapping windows, at sentence borders where possible."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from providers.embedding import Embedder
from schemas.text.sentences import SPACED_ENDS, UNSPACED_ENDS

# A text of at most this many tokens has one vector. The vector of a longer one says too little of each sentence, even
# if the model can read it whole.
WHOLE_TOKENS = 256
# Of the sizes 48, 64, 96, 128, 192 and 254, 64 and 96 found most, and the smaller holds less beside (decision 111).
WINDOW_TOKENS = 64
# The part of a window that repeats the end of the window before.
OVERLAP = 0.2
# A sentence that fills more of a window than this is divided, so that windows can overlap.
MOST_OF_A_WINDOW = 0.5

# A run of points is read once, from its beginning: it ends a sentence or does not.
_POINTS = rf"[{SPACED_ENDS}\u2026]"
_SENTENCE_END = re.compile(
    rf"(?<!{_POINTS}){_POINTS}++[\"'\u201d\u2019)\]]*+\s+|[{UNSPACED_ENDS}]+[\u300d\u300f]?\s*|\n+"
)
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of a text that an embedder reads whole.

    Attributes:
        start: The character of the text at which it begins.
        text: Its text.
    """

    start: int
    text: str


def windows(embedder: Embedder, text: str, before: str = "") -> list[Window]:
    """Cut a text into windows; a text that fits is one.

    Args:
        embedder: The embedder that reads the windows.
        text: Any text.
        before: The beginning of each window, such as a speaker's name; the windows' `start` does not count it.
    """
    of_text, of_before = embedder.count_tokens([text, before])
    if of_text + of_before <= min(embedder.max_tokens, WHOLE_TOKENS):
        return [Window(0, before + text)]
    most = max(1, min(embedder.max_tokens - of_before, WINDOW_TOKENS))
    parts = list(_parts(embedder, text, most))
    spans = ((parts[first][0], parts[last - 1][1]) for first, last in _runs([tokens for _, _, tokens in parts], most))
    return [Window(start, before + text[start:end].strip()) for start, end in spans if text[start:end].strip()]


def _runs(tokens: Sequence[int], most: int) -> Iterator[tuple[int, int]]:
    """From which part to which (without it) each window goes, given the tokens of each part."""
    first = last = held = 0
    while last < len(tokens):
        while last < len(tokens) and (last == first or held + tokens[last] <= most):
            held += tokens[last]
            last += 1
        yield first, last
        first, held = last, 0
        # The parts of the overlap: at least one, if the part that comes next still fits beside it.
        while last < len(tokens) and first > 0 and tokens[first - 1] + held + tokens[last] <= most:
            if held and held + tokens[first - 1] > OVERLAP * most:
                break
            first -= 1
            held += tokens[first]


def _parts(embedder: Embedder, text: str, most: int) -> Iterator[tuple[int, int, int]]:
    """The sentences of a text, long ones divided: where each begins and ends, and its tokens."""
    ends = [*(found.end() for found in _SENTENCE_END.finditer(text)), len(text)]
    spans = [(start, end) for start, end in zip([0, *ends], ends, strict=False) if start < end]
    while True:
        counts = embedder.count_tokens([text[start:end] for start, end in spans])
        divided: list[tuple[int, int]] = []
        for count, (start, end) in zip(counts, spans, strict=True):
            if count <= MOST_OF_A_WINDOW * most or end - start == 1:
                divided.append((start, end))
            else:
                middle = _middle(text, start, end)
                divided += [(start, middle), (middle, end)]
        if len(divided) == len(spans):
            yield from ((start, end, count) for (start, end), count in zip(spans, counts, strict=True))
            return
        spans = divided


def _middle(text: str, start: int, end: int) -> int:
    """Return the position to divide a stretch at: behind the white space nearest to its middle, else the middle."""
    middle = (start + end) // 2
    spaces = [found.end() for found in _SPACE.finditer(text, start + 1, end) if found.end() < end]
    return min(spaces, key=lambda at: abs(at - middle), default=middle)
