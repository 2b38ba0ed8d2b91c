"""What may be said of a fault: ours in its own words, any other by kind and place alone, for it may hold content."""

import traceback

from providers.errors import ProviderError
from store.errors import StoreError


def described(fault: BaseException) -> str:
    """Describe a fault without a word of anybody's."""
    if isinstance(fault, ProviderError | StoreError):
        return f"{type(fault).__name__}: {fault}"
    frames = traceback.extract_tb(fault.__traceback__)
    place = f" in {frames[-1].name}, line {frames[-1].lineno}" if frames else ""
    return f"{type(fault).__name__}{place}"
