"""What the RQ workers do. Each job may come twice, late, or after its turn is over."""

from functools import cache

from menagerie.games.position import Seat
from menagerie.play.referee import Referee
from menagerie.play.settings import Settings, open_referee


@cache
def referee() -> Referee:
    """This worker process's own."""
    return open_referee(Settings.from_environment())


def play_bot_turn(match_id: str, seat: Seat, version: int) -> None:
    """A bot thinks about the turn that began at `version`, and plays it."""
    referee().play_bot_turn(match_id, seat, version)


def check_repetition(match_id: str, version: int) -> None:
    """Count repetition anew over the whole record, at this version or a later one."""
    referee().check_repetition(match_id, version)
