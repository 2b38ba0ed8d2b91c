"""Errors of model providers, by the caller's next action.

ProviderError
 ├─ Transient      the provider is busy, down or out of reach: back off and retry
 ├─ BadAnswer      the answer is invalid: ask again, a bounded number of times
 ├─ InputRefused   the provider refuses this input: bisect the batch, and set the input aside
 └─ Misconfigured  no request will succeed until a setting is changed

No message contains a key or a word of the prompt.
"""

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pydantic import BaseModel

    from providers.completion import Completion

TRUNCATED = "The answer was truncated at its length limit."


class ProviderError(Exception):
    """A model gave no valid answer.

    Attributes:
        perhaps_paid: Whether the provider may charge for the request.
    """

    perhaps_paid = False


class Transient(ProviderError):
    """The provider is busy, down or unreachable: 408, 409, 425, 429, 499, any 5xx, a lost connection, a timeout.

    Args:
        message: The fault.
        retry_after: Seconds to wait, if the provider names them.
        perhaps_paid: Whether the request may have been sent before the connection failed.
    """

    def __init__(self, message: str, *, retry_after: float | None = None, perhaps_paid: bool = False) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.perhaps_paid = perhaps_paid


class BadAnswer(ProviderError):
    """The answer is invalid: no JSON, too few vectors, another dimension, not a number.

    Args:
        message: The fault, without quoting the answer.
        completion: The invalid completion of a thinker, which has been paid for.
        why: `form`: it violates the schema. `refusal`: the model declined. `truncation`: it reached its length limit.
        valid: The part of the answer that breaks no rule, which is used if no further answer is valid either.
    """

    perhaps_paid = True

    def __init__(
        self,
        message: str,
        *,
        completion: "Completion | None" = None,
        why: Literal["form", "refusal", "truncation"] = "form",
        valid: "BaseModel | None" = None,
    ) -> None:
        super().__init__(message)
        self.completion = completion
        self.why = why
        self.valid = valid


class InputRefused(ProviderError):
    """The provider refuses the input: 400, 413, 422.

    Args:
        message: The fault.
        too_large: Whether the whole request was too large, so that its halves may be accepted.
    """

    def __init__(self, message: str, *, too_large: bool = False) -> None:
        super().__init__(message)
        self.too_large = too_large


class Misconfigured(ProviderError):
    """The key, the address, the model's name or its files are wrong; the message names the setting to correct.

    Args:
        message: The fault.
        about_key: Whether the key is at fault, which a user may have brought; all else is the platform's.
    """

    def __init__(self, message: str, *, about_key: bool = False) -> None:
        super().__init__(message)
        self.about_key = about_key
