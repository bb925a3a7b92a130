"""Commands that end with the process that started them.

Run as a file it does the tying: `python tied.py <parent pid> <command> ...` asks
Linux for SIGTERM at the parent's death, then becomes the command. A program
of its own, because code between fork and exec is not safe beside threads.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence

PR_SET_PDEATHSIG = 1


def tied(command: Sequence[str]) -> list[str]:
    """The command that runs `command` and gets SIGTERM once this process is gone, even by kill -9.

    Start it from a thread that lives as long as the process: Linux sends the
    signal when that thread ends. Elsewhere than on Linux it is `command`, untied.
    """
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), *command]


def main(parent: str, *command: str) -> None:
    """Become `command`, tied to the process `parent`, which has started this one."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != int(parent):
        sys.exit("The parent ended before its child began.")
    os.execvp(command[0], command)  # noqa: S606 - no shell is the point


if __name__ == "__main__":
    main(*sys.argv[1:])
