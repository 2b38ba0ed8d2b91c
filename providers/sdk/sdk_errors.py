"""Maps the exceptions of the providers' SDKs to `providers.errors`.

The openai and anthropic SDKs name their exceptions alike, so the module itself is the argument, and a process that uses
one of them does not load the other.
"""

import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from types import ModuleType
from typing import Any

from providers.errors import BadAnswer, InputRefused, Misconfigured, ProviderError, Transient
from providers.sdk.context_limits import exceeds_context
from providers.statuses import ABOUT_THE_KEY, BUSY

_TOO_LARGE = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
_REFUSED = frozenset({HTTPStatus.BAD_REQUEST, _TOO_LARGE, HTTPStatus.UNPROCESSABLE_ENTITY})
_PAGES = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN, HTTPStatus.UNPROCESSABLE_ENTITY})
_NOT_SENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError"})
_SAFE_CODE = re.compile(r"[a-z0-9_.-]{1,64}")
# The codes of an account that may not spend. Words of a rate limit name the account's plan as well.
_ABOUT_THE_ACCOUNT = re.compile(
    r"billing|credit|spend_limit|on_hold|insufficient_quota|insufficient_balance|current_quota|budget"
)
_NOT_ALLOWED = frozenset({*_PAGES, HTTPStatus.NOT_FOUND})
_ANY = frozenset(HTTPStatus)
# The words of an error, for the status of the same meaning, and the statuses that they override. Servers give a spent
# balance, a wrong key and a model that they do not have the status of a bad request, and an input that a moderation
# flags that of a key without permission. A server that is down may say that it does not find its model.
_MEANINGS: tuple[tuple[int, frozenset[int], re.Pattern[str]], ...] = tuple(
    (status, counts_before, re.compile("|".join(words), re.IGNORECASE))
    for status, counts_before, words in (
        (400, _PAGES, (r"\bflagged\b", r"\brequest blocked\b", "content_policy_violation", "input new_sensitive")),
        (
            402,
            _ANY,
            (
                "credit balance is too low",
                "insufficient (?:balance|credits|funds|quota)",
                "budget has been exceeded",
                "\u4f59\u989d\u4e0d\u8db3",
            ),
        ),
        (
            401,
            _ANY,
            (
                r"\bapi[ _]?key[ _](?:is )?(?:not[ _]valid|not found|invalid|expired)",
                "(?:valid|invalid|incorrect)[ _]api[ _]?key",
                "login fail",
            ),
        ),
        (403, _NOT_ALLOWED, ("location is not supported", "unsupported_country")),
        (
            404,
            _NOT_ALLOWED,
            (
                r"\bmodel[ _](?:does )?not[ _](?:exist|found)",
                r"\bmodel_?\b.{0,60}\b(?:decommissioned|does not exist|not found)",
                "model_decommissioned",
                "not a valid model",
                "(?:invalid|unknown) model(?:[ _](?:name|id)|:)",
                "\u6a21\u578b\u4e0d\u5b58\u5728",
            ),
        ),
    )
)
# A server repeats the request under these names.
_REPEATED = frozenset({"input", "ctx", "failed_generation"})
# A server puts its own words before additions such as the request.
_SEARCHED = 2_000
_ABOUT_OUR_CHOICES = frozenset({"model", "model_not_found", "dimensions", "encoding_format"})

_AFTER_STATUSES = 600
_SERVER_BUSY = HTTPStatus.TOO_MANY_REQUESTS
# The words for statuses in errors, of Anthropic and of servers like OpenAI's.
_STATUSES: Mapping[str, int] = {
    "invalid_request_error": HTTPStatus.BAD_REQUEST,
    "authentication_error": HTTPStatus.UNAUTHORIZED,
    "invalid_api_key": HTTPStatus.UNAUTHORIZED,
    "billing_error": HTTPStatus.PAYMENT_REQUIRED,
    "permission_error": HTTPStatus.FORBIDDEN,
    "not_found_error": HTTPStatus.NOT_FOUND,
    "request_too_large": _TOO_LARGE,
}

LONGEST_WAIT = 3600.0


@dataclass(frozen=True, slots=True)
class SettingNames:
    """The names of the settings to name in error messages."""

    key: str
    model: str
    address: str


@contextmanager
def sdk_errors(sdk: ModuleType, settings: SettingNames) -> Iterator[None]:
    """Map the exceptions of SDK calls in the block.

    Args:
        sdk: The module `openai` or `anthropic`.
        settings: The settings to name in messages.

    Raises:
        Transient: The provider is busy, down or unreachable.
        BadAnswer: The SDK can't read the response.
        InputRefused: The provider refuses this input, or it can't be encoded.
        Misconfigured: The key, the address or the model's name is wrong.
    """
    try:
        yield
    except sdk.APIStatusError as error:
        raise _from_status(error.status_code, error.body, error.response.headers, settings) from None
    except sdk.APITimeoutError as error:
        raise Transient("The model provider did not answer in time.", perhaps_paid=_was_sent(error.__cause__)) from None
    except sdk.APIConnectionError as error:
        raise _from_connection(error.__cause__, settings) from None
    except sdk.APIError as error:
        raise BadAnswer(f"The model provider's answer has an unknown form ({type(error).__name__}).") from None
    except UnicodeEncodeError as error:
        # Headers are ASCII, bodies UTF-8. The exception contains the whole key or text, so it is not chained.
        raise _from_encoding(error.encoding, settings) from None


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Read the wait that a provider asks for: `retry-after-ms`, else `retry-after` as seconds or an HTTP date.

    Args:
        headers: The response's headers, in lower case or case-insensitive.
        now: The time that a date is compared with; by default the present.

    Returns:
        Seconds, from 0 to 3,600; None if the headers are missing or invalid.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if math.isfinite(seconds):
            return _bounded(seconds)
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    # RFC 9110 allows only GMT; a date without a zone is read as GMT.
    return _bounded((date.replace(tzinfo=date.tzinfo or UTC) - (now or datetime.now(UTC))).total_seconds())


