"""Weights on disk: opened only when they are the file they should be, and never copied into the process."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from providers.errors import Misconfigured

Tensors = Mapping[str, NDArray[np.float32]]


def open_weights(path: Path, sha256: str) -> Tensors:
    """Map a safetensors file into memory and hand out its float32 tensors.

    The tensors are read-only views of the mapping, so that every process on a machine shares the same pages; the
    `safetensors` package would give each process a copy of its own. The hash is taken of the mapping itself, each
    time: a result remembered beside the file could be forged with it. It costs some 50 ms for 90 MB where the
    processor knows SHA-256, some 250 ms elsewhere.

    Format: an unsigned little-endian 64-bit length, as many bytes of JSON header, then the tensors.
    https://huggingface.co/docs/safetensors#format

    Args:
        path: The safetensors file.
        sha256: The digest that the file must have, in lower-case hexadecimal.

    Returns:
        The tensors by name, each in its own shape.

    Raises:
        Misconfigured: The file can't be read, or is another one than expected.
    """
    try:
        mapping = np.memmap(path, dtype=np.uint8, mode="r")
    except (OSError, ValueError) as error:
        raise Misconfigured(f"The weights {path} can't be read: {error}.") from error
    if (found := hashlib.sha256(mapping.data).hexdigest()) != sha256:
        raise Misconfigured(
            f"The weights {path} are not the expected ones: their sha256 is {found}, not {sha256}. "
            "Fetch the file again; other weights would put memories where nobody finds them."
        )
    header_end = 8 + int.from_bytes(mapping[:8].tobytes(), "little")
    header = json.loads(mapping[8:header_end].tobytes())
    body = mapping[header_end:]
    return {
        name: np.asarray(body[slice(*entry["data_offsets"])]).view("<f4").reshape(entry["shape"])
        for name, entry in header.items()
        if name != "__metadata__" and entry["dtype"] == "F32"
    }
