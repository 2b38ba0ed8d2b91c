"""Keeps a context within its token budget by leaving out whole regions in a declared order."""

from collections.abc import Mapping

# Highest priority first. Regions that callers wrote rank between the two groups below.
NEVER_DROPPED = ("instructions", "core", "default")
BEFORE_CALLERS = ("snapshot", "conversation", "vault", "rag-context", "summary", "context")
AFTER_CALLERS = ("user-model", "skills", "recent-nodes")


def dropped_regions(tokens: Mapping[str, int], budget: int) -> list[str]:
    """The regions to leave out, lowest priority first.

    A region is kept if it fits beside the kept regions of higher priority. One that does not fit is left out whole, so
    that a shorter one of lower priority may still fit.

    Args:
        tokens: The length of each region, in estimated tokens.
        budget: The most tokens together.
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


def room_for(region: str, tokens: Mapping[str, int], budget: int) -> int:
    """The tokens that are left for a region of the first group beside the regions of higher priority.

    Args:
        tokens: The length of each other region, in estimated tokens.
        budget: The most tokens together.
    """
    before = BEFORE_CALLERS[: BEFORE_CALLERS.index(region)]
    dropped = dropped_regions({name: tokens.get(name, 0) for name in (*NEVER_DROPPED, *before)}, budget)
    return max(0, budget - sum(tokens.get(name, 0) for name in (*NEVER_DROPPED, *before) if name not in dropped))
