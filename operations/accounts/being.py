"""Settings of a Being that an operator changes at the terminal, beyond the limits of its user."""

from typing import Annotated, Literal

from pydantic import Field

from memory.accounts import beings
from operations.declaration import Command, operation
from schemas.accounts.accounts import Being, ScenesMode
from schemas.llm.prices import Dollars
from schemas.wire.fields import Conversation
from workers.runtime.resources import Resources


@operation(None, scope="manage", commands=[Command("scenes", arguments=["mode"])])
def choose_scenes(
    on: Resources,
    being: Being,
    *,
    mode: Annotated[ScenesMode | None, Field(description="Whether to draw them; else as the settings say.")] = None,
) -> Being:
    """Choose whether closed sessions become scenes; `auto`: unless a producer hands in scenes of the same time."""
    return beings.change(on.store, being, {"scenes": mode})


@operation(None, scope="manage", commands=[Command("record")])
def turn_record(
    on: Resources,
    being: Being,
    *,
    mode: Annotated[Literal["on", "off"], Field(description="Whether messages are stored.")],
    conversation: Annotated[
        Conversation | None, Field(description="Only this conversation, by its producer's id; all talk if omitted.")
    ] = None,
) -> Being:
    """Put a Being, or one of its conversations, off the record until further notice, or on it again.

    Off the record memory is read, nothing is activated, and no word of the talk is kept.
    """
    off = mode == "off"
    wanted = {"off_the_record": off} if conversation is None else {"off_the_record_in": {conversation: off}}
    return beings.change(on.store, being, wanted)


@operation(None, scope="manage", commands=[Command("budget")])
def set_budget(
    on: Resources,
    being: Being,
    *,
    cost: Annotated[Dollars | None, Field(description="Dollars a day; as the settings say if omitted.")] = None,
    tokens: Annotated[
        int | None, Field(ge=0, le=10**15, description="Tokens a day; as the settings say if omitted.")
    ] = None,
) -> Being:
    """Set the daily budget of a Being's model calls; without options, the budget of the settings.

    When it is spent, patrols skip the steps that need a model, intake goes on, and model calls resume on the next day.
    """
    return beings.change(on.store, being, {"daily_cost": cost, "daily_tokens": tokens})
