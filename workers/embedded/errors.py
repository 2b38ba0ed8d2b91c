"""Errors of embedded servers and child processes.

StackError
├── NotInstalledError   a server's program is missing or too old
├── HomeInUseError      another stack runs over the same home
├── UnsafeHomeError     a directory of the stack belongs to another user
└── StartError          a program exited while starting, or did not become ready in time
"""


class StackError(Exception):
    """Embedded servers or child processes can't run; the message gives the reason and the remedy."""


class NotInstalledError(StackError):
    """A server's program is missing or too old."""


class HomeInUseError(StackError):
    """Another stack runs over the same home."""


class UnsafeHomeError(StackError):
    """A directory of the stack belongs to another user."""


class StartError(StackError):
    """A program exited while starting, or did not become ready in time."""
