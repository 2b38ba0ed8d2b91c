"""Model weights on disk: memory-mapped, and verified by hash where the digest is known."""

import hashlib
import json
import mmap
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from providers.errors import Misconfigured

Tensors = Mapping[str, NDArray[np.float32]]

_SAMPLES = 64
_SAMPLE_BYTES = 1 << 16


def mapped_weights(path: Path, sha256: str | None = None) -> Tensors:
    """Map a safetensors file into memory, and return its floating-point tensors as float32.

    Tensors of 32 bits are read-only views of the mapping, so that every process on a machine shares the same pages; the
    `safetensors` package would give each process a copy of its own. Tensors of 16 bits are converted, once in each
    process. The hash is taken of the mapping itself: a result cached beside the file could be forged with
    it. It costs some 50 ms for 90 MB where the processor knows SHA-256, some 250 ms elsewhere.

    Format: an unsigned little-endian 64-bit length, as many bytes of JSON header, then the tensors.
    https://huggingface.co/docs/safetensors#format

    Args:
        path: The safetensors file.
        sha256: The digest that the file must have, in lower-case hexadecimal; None if any weights are accepted.

    Returns:
        The tensors by name, each in its own shape.

    Raises:
        Misconfigured: The file can't be read, is no safetensors file, or has another digest.
    """
    mapping = _mapped(path)
    if sha256 is not None and (found := hashlib.sha256(mapping).hexdigest()) != sha256:
        raise Misconfigured(
            f"The weights {path} are not the expected ones: their sha256 is {found}, not {sha256}. "
            "Download the file again; other weights would make stored vectors incomparable."
        )
    tensors = _tensors(path, mapping)
    # The hash has read all of it; most words of the vocabulary are never looked up.
    mapping.madvise(mmap.MADV_DONTNEED)
    return tensors


def _tensors(path: Path, mapping: mmap.mmap) -> Tensors:
    try:
        header_end = 8 + int.from_bytes(mapping[:8], "little")
        header = json.loads(mapping[8:header_end])
        body = np.frombuffer(mapping, np.uint8)[header_end:]
        return {
            name: _FLOATS[entry["dtype"]](np.asarray(body[slice(*entry["data_offsets"])])).reshape(entry["shape"])
            for name, entry in header.items()
            if name != "__metadata__" and entry["dtype"] in _FLOATS
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Misconfigured(f"The weights {path} are no complete safetensors file: {error}.") from error


def digest_of_samples(path: Path) -> bytes:
    """Return the SHA-256 of a file's size and of 64 pieces of 64 kB spread over it.

    It tells apart the weights of two trainings, which differ everywhere, without reading gigabytes. It does not protect
    against a file that was made to be mistaken for another.

    Raises:
        Misconfigured: The file can't be read.
    """
    mapping = _mapped(path)
    digest = hashlib.sha256(str(len(mapping)).encode())
    for sample in range(_SAMPLES):
        start = max(0, (len(mapping) - _SAMPLE_BYTES) * sample // (_SAMPLES - 1))
        digest.update(mapping[start : start + _SAMPLE_BYTES])
    return digest.digest()


def _mapped(path: Path) -> mmap.mmap:
    try:
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise Misconfigured(f"The weights {path} can't be read: {error}.") from error


def _from_bfloat16(content: NDArray[np.uint8]) -> NDArray[np.float32]:
    # A bfloat16 is the upper half of a float32.
    return (content.view("<u2").astype("<u4") << 16).view("<f4")


_FLOATS: dict[str, Callable[[NDArray[np.uint8]], NDArray[np.float32]]] = {
    "F32": lambda content: content.view("<f4"),
    "F16": lambda content: content.view("<f2").astype(np.float32),
    "BF16": _from_bfloat16,
}
