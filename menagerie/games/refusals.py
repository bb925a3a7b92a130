"""What a rule engine refuses, and why. One class a kind, one stable code each."""


class Refusal(Exception):
    """Something a rule engine will not do. `code` is the kind, `reason` the rule."""

    code: str
    reason: str | None

    def __init__(self, detail: str, reason: str | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.reason = reason


class IllegalMove(Refusal):
    """The text names no legal move; `reason` is a code of the game's rules page."""

    code = "illegal_move"

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail, reason)


class NotYourTurn(Refusal):
    """The seat is not to move."""

    code = "not_your_turn"


class GameOver(Refusal):
    """The game has ended: it has no legal moves."""

    code = "game_over"


class BadPosition(Refusal):
    """The text is no position of this game; `reason` says which rule it breaks."""

    code = "bad_position"

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail, reason)


class BadOption(Refusal):
    """The game has no such option, or the option no such value."""

    code = "bad_option"
