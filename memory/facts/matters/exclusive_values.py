"""Statements that give different values of something that a person has one of at a time, recognised without a model.

They must be about such a thing, as `thing:home`, and differ in names and numbers alone: "Lives in Austin, Texas." and
"Lives in Berlin.". All other contradictions take a model.
"""

import re

from memory.grounding.known_words import is_known_name, plain

# Producers' names for things that a person has one of at a time.
_THINGS = (
    frozenset(
        {"name", "first_name", "last_name", "surname", "age", "birthday", "birth_date", "date_of_birth", "birthplace"}
    )
    | {"home", "home_address", "address", "hometown", "residence", "time_zone", "height", "weight"}
    | {"job", "occupation", "profession", "employer"}
    | {"partner", "spouse", "husband", "wife", "fiance", "fiancee", "girlfriend", "boyfriend"}
)
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_VALUE = "\0"


def give_different_values(entity_ref: str, one: str, other: str) -> bool:
    """Whether two statements about an entity say the same of it but for names and numbers, in which they differ.

    One that only says more, as "Lives in Austin, Texas." beside "Lives in Austin.", gives no different value.
    """
    if entity_ref.removeprefix("thing:") not in _THINGS:
        return False
    (frame, values), (other_frame, other_values) = _taken_apart(one), _taken_apart(other)
    return frame == other_frame and not values <= other_values and not other_values <= values


def values_of(statement: str) -> frozenset[str]:
    """The names and numbers of a statement, folded, with a name that begins it."""
    first = _WORD.search(statement)
    begins = {first[0].casefold()} if first and is_known_name(plain(first[0])) else set[str]()
    return frozenset(_taken_apart(statement)[1] | begins)


def _taken_apart(statement: str) -> tuple[list[str], set[str]]:
    """The words of a statement with one mark for each run of names and numbers, and the words in these runs."""
    frame: list[str] = []
    values: set[str] = set()
    for place, word in enumerate(_WORD.findall(statement)):
        # A capital inside a sentence, in scripts that have them, begins a name.
        if word[0].isdigit() or (place and word[0].isupper()):
            values.add(word.casefold())
            if frame[-1:] != [_VALUE]:
                frame.append(_VALUE)
        else:
            frame.append(word.casefold())
    return frame, values
