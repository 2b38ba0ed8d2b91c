"""Talk while a provider is away: it is kept at once, and judged and summed up when the provider is back."""

import pytest

from memory.talk import judging, sessions
from providers.errors import Transient
from tests.conversations import fact
from tests.fakes.provider import Behaviour


def test_what_was_said_meanwhile_is_judged_and_summed_up_when_the_provider_is_back(talk, clock, sent):
    talk.provider.script(Behaviour(do="fail", on="messages", status=529, times=None))
    talk.says("I love tea.")
    with pytest.raises(Transient):
        talk.judged()
    asked = len(talk.provider.requests)

    talk.says("I drink it black.", "With cake.", "Every day.", "At five.")
    with talk.store.transaction() as tx:
        tx.execute("update memory.work set state = 'ready', lease_until = null, next_at = clock_timestamp()")
    talk.judged()
    talk.summed_up()
    assert talk.unjudged() == 5
    assert len(talk.provider.requests) == asked
    assert sent.by(lambda: judging.request_waiting(talk.store, talk.thinkers)) == []
    assert sent.by(lambda: sessions.request_waiting(talk.store, talk.thinkers)) == []

    talk.provider.reset()
    clock.advance(seconds=11)
    talk.answers(fact("I love tea"))
    assert sent.by(lambda: judging.request_waiting(talk.store, talk.thinkers)) != []
    assert sent.by(lambda: sessions.request_waiting(talk.store, talk.thinkers)) != []
    talk.judged()
    talk.summed_up()
    assert talk.unjudged() == 0
    assert len(talk.facts()) == 1
