"""Two turns with the OpenAI Agents SDK on each of OpenAI's wires: `python openai_agents.py ADDRESS TOKEN`."""

import asyncio
import sys

from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI


async def main(address: str, token: str) -> None:
    """Talk, and print the last answers."""
    set_tracing_disabled(disabled=True)
    client = AsyncOpenAI(base_url=f"{address}/openai/v1", api_key=token, max_retries=0)
    models = {
        "responses": OpenAIResponsesModel(model="fake-1", openai_client=client),
        "chat": OpenAIChatCompletionsModel(model="fake-1", openai_client=client),
    }
    for name, model in models.items():
        agent = Agent(name="Mira", instructions="You are brief.", model=model)
        first = await Runner.run(agent, f"My sister Ingeborg moves to Bergen ({name}).")
        again = [*first.to_input_list(), {"role": "user", "content": f"And when ({name})?"}]
        sys.stdout.write(f"{(await Runner.run(agent, again)).final_output}\n")


asyncio.run(main(*sys.argv[1:]))
