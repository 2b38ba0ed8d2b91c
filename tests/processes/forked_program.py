"""A program that has a module run in a fork of the preloaded process: for what a shell starts, or an SDK.

Run as `python forked_program.py ADDRESS MODULE ARGUMENT…`; `Preloaded.program` writes a command that does. The fork has
this process's streams, environment and working directory, gets its signals, and its exit status becomes this one's. It
imports little, and starts in 20 ms.
"""

import json
import os
import signal
import socket
import sys

FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP)


def main() -> None:
    """Request the fork, and wait for its end."""
    address, module, *arguments = sys.argv[1:]
    # A signal that comes before there is a fork is forwarded once there is one.
    signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)
    status, theirs = socket.socketpair()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as requests, theirs:
        requests.connect(address)
        request = json.dumps([module, arguments, dict(os.environ), os.getcwd()]).encode()  # noqa: PTH109  # see above
        socket.send_fds(requests, [request], [0, 1, 2, theirs.fileno()])
        reports = status.makefile("r")
        pid = int(reports.readline())
    for number in FORWARDED:
        signal.signal(number, lambda number, _: os.killpg(pid, number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, FORWARDED)
    # Without a line, the preloaded process has ended, and the kernel has killed the fork.
    code = int(reports.readline() or -signal.SIGKILL)
    if code < 0:
        signal.signal(-code, signal.SIG_DFL) if -code in FORWARDED else None
        os.kill(os.getpid(), -code)
    sys.exit(code)


if __name__ == "__main__":
    main()
