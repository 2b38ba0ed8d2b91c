"""Handles Ctrl-C, SIGTERM and SIGHUP (a closed terminal) alike.

Inside `stoppable()` each of them raises `KeyboardInterrupt` in the main thread. Inside `held()` they are delayed until
the block ends: between starting a process and recording it, and during an orderly shutdown.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def stoppable() -> Iterator[None]:
    """Let every stop signal raise `KeyboardInterrupt`; outside the main thread this changes nothing.

    SIGHUP stays ignored if it was: `nohup` works that way.
    """
    with _handled(signal.default_int_handler):
        yield


@contextmanager
def held() -> Iterator[list[int]]:
    """Delay stop signals until the block is left, then deliver the first of them.

    Yields:
        The signals received so far; it grows while the block runs.
    """
    received: list[int] = []
    with _handled(lambda number, _: received.append(number)):
        yield received
    if received:
        signal.raise_signal(received[0])


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    is_main = threading.current_thread() is threading.main_thread()
    previous = {number: signal.signal(number, handler) for number in STOP_SIGNALS if is_main and not _is_nohup(number)}
    try:
        yield
    finally:
        for number, earlier in previous.items():
            signal.signal(number, earlier)


def _is_nohup(number: int) -> bool:
    return number == signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN
