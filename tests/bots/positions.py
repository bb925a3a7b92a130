"""Positions for the tests of the bots: reached by play, or set up at random."""

import random
from collections.abc import Iterator

from menagerie.games.jungle import DENS, PIECES, SQUARES, START, WATER, JunglePosition
from menagerie.games.position import BLACK, WHITE
from menagerie.games.refusals import BadPosition


def game(seed: int, plies: int) -> Iterator[tuple[str, JunglePosition]]:
    """The moves of a random game and the positions after them; the last may be over.

    It is fond of moving one animal to and fro, so its trails grow long and its bars bite.
    """
    luck = random.Random(seed)
    position = JunglePosition.parse(START)
    while plies and position.outcome() is None:
        moves = position.moves(position.side)
        trail = position.trails[position.side]
        fond = [move for move in moves if trail and move[:2] == trail[-1]]
        back = [move for move in fond if move[2:] in trail]
        move = luck.choice(luck.choice([moves, fond, back, back]) or moves)
        position = position.play(position.side, move)
        yield move, position
        plies -= 1


def game_positions(seed: int, plies: int) -> list[JunglePosition]:
    """The positions of such a game that are not over."""
    return [p for _, p in game(seed, plies) if p.outcome() is None]


def endgame(seed: int, white: int, black: int) -> JunglePosition:
    """A position set up at random with so many animals a side, not over, White or Black to move."""
    luck = random.Random(seed)
    while True:
        pieces = {}
        for letters, count in (("ELTPWDCR", white), ("eltpwdcr", black)):
            for letter in luck.sample(letters, count):
                dry = [s for s in SQUARES if letter in "Rr" or s not in WATER]
                free = [s for s in dry if s not in pieces and s not in DENS.values()]
                pieces[luck.choice(free)] = PIECES[letter]
        side = luck.choice((WHITE, BLACK))
        position = JunglePosition(pieces, side, {WHITE: (), BLACK: ()}, luck.choice((0, 197)), 300)
        try:
            position = JunglePosition.parse(position.text())
        except BadPosition:
            continue
        if position.outcome() is None:
            return position


def perft(position: JunglePosition, plies: int) -> int:
    """The readable rules' count of move sequences of exactly that many plies."""
    moves = position.moves(position.side)
    if plies == 1:
        return len(moves)
    return sum(perft(position.play(position.side, move), plies - 1) for move in moves)


def wins_in_one(position: JunglePosition) -> set[str]:
    """By the readable rules: the moves that win at once."""
    side = position.side
    outcomes = {move: position.play(side, move).outcome() for move in position.moves(side)}
    return {move for move, outcome in outcomes.items() if outcome and outcome.winner == side}


def safe_moves(position: JunglePosition) -> set[str]:
    """By the readable rules: the moves that leave the other side no win in one."""
    nexts = {move: position.play(position.side, move) for move in position.moves(position.side)}
    return {move for move, after in nexts.items() if after.outcome() or not wins_in_one(after)}
