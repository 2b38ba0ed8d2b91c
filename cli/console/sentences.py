"""Error messages of commands: one sentence for expected errors; unexpected ones keep their traceback."""

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from cli.console.failures import Failure
from cli.console.output import words
from memory.intake.accepting import IntakeFull
from memory.intake.retraction import ErasedForGood
from memory.text.errors import InvalidRequest
from memory.text.items import ItemBatchRefused
from memory.vault.gates import GateRefused
from providers.errors import ProviderError
from schemas.errors import StoreError
from schemas.settings import Settings
from workers.embedded.errors import StackError

EXPECTED = (
    Failure,
    StoreError,
    ProviderError,
    InvalidRequest,
    ItemBatchRefused,
    IntakeFull,
    ErasedForGood,
    GateRefused,
)


def sentence(fault: Exception) -> str:
    """Return the message for an expected error.

    Raises:
        Exception: The fault itself, if it is not an expected one.
    """
    match fault:
        case ValidationError(title=Settings.__name__):
            return f"Invalid settings in the environment: {'; '.join(map(_setting, fault.errors()))}"
        case OSError(strerror=str(problem), filename=str(path)):
            return words(f"{path}: {problem}")
        case StackError():
            # Not put on one line: it may end with the last lines of a log.
            return str(fault)
        case _ if isinstance(fault, EXPECTED):
            return words(str(fault))
        case _:
            raise fault


def _setting(problem: ErrorDetails) -> str:
    """Return a variable's name and error, without its value, which may be a secret."""
    name = str(problem["loc"][0]) if problem["loc"] else ""
    variable = f"PATROL_{name.upper()}" if name in Settings.model_fields else name
    return f"{variable}: {problem['msg'].removeprefix('Value error, ')}"
