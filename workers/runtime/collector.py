"""The garbage collector, which costs much at a start and finds nothing: the objects that imports make stay."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """Let nothing be collected inside the block, in which modules are imported.

    Without it `patrol up` is ready after 4.0 s instead of 3.1 (`make bench`, 2026-11-27).
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def keep_out_of_it() -> None:
    """Exempt all present objects from collection, which writes to the objects it visits: forks go on sharing them.

    Without it the stack of `patrol up` takes 1,040 MB instead of 750 (`make bench`, 2026-11-27).
    """
    gc.collect()
    gc.freeze()
