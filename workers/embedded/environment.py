"""The environment variables that every child process gets: an allow-list, so that no secret is inherited by default."""

import os

# Paths of programs, libraries and files, the terminal, the language and the time zone.
NAMES = frozenset(
    {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "XDG_RUNTIME_DIR"}
    | {"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"}
    | {"TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"}
)
PREFIXES = ("LC_", "MALLOC_")


def plain_environment() -> dict[str, str]:
    """Return the variables of this process's environment that are in the allow-list; none of them holds a secret."""
    return {name: value for name, value in os.environ.items() if name in NAMES or name.startswith(PREFIXES)}
