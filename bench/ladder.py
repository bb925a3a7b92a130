"""The ladder: bots against each other from random openings, colours swapped.

python -m bench.ladder --games 40 --jobs 2
python -m bench.ladder --pairs 8:2 --games 40
"""

import argparse
import platform
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from multiprocessing import Pool

from menagerie.bots import BOTS, bots_of, consider
from menagerie.bots.luck import numbers
from menagerie.games import GAMES
from menagerie.games.position import SEATS, Position, Seat

OPENING_PLIES = 6


@dataclass(frozen=True)
class Played:
    """One game. `points`: of the stronger bot, 1, 0.5 or 0; its time and nodes by move."""

    points: float
    plies: int
    times_ms: list[float]
    nodes: int = 0


def opening(game: str, seed: int) -> Position:
    """The start position after a few random plies; never one that is over."""
    luck = numbers(seed)
    position = GAMES[game].position.start({}, bytes(32))
    for _ in range(OPENING_PLIES):
        (seat,) = position.to_move()
        moves = position.moves(seat)
        position = position.play(seat, moves[next(luck) % len(moves)])
    return position if position.outcome() is None else opening(game, seed + 1_000_003)


def play(strong: str, weak: str, number: int) -> Played:
    """Game `number` of a pair: two games an opening, the second with colours swapped."""
    position = opening(BOTS[strong].game, number // 2)
    strong_seat: Seat = SEATS[number % 2]
    luck = numbers(number + 77)
    times_ms: list[float] = []
    nodes = plies = 0
    while (outcome := position.outcome()) is None:
        (seat,) = position.to_move()
        bot_id = strong if seat == strong_seat else weak
        started = time.perf_counter()
        out_of_time = partial(_is_past, started + BOTS[bot_id].cap_ms / 1000)
        thought = consider(bot_id, position.text(), seat, next(luck), out_of_time)
        if bot_id == strong:
            times_ms.append((time.perf_counter() - started) * 1000)
            nodes += thought.nodes
        position = position.play(seat, thought.move)
        plies += 1
    points = 0.5 if outcome.winner is None else float(outcome.winner == strong_seat)
    return Played(points, plies, times_ms, nodes)


def _is_past(instant: float) -> bool:
    return time.perf_counter() > instant


def pairs_of(text: str | None, game: str) -> Iterator[tuple[str, str]]:
    """The pairs of a text such as `8:2,3:1`, as bot ids.

    Without a text: each level against the one below, and the top against the second.
    """
    levels = [bot.level for bot in bots_of(game)]
    pairs = [f"{above}:{below}" for below, above in pairwise(levels)]
    for pair in text.split(",") if text else [*pairs, f"{levels[-1]}:2"]:
        strong, weak = pair.split(":")
        yield f"{game}-{strong}", f"{game}-{weak}"


def quantile(times: list[float], share: float) -> float:
    return sorted(times)[int(share * (len(times) - 1))]


def line(strong: str, weak: str, games: list[Played]) -> str:
    """One line of the table."""
    times = [ms for game in games for ms in game.times_ms]
    speed = sum(game.nodes for game in games) / sum(times) * 1000
    return (
        f"| {strong} | {weak} | {tally(games)} | {quantile(times, 0.5):.1f} "
        f"| {quantile(times, 0.99):.1f} | {speed:,.0f} |"
    )


def tally(games: list[Played]) -> str:
    """How many games, won / drawn / lost, points and plies, as cells of a table."""
    wins = sum(game.points == 1 for game in games)
    draws = sum(game.points == 0.5 for game in games)
    share = sum(game.points for game in games) / len(games)
    plies = sum(game.plies for game in games) / len(games)
    score = f"{wins} / {draws} / {len(games) - wins - draws}"
    return f"{len(games)} | {score} | {share:.1%} | {plies:.0f}"


def print_table(
    columns: str,
    pairs: Iterable[tuple[str, str]],
    games: int,
    jobs: int,
    play: Callable[[str, str, int], Played],
    line: Callable[[str, str, list[Played]], str],
) -> None:
    """Play so many games of every pair in so many processes, and print a line for each pair."""
    version = f"{platform.python_implementation()} {platform.python_version()}"
    print(f"{datetime.now(UTC):%Y-%m-%d}, {version}, {jobs} processes\n")
    print(f"| {columns} |")
    print("| --- " * len(columns.split(" | ")) + "|")
    with Pool(jobs) as pool:
        for one, two in pairs:
            numbered = [(one, two, number) for number in range(games)]
            print(line(one, two, pool.starmap(play, numbered, chunksize=1)), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="jungle")
    parser.add_argument("--games", type=int, default=40, help="games a pair")
    parser.add_argument("--pairs", help="for example 8:2,3:1")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    asked = parser.parse_args()
    columns = (
        "bot | against | games | won / drawn / lost | points | plies | p50 ms | p99 ms | nodes/s"
    )
    print_table(columns, pairs_of(asked.pairs, asked.game), asked.games, asked.jobs, play, line)


if __name__ == "__main__":
    main()
