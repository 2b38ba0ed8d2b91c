"""Inputs made from a JSON schema, with a word of its own in every text that the schema lets in.

A field that is added to a schema is filled without being named here; a text that can hold no such word stands in
`WITHOUT_WORDS` with the reason.
"""

from collections.abc import Iterator, Mapping
from random import Random
from string import ascii_lowercase
from typing import Any

# So many that no two words are alike, and none is part of another text.
LETTERS = 12
# By the name of the field, where its schema does not tell.
WITHOUT_WORDS: Mapping[str, str] = {
    "scope": "names whose a vault record is",
    "scopes": "names whose vault records are read",
    "source": "one of a few words, checked by the vault's gates",
    "cursor": "was given out by an earlier answer",
    "being": "names the Being",
    "process": "names a process profile",
    "cluster_id": "an id",
    "date": "a day",
}
FIXED: Mapping[str, Any] = {
    "in_confidence": True,
    "others": True,
    "date": "2026-03-02",
    "tier": "register",
    "daily_cost": 1,
}
DATE_TIME = "2026-03-02T06:10:00Z"


class Words:
    """Makes words that no other text holds, and remembers the place of each."""

    def __init__(self) -> None:
        self._random = Random(1)
        self.places: dict[str, str] = {}

    def new(self, place: str) -> str:
        """Return a new word for a place, made of letters so that every pattern of a name lets it in."""
        word = "".join(self._random.choices(ascii_lowercase, k=LETTERS))
        self.places[word] = place
        return word

    def found_in(self, text: str) -> set[str]:
        """The places of the words that a text holds."""
        return {place for word, place in self.places.items() if word in text.lower()}


def inputs(document: Mapping[str, Any], schema: Mapping[str, Any], words: Words, place: str) -> Iterator[Any]:
    """Yield values that the schema allows, in which each of its alternatives and each of its texts occurs.

    Args:
        document: The document that references lead to.
        schema: The schema of the values.
        words: The source of the words.
        place: The schema's name.
    """
    if "$ref" in schema:
        target: Any = document
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        yield from inputs(document, target, words, place)
    elif alternatives := schema.get("anyOf") or schema.get("oneOf"):
        for alternative in alternatives:
            if alternative.get("type") != "null":
                yield from inputs(document, alternative, words, place)
    elif "const" in schema or "enum" in schema:
        yield from schema.get("enum", [schema.get("const")])
    elif "properties" in schema:
        yield from _objects(document, schema, words, place)
    elif schema.get("type") == "array":
        yield list(inputs(document, schema["items"], words, place))
    elif of_names := schema.get("patternProperties"):
        (values,) = (inputs(document, one, words, place) for one in of_names.values())
        yield {words.new(f"{place}, a name"): value for value in values}
    else:
        yield _simple(schema, words, place)


def _objects(document: Mapping[str, Any], schema: Mapping[str, Any], words: Words, place: str) -> Iterator[Any]:
    """Yield so many objects that each field has each of its alternatives, with new words in every object."""
    required = schema.get("required", ())

    def made() -> dict[str, list[Any]]:
        return {
            name: [FIXED[name]] if _is_fixed(name, inner) else list(inputs(document, inner, words, f"{place} {name}"))
            for name, inner in schema["properties"].items()
            if _is_fixed(name, inner) or (name not in WITHOUT_WORDS and (name in required or _holds_words(inner)))
        }

    alternatives = max(map(len, made().values()), default=0)
    for number in range(alternatives):
        yield {name: values[number % len(values)] for name, values in made().items()}


def _is_fixed(name: str, schema: Mapping[str, Any]) -> bool:
    """Whether a field always has one value; changes leave out what holds no word, and would move shared facts."""
    return name in FIXED and {"type": "boolean"} not in schema.get("anyOf", ())


def _holds_words(schema: Mapping[str, Any]) -> bool:
    """Whether a value of the schema may hold a text of any kind."""
    if alternatives := schema.get("anyOf") or schema.get("oneOf"):
        return any(map(_holds_words, alternatives))
    if schema.get("type") == "array":
        return _holds_words(schema["items"])
    if schema.get("format") in {"uuid", "date-time"}:
        return False
    return "$ref" in schema or schema.get("type") in {"string", "object"}


def _simple(schema: Mapping[str, Any], words: Words, place: str) -> Any:
    """A free object, one of switches, a text or a number."""
    if schema.get("type") == "object":
        of_switches = schema.get("additionalProperties") == {"type": "boolean"}
        return {words.new(f"{place}, a name"): False if of_switches else words.new(place)}
    if schema.get("type") != "string":
        return schema.get("minimum", 0)
    if schema.get("format") == "date-time":
        return DATE_TIME
    word = words.new(place)
    return f"thing:{word}" if "(person|" in schema.get("pattern", "") else word
