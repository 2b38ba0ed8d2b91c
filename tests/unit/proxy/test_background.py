"""Requests that frontends make for themselves are told from what a person says."""

import pytest
from pydantic import ValidationError

from memory.proxy.background import maker_of
from memory.proxy.transcript import read_transcript
from schemas.settings import Settings
from tests.recordings import BACKGROUND, NOT_BACKGROUND


@pytest.mark.parametrize("messages", BACKGROUND.values(), ids=BACKGROUND)
def test_requests_of_frontends_are_recognised(messages):
    assert maker_of(read_transcript(messages)) == "frontend"


@pytest.mark.parametrize("messages", NOT_BACKGROUND.values(), ids=NOT_BACKGROUND)
def test_what_a_person_asks_is_no_background(messages):
    assert maker_of(read_transcript(messages)) == "person"


def test_an_operator_registers_prompts_as_they_are_set(monkeypatch):
    monkeypatch.setenv(
        "PATROL_PROXY_TASK_PROMPTS", '["Name this talk in Dutch, briefly:\\n{{MESSAGES:END:2}}\\nName:"]'
    )
    prompts = Settings().proxy_task_prompts
    asked = {"role": "user", "content": "Name this talk in Dutch, briefly:\nMy cat is called Minka.\n\nName:"}
    said = {"role": "user", "content": "Name this talk in Dutch, please."}
    assert maker_of(read_transcript([asked]), prompts) == "frontend"
    assert maker_of(read_transcript([asked])) == maker_of(read_transcript([said]), prompts) == "person"
    monkeypatch.setenv("PATROL_PROXY_TASK_PROMPTS", '["Title: {{prompt}}"]')
    with pytest.raises(ValidationError):
        Settings()


def test_what_begins_with_a_whole_sentence_of_a_prompt_may_be_either():
    asked = "You have been provided with a set of responses from various models to the latest user query: mine, haha."
    assert maker_of(read_transcript([{"role": "user", "content": asked}])) == "unsure"
