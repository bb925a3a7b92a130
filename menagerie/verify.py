"""A replay, checked by anyone: `python -m menagerie.verify replay.json` (`-` reads stdin).

PURE but for `main`. The match is played anew from what a replay claims of chance, of moves and
of instants, by the same `Match` and `Record` that the service uses; what they make of it must be
the replay, line by line. So there is nothing here that knows a game.
"""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

from menagerie.clock import Control, ControlType
from menagerie.games import GAMES
from menagerie.games.chance import SEED_BYTES, commitment
from menagerie.games.position import SEATS, VIEWERS, Seat, Viewer
from menagerie.games.refusals import Refusal
from menagerie.instants import instant, parse_instant
from menagerie.match import Match, Occupant, Setup, Step
from menagerie.record import Entry, Record, line, written

RIGHT, WRONG, UNREADABLE = 0, 1, 2
"""How the command exits."""

_NEVER_MS: Final = 10**15


class Wrong(Exception):
    """The first thing in a replay that does not follow from what stands before it."""

    def __init__(self, place: str, detail: str) -> None:
        super().__init__(f"{place}: {detail}")
        self.place = place
        self.detail = detail


class Unreadable(Exception):
    """What was given is no whole replay of an ended match, or of no game that is known here."""


def verify(replay: Any) -> Match:
    """The match that the replay tells of, played anew.

    `replay` is the JSON value of `GET /v1/matches/{id}/replay`, with or without positions.
    Raises `Wrong` with the first thing that is not as it must be, in the order commitment,
    start, plies and notes as they happened, result; `Unreadable` if it cannot be checked.
    """
    claim = _Claim.read(replay)
    _check_seed(claim)
    setup = _setup(claim)
    match, entries = _played_anew(claim, setup)
    if not match.has_ended:
        raise Wrong("match.result", "nothing in the record ends the match")
    record = Record(setup, tuple(entries))
    again = record.replay(match, claim.perspective, with_positions=claim.with_positions)
    _check("", claim.whole, again)
    return match


# What the replay claims


class _Line(NamedTuple):
    """A ply or a note as it stands in the replay.

    `place`: how a message calls it; `type` and `by` are a note's, None for a ply.
    """

    place: str
    at_ms: int
    seat: Seat | None
    told: Mapping[str, Any]
    type: str | None = None
    by: str | None = None


@dataclass(frozen=True, slots=True)
class _Claim:
    """A replay whose shape has been checked, and nothing else. `lines`: as they happened."""

    whole: Mapping[str, Any]
    lines: tuple[_Line, ...]
    control: Control

    @classmethod
    def read(cls, replay: Any) -> "_Claim":
        heading = _field(replay, "match", dict)
        _read_heading(heading)
        for name in ("plies", "notes"):
            _field(replay, name, list)
        _field(replay, "start_position", str, type(None))
        if _field(replay, "perspective", str) not in VIEWERS:
            raise Unreadable("This is no replay: perspective is white, black or spectator.")
        return cls(replay, tuple(_lines(replay)), _control(heading))

    @property
    def heading(self) -> Mapping[str, Any]:
        heading: Mapping[str, Any] = self.whole["match"]
        return heading

    @property
    def perspective(self) -> Viewer:
        viewer: Viewer = self.whole["perspective"]
        return viewer

    @property
    def reason(self) -> str:
        """Why the match ended, by its heading."""
        return str(self.heading["result"].get("reason"))

    @property
    def with_positions(self) -> bool:
        return any("position" in ply for ply in self.whole["plies"])

    def occupant(self, seat: Seat) -> Occupant:
        """Who holds the seat in the end."""
        return Occupant(**self.heading["seats"][seat])

    def first_occupant(self, seat: Seat) -> Occupant:
        """Who held the seat at creation: the first note of its coming and going tells."""
        for note in self.lines:
            if note.seat == seat and note.type == "seat.taken":
                return Occupant("open")
            if note.seat == seat and note.type == "seat.left":
                return Occupant(**note.told["data"])
        return self.occupant(seat)


def _read_heading(heading: Mapping[str, Any]) -> None:
    slug = _field(heading, "game", str, where="match.")
    if slug not in GAMES:
        raise Unreadable(f"This verifier knows no game {slug!r}.")
    version = _field(heading, "rules_version", str, where="match.")
    if version != GAMES[slug].rules_version:
        raise Unreadable(f"This verifier does not know version {version!r} of {slug}'s rules.")
    for name in ("id", "commitment", "created_at"):
        _field(heading, name, str, where="match.")
    for name in ("options", "time_control"):
        _field(heading, name, dict, where="match.")
    if _field(heading, "result", dict, type(None), where="match.") is None:
        raise Unreadable("The match goes on: its seed is shown when it has ended.")
    _field(heading, "seed", str, where="match.")
    _field(heading, "from_position", bool, where="match.")
    seats = _field(heading, "seats", dict, where="match.")
    for seat in SEATS:
        _read_occupant(_field(seats, seat, dict, where="match.seats."), f"match.seats.{seat}")


