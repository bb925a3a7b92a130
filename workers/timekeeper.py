"""The timekeeper: flags fall by themselves, and the outbox is handed on.

It looks ahead to the next deadline, sleeps until it has come, at most `LONGEST_SLEEP_S`,
and settles what is due. Two may run at once, and killing one loses nothing: every read and
write of a match settles it as well.
"""

import logging
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from redis.exceptions import RedisError

from menagerie.match import Step
from menagerie.play.referee import Referee
from menagerie.play.settings import Settings, open_referee

LONGEST_SLEEP_S: Final = 0.05
RETRY_S: Final = 0.2
LEFT_BEHIND_MS: Final = 50
AT_ONCE: Final = 32
"""How much of each kind one tick takes on."""

log = logging.getLogger("menagerie.timekeeper")


class Next(NamedTuple):
    """What comes next: when, by this process's monotonic clock, and which match falls due then.

    `at_ms` is the same instant by the server. The server's clock is read before `at_s` is
    reckoned from it, so waking at `at_s` is never too early.
    """

    at_s: float
    match_id: str = ""
    at_ms: int = 0


class Timekeeper:
    """Settles what falls due in every shard."""

    def __init__(self, referee: Referee) -> None:
        self._referee = referee
        self._stopped = False

    def stop(self) -> None:
        """End within one sleep; safe in a signal handler."""
        self._stopped = True

    def run(self) -> None:
        """Go on until stopped; an absent store is waited for."""
        while not self._stopped:
            try:
                self.await_next(self.tick())
            except RedisError as error:
                log.warning("the store is away: %s", error)
                time.sleep(RETRY_S)

    def tick(self) -> "Next":
        """Do what is due now. Returns what comes next."""
        return min(self._tick_shard(tag) for tag in self._referee.matches.keys.tags())

    def await_next(self, coming: "Next") -> None:
        """Sleep until it comes, and let happen what was worked out before the sleep."""
        step = self._foreseen(coming.match_id, coming.at_ms) if coming.match_id else None
        time.sleep(max(0.0, coming.at_s - time.monotonic()))
        if step is not None:
            self._referee.settle_foreseen(step, coming.at_ms)

    def _tick_shard(self, tag: str) -> "Next":
        agenda = self._referee.matches.agenda(tag, AT_ONCE)
        read_s = time.monotonic()
        due = [match_id for match_id, due_ms in agenda.due if due_ms <= agenda.now_ms]
        for match_id in due:
            self._settle(match_id)
        old_ms = agenda.now_ms - LEFT_BEHIND_MS
        left = [entry for entry in agenda.outbox if entry.at_ms <= old_ms]
        taken = self._referee.takers.hand_on(left) if left else 0
        if due or taken == AT_ONCE:
            return Next(read_s)
        coming = [
            Next(read_s + (due_ms - agenda.now_ms) / 1000, match_id, due_ms)
            for match_id, due_ms in agenda.due[:1]
        ]
        return min([Next(read_s + LONGEST_SLEEP_S), *coming])

    def _foreseen(self, match_id: str, at_ms: int) -> Step | None:
        with self._leaving_unreadable(match_id):
            return self._referee.foresee(match_id, at_ms)
        return None

    def _settle(self, match_id: str) -> None:
        """Settle one match.

        On a virtual clock a bot's patience is real time, which only this set knows of.
        """
        with self._leaving_unreadable(match_id):
            match = self._referee.settle(match_id)
            if match is not None and match.virtual_ms is not None:
                self._referee.play_for_late_bot(match)

    @contextmanager
    def _leaving_unreadable(self, match_id: str) -> Iterator[None]:
        """A match that cannot be read is told of, and stops no other."""
        try:
            yield
        except RedisError:
            raise
        except Exception:
            log.exception("match %s cannot be settled; it is left to its readers", match_id)
            self._referee.matches.forget_due(match_id)


def main() -> None:
    """Run one until SIGTERM or SIGINT."""
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
    timekeeper = Timekeeper(open_referee(Settings.from_environment()))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: timekeeper.stop())
    timekeeper.run()


if __name__ == "__main__":
    main()
