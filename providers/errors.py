"""What can go wrong between us and a model, by what to do about it.

ProviderError
 ├─ Transient      the provider is busy, down or out of reach: ask again later
 ├─ BadAnswer      an answer came that does not fit the question: ask again, a bounded number of times
 ├─ InputRefused   this input is refused, others may pass: find out which one, and set it aside
 └─ Misconfigured  no question will pass until somebody changes a setting

No message holds a key or a word of what was asked.
"""

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from providers.thinking import Said


class ProviderError(Exception):
    """A model did not give a usable answer.

    Attributes:
        perhaps_paid: Whether the provider may charge for it all the same.
    """

    perhaps_paid = False


class Transient(ProviderError):
    """Busy, down or out of reach: 408, 409, 425, 429, 499, any 5xx, a lost connection, a timeout.

    Args:
        message: What happened.
        retry_after: How many seconds the provider asks to wait, if it said so.
        perhaps_paid: Whether it was asked, and only its answer did not come.
    """

    def __init__(self, message: str, *, retry_after: float | None = None, perhaps_paid: bool = False) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.perhaps_paid = perhaps_paid


class BadAnswer(ProviderError):
    """An answer that does not fit: no JSON, too few vectors, another dimension, not a number.

    Args:
        message: What is wrong with it, without a word of it.
        said: What a thinker said, where it said something: it has been paid for.
        why: `form`: it is not what was asked for. `refusal`: the model declined. `truncation`: it came to its limit.
    """

    perhaps_paid = True

    def __init__(
        self, message: str, *, said: "Said | None" = None, why: Literal["form", "refusal", "truncation"] = "form"
    ) -> None:
        super().__init__(message)
        self.said = said
        self.why = why


class InputRefused(ProviderError):
    """The provider refuses what it was given: 400, 413, 422.

    Args:
        message: What happened.
        too_large: Whether the request was refused for its size as a whole, so that its halves may pass.
    """

    def __init__(self, message: str, *, too_large: bool = False) -> None:
        super().__init__(message)
        self.too_large = too_large


class Misconfigured(ProviderError):
    """The key, the address, the model's name or its files are wrong; the message says which setting to look at."""
