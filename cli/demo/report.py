"""What became of the month, told in a few pictures."""

from pathlib import Path
from schemas.rows import Being
from workers.resources import Resources
from cli.output import say


def introduce(home: Path, days: int) -> None:
    say("hello")


def what_became(on: Resources, being: Being) -> None:
    say("became")


def conclude(home: Path, *, days: int, lived: float, total: float) -> None:
    say(f"{days} {lived} {total}")
