"""An answer is read in the form that was asked for, and a complaint repeats nothing of it."""

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from providers.completion import Completion, Usage
from providers.errors import BadAnswer
from providers.thinking import Question, max_usage, read

SECRET = "words that must not be repeated"  # noqa: S105  # not a password, but a person's words


class Here(BaseModel):
    """One kind of place."""

    kind: Literal["here"]


class There(BaseModel):
    """Another."""

    kind: Literal["there"]


class Places(BaseModel):
    """Some places."""

    model_config = ConfigDict(extra="forbid")

    names: list[str]
    way: Annotated[Here | There, Field(discriminator="kind")] | None = None
    mood: Literal["good", "bad"] | None = None
    text: str | None = None


def question(material=""):
    return Question("find", "small", "Find them.", "", material, Places, 100)


def asked(text):
    return read(question(), Completion(text, "m", Usage())).answer


def test_an_answer_in_its_form_is_read():
    assert asked('{"names": ["Ghent"], "way": {"kind": "there"}}').names == ["Ghent"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"names": [{"a": {"b": "%s"}}]}', r"names\[0\]"),
        ('{"%s": 1}', "a field that the schema does not have"),
        ('{"more": null}', "names: Field required"),
        ('"%s"', "dictionary"),
    ],
)
def test_a_complaint_names_the_place_and_repeats_nothing(text, place):
    with pytest.raises(BadAnswer, match=place) as caught:
        asked(text.replace("%s", SECRET))
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.completion.text == text.replace("%s", SECRET)


def test_a_complaint_stays_short():
    with pytest.raises(BadAnswer, match="and 90 more") as caught:
        asked(f'{{"names": {[{}] * 100}}}')
    assert len(str(caught.value)) < 1000


def test_an_estimate_grows_with_what_is_asked_and_has_room_for_thoughts():
    little, much = max_usage(question("a"), room=0), max_usage(question("a" * 4000), room=500)
    assert little.input_tokens < 10
    assert much.input_tokens > 1000
    assert (little.output_tokens, much.output_tokens) == (100, 600)
    assert little.cache_write_tokens == much.cache_write_tokens > 0
