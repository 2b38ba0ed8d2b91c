"""Calls of tools: errors that reveal no text of memories, and counts."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import structlog
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import ValidationError

from memory.accounts.access import Forbidden
from memory.intake.batches import IntakeFull
from memory.text.errors import InvalidRequest
from memory.text.items import ItemBatchRefused
from providers.errors import ProviderError
from schemas.errors import NotFound, Refused, Unavailable
from schemas.text.storable import storable, unstorable
from schemas.text.validation_messages import bounded, validation_messages
from workers.runtime.faults import described

log = structlog.get_logger()

P = ParamSpec("P")
R = TypeVar("R")

EXPECTED = (Forbidden, NotFound, Refused, InvalidRequest, ItemBatchRefused, IntakeFull, Unavailable, ProviderError)
Count = Callable[[str, str], None]


class InternalError(ToolError):
    """A tool failed by a fault of the server."""


def with_safe_errors(tool: Callable[P, R]) -> Callable[P, R]:
    """Pass expected errors on as text; of unexpected ones, neither the model nor the log gets the exception's text."""

    @wraps(tool)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        if faults := bounded(unstorable(kwargs)):
            raise ToolError("; ".join(faults))
        try:
            return tool(*args, **storable(kwargs))
        except ToolError:
            raise
        except EXPECTED as refusal:
            raise ToolError(str(refusal)) from None
        except ValidationError as error:
            raise ToolError("; ".join(validation_messages(error))) from None
        except Exception as fault:  # noqa: BLE001  # its text may quote a person's words
            log.error("mcp.failed", tool=tool.__name__, fault=described(fault))  # noqa: TRY400  # likewise
            raise InternalError("The memory failed internally: continue without it.") from None

    return called


def counted(tool: Callable[P, R], count: Count) -> Callable[P, R]:
    """Count each call of a tool by its outcome: `done`, `refused` or `failed`."""

    @wraps(tool)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        outcome = "refused"
        try:
            answer = tool(*args, **kwargs)
        except InternalError:
            outcome = "failed"
            raise
        else:
            outcome = "done"
            return answer
        finally:
            count(tool.__name__, outcome)

    return called
