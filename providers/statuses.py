"""Statuses of providers' errors, for the SDKs and the proxy: about the key, of a busy server, about an option."""

from http import HTTPStatus

_CLIENT_CLOSED_REQUEST = 499
BUSY = frozenset(
    {
        HTTPStatus.REQUEST_TIMEOUT,
        HTTPStatus.CONFLICT,
        HTTPStatus.TOO_EARLY,
        HTTPStatus.TOO_MANY_REQUESTS,
        _CLIENT_CLOSED_REQUEST,
    }
)
ABOUT_THE_KEY = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.FORBIDDEN})


def may_refuse_an_option(status: int) -> bool:
    """Whether an error with this status that names an option of the request may refuse it: most of 4xx, and 500."""
    if status in ABOUT_THE_KEY or status in BUSY:
        return False
    return HTTPStatus.BAD_REQUEST <= status <= HTTPStatus.INTERNAL_SERVER_ERROR