def _read_occupant(told: Any, where: str) -> None:
    """Refuse what `Occupant` cannot be made of."""
    kind = _field(told, "kind", str, where=f"{where}.")
    for name, value in told.items():
        known = dict if name == "rating" else str
        if name not in ("kind", "name", "player", "bot", "rating") or not (
            value is None or type(value) is known
        ):
            raise Unreadable(f"This is no replay: {where} ({kind}), {name} is {_shown(value)}.")


def _control(heading: Mapping[str, Any]) -> Control:
    fields = heading["time_control"]
    words = {"type": get_args(ControlType), "on_turn_limit": ("lose", "skip")}
    for name, value in fields.items():
        right = value in words[name] if name in words else type(value) is int and value >= 0
        if name not in Control.__slots__ or not right:
            raise Unreadable(f"This is no replay: match.time_control.{name} cannot be {value!r}.")
    if "type" not in fields:
        raise Unreadable("This is no replay: match.time_control.type is missing.")
    return Control.load(fields)


def _lines(replay: Mapping[str, Any]) -> Iterator[_Line]:
    """Plies and notes as they happened."""
    plies = [_line(ply, f"ply {nth}") for nth, ply in enumerate(replay["plies"], start=1)]
    notes: dict[int, list[_Line]] = {}
    for nth, note in enumerate(replay["notes"], start=1):
        read = _note(note, f"note {nth}")
        after_ply = min(max(note["after_ply"], 0), len(plies))
        notes.setdefault(after_ply, []).append(read)
    yield from notes.get(0, ())
    for nth, ply in enumerate(plies, start=1):
        _field(ply.told, "move", str, where=f"{ply.place}, ")
        yield ply
        yield from notes.get(nth, ())


def _note(told: Any, place: str) -> _Line:
    read, where = _line(told, place), f"{place}, "
    _field(told, "after_ply", int, where=where)
    kind, by = (_field(told, name, str, where=where) for name in ("type", "by"))
    data = _field(told, "data", dict, where=where)
    if kind in ("seat.taken", "seat.left"):
        _read_occupant(data, f"{place}, data")
    return read._replace(place=f"{place} ({kind})", type=kind, by=by)


def _line(told: Any, place: str) -> _Line:
    seat = _field(told, "seat", str, type(None), where=f"{place}, ")
    if seat not in (*SEATS, None):
        raise Unreadable(f"This is no replay: {place}, seat is {seat!r}.")
    at_ms = _instant(_field(told, "at", str, where=f"{place}, "), place)
    return _Line(place, at_ms, seat, told)


def _field(holder: Any, name: str, *kinds: type, where: str = "") -> Any:
    """The field of a JSON object, which is of one of these kinds. Raises `Unreadable`."""
    if not isinstance(holder, dict) or name not in holder:
        raise Unreadable(f"This is no replay: {where}{name} is missing.")
    if type(holder[name]) not in kinds:
        raise Unreadable(f"This is no replay: {where}{name} is {_shown(holder[name])}.")
    return holder[name]


def _instant(text: str, place: str) -> int:
    try:
        return parse_instant(text)
    except (ValueError, OverflowError):
        raise Unreadable(f"This is no replay: {place}, {text!r} is no instant.") from None


# Chance and start


def _check_seed(claim: _Claim) -> None:
    """The seed is the one that was committed to when the match was made."""
    text = claim.heading["seed"]
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        seed = b""
    if len(seed) != SEED_BYTES or seed.hex() != text:
        raise Wrong("match.seed", f"it is {2 * SEED_BYTES} lowercase hex digits, not {text!r}")
    published = claim.heading["commitment"]
    if commitment(seed) != published:
        detail = f"its SHA-256 is {commitment(seed)}, but match.commitment is {published}"
        raise Wrong("match.seed", detail)


def _setup(claim: _Claim) -> Setup:
    """What the match was created with, its start drawn anew unless a position was given."""
    heading = claim.heading
    created_ms = _instant(heading["created_at"], "match.created_at")
    over = claim.reason == "no_opponent" and type(heading.get("finished_at")) is str
    adjusted = any(note.type == "clock.adjusted" for note in claim.lines)
    return Setup(
        id=heading["id"],
        game=heading["game"],
        options=heading["options"],
        control=claim.control,
        visibility="public",
        rated=False,
        creator=None,
        seed=bytes.fromhex(heading["seed"]),
        start=_start(claim),
        from_position=heading["from_position"],
        created_ms=created_ms,
        expires_ms=_instant(heading["finished_at"], "match.finished_at") if over else _NEVER_MS,
        virtual_clock=adjusted,
    )


