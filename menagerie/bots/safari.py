"""The bots of Safari: six levels of one search over the cards that they have not seen."""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from menagerie.bots.bot import Bot, Thought
from menagerie.bots.luck import numbers
from menagerie.bots.safari_board import read, text
from menagerie.bots.safari_deal import deals
from menagerie.bots.safari_search import Effort, Plan, think
from menagerie.games.chance import shuffle
from menagerie.games.position import SEATS, Seat, other
from menagerie.games.refusals import GameOver, NotYourTurn
from menagerie.games.safari import SafariPosition
from menagerie.games.safari.board import ANIMALS, HUMANS, LETTERS, PIECES, STARRED

CAREFUL_FROM: Final = 2
"""From this level on a bot fears what the other hand may do, and hides its humans in setup."""

_LEVELS: Final = (
    (Plan(0), 1, 4_000, 200, "Sees what it can take, and little else."),
    (Plan(8), 1_000, 4_000, 300, "Wins when it can at once, and fears what may lose at once."),
    (Plan(16), 2_000, 2_000, 400, "Knows what is worth having, mostly."),
    (Plan(32), 3_000, 1_000, 500, "Weighs its moves with care, but not the answers."),
    (Plan(4, plies=1, roots=4, width=3), 4_000, 300, 1_000, "Thinks of the answers."),
    (Plan(24, plies=2, roots=12, width=4), 12_000, 2, 2_000, "The strongest: thinks on."),
)
"""Plan, nodes, whim, time cap in ms and description of each level from 1."""

BOTS: Final = tuple(
    Bot(f"safari-{level}", "safari", level, description, nodes, cap_ms, whim)
    for level, (_, nodes, whim, cap_ms, description) in enumerate(_LEVELS, start=1)
)

_INSTANT: Final = Bot("safari-0", "safari", CAREFUL_FROM, "Looks one ply ahead.", 0, 0, 4)


def consider(
    bot: Bot, view: Mapping[str, Any], seat: Seat, seed: int, out_of_time: Callable[[], bool]
) -> Thought:
    """The move or placement that this bot plays, and why. Raises as `menagerie.bots.choose`.

    `view`: the `state` that the seat, whose turn it is, may see.
    """
    _refuse(view, seat)
    luck = numbers(seed)
    if view["phase"] == "setup":
        return Thought(_placement(bot, luck), 0, 0, 0)
    plan, spending = _LEVELS[bot.level - 1][0], Effort(bot.nodes, out_of_time)
    dealt = list(islice(deals(view, other(seat), luck), plan.deals))
    choice = think(
        read(view, seat), dealt, plan, spending, whim=lambda: next(luck) % (bot.whim + 1)
    )
    return Thought(text(choice.move), choice.worth, 1 + plan.plies, bot.nodes - spending.nodes)


def one_ply(view: Mapping[str, Any], seat: Seat, seed: int) -> str:
    """A sensible move text or placement at once. Raises as `menagerie.bots.choose`."""
    return consider(_INSTANT, view, seat, seed, lambda: True).move


def _refuse(view: Mapping[str, Any], seat: Seat) -> None:
    """Raise what the view shows: that the seat has placed, or that the game is over.

    Whose turn it is in play a view does not tell.
    """
    if view["phase"] == "setup":
        if view["placed"][seat]:
            raise NotYourTurn(f"{seat} has placed.")
    elif _known(view, seat).outcome() is not None:
        raise GameOver("The game is over.")


def _known(view: Mapping[str, Any], seat: Seat) -> SafariPosition:
    """The board of a view, as the rules can judge it."""
    return SafariPosition(
        pieces={square: PIECES[symbol] for square, symbol in view["pieces"].items()},
        side=seat,
        placements=dict.fromkeys(SEATS),
        hands=dict.fromkeys(SEATS),
        piles=None,
        quiet=view["quiet"],
        ply=0,
    )


# Setup


def _placement(bot: Bot, luck: Iterator[int]) -> str:
    """The text of a placement: the pieces anywhere, or the humans in hiding."""
    if bot.level < CAREFUL_FROM:
        letters = [*LETTERS, *"." * (len(STARRED["white"]) - len(LETTERS))]
        shuffle(letters, luck)
    else:
        letters = _hideout(luck)
    row = len(letters) // 2
    return f"place {''.join(letters[:row])}/{''.join(letters[row:])}"


def _hideout(luck: Iterator[int]) -> list[str]:
    """The humans in the middle of the back row, with an animal on every square beside them.

    An enemy gets to them over a taken animal only, and that takes it two turns.
    """
    animals, humans = list(ANIMALS), list(HUMANS)
    shuffle(animals, luck)
    shuffle(humans, luck)
    front, (left, right) = animals[:6], animals[6:]
    return [*front, ".", left, *humans, right, "."]
