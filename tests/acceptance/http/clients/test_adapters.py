"""The adapters, each with the package that it adapts to, against a live API."""

import asyncio
import importlib

import pytest
from agents import Agent, Model, ModelResponse, Runner, Usage
from agents.memory import Session
from openai.types.responses import ResponseOutputMessage, ResponseOutputText
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai.messages import ModelResponse as PydanticResponse
from pydantic_ai.messages import TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

from tests.acceptance.http.clients.conftest import secret_of
from tests.acceptance.http.intake.scenes import scene


class Echo(Model):
    """A model that answers with the number of messages that it was shown."""

    def __init__(self) -> None:
        self.shown = []

    async def get_response(self, system_instructions, input, *_, **__):  # noqa: A002, ARG002  # as the SDK calls it
        self.shown.append(input)
        text = ResponseOutputText(text=f"I was shown {len(input)}.", type="output_text", annotations=[])
        message = ResponseOutputMessage(
            id=f"m{len(self.shown)}", content=[text], role="assistant", status="completed", type="message"
        )
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError


def said_in(person, conversation):
    """The messages of a conversation."""
    sessions = person.ask("GET", "/sessions").json()["sessions"]
    return [
        message["content"]
        for session in sessions
        if session["conversation"] == conversation
        for message in person.ask("GET", f"/sessions/{session['session_id']}/messages").json()["messages"]
    ]


def test_a_run_of_an_openai_agent_continues_the_conversation(patrol, person, stack):
    adapter = importlib.import_module("memory_patrol.openai_agents")

    async def talk():
        model = Echo()
        agent = Agent(name="Mira", model=model)
        async with patrol.AsyncMemoryPatrol(stack.url, secret_of(person)) as memory:
            for text in ("My oven broke.", "What broke?"):
                session = adapter.PatrolSession(memory, "mira", "chat-1")
                assert isinstance(session, Session)
                result = await Runner.run(agent, text, session=session)
        return model, result.final_output

    model, answered = asyncio.run(talk())
    assert answered == "I was shown 3."
    assert [item["content"] for item in model.shown[1]] == ["My oven broke.", "I was shown 1.", "What broke?"]
    assert said_in(person, "chat-1") == ["My oven broke.", "I was shown 1.", "What broke?", "I was shown 3."]


def test_a_session_gives_takes_back_and_clears(patrol, person, stack):
    adapter = importlib.import_module("memory_patrol.openai_agents")
    items = [{"role": ("user", "assistant")[number % 2], "content": f"{number}."} for number in range(6)]

    async def use():
        async with patrol.AsyncMemoryPatrol(stack.url, secret_of(person)) as memory:
            session, other = (adapter.PatrolSession(memory, "mira", name) for name in ("chat-1", "chat-2"))
            assert await session.pop_item() is None
            await session.add_items([*items, {"type": "function_call", "call_id": "c", "name": "n", "arguments": "{}"}])
            await other.add_items(items[:1])
            assert await session.get_items() == items
            assert await session.get_items(limit=2) == items[-2:]
            assert await session.get_items(limit=0) == []
            assert await session.pop_item() == items[-1]
            assert await session.get_items() == items[:-1]
            await session.clear_session()
            assert await session.get_items() == []
            assert await other.get_items() == items[:1]

    asyncio.run(use())
    assert said_in(person, "chat-1") == []
    assert len(person.ask("GET", "/retracted-messages", params={"conversation": "chat-1"}).json()["messages"]) == 6


def test_a_session_off_the_record_has_a_history_and_hands_nothing_in(patrol, person, stack):
    adapter = importlib.import_module("memory_patrol.openai_agents")
    items = [{"role": "user", "content": "My oven broke."}, {"role": "assistant", "content": "Oh."}]

    async def use():
        async with patrol.AsyncMemoryPatrol(stack.url, secret_of(person)) as memory:
            await adapter.PatrolSession(memory, "mira", "chat-1").add_items(items[:1])
            session = adapter.PatrolSession(memory, "mira", "chat-1", off_the_record=True)
            await session.add_items(items)
            assert await session.get_items() == [items[0], *items]
            assert await session.get_items(limit=2) == items
            assert await session.pop_item() == items[1]
            assert await session.get_items() == [items[0]] * 2

    asyncio.run(use())
    assert said_in(person, "chat-1") == ["My oven broke."]


def test_an_agent_of_pydantic_ai_off_the_record_can_look_alone(patrol, person, stack):
    adapter = importlib.import_module("memory_patrol.pydantic_ai")

    async def names():
        async with patrol.AsyncMemoryPatrol(stack.url, secret_of(person)) as memory:
            return set(adapter.memory_toolset(memory, "mira", off_the_record=True).tools)

    assert asyncio.run(names()) == {"recall_memory", "search_memory"}


@pytest.mark.parametrize(
    ("tool", "arguments"), [("recall_memory", {"query": "the oven"}), ("search_memory", {"query": "the oven"})]
)
def test_an_agent_of_pydantic_ai_finds_what_happened(patrol, person, stack, wait_until, tool, arguments):
    adapter = importlib.import_module("memory_patrol.pydantic_ai")
    person.ask("POST", "/notes", json=scene("The oven failed."))
    person.patrol()
    wait_until(lambda: not person.ask("POST", "/search", json={"query": "oven"}).json()["unindexed"])

    told = ask(adapter, patrol, person, stack, ToolCallPart(tool, arguments))
    assert "The oven failed." in told


def test_an_agent_of_pydantic_ai_remembers(patrol, person, stack):
    adapter = importlib.import_module("memory_patrol.pydantic_ai")
    arguments = {"action": "The cat came home.", "actors": ["Mira"], "when": "2026-03-02"}
    assert "Kept." in ask(adapter, patrol, person, stack, ToolCallPart("remember_event", arguments))
    (note,) = person.ask("GET", "/notes").json()["notes"]
    assert note["content"]["action"] == "The cat came home."
    assert note["content"]["when"] == ["2026-03-02"]


@pytest.mark.parametrize("tool", ["recall_memory", "search_memory"])
def test_what_an_agent_of_pydantic_ai_remembers_is_found_at_once(patrol, person, stack, tool):
    adapter = importlib.import_module("memory_patrol.pydantic_ai")
    arguments = {"action": "The cats came home.", "actors": ["Mira"], "when": "2026-03-02"}
    ask(adapter, patrol, person, stack, ToolCallPart("remember_event", arguments))
    told = ask(adapter, patrol, person, stack, ToolCallPart(tool, {"query": "Where is my cat, did it come home?"}))
    assert "The cats came home." in told


def ask(adapter, patrol, person, stack, call):
    """Let an agent call a tool of the toolset once; returns the tool's answer, which the agent repeats."""

    def answer(messages, info):
        assert {tool.name for tool in info.function_tools} == {"recall_memory", "search_memory", "remember_event"}
        assert "long-term memory" in str(info.instructions)
        returned = [part for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
        return PydanticResponse(parts=[TextPart(str(returned[0].content))] if returned else [call])

    async def run():
        async with patrol.AsyncMemoryPatrol(stack.url, secret_of(person)) as memory:
            agent = PydanticAgent(FunctionModel(answer), toolsets=[adapter.memory_toolset(memory, "mira")])
            return (await agent.run("What about the oven?")).output

    return asyncio.run(run())
