"""The timekeeper: flags fall by themselves, and the outbox is handed on.

It sleeps until the next deadline, at most `LONGEST_SLEEP_S`, and settles what
is due. Two may run at once, and killing one loses nothing: every read and
write of a match settles it as well.
"""

import logging
import signal
import time
from typing import Final

from redis.exceptions import RedisError

from menagerie.play.referee import Referee
from menagerie.play.settings import Settings, open_referee

LONGEST_SLEEP_S: Final = 0.05
RETRY_S: Final = 0.2
LEFT_BEHIND_MS: Final = 50

log = logging.getLogger("menagerie.timekeeper")


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
                sleep_s = self.tick()
            except RedisError as error:
                log.warning("the store is away: %s", error)
                sleep_s = RETRY_S
            time.sleep(sleep_s)

    def tick(self) -> float:
        """Do what is due now. Returns the seconds until there may be more."""
        return min(self._tick_shard(tag) for tag in self._referee.matches.keys.tags())

    def _tick_shard(self, tag: str) -> float:
        agenda = self._referee.matches.agenda(tag)
        due = [match_id for match_id, due_ms in agenda.due if due_ms <= agenda.now_ms]
        for match_id in due:
            self._settle(match_id)
        old_ms = agenda.now_ms - LEFT_BEHIND_MS
        left = [entry for entry in agenda.outbox if int(entry.id.partition("-")[0]) <= old_ms]
        if left:
            self._referee.takers.hand_on(left)
        if due:
            return 0
        waits = [(due_ms - agenda.now_ms) / 1000 for _, due_ms in agenda.due[:1]]
        return min([LONGEST_SLEEP_S, *waits])

    def _settle(self, match_id: str) -> None:
        """Settle one match. One that cannot be read is told of, and stops no other.

        On a virtual clock a bot's patience is real time, which only this set knows of.
        """
        try:
            match = self._referee.settle(match_id)
            if match is not None and match.virtual_ms is not None:
                self._referee.play_for_late_bot(match)
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
