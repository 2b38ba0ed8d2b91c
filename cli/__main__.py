"""`python -m cli`, which the `patrol` script runs."""

import sys

from cli.console.streams import guard_streams

INTERRUPTED = 130
USAGE = 2


def main() -> None:
    """Run the command that the arguments name.

    Exit status: 0; 1 after an error, with one sentence on stderr; 2 for wrong usage; 130 after a Ctrl-C.
    """
    guard_streams()
    if not all(map(_is_text, sys.argv)):
        sys.stderr.write("An argument is not UTF-8 text.\n")
        sys.exit(USAGE)
    try:
        from cli.commands import app  # noqa: PLC0415  # a Ctrl-C during the import must also end with 130

        app(prog_name="patrol")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception as fault:  # noqa: BLE001  # unexpected errors are raised again
        from cli.console.sentences import sentence  # noqa: PLC0415  # imported only after an error

        sys.exit(sentence(fault))


def _is_text(argument: str) -> bool:
    """Return whether an argument is valid UTF-8; Python decodes invalid bytes as unpaired surrogates."""
    return not any("\ud800" <= sign <= "\udfff" for sign in argument)


if __name__ == "__main__":
    main()
