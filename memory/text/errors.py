"""Errors of callers, which doors answer in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel


class InvalidRequest(ValueError):
    """A parameter is invalid; the message names it and its valid values."""


class NothingTaken(ValueError):
    """Every item of a batch was refused.

    Args:
        detail: The reason for the batch as a whole.
        rejected: The reason for each item.
        members: More about it, by name.
    """

    def __init__(self, detail: str, rejected: Sequence[BaseModel], members: Mapping[str, Any] | None = None) -> None:
        super().__init__(detail)
        self.rejected = rejected
        self.members = members or {}
