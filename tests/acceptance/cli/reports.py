"""The report of the demo, as values."""

import re


def traces_of_the_swipe(told: str) -> list[str]:
    """Return which of the four places that knew the swiped answer still do; all know the one said instead."""
    counts = re.findall(r"^(messages found|facts|promises|the summary) +(\d+) +(\d+) +(\d+) *$", told, re.MULTILINE)
    assert [place for place, *_ in counts] == ["messages found", "facts", "promises", "the summary"]
    assert all(int(said) and int(instead) for _, said, _, instead in counts)
    return [place for place, _, left, _ in counts if int(left)]


def commands(told: str) -> list[str]:
    """Return the commands that the demo says to try next, as they are printed."""
    return [line.strip() for line in told.partition("Next steps")[2].splitlines() if "./patrol " in line]
