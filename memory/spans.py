"""No span, no fact: whether a message really holds the words that somebody quotes from it."""

import re

from memory.fences import unfenced


def found_span(quoted: str, text: str) -> str | None:
    """Find quoted words in a text, letter by letter, white space aside.

    Args:
        quoted: What a model copied, from inside a fence or from before it was put up.
        text: What was said.

    Returns:
        The words as the text has them; None if they are not there.
    """
    for words in (quoted.split(), unfenced(quoted).split()):
        if words and (found := re.search(r"\s+".join(map(re.escape, words)), text)):
            return found[0]
    return None