def _bounded(seconds: float) -> float:
    return min(max(0.0, seconds), LONGEST_WAIT)


def error_in(body: Any, settings: SettingNames) -> ProviderError | None:
    """Map an error that a server sends with the status of an answer; None if the body is no such error.

    Args:
        body: The body, a piece of a stream, or a choice.
        settings: The settings to name in the message.
    """
    if not isinstance(body, dict) or body.get("choices") or body.get("content"):
        return None
    error = body.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    result = body.get("base_resp")
    # MiniMax reports the outcome of a request beside the answer.
    failed = isinstance(result, dict) and bool(result.get("status_code"))
    if not error and not failed:
        return None
    if isinstance(code, int) and HTTPStatus.BAD_REQUEST <= code < _AFTER_STATUSES:
        return _from_status(code, body, {}, settings)
    # An error that does not say more means that the server can't answer now.
    status = next((_STATUSES[each] for each in _codes(body) if each in _STATUSES), _SERVER_BUSY)
    return _from_status(status, body, {}, settings)


def _from_status(status: int, body: object, headers: Mapping[str, str], settings: SettingNames) -> ProviderError:
    codes = _codes(body)
    text = " ".join(_texts_of_error(body))[:_SEARCHED]
    detail = f"HTTP {status}" + "".join(f", {code}" for code in codes if _SAFE_CODE.fullmatch(code))
    if any(_ABOUT_THE_ACCOUNT.search(code) for code in codes):
        status = HTTPStatus.PAYMENT_REQUIRED
    else:
        meanings = (meaning for meaning, before, words in _MEANINGS if status in before and words.search(text))
        status = next(meanings, status)
    if isinstance(body, str) and body.lstrip().startswith("<") and status in _PAGES:
        # The page of a gateway says nothing about the input or the key.
        return Transient(f"A gateway answered in the place of the model provider ({detail}).")
    too_long = status <= HTTPStatus.INTERNAL_SERVER_ERROR and status not in ABOUT_THE_KEY and exceeds_context(f"{body}")
    if too_long or (status in _REFUSED and _ABOUT_OUR_CHOICES.isdisjoint(codes)):
        too_large = too_long or status == _TOO_LARGE or "max_tokens_per_request" in codes
        return InputRefused(f"The model provider refused the input ({detail}).", too_large=too_large)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in BUSY:
        return Transient(f"The model provider is busy or down ({detail}).", retry_after=retry_after(headers))
    faults: dict[int, str] = {
        HTTPStatus.PAYMENT_REQUIRED: f"The model provider's account behind {settings.key} may not spend ({detail}).",
        HTTPStatus.UNAUTHORIZED: f"The model provider does not know the key ({detail}). Check {settings.key}.",
        HTTPStatus.FORBIDDEN: (
            f"The key may not use this model ({detail}). Check {settings.key} and {settings.model}."
        ),
    }
    no_such = (
        f"The model provider has no such model or address ({detail}). Check {settings.model} and {settings.address}."
    )
    return Misconfigured(faults.get(status, no_such), about_key=status in faults)


def _from_connection(cause: BaseException | None, settings: SettingNames) -> ProviderError:
    # By name: the HTTP library is a dependency of the SDKs, not of this project.
    match type(cause).__name__:
        case "UnsupportedProtocol" | "InvalidURL":
            return Misconfigured(f"{settings.address} is not an address that starts with http:// or https://.")
        case "LocalProtocolError":
            return Misconfigured(
                f"The key can't be sent as a header: remove stray characters from {settings.key}.", about_key=True
            )
        case kind:
            return Transient(f"The model provider is unreachable ({kind}).", perhaps_paid=_was_sent(cause))


def _was_sent(cause: BaseException | None) -> bool:
    """Whether the request may have reached the provider."""
    return type(cause).__name__ not in _NOT_SENT


def _from_encoding(encoding: str, settings: SettingNames) -> ProviderError:
    if encoding == "ascii":
        return Misconfigured(
            f"The key can't be sent as a header: remove stray characters from {settings.key}.", about_key=True
        )
    return InputRefused("A text has an unpaired surrogate, which can't be encoded.")


def _texts_of_error(body: Any) -> Iterator[str]:
    """The words of an error, which may quote the request: to be searched, and never repeated."""
    match body:
        case str():
            yield body
        case dict():
            for name, value in body.items():
                if name not in _REPEATED:
                    yield from _texts_of_error(value)
        case list():
            for value in body:
                yield from _texts_of_error(value)


def _codes(body: Any) -> list[str]:
    """The machine-readable codes of an error: OpenAI's type, code and param; Anthropic's type and error_code."""
    error = body.get("error", body) if isinstance(body, dict) else None
    if not isinstance(error, dict):
        return []
    details = error.get("details")
    found = [error.get("type"), error.get("code"), error.get("param")]
    found.append(details.get("error_code") if isinstance(details, dict) else None)
    return list(dict.fromkeys(code for code in found if isinstance(code, str)))
