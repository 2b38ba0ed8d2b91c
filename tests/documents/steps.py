"""Steps of code, counted: they are the same on every machine, and under any load."""

import sys
from pathlib import Path

import memory

ROOM = str(Path(memory.__file__).parent)


def lines_run(call):
    """How many lines of the rules of memory run; each turn of a loop counts."""
    count = 0

    def trace(frame, event, _):
        nonlocal count
        if not frame.f_code.co_filename.startswith(ROOM):
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count
