"""Error texts for logs and the ledger. Other libraries' messages may quote content, so only their type is used."""

import traceback

from providers.errors import ProviderError
from schemas.errors import StoreError


def described(fault: BaseException) -> str:
    """Return the error's type with our own message, or, for errors of other libraries, with the line that raised it."""
    if isinstance(fault, ProviderError | StoreError):
        return f"{type(fault).__name__}: {fault}"
    frames = traceback.extract_tb(fault.__traceback__)
    place = f" in {frames[-1].name}, line {frames[-1].lineno}" if frames else ""
    return f"{type(fault).__name__}{place}"