def _start(claim: _Claim) -> Any:
    """The dump of the first position."""
    heading = claim.heading
    game, options = GAMES[heading["game"]], heading["options"]
    try:
        complete = game.complete(options)
        if not heading["from_position"]:
            _check("match.options", options, complete)
            return game.position.start(options, bytes.fromhex(heading["seed"])).dump()
        start = game.position.parse(claim.whole["start_position"] or "")
    except Refusal as refusal:
        raise Wrong("start_position", refusal.detail) from None
    _check("match.options", options, {**complete, **start.settled_options()})
    return start.dump()


# The match, played anew


def _played_anew(claim: _Claim, setup: Setup) -> tuple[Match, list[Entry]]:
    """The match after the last line, and the record of all; every line has been compared."""
    step = _done("match.seats", lambda: _created(claim, setup))
    begun = Record(setup, ()).replay(step.match, claim.perspective)
    _check("start_position", claim.whole["start_position"], begun["start_position"])
    entries = _compared(claim, step, 0)
    match, told = step.match, list[Entry]()
    while len(entries) < len(claim.lines):
        claimed = claim.lines[len(entries)]
        step = _done(claimed.place, lambda: _acted(claim, match, claimed))  # noqa: B023
        fresh = _compared(claim, step, len(entries))
        if step.match.version > match.version:
            match, told = step.match, []
        elif any(entry in told for entry in fresh):
            raise Wrong(claimed.place, "it was told before")
        else:
            told += fresh
        entries += fresh
    return match, entries


def _created(claim: _Claim, setup: Setup) -> Step:
    white, black = (claim.first_occupant(seat) for seat in SEATS)
    return Match.create(setup, white, black)


def _compared(claim: _Claim, step: Step, begin: int) -> list[Entry]:
    """The entries that the step writes: they are the replay's next lines."""
    entries = written(*step)
    for nth, entry in enumerate(entries, start=begin):
        if nth >= len(claim.lines):
            raise Wrong("the end", f"{line(entry)} is missing")
        claimed = claim.lines[nth]
        text = step.match.position.text() if "position" in claimed.told else None
        _check(claimed.place, claimed.told, line(entry, text))
    return entries


def _done(place: str, act: Callable[[], Step]) -> Step:
    try:
        return act()
    except Refusal as refusal:
        reason = f" ({refusal.reason})" if refusal.reason else ""
        raise Wrong(place, f"{refusal.code}{reason}: {refusal.detail}") from None
    except OverflowError:
        raise Wrong(place, "its instant is beyond the calendar") from None


def _acted(claim: _Claim, match: Match, claimed: _Line) -> Step:
    """What the match makes of what the line claims was done. Raises a `Refusal` or `Wrong`."""
    if claimed.by == "clock":
        act: Act | None = _BY_THE_CLOCK.get(claimed.type, _fallen)
    else:
        _refuse_unless_in_time(match, claimed)
        act = _BY_OTHERS.get(claimed.type)
    step = None if act is None else act(claim, match, claimed)
    if step is None or not step.events:
        raise Wrong(claimed.place, "nothing in the match brings it about")
    return step


def _refuse_unless_in_time(match: Match, claimed: _Line) -> None:
    at_ms, present_ms, due_ms = claimed.at_ms, match.instant(claimed.at_ms), match.due_ms
    if claimed.type in _WITHOUT_EFFECT or match.has_ended:
        return
    if present_ms != at_ms:
        raise Wrong(claimed.place, f"at is {instant(at_ms)}, before {instant(present_ms)}")
    if due_ms is not None and due_ms <= at_ms:
        detail = f"at is {instant(at_ms)}, but time was up at {instant(due_ms)}"
        raise Wrong(claimed.place, detail)


def _fallen(claim: _Claim, match: Match, claimed: _Line) -> Step | None:
    return match.settle(claimed.at_ms)


def _reminded(claim: _Claim, match: Match, claimed: _Line) -> Step | None:
    return match.reminded(claimed.at_ms - 1)


def _barred(claim: _Claim, match: Match, claimed: _Line) -> Step:
    return match.told_of(match.position.repetition())


def _moved(claim: _Claim, match: Match, claimed: _Line) -> Step | None:
    if claimed.seat is None:
        return None
    return match.move(claimed.seat, (claimed.told["move"],), match.ply, claimed.at_ms)


