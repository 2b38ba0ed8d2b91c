"""Running processes as /proc shows them: who started whom, processor time, memory."""

import os
from pathlib import Path


def family(ancestor: int) -> list[int]:
    """A process and all that it started, and these started in turn."""
    parents = {int(entry.name): _stat(int(entry.name)) for entry in Path("/proc").iterdir() if entry.name.isdigit()}
    found = [ancestor]
    for pid in found:
        found += [child for child, stat in parents.items() if stat and int(stat[1]) == pid]
    return found


def processor_seconds(pid: int) -> float:
    """A process's processor time; 0 if it has ended."""
    stat = _stat(pid)
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK") if stat else 0.0


def command(pid: int) -> str:
    """A process's command line; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def megabytes(pid: int) -> float:
    """A process's proportional set size, in which shared pages count in parts; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("utf-8").splitlines()[1:]
    except OSError:
        return 0.0
    kilobytes = dict(line.split(":") for line in lines)
    return int(kilobytes["Pss"].split()[0]) / 1024


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the state on; none if the process has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rsplit(")", 1)[1].split()
    except OSError:
        return []
