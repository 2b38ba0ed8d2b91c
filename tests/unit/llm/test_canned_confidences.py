"""The provider that answers by rules names what was said in confidence, as people ask for it in English."""

import pytest

from memory.facts import extraction_rules
from schemas.facts.judgement import Judgement
from tests.unit.llm.test_fake_policy import answered, heard

SECRETS = [
    "Keep this between you and me: I will propose to Karla.",
    "Please don't tell Leo, I'm pregnant, it\u2019s early days.",
    "Please don\u2019t tell Leo, I\u2019m pregnant.",
    "This must stay between us. I feel Leo is useless.",
    "I tell you this in confidence: I owe the bank a fortune.",
]
TALK = ["I live in New Lisbon.", "Tell me a story about Leo.", "The wall between the gardens fell down."]


def named(*said):
    """The places of the messages that the judge names."""
    sources, shown, fresh = heard(*said)
    judgement = answered(Judgement, "\n".join(shown))
    confidences = extraction_rules.check(judgement, sources, fresh, {}).confidences
    places = {source.message.message_id: int(ref[1:]) for ref, source in sources.items()}
    return {(places[one.message_id], places[one.asked_in]) for one in confidences}


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_named_and_no_other_message(secret):
    assert named(("user", TALK[0]), ("user", secret), ("user", TALK[1])) == {(2, 2)}


@pytest.mark.parametrize("plain", TALK)
def test_usual_talk_is_no_secret(plain):
    assert named(("user", plain)) == set()


@pytest.mark.parametrize(
    "asking",
    ["Please keep that between us.", "Don't tell anyone about this.", "That stays between us, Leo."],
)
def test_a_bare_request_means_what_was_said_before(asking):
    said = (("user", TALK[0]), ("user", "I am seeing Karla, from the harbour."), ("companion", "Oh!"), ("user", asking))
    assert named(*said) == {(2, 4), (3, 4), (4, 4)}
