"""Handles Ctrl-C, SIGTERM and SIGHUP (a closed terminal) alike.

Inside `stoppable()` each of them raises `KeyboardInterrupt` in the main thread. Inside `held()` they are delayed until
the block ends: between starting a process and recording it, and during an orderly shutdown.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def stoppable() -> Iterator[None]:
    """Let every stop signal raise `KeyboardInterrupt`; outside the main thread this changes nothing.

    SIGHUP stays ignored if it was: `nohup` works that way.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    wanted = [number for number in STOP_SIGNALS if not _is_nohup(number)]
    previous = {number: signal.signal(number, signal.default_int_handler) for number in wanted}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


@contextmanager
def held() -> Iterator[list[int]]:
    """Delay stop signals until the block is left, then deliver the first of them.

    Yields:
        The signals received so far; it grows while the block runs.
    """
    received: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield received
        return
    wanted = [number for number in STOP_SIGNALS if not _is_nohup(number)]
    previous = {number: signal.signal(number, lambda number, _: received.append(number)) for number in wanted}
    try:
        yield received
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
    if received:
        signal.raise_signal(received[0])


def _is_nohup(number: int) -> bool:
    return number == signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN
