"""The build backend: flit, after the client's types and routes were generated."""

from pathlib import Path

from flit_core import buildapi

from generator import generate

# Only a source distribution has it. Such sources contain the generated files, and are in no clone with an openapi.json.
DISTRIBUTED = Path(__file__).parents[1] / "PKG-INFO"


def build_wheel(directory: str, settings: dict[str, str] | None = None, metadata: str | None = None) -> str:
    """Build a wheel in a directory; returns its file's name."""
    _generate()
    return str(buildapi.build_wheel(directory, settings, metadata))


def build_editable(directory: str, settings: dict[str, str] | None = None, metadata: str | None = None) -> str:
    """Build a wheel that points at these sources; returns its file's name."""
    _generate()
    return str(buildapi.build_editable(directory, settings, metadata))


def build_sdist(directory: str, settings: dict[str, str] | None = None) -> str:
    """Build a source distribution in a directory; returns its file's name."""
    _generate()
    return str(buildapi.build_sdist(directory, settings))


def _generate() -> None:
    if not DISTRIBUTED.exists():
        generate.write()
