"""Requests that frontends make for themselves are told from what a person says."""

import pytest

from memory.proxy.background import maker_of
from memory.proxy.transcript import read_transcript
from tests.recordings import BACKGROUND, NOT_BACKGROUND


@pytest.mark.parametrize("messages", BACKGROUND.values(), ids=BACKGROUND)
def test_requests_of_frontends_are_recognised(messages):
    assert maker_of(read_transcript(messages)) == "frontend"


@pytest.mark.parametrize("messages", NOT_BACKGROUND.values(), ids=NOT_BACKGROUND)
def test_what_a_person_asks_is_no_background(messages):
    assert maker_of(read_transcript(messages)) == "person"
