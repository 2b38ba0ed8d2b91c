"""`python -m cli`, which the `patrol` script runs."""

import sys

INTERRUPTED = 130
USAGE = 2


def main() -> None:
    """Run the command that the arguments name.

    It ends with 0; 1 for what went wrong, said in a sentence on stderr; 2 for wrong usage; 130 after a Ctrl-C.
    """
    if not all(map(_is_text, sys.argv)):
        sys.stderr.write("An argument is not UTF-8 text.\n")
        sys.exit(USAGE)
    try:
        from cli.commands import app  # noqa: PLC0415  # so that a Ctrl-C while it loads ends as quietly as a later one

        app(prog_name="patrol")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception as fault:  # noqa: BLE001  # what is not expected is raised again
        from cli.failures import sentence  # noqa: PLC0415  # only a failure pays for it

        sys.exit(sentence(fault))


def _is_text(argument: str) -> bool:
    """Whether an argument came as UTF-8; bytes that did not are halves of surrogate pairs here."""
    return not any("\ud800" <= sign <= "\udfff" for sign in argument)


if __name__ == "__main__":
    main()
