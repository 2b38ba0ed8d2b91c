"""Verifies that a message contains the words that a model quotes from it ("no span, no fact")."""

import re

from memory.text.prompt_escaping import unescaped


def find_quote(quoted: str, text: str) -> str | None:
    """Find a quotation in a text, exact except for white space.

    Args:
        quoted: The words that a model copied, escaped for prompts or not.
        text: The message's text.

    Returns:
        The words as the text has them; None if the text does not contain them.
    """
    for words in (quoted.split(), unescaped(quoted).split()):
        if words and (found := re.search(r"\s+".join(map(re.escape, words)), text)):
            return found[0]
    return None
