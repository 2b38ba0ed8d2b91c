"""Vectors of texts of any length: one for a whole text, and some for a long question.

numpy is imported with the first mean: the stream reader imports this module, and embeds nothing.
"""

from collections.abc import Sequence
from itertools import pairwise

from providers.embedding import Embedder, embed_each
from providers.errors import InputRefused
from providers.windows import Window, windows
from store.nodes.embeddings import Vector

# A question with more windows has this many vectors, each the direction of some windows' mean.
MOST_QUESTION_VECTORS = 8


def embed_whole(embedder: Embedder, texts: Sequence[str]) -> list[Vector | InputRefused]:
    """Embed each text with one vector: a long one's is the direction of the mean of its windows.

    Returns:
        For each text its unit vector, or the refusal of one of its windows.

    Raises:
        ProviderError: Any other error.
    """
    cut = [_windows(embedder, text) for text in texts]
    answers = iter(embed_each(embedder, [one.text for of_text in cut for one in of_text]))
    return [_mean([next(answers) for _ in of_text]) for of_text in cut]


def embed_question(embedder: Embedder, question: str) -> list[Vector]:
    """Embed a question: one vector, or some for one that is too long for one.

    Raises:
        ProviderError: It was not embedded.
    """
    made = embedder.embed_queries([one.text for one in windows(embedder, question)])
    parts = min(len(made), MOST_QUESTION_VECTORS)
    each, more = divmod(len(made), parts)
    cuts = pairwise(part * each + min(part, more) for part in range(parts + 1))
    return [_direction(made[start:end]) for start, end in cuts]


def embed_questions(embedder: Embedder, questions: Sequence[str]) -> list[Vector]:
    """Embed several questions in one request: a vector for each of the first windows of each.

    Raises:
        ProviderError: They were not embedded.
    """
    texts = [one.text for question in questions for one in windows(embedder, question)[:MOST_QUESTION_VECTORS]]
    return list(embedder.embed_queries(texts))


def with_prefixes(embedder: Embedder, texts: Sequence[str], answers: Sequence[Vector | InputRefused]) -> list[Vector]:
    """The vectors of texts: of one that the model refuses, that of a prefix, so that none is lost to a smaller window.

    Args:
        embedder: The model.
        texts: The texts.
        answers: The result of `embed_each` or `embed_whole` for each.

    Raises:
        ProviderError: A prefix was not embedded.
    """
    return [
        _prefix(embedder, text) if isinstance(answer, InputRefused) else answer
        for text, answer in zip(texts, answers, strict=True)
    ]


def _prefix(embedder: Embedder, text: str) -> Vector:
    """Embed the longest prefix, by halving, that the model accepts."""
    while len(text) > 1:
        text = text[: len(text) // 2]
        (answer,) = embed_each(embedder, [text])
        if not isinstance(answer, InputRefused):
            return answer
    raise InputRefused("The model refuses even the first character of a text that another model accepted.")


def _windows(embedder: Embedder, text: str) -> list[Window]:
    try:
        return windows(embedder, text)
    except InputRefused:
        # The text can't be read: its embedding is refused likewise, and reported for this text alone.
        return [Window(0, text)]


def _mean(answers: Sequence[Vector | InputRefused]) -> Vector | InputRefused:
    made = [one for one in answers if not isinstance(one, InputRefused)]
    refused = [one for one in answers if isinstance(one, InputRefused)]
    return refused[0] if refused else _direction(made)


def _direction(vectors: Vector | Sequence[Vector]) -> Vector:
    """The unit vector in the direction of the mean of some; of one, itself."""
    if len(vectors) == 1:
        return vectors[0]
    import numpy as np  # noqa: PLC0415  # see the module

    mean = np.mean(vectors, axis=0)
    unit: Vector = (mean / np.linalg.norm(mean)).astype(np.float32)
    return unit
