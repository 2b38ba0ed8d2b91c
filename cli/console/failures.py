"""The error that commands raise.

`cli.console.sentences` knows every expected error, and is imported only after one.
"""


class Failure(Exception):
    """A command can't do its task; the message gives the reason and the remedy."""
