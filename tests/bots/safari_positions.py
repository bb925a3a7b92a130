"""Safari for the tests of its bots: matches reached by play, and crowds set up at random."""

import random

from menagerie.games.position import SEATS
from menagerie.games.safari import SafariPosition
from menagerie.games.safari.cards import DECK
from menagerie.games.squares import board_text

SQUARES = [f"{file}{rank}" for rank in range(1, 15) for file in "abcdefghijklmnopqr"]


def placed_at_random(luck, seed):
    position = SafariPosition.start({}, seed)
    for seat in SEATS:
        letters = "".join(luck.sample("EBTLWDCMXY..", 12))
        position = position.play(seat, f"place {letters[:6]}/{letters[6:]}")
    return position


def match_positions(number, plies):
    """The positions in play, not over, of a random match that is fond of captures and passes."""
    luck = random.Random(number)
    position = placed_at_random(luck, luck.randbytes(32))
    positions = []
    while position.outcome() is None and position.ply < plies:
        positions.append(position)
        moves = position.moves(position.side)
        captures = [move for move in moves if "x" in move]
        joined = [move for move in moves if "+" in move]
        passes = [move for move in moves if move.startswith("pass ")]
        choices = [choice for choice in (captures, joined, passes, moves, moves) if choice]
        position = position.play(position.side, luck.choice(luck.choice(choices)))
    return positions


def safari(pieces, hand, side="w", quiet=0, ply=60):
    """A position from pieces like `Eg2 mh5`; humans that are not named stand in their corners."""
    letters = {piece[1:]: piece[0] for piece in pieces.split()}
    for human, corner in {"X": "a1", "Y": "r1", "x": "a14", "y": "r14"}.items():
        if human not in letters.values():
            letters[corner] = human
    return SafariPosition.parse(f"{board_text(letters, 18, 14)} {side} {hand} {quiet} {ply}")


def crowd(number):
    """A position with much to take: most pieces within a few squares, some animals long gone."""
    luck = random.Random(number)
    while True:
        first = luck.choice([1, 4, 7, 9])
        near = [s for s in SQUARES if s[0] in "ghijklm" and first <= int(s[1:]) < first + 6]
        animals = [p for p in "EBTLWDCMebtlwdcm" if luck.random() < 0.6]
        pieces = dict(zip(luck.sample(near, len(near)), animals, strict=False))
        for human in "XYxy":
            free = [s for s in (near if luck.random() < 0.3 else SQUARES) if s not in pieces]
            pieces[luck.choice(free)] = human
        dead = [card for card in DECK if card[0] not in [*animals, *"XY*"]]
        hand = luck.sample(dead if len(dead) > 6 and luck.random() < 0.3 else DECK, 7)
        quiet = luck.choice([0, 199])
        board = board_text(pieces, 18, 14)
        text = f"{board} {luck.choice('wb')} {','.join(hand)} {quiet} 60"
        position = SafariPosition.parse(text)
        if position.outcome() is None:
            return position


def wins_in_one(position):
    """By the readable rules: the moves that win at once."""
    side = position.side
    ways = {}
    for move in position.moves(side):
        ways.setdefault(move.partition(":")[2], []).append(move)
    won = set()
    for moves in ways.values():
        outcome = position.play(side, moves[0]).outcome()
        if outcome and outcome.winner == side:
            won.update(moves)
    return won


def view(position):
    return position.view(position.side)
