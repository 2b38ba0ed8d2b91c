"""A schema that every provider takes, whatever pydantic puts into its own."""

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from providers.answers.answer_schema import answer_schema
from samples.canned.wire import check_schema

EVERYWHERE = frozenset({"$defs", "$ref", "additionalProperties", "anyOf", "const", "description", "enum", "items"}) | {
    *("properties", "required", "title", "type")
}


class Cat(BaseModel):
    """One that purrs."""

    kind: Literal["cat"]
    lives: int = Field(9, ge=1, le=9)


class Dog(BaseModel):
    """One that barks."""

    kind: Literal["dog"]
    tricks: list[Annotated[str, Field(max_length=20)]] = Field([], max_length=3, description="what it can do")


class Household(BaseModel):
    """The people who live here."""

    pets: list[Annotated[Cat | Dog, Field(discriminator="kind")]]
    favourite: Cat | None = Field(None, description="the one that is fed first")
    guest: Dog = Field(description="who is only visiting")
    parent: "Household | None" = None


def test_every_keyword_is_one_that_all_providers_take():
    check_schema(answer_schema(Household), EVERYWHERE, all_required=True)


def test_the_title_is_the_names_and_descriptions_and_limits_are_told_in_words():
    schema = answer_schema(Household)
    assert (schema["title"], schema["description"]) == ("Household", "The people who live here.")
    assert schema["$defs"]["Cat"]["properties"]["lives"]["description"] == "(maximum: 9) (minimum: 1)"
    tricks = schema["$defs"]["Dog"]["properties"]["tricks"]
    assert tricks["description"] == "what it can do (maxItems: 3)"
    assert tricks["items"] == {"type": "string", "description": "(maxLength: 20)"}


def test_a_reference_with_words_beside_it_becomes_a_union_of_one():
    guest = answer_schema(Household)["properties"]["guest"]
    assert guest == {"description": "who is only visiting", "anyOf": [{"$ref": "#/$defs/Dog"}]}


def test_a_field_with_free_keys_is_refused():
    class Free(BaseModel):
        counts: dict[str, int]

    with pytest.raises(TypeError, match="free keys"):
        answer_schema(Free)
