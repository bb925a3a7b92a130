"""Speed of the rules and of the search: leaves and nodes a second, best of a few runs.

python -m bench.perft
"""

import platform
import time
from collections.abc import Callable
from datetime import UTC, datetime

from menagerie.bots.jungle_board import END, after, read, ways
from menagerie.bots.jungle_search import NODES, effort, think
from menagerie.games.jungle import START, JunglePosition

RUNS = 5
NODES_A_SEARCH = 50_000
SEARCHED = (
    START,
    "l1d3t/r5e/pc3w1/7/7/3P3/2W3R/EC3D1/T3L2 b g2f2 c7b7 33 33",
    "1w3t1/4ce1/dlp4/1r5/7/C6/7/TP1R3/W3D1L b b2 f9 35 109",
    "6t/l2d1w1/pr3c1/E2W1R1/3P3/7/1C3D1/2T1L2/7 b d5 f8 36 123",
)


def readable(position: JunglePosition, plies: int) -> int:
    """Leaves by the readable rules."""
    moves = position.moves(position.side)
    if plies == 1:
        return len(moves)
    return sum(readable(position.play(position.side, move), plies - 1) for move in moves)


def inner(cells: list[int], plies: int) -> int:
    """Leaves by the inner form."""
    if cells[END]:
        return 0
    found = ways(cells)
    if plies == 1:
        return len(found)
    return sum(inner(after(cells, way), plies - 1) for way in found)


def searched() -> int:
    """Nodes of a search from each of the positions."""
    nodes = 0
    for text in SEARCHED:
        cells = read(JunglePosition.parse(text))
        spending = effort(NODES_A_SEARCH, lambda: False)
        think(cells, dict.fromkeys(ways(cells), 0), spending)
        nodes += NODES_A_SEARCH - spending.left[NODES]
    return nodes


def per_second(work: Callable[[], int]) -> tuple[float, float]:
    """What `work` counts, a second: the best run and the middle one."""
    rates = []
    for _ in range(RUNS):
        started = time.perf_counter()
        count = work()
        rates.append(count / (time.perf_counter() - started))
    rates.sort()
    return rates[-1], rates[len(rates) // 2]


def main() -> None:
    start = JunglePosition.parse(START)
    cells = read(start)
    version = f"{platform.python_implementation()} {platform.python_version()}"
    print(f"{datetime.now(UTC):%Y-%m-%d}, {version}\n")
    print("| of Jungle | best a second | median a second |")
    print("| --- | --- | --- |")
    for name, work in (
        ("perft leaves, readable rules (depth 3)", lambda: readable(start, 3)),
        ("perft leaves, inner form (depth 4)", lambda: inner(cells, 4)),
        ("search nodes", searched),
    ):
        best, median = per_second(work)
        print(f"| {name} | {best:,.0f} | {median:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
