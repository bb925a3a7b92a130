"""What a result does to experience and ratings: openskill's Bradley-Terry model.

Its own scale begins at 25 with an uncertainty of 25/3; ours has 60 times its
figures, so a newcomer has 1500 with an uncertainty of 500.
"""

from typing import Final

from openskill.models import BradleyTerryFull

from menagerie.games.position import SEATS, Seat
from menagerie.match import Match
from menagerie.player import Rating, earned_xp
from menagerie.store.players import Players

SCALE: Final = 60.0
MODEL: Final = BradleyTerryFull(mu=1500.0, sigma=500.0, beta=250.0, tau=5.0)


def rated(before: dict[Seat, Rating], winner: Seat | None) -> dict[Seat, Rating]:
    """The ratings of both seats after a match that this seat won; None: a draw."""
    teams = [[MODEL.rating(before[seat].value, before[seat].uncertainty)] for seat in SEATS]
    ranks = [0.0 if winner in (seat, None) else 1.0 for seat in SEATS]
    after = MODEL.rate(teams, ranks=ranks)
    return {
        seat: Rating(team[0].mu, team[0].sigma, before[seat].matches + 1)
        for seat, team in zip(SEATS, after, strict=True)
    }


def count(players: Players, match: Match) -> None:
    """Give both sides what the result is worth, once however often this is called.

    A bot earns no experience, and learns nothing about itself from playing itself.
    """
    ids = {seat: match.seat(seat).rated_as or "" for seat in SEATS}
    if not match.counts or match.result is None or ids["white"] == ids["black"]:
        return
    winner = match.result.winner
    xp = {seat: earned_xp(seat, winner) if match.seat(seat).player else 0 for seat in SEATS}
    answer = "conflict"
    while answer == "conflict":  # another match of one of them was counted meanwhile
        found = players.standings([ids[seat] for seat in SEATS], match.setup.game)
        before = dict(zip(SEATS, found, strict=True))
        after = rated({seat: standing.rating for seat, standing in before.items()}, winner)
        answer = players.count(
            match.id, match.setup.game, ids=ids, before=before, after=after, xp=xp
        )
