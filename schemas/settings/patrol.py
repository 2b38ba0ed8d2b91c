"""The schedule of patrols, and the limits of their steps."""

from datetime import timedelta
from typing import Literal

from pydantic import Field, PositiveInt

from schemas.settings.section import Duration, Section


class PatrolSettings(Section):
    """The schedule of patrols, and the limits of their steps."""

    tick: Duration = Field(
        timedelta(hours=24), description="The least time between two automatic patrols that raise the patrol counter."
    )
    pending_notes: PositiveInt = Field(
        200, description="The number of pending scene notes that starts a patrol at once."
    )
    pending_wait: Duration = Field(
        timedelta(minutes=5), description="The longest time that a scene note waits for a patrol to start."
    )
    run_notes: PositiveInt = Field(
        1_000,
        le=10_000,
        description="The most notes of one patrol; the rest are left to the next, which follows at once.",
    )
    most_pending: PositiveInt = Field(
        100_000,
        description="A Being's most pending scene notes, beyond which notes get 429; above 1,000 bulk requests do.",
    )
    most_unjudged: PositiveInt = Field(
        100_000,
        description="A Being's most unjudged messages, beyond which messages get 429 while a model key is usable; "
        "above 1,000 bulk requests do.",
    )
    letting_go: Literal["gentle", "seed"] = Field(
        "gentle",
        description="How fast a patrol lets dying memories go. `gentle`: a memory that becomes dying waits for another "
        "counted patrol, and one patrol lets go of at most 5 memories, or of 5 % of the living ones. `seed`: all dying "
        "ones, in the patrol that finds them.",
    )
    topic_birth: bool = Field(True, description="Whether new topics are formed from a root's own nodes.")
