"""Fences: what people and models wrote stands inside them, and can't get out.

A fence is a pair of our own tags around text that is not ours. Inside, `&` and `<` are written as `&amp;` and `&lt;`:
no text can close its fence, open another, or pose as what stands outside. The same text gives the same bytes, which
keeps a prompt's prefix the same for a cache, as a secret that is drawn anew each time would not.
"""

from html import unescape
from xml.sax.saxutils import quoteattr


def fenced(name: str, text: str, /, **attributes: object) -> str:
    """Put a fence around text.

    Args:
        name: The tag's name, one of our own words.
        text: What somebody wrote.
        attributes: Short facts about the text for the opening tag; their values are made safe as well.
    """
    facts = "".join(f" {key}={_attribute(str(value))}" for key, value in attributes.items())
    return f"<{name}{facts}>\n{disarmed(text)}\n</{name}>"


def disarmed(text: str) -> str:
    """What somebody wrote, without the power to open or close a fence; for places that are fenced by other means."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def unfenced(text: str) -> str:
    """What somebody wrote, of what a reader of a fence has copied from inside it."""
    return unescape(text)


def _attribute(text: str) -> str:
    return quoteattr(" ".join(text.split()))