def _taken(claim: _Claim, match: Match, claimed: _Line) -> Step | None:
    if claimed.seat is None:
        return None
    rating = claim.occupant(claimed.seat).rating
    taker = Occupant(**{**claimed.told["data"], "rating": rating})
    return match.take_seat(claimed.seat, taker, claimed.at_ms)


def _left(claim: _Claim, match: Match, claimed: _Line) -> Step | None:
    return match.leave_seat(claimed.seat, claimed.at_ms) if claimed.seat else None


def _given_up(claim: _Claim, match: Match, claimed: _Line) -> Step | None:
    """By which act only the result tells."""
    act = {"resignation": Match.resign, "abort": Match.abort}.get(claim.reason)
    return act(match, claimed.seat, claimed.at_ms) if act and claimed.seat else None


def _advanced(claim: _Claim, match: Match, claimed: _Line) -> Step | None:
    ms = claimed.told["data"].get("advanced_ms")
    return match.advance(ms) if type(ms) is int and ms > 0 else None


Act = Callable[[_Claim, Match, _Line], Step | None]

_BY_THE_CLOCK: Final[Mapping[str | None, Act]] = {"clock.low": _reminded, "clock.period": _reminded}
"""What the clock tells; whatever else is by the clock fell due."""

_BY_OTHERS: Final[Mapping[str | None, Act]] = {
    None: _moved,
    "seat.taken": _taken,
    "seat.left": _left,
    "clock.adjusted": _advanced,
    "match.finished": _given_up,
    "match.aborted": _given_up,
    "repetition.barred": _barred,
}

_WITHOUT_EFFECT: Final = ("clock.adjusted", "repetition.barred")
"""They do not happen at an instant that the match had not reached."""


# Comparing

_BY: Final = {
    "used_ms": " by its instant",
    "white_ms": " by the clock",
    "black_ms": " by the clock",
    "position_hash": " by the moves",
    "position": " by the moves",
}


def _check(place: str, claimed: Any, right: Any) -> None:
    """Raise `Wrong` with the first difference between what is claimed and what is right."""
    for path, found, wanted in _differences(claimed, right, ""):
        name = path.rpartition(".")[2]
        detail = f"is {_shown(found)}, should be {_shown(wanted)}{_BY.get(name, '')}"
        if not place or not path:
            raise Wrong(place or path, detail)
        raise Wrong(place, f"{path} {detail}")


def _differences(claimed: Any, right: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Path, claim and what is right, of everything that differs."""
    if isinstance(claimed, dict) and isinstance(right, dict):
        for name in dict.fromkeys((*right, *claimed)):
            deeper = f"{path}.{name}" if path else str(name)
            yield from _differences(claimed.get(name, _ABSENT), right.get(name, _ABSENT), deeper)
    elif isinstance(claimed, list) and isinstance(right, list) and len(claimed) == len(right):
        for nth, (one, two) in enumerate(zip(claimed, right, strict=True)):
            yield from _differences(one, two, f"{path}[{nth}]")
    elif type(claimed) is not type(right) or claimed != right:
        yield path, claimed, right


_ABSENT: Final = object()


def _shown(value: Any) -> str:
    """A value in a message, on one line and not too long."""
    if value is _ABSENT:
        return "missing"
    text = json.dumps(value)
    return text if len(text) <= 100 else f"{text[:97]}..."


# The command


def main(arguments: list[str]) -> int:
    """Check the replay in the file that is named; say what came of it in one line.

    Returns 0 if the replay is right, 1 if it is wrong, 2 if it could not be checked.
    """
    if len(arguments) != 1:
        return _told("Usage: python -m menagerie.verify replay.json (or - for stdin)", UNREADABLE)
    try:
        match = verify(_read(arguments[0]))
    except Unreadable as trouble:
        return _told(str(trouble), UNREADABLE)
    except Wrong as fault:
        return _told(f"Wrong: {fault}", WRONG)
    result = match.result
    end = "" if result is None else f"{result.winner or 'nobody'} wins by {result.reason}"
    return _told(f"Right: {match.setup.game} {match.id}, plies: {match.ply}, {end}", RIGHT)


def _read(name: str) -> Any:
    """The JSON value in the file. Raises `Unreadable`."""
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise Unreadable(f"{name} cannot be read: {error.strerror}.") from None
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{name} is no JSON: {error}.") from None


def _told(text: str, status: int) -> int:
    """Say it in one line, whatever a stranger's replay has brought into it."""
    stream = sys.stdout if status == RIGHT else sys.stderr
    plain = " ".join(text.split()).encode("ascii", "backslashreplace").decode()
    stream.write(f"{plain}\n")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
