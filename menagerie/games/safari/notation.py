"""The texts of Safari's moves: a placement, a pass, or a movement by cards."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from menagerie.games.position import Seat
from menagerie.games.safari.board import LETTERS, PIECES, STARRED, Piece
from menagerie.games.safari.cards import Cards

_CARD: Final = r"[EBTLWDCMXY*][1-5]"
_SQUARE: Final = r"[a-r](?:1[0-4]|[1-9])"

_PLACEMENT: Final = re.compile(r"place ([EBTLWDCMXY.]{6})/([EBTLWDCMXY.]{6})")
_PASS: Final = re.compile(rf"pass(?: ({_CARD}))?")
_MOVEMENT: Final = re.compile(
    rf"({_CARD}(?:\+{_CARD})*):({_SQUARE})(?:-({_SQUARE})|x({_SQUARE})(?:-({_SQUARE}))?)"
)


@dataclass(frozen=True, slots=True)
class Placement:
    """The twelve characters of a placement, in the order of the starred squares."""

    letters: str

    @property
    def has_right_pieces(self) -> bool:
        return sorted(self.letters.replace(".", "")) == sorted(LETTERS)

    def pieces(self, seat: Seat) -> Mapping[str, Piece]:
        """Square to piece, once this seat has placed so."""
        symbols = self.letters if seat == "white" else self.letters.lower()
        pairs = zip(STARRED[seat], symbols, strict=True)
        return {square: PIECES[symbol] for square, symbol in pairs if symbol != "."}


@dataclass(frozen=True, slots=True)
class Pass:
    """A pass; `cards` is empty, or the one card put on the played pile."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class Movement:
    """A movement from `origin` to `target`; `taken` is the square of its capture, if any."""

    cards: Cards
    origin: str
    taken: str | None
    target: str

    @property
    def goes_on(self) -> bool:
        """Whether the mover leaves the square of its capture."""
        return self.taken not in (None, self.target)


Move = Placement | Pass | Movement


def read(text: str) -> Move | None:
    """What the text says, or None if it is the text of no move."""
    if match := _MOVEMENT.fullmatch(text):
        return _movement(*match.groups())
    if match := _PASS.fullmatch(text):
        return Pass((match[1],) if match[1] else ())
    if match := _PLACEMENT.fullmatch(text):
        return Placement(match[1] + match[2])
    return None


def _movement(
    joined: str, origin: str, walked: str | None, taken: str | None, onwards: str | None
) -> Movement | None:
    """A movement, or None if its text is not the canonical one."""
    cards = tuple(joined.split("+"))
    values = [card[1] for card in cards]
    if values != sorted(values) or (taken is not None and taken == onwards):
        return None
    target = walked or onwards or taken
    return None if target is None else Movement(cards, origin, taken, target)
