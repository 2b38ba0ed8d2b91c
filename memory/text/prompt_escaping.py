"""Escapes untrusted text in prompts, against prompt injection.

Text written by people and models stands between tags of our own. Inside, `&` and `<` are escaped as `&amp;` and `&lt;`,
so the text cannot close its tag, open another, or pass for instructions. Escaping is deterministic: the same text gives
the same bytes, which keeps a prompt's prefix cacheable, unlike a random delimiter.
"""

from collections.abc import Iterator
from html import unescape
from typing import Any
from xml.sax.saxutils import quoteattr


def tagged(name: str, text: str, /, **attributes: object) -> str:
    """Put a tag around untrusted text, and escape the text.

    Args:
        name: The tag's name, a constant of this program.
        text: The untrusted text.
        attributes: Attributes of the opening tag; their values are escaped and quoted as well.
    """
    facts = "".join(f" {key}={quoteattr(' '.join(str(value).split()))}" for key, value in attributes.items())
    return f"<{name}{facts}>\n{escaped(text)}\n</{name}>"


def escaped(text: str) -> str:
    """Escape untrusted text that the caller puts between tags itself."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def unescaped(text: str) -> str:
    """Undo the escaping in text that a model copied from inside a tag."""
    return unescape(text)


def unescaped_texts(value: Any) -> Any:
    """Undo the escaping in every text of a JSON value that a model copied from inside tags."""
    match value:
        case str():
            return unescaped(value)
        case dict():
            return {name: unescaped_texts(item) for name, item in value.items()}
        case list():
            return [unescaped_texts(item) for item in value]
        case _:
            return value


def texts_in(value: Any) -> Iterator[str]:
    """Yield every text of a JSON value, without the names of its fields."""
    match value:
        case str():
            yield value
        case dict():
            yield from texts_in(list(value.values()))
        case list():
            for item in value:
                yield from texts_in(item)
