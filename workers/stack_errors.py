"""What can go wrong when the system brings its own servers and processes.

StackError
├── NotInstalledError   a server's program is missing, or is too old
├── HomeInUseError      another stack runs over the same home
├── UnsafeHomeError     a directory that we need belongs to somebody else
└── StartError          a program was started and died, or never got ready
"""


class StackError(Exception):
    """Our own servers or processes cannot run; the message says why and what to do."""


class NotInstalledError(StackError):
    """A server's program is missing, or is too old."""


class HomeInUseError(StackError):
    """Another stack runs over the same home."""


class UnsafeHomeError(StackError):
    """A directory that we need belongs to somebody else."""


class StartError(StackError):
    """A program was started and died, or never got ready."""
