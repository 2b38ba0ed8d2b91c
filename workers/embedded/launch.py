"""Executes another program so that it does not outlive the process that started it.

Run as a script, with nothing but the standard library, by `workers.embedded.processes`:

    python -I -S launch.py PARENT SIGNAL ACCOUNT PROGRAM [ARGUMENT ...]

PARENT is the pid of the starting process. SIGNAL is sent to the program by the kernel when that process ends, however
it ends (Linux: PR_SET_PDEATHSIG; not on other systems). ACCOUNT is `UID:GID` to change to from root, or `-`.
"""

import ctypes
import os
import signal
import sys
from contextlib import suppress

# <linux/prctl.h>, <linux/securebits.h>, <linux/capability.h>
PR_SET_PDEATHSIG = 1
PR_SET_SECUREBITS = 28
SECBIT_NO_SETUID_FIXUP = 1 << 2
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_RAISE = 2
CAP_DAC_OVERRIDE = 1
CAPABILITY_VERSION_3 = 0x20080522

CANNOT_EXECUTE = 127


def main(parent: int, orphaned: signal.Signals, account: str, program: list[str]) -> None:
    """Replace this process by `program`.

    Args:
        parent: The pid of the process that must be alive.
        orphaned: The signal for the program when its parent ends.
        account: `UID:GID` to change to, or `-` for no change.
        program: A path or a name on the PATH, and its arguments.
    """
    if account != "-":
        uid, gid = map(int, account.split(":"))
        _become(uid, gid)
    # After the change of account, which clears it.
    end_with_parent(parent, orphaned)
    try:
        os.execvp(program[0], program)  # noqa: S606  # the purpose of this file
    except OSError as error:
        print(f"{program[0]}: {error.strerror}", file=sys.stderr)  # noqa: T201  # stderr is the program's log file
        sys.exit(CANNOT_EXECUTE)


def end_with_parent(parent: int, orphaned: signal.Signals) -> None:
    """Have the kernel send this process a signal when its parent ends; exits at once if that has ended already."""
    _system("prctl", PR_SET_PDEATHSIG, orphaned, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit("not started, since the process that asked for it has ended")


def _become(uid: int, gid: int) -> None:
    """Change from root to an account, keeping only the capability CAP_DAC_OVERRIDE.

    The Python environment and the data may be below a home directory of mode 0700; with the capability the program
    reaches them, and no permissions need to be loosened. A process that lacks it (in a container) runs without.
    """
    with suppress(PermissionError):
        # Keep capabilities over the change of account, and let access(2), with which Postgres finds its own path,
        # respect them.
        _system("prctl", PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0)
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)
    with suppress(PermissionError):
        wanted = 1 << CAP_DAC_OVERRIDE
        # Effective, permitted and inheritable; capabilities 0 to 31, then the rest.
        sets = (ctypes.c_uint32 * 6)(wanted, wanted, wanted, 0, 0, 0)
        _system("capset", (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0), sets)
        _system("prctl", PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_OVERRIDE, 0, 0)


def _system(function: str, *arguments: object) -> None:
    """Call a function of the C library that returns -1 on failure; does nothing on systems other than Linux."""
    if sys.platform == "linux":
        # Variadic functions read whole registers: pass numbers as longs.
        passed = [ctypes.c_ulong(value) if isinstance(value, int) else value for value in arguments]
        if ctypes.CDLL(None, use_errno=True)[function](*passed) == -1:
            number = ctypes.get_errno()
            raise OSError(number, f"{function}: {os.strerror(number)}")


if __name__ == "__main__":
    main(int(sys.argv[1]), signal.Signals(int(sys.argv[2])), sys.argv[3], sys.argv[4:])
