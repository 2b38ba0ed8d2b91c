"""The version of the system, the same as in pyproject.toml, which images do not contain."""

VERSION = "0.2.0"
