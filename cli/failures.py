"""What went wrong, in one sentence for the person who sits there; everything unexpected keeps its traceback."""

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from memory.batches import BatchRefused
from memory.intake import DoorFull
from memory.questions import BadQuestion
from memory.vault_gates import GateRefused
from providers.errors import ProviderError
from schemas.settings import Settings
from store.errors import StoreError
from workers.stack_errors import StackError


class Failure(Exception):
    """The command can't do what was asked; the text says why, and what to do instead."""


EXPECTED = (Failure, StackError, StoreError, ProviderError, BadQuestion, BatchRefused, DoorFull, GateRefused)


def sentence(fault: Exception) -> str:
    """Say what went wrong.

    Raises:
        Exception: The fault itself, where it is none that can be expected.
    """
    match fault:
        case ValidationError(title=Settings.__name__):
            return f"The environment has settings that can't be used. {'; '.join(map(_setting, fault.errors()))}"
        case OSError(strerror=str(problem), filename=str(path)):
            return f"{path}: {problem}"
        case _ if isinstance(fault, EXPECTED):
            return str(fault)
        case _:
            raise fault


def _setting(problem: ErrorDetails) -> str:
    """A variable and what is wrong with it, without its value, which may be a secret."""
    name = str(problem["loc"][0]) if problem["loc"] else ""
    variable = f"PATROL_{name.upper()}" if name in Settings.model_fields else name
    return f"{variable}: {problem['msg']}"
