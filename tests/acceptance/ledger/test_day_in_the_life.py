"""The state seed's own timeline, on the moved clock, through real workers; each stated effect is found."""

import random
from uuid import UUID

import pytest

from memory.context import assembly
from memory.context.assembly_request import AssemblyRequest
from memory.intake.messages import accept_messages
from memory.talk import sessions as conversation
from operations.talk.sessions import list_spines, show_session
from providers.embedders import Embedders
from schemas.context.context import AssemblyOptions
from store.accounts import beings
from store.facts import facts, todos
from store.talk import messages
from tests.conftest import Clock
from tests.databases import answer_of


class Day:
    """A user with two Beings, Coach and another, whose workers think."""

    def __init__(self, life, wait_until):
        self.life, self._wait_until = life, wait_until
        life.thinker(
            PATROL_JUDGE_MESSAGES="1",
        )
        with life.store.transaction() as tx:
            self.coach = beings.get_being(tx, life.being_id)
            self.other = beings.add_being(tx, self.coach.user_id, "other", "Other")
        self.clock = Clock(life.store)

    def says(self, content, role="user"):
        """Say something now."""
        eager = self.life.settings.model_copy(update={"judge_messages": 1})
        said = [{"role": role, "content": content}]
        accept_messages(self.life.store, eager, self.coach.being_id, said)

    def until(self, condition):
        """Wait for what workers do."""
        self._wait_until(condition)

    @property
    def state(self):
        """Coach's session state."""
        return conversation.state(self.life.store, self.coach.being_id)

    @property
    def sessions(self):
        """Coach's conversations, oldest first."""
        with self.life.store.transaction() as tx:
            listed = messages.sessions(tx, self.coach.being_id, before=None, limit=10)[::-1]
        return [answer_of(self.life.store, show_session, self.coach, one.session_id) for one in listed]

    def known_to(self, being):
        """A Being's facts."""
        with self.life.store.transaction() as tx:
            return [fact.content for fact in facts.page(tx, being.user_id, being.being_id, limit=50)]

    def todos_of(self, being):
        """A Being's open work."""
        with self.life.store.transaction() as tx:
            return [todo.content for todo in todos.page(tx, being.being_id, limit=50)]

    def spines(self, being):
        """The user's spine, as a Being reads it."""
        return list_spines.call(self.life, being, limit=10).versions

    def summary_region(self, session_id: UUID | None = None):
        """Coach's memories of what came before."""
        how = AssemblyOptions(format="text", activate=False)
        embedders, settings = Embedders(self.life.settings), self.life.settings
        wanted = AssemblyRequest(how, None, session_id=session_id)
        return assembly.assemble(self.life.store, embedders, settings, self.coach, wanted, random.Random(1)).text


@pytest.fixture
def day(life, wait_until):
    return Day(life, wait_until)


@pytest.mark.long
@pytest.mark.usefixtures("locks_in_order")
def test_the_state_evolves_as_the_seed_tells(day):
    # t=0: the first message.
    day.says("I live in Austin. I'll walk every morning.")
    assert [session.turn_count for session in day.sessions] == [1]
    assert day.state.state.message_count == 1
    day.until(lambda: day.todos_of(day.coach))
    assert day.known_to(day.coach) == day.known_to(day.other) == ["The user lives in Austin."]
    assert day.todos_of(day.coach) == ["Walk every morning"]
    assert day.todos_of(day.other) == []

    # t=1: the second.
    day.says("How far will you walk?", "assistant")
    assert (day.sessions[0].turn_count, day.state.state.message_count) == (2, 2)

    # t=3: the fourth has the talk summed up.
    day.says("I love the river.")
    assert day.state.rolling_summary is None
    day.says("To the river and back, then.", "assistant")
    day.until(lambda: day.state.rolling_summary)
    assert "I love the river." in day.state.rolling_summary
    assert day.state.state.last_rolling_error is None

    # t=35min: nothing more is said.
    day.clock.advance(minutes=35)
    day.until(lambda: day.sessions[0].summary)
    (closed,) = day.sessions
    assert closed.ended_at == closed.last_activity_at
    assert closed.summary.open_loops == ["How far will you walk?"]
    assert closed.summary.commitments == ["I'll walk every morning."]

    # t=36min: a new conversation, which knows of the one before.
    day.clock.advance(minutes=1)
    day.says("Good evening.")
    assert [session.turn_count for session in day.sessions] == [4, 1]
    assert day.state.state.message_count == 5
    in_mind = day.summary_region(day.sessions[1].session_id)
    assert "one_liner: I live in Austin." in in_mind
    assert "I love the river." in in_mind
    assert "spine" not in in_mind

    # t=n: more than twenty messages.
    for number in range(16):
        day.says(f"I like tune number {number}.")
    day.until(lambda: day.spines(day.other))
    (spine,) = day.spines(day.other)
    assert spine.version == 1
    assert "I live in Austin." in spine.content.PEOPLE + spine.content.PROFILE
    assert day.state.state.message_count == 21
    day.until(lambda: "<spine>" in day.summary_region(day.sessions[1].session_id))
