"""The check of repetition that a worker makes after each ply: the referee's second pair of eyes.

No result depends on it. It counts the whole record anew, and what it finds stands beside
what the match itself says.
"""

import logging
from dataclasses import dataclass
from typing import Any

from menagerie.games.position import Repetition
from menagerie.games.refusals import Refusal
from menagerie.match import Match
from menagerie.record import Record

log = logging.getLogger("menagerie.checks")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the check found at a ply. `agrees`: the match says the same of itself."""

    version: int
    ply: int
    repetition: Repetition
    agrees: bool

    def view(self) -> dict[str, Any]:
        return {"ply": self.ply, **self.repetition.view(), "agrees": self.agrees}


def checked(match: Match, record: Record) -> Verdict:
    """The verdict on the match as its record tells it; a difference is logged."""
    own, start = match.position.repetition(), record.start_position()
    try:
        history = record.history()
    except Refusal as refusal:
        log.error("match %s: its record has a move that is none: %s", match.id, refusal)
        return Verdict(match.version, match.ply, own, agrees=False)
    found = match.setup.position_class.recounted(start, history)
    last = history[-1].position if history else start
    agrees = found == own and last.text() == match.position.text()
    if not agrees:
        log.error("match %s, ply %d: counted %s, but it has %s", match.id, match.ply, found, own)
    return Verdict(match.version, match.ply, found, agrees)
