"""A client of Memory Patrol, long-term memory for AI companions: synchronous and asynchronous, typed, with retries."""

from memory_patrol import types
from memory_patrol._async.client import AsyncMemoryPatrol
from memory_patrol._requests import Retries
from memory_patrol._sync.client import MemoryPatrol
from memory_patrol.errors import (
    ApiError,
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    NotFound,
    PatrolError,
    TooMany,
    Unauthorized,
    Unavailable,
    Unreachable,
)

__version__ = "0.2.0"
__all__ = [
    "ApiError",
    "AsyncMemoryPatrol",
    "Conflict",
    "Forbidden",
    "Gone",
    "Invalid",
    "MemoryPatrol",
    "NotFound",
    "PatrolError",
    "Retries",
    "TooMany",
    "Unauthorized",
    "Unavailable",
    "Unreachable",
    "types",
]
