"""Keeping a context to its budget: whole regions stay or go, by how much the answer would miss them."""

from collections.abc import Mapping

# What is missed most stands first. Regions of callers' come between what is known of now and what is remembered.
NEVER_DROPPED = ("instructions", "core", "default")
BEFORE_CALLERS = ("snapshot", "conversation", "rag-context", "summary", "context")
AFTER_CALLERS = ("user-model", "skills", "recent-nodes")


def over(tokens: Mapping[str, int], budget: int) -> list[str]:
    """The regions that there is no room for, least missed first.

    A region is kept if it fits beside those that are missed more; one that does not is left out whole, and makes room
    for what is missed less.

    Args:
        tokens: How long each region is.
        budget: How long they may be together.
    """
    named = (*NEVER_DROPPED, *BEFORE_CALLERS, *AFTER_CALLERS)
    callers = [region for region in tokens if region not in named]
    left = budget - sum(tokens.get(region, 0) for region in NEVER_DROPPED)
    dropped: list[str] = []
    for region in (*BEFORE_CALLERS, *callers, *AFTER_CALLERS):
        needed = tokens.get(region, 0)
        if needed > max(left, 0):
            dropped.append(region)
        else:
            left -= needed
    return dropped[::-1]
