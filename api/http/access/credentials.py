"""Reads the access token of a request."""

from http import HTTPStatus

from starlette.datastructures import Headers

from api.http.problems import Rejection

WHAT_TO_SEND = "Send a token with the request: `Authorization: Bearer patrol_…`."


def secret_of(headers: Headers, wanted: str = WHAT_TO_SEND) -> str:
    """Return the secret of the token that a request presents.

    Args:
        headers: The request's headers.
        wanted: The error message if there is none.

    Raises:
        Rejection: It presents none.
    """
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not secret.strip():
        raise Rejection(
            HTTPStatus.UNAUTHORIZED,
            "unauthorized",
            wanted,
            headers={"WWW-Authenticate": "Bearer"},
        )
    return secret.strip()
