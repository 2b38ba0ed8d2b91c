"""Calls of tools: errors that reveal no text of memories, and counts."""

from collections.abc import Callable
from typing import TypeVar

import structlog
from pydantic import ValidationError

from memory.accounts.access import Forbidden
from memory.intake.accepting import IntakeFull
from memory.text.errors import InvalidRequest
from memory.text.items import ItemBatchRefused
from providers.errors import ProviderError
from schemas.errors import NotFound, Refused, Unavailable
from schemas.text.validation_messages import validation_messages
from workers.runtime.faults import described

log = structlog.get_logger()

T = TypeVar("T")

EXPECTED = (Forbidden, NotFound, Refused, InvalidRequest, ItemBatchRefused, IntakeFull, Unavailable, ProviderError)
Count = Callable[[str, str], None]


class ToolError(Exception):
    """A tool was refused; the message gives the model the reason and the remedy."""


def call_tool(name: str, tool: Callable[[], T], count: Count) -> T:
    """Return a tool's result, and count the call by its outcome: `done`, `refused` or `failed`.

    Args:
        name: The tool's name.
        tool: Calls it.
        count: Takes the name and the outcome.

    Raises:
        ToolError: It was refused, or failed. Of unexpected errors, neither the model nor the log gets the text.
    """
    outcome = "refused"
    try:
        answer = tool()
    except EXPECTED as refusal:
        raise ToolError(str(refusal)) from None
    except ValidationError as error:
        raise ToolError("; ".join(validation_messages(error))) from None
    except Exception as fault:  # noqa: BLE001  # its text may quote a person's words
        outcome = "failed"
        log.error("mcp.failed", tool=name, fault=described(fault))  # noqa: TRY400  # likewise
        raise ToolError("The memory failed internally: continue without it.") from None
    else:
        outcome = "done"
        return answer
    finally:
        count(name, outcome)
