"""Child processes, kept alive and stopped in order."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from menagerie.tied import tied

FIRST_DELAY_S: Final = 0.1
LONGEST_DELAY_S: Final = 5.0
HEALTHY_S: Final = 10.0
"""A child that lived this long begins its back-off anew."""


@dataclass(frozen=True, slots=True)
class Child:
    """A command to keep running. `patience_s` is what it gets to stop by itself."""

    name: str
    command: tuple[str, ...]
    patience_s: float = 10.0


class Supervisor:
    """Starts the children in their order, restarts what dies, stops them in the same order.

    Each has a process group of its own, so that Ctrl-C in a terminal reaches the
    supervisor only. Use it from the main thread (see `tied`).
    """

    def __init__(self, children: Sequence[Child], environment: Mapping[str, str]) -> None:
        self._runs = [_Run(child, environment) for child in children]

    def start(self) -> None:
        """Start all of them."""
        for run in self._runs:
            run.begin()

    def tend(self) -> None:
        """One look at each: begin those again that have died and waited out their back-off."""
        for run in self._runs:
            run.tend()

    def stop(self) -> None:
        """Stop them one after the other, each with SIGTERM, and SIGKILL after its patience."""
        for run in self._runs:
            run.stop()

    def deaths(self) -> Mapping[str, int]:
        """How often each child has died since it last was healthy, by name."""
        return {run.child.name: run.deaths for run in self._runs}


class _Run:
    """One child's present process, and its back-off."""

    def __init__(self, child: Child, environment: Mapping[str, str]) -> None:
        self.child = child
        self.environment = environment
        self.deaths = 0
        self.process: subprocess.Popen[bytes] | None = None
        self.at_s = 0.0  # when the process began, or is to begin

    def begin(self) -> None:
        self.process = subprocess.Popen(  # noqa: S603 - running commands is its purpose
            tied(self.child.command),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            process_group=0,
        )
        self.at_s = time.monotonic()

    def tend(self) -> None:
        if self.process is None:
            if time.monotonic() >= self.at_s:
                self.begin()
        elif self.process.poll() is not None:
            self._bury(self.process)

    def _bury(self, process: subprocess.Popen[bytes]) -> None:
        """Note the death and when to begin again."""
        _kill_group(process)
        healthy = time.monotonic() - self.at_s >= HEALTHY_S
        self.deaths = 1 if healthy else self.deaths + 1
        delay_s = min(FIRST_DELAY_S * 2 ** (self.deaths - 1), LONGEST_DELAY_S)
        say(f"{self.child.name} ended ({process.returncode}), back in {delay_s:.1f} s")
        self.process = None
        self.at_s = time.monotonic() + delay_s

    def stop(self) -> None:
        if self.process is None:
            return
        self.process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(self.child.patience_s)
        _kill_group(self.process)
        self.process.wait()
        self.process = None


def say(text: str) -> None:
    """A line for whoever watches the terminal."""
    print(f"menagerie: {text}", file=sys.stderr, flush=True)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the child: workers that outlive it would serve beside its successor."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
