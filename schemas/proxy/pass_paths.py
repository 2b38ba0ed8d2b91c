"""The paths that an operator lets pass to upstreams as they are."""

import re
from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

_PATH = re.compile(r"[a-z0-9_-]+(?:/[a-z0-9_-]+)*(?:/?\*)?")


def _relative(paths: tuple[str, ...]) -> tuple[str, ...]:
    if not all(_PATH.fullmatch(path) for path in paths):
        raise PydanticCustomError(
            "pass_path", "Each must be a path behind the base URL such as embeddings, or its beginning with * behind it"
        )
    return paths


PassPaths = Annotated[tuple[str, ...], AfterValidator(_relative)]
"""Paths behind a base URL; one that ends with `*` stands for all that begin so."""
