"""Safari's bots against each other and against two players of one idea each.

python -m bench.safari --games 100 --pairs 6:rush,6:greedy
python -m bench.safari --games 60

*rush* moves a human towards home whenever it can, as far as it can; else it
passes and lays off a card. *greedy* wins if it can, else captures, else does
anything. A match is played twice, with the seats changed.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

from bench.ladder import Played, print_table, quantile, tally
from menagerie.bots.luck import numbers
from menagerie.bots.safari import BOTS, consider
from menagerie.games.position import SEATS, WHITE, Seat
from menagerie.games.safari import SafariPosition
from menagerie.games.safari.board import HUMANS
from menagerie.games.safari.notation import Movement, read

Luck = Iterator[int]
Player = Callable[[SafariPosition, Seat, Luck], str]


# The players of one idea


def rush(position: SafariPosition, seat: Seat, luck: Luck) -> str:
    if position.in_setup:
        return bot(1, position, seat, luck)  # anywhere
    strides = {text: _stride(position, text) for text in position.moves(seat)}
    farthest = max(strides.values())
    if farthest > 0:
        return _any([text for text, ranks in strides.items() if ranks == farthest], luck)
    return _any([text for text in strides if text.startswith("pass ")], luck)


def _stride(position: SafariPosition, text: str) -> int:
    """The ranks that a human comes nearer to home by this move."""
    movement = read(text)
    if not isinstance(movement, Movement):
        return 0
    piece = position.pieces[movement.origin]
    if piece.letter not in HUMANS:
        return 0
    ranks = int(movement.target[1:]) - int(movement.origin[1:])
    return ranks if piece.seat == WHITE else -ranks


def greedy(position: SafariPosition, seat: Seat, luck: Luck) -> str:
    if position.in_setup:
        return bot(1, position, seat, luck)  # anywhere
    texts = position.moves(seat)
    captures = [text for text in texts if "x" in text.partition(":")[2]]
    nears = [text for text in texts if _stride(position, text) > 0]
    wins = [text for text in (*captures, *nears) if position.play(seat, text).outcome()]
    return _any(wins or captures or texts, luck)


def _any(texts: list[str], luck: Luck) -> str:
    return texts[next(luck) % len(texts)]


def bot(level: int, position: SafariPosition, seat: Seat, luck: Luck) -> str:
    """A bot of the service, as fast as it is."""
    return consider(BOTS[level - 1], position.view(seat), seat, next(luck), lambda: False).move


def player(name: str) -> Player:
    return {"rush": rush, "greedy": greedy}.get(name) or partial(bot, int(name))


# Matches


def play(one: str, two: str, number: int) -> Played:
    """Match `number` of a pair."""
    luck = numbers(number + 77)
    position = SafariPosition.start({}, (number // 2).to_bytes(32, "big"))
    seats = dict(zip(SEATS, (one, two) if number % 2 == 0 else (two, one), strict=True))
    times_ms = []
    while (outcome := position.outcome()) is None:
        seat = position.to_move()[0]
        began = time.process_time()
        text = player(seats[seat])(position, seat, luck)
        if seats[seat] == one:
            times_ms.append((time.process_time() - began) * 1000)
        position = position.play(seat, text)
    points = 0.5 if outcome.winner is None else float(outcome.winner == SEATS[number % 2])
    return Played(points, position.ply, times_ms)


def line(one: str, two: str, games: list[Played]) -> str:
    times = [ms for game in games for ms in game.times_ms]
    return (
        f"| safari-{one} | {two if two.isalpha() else f'safari-{two}'} | {tally(games)} "
        f"| {quantile(times, 0.5):.0f} | {quantile(times, 0.95):.0f} | {max(times):.0f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=40, help="matches a pair")
    parser.add_argument("--pairs", help="for example 6:rush,3:1")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    asked = parser.parse_args()
    ladder = [f"{above.level}:{below.level}" for below, above in pairwise(BOTS)]
    pairs = asked.pairs.split(",") if asked.pairs else ["6:rush", "6:greedy", *ladder]
    columns = "bot | against | matches | won / drawn / lost | points | plies | p50 | p95 | max"
    each = [(one, two) for one, _, two in (pair.partition(":") for pair in pairs)]
    print_table(columns, each, asked.games, asked.jobs, play, line)


if __name__ == "__main__":
    main()
