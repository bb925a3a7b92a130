"""The referee: everything that anyone can do to a match, in one place."""

import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from redis.exceptions import RedisError

from menagerie.clock import Control
from menagerie.games import GAMES
from menagerie.games.chance import SEED_BYTES
from menagerie.games.position import Seat, Viewer
from menagerie.games.refusals import BadOption, Refusal
from menagerie.match import (
    BOT_PATIENCE_MS,
    OPEN_FOR_MS,
    Match,
    Occupant,
    OwnMatch,
    Setup,
    Step,
    Visibility,
)
from menagerie.play import refusals
from menagerie.play.bots import bot_to_move, choice, one_ply
from menagerie.play.checks import checked
from menagerie.play.limits import MOVES, Bucket
from menagerie.play.lists import Lists
from menagerie.play.outbox import Takers, follows
from menagerie.play.queues import Queues
from menagerie.play.tokens import BadToken, Bearer, Claim, PlayerClaim, Tokens, fingerprint, id_from
from menagerie.player import Player
from menagerie.record import Record
from menagerie.store.matches import Conflict, Loaded, Matches, Reply
from menagerie.store.players import Players

GRACE_MS: Final = 100
SETTLE_AT_MOST: Final = 1000

Act = Callable[[Match, int], Step]


@dataclass(frozen=True, slots=True)
class Call:
    """What a request brings besides its act.

    `claim`: what its token says; `key` and `body`: its idempotency key with
    the caller's name, and the fingerprint of what it asks; `if_versions`: those
    that `If-Match` allows, None for any. `counted` hears what the caller has used
    of its moves; None: they are not limited.
    """

    claim: Bearer | None = None
    key: str | None = None
    body: str = ""
    if_versions: frozenset[int] | None = None
    counted: Callable[[Bucket], None] | None = None

    @property
    def mark(self) -> str:
        """Stands for caller and key in the store."""
        return "" if self.key is None else fingerprint(self.key)


@dataclass(frozen=True, slots=True)
class Done:
    """What came of an act: the match, the instant, and whether it had been done before.

    `extra` is what the reply needs beside the match: the seat that was taken, and its generation.
    """

    match: Match
    now_ms: int
    status: int
    replayed: bool = False
    extra: str = ""


@dataclass(frozen=True, slots=True)
class Wish:
    """A match as its creator wishes it; what is None takes the game's default.

    Of a seat's occupant only the id of a player or bot is needed.
    """

    game: str
    options: Mapping[str, Any] = field(default_factory=dict)
    white: Occupant | None = None
    black: Occupant | None = None
    control: Control | None = None
    random_sides: bool = False
    visibility: Visibility = "public"
    rated: bool = False
    position: str | None = None
    sandbox: bool = False
    seed: bytes | None = None
    virtual_clock: bool = False
    open_for_ms: int = OPEN_FOR_MS


class Referee:
    """The use cases over one data set. `grace_ms`: see "Rules" in docs/timing.md."""

    def __init__(
        self,
        matches: Matches,
        tokens: Tokens,
        grace_ms: int = GRACE_MS,
        queues: Queues | None = None,
    ) -> None:
        self.matches = matches
        self.tokens = tokens
        self.players = Players(matches.redis)
        self.lists = Lists(matches)
        self.grace_ms = grace_ms
        self.queues = queues
        self.takers = Takers(matches, self.players, queues)

    # Who asks

    def seat_of(self, match: Match, claim: Bearer | None) -> Seat | None:
        """The seat that the bearer holds in this match. Raises `BadToken` for a dead token."""
        if isinstance(claim, PlayerClaim):
            return match.seat_of_player(claim.player_id)
        if claim is None or claim.match_id != match.id:
            return None
        if match.seat(claim.seat).generation != claim.generation:
            raise BadToken("The seat was left: its token is no longer good.")
        return claim.seat

    def viewer(self, match: Match, claim: Bearer | None) -> Viewer:
        """As whom the bearer sees the match. Raises `NoSuchMatch` if not at all."""
        seat = self.seat_of(match, claim)
        if seat is None and match.setup.visibility == "players" and not _made_by(match, claim):
            raise refusals.NoSuchMatch("There is no such match.")
        return seat or "spectator"

    def own_seat(self, match: Match, claim: Bearer | None) -> Seat:
        """The seat that the bearer must hold. Raises `NoToken` or `NotYours`."""
        seat = self.seat_of(match, claim)
        if seat is None and claim is None:
            raise refusals.NoToken("This needs the token of a seat.")
        if seat is None:
            raise refusals.NotYours("The token is not for a seat of this match.")
        return seat

    def seat_token(self, match: Match, seat: Seat) -> str:
        return self.tokens.seat_token(match.id, seat, match.seat(seat).generation)

    # Creation

    def create(self, wish: Wish, call: Call) -> Done:
        """A new match; the same one again for the same idempotency key."""
        match_id = (
            id_from(secrets.token_bytes(10))
            if call.key is None
            else self.tokens.derived_id("match", call.key)
        )
        loaded = self.matches.load(match_id)
        if loaded.match is not None:
            return _created_before(loaded.match, loaded.now_ms, call)
        step = _created(self._with_ratings(_seated(wish, call)), match_id, loaded.now_ms, call)
        try:
            self._commit(step, loaded.now_ms)
        except Conflict:
            again = self.matches.load(match_id)
            if again.match is None:
                raise
            return _created_before(again.match, again.now_ms, call)
        return Done(step.match, loaded.now_ms, 201)

    def _with_ratings(self, wish: Wish) -> Wish:
        """The wish, its players by name and its players and bots with their ratings."""
        white, black = (self._rated(seat, wish.game) for seat in (wish.white, wish.black))
        return replace(wish, white=white, black=black)

    def _rated(self, occupant: Occupant | None, game: str) -> Occupant | None:
        if occupant is not None and occupant.bot is not None:
            (standing,) = self.players.standings([occupant.bot], game)
            return replace(occupant, rating=standing.rating.view())
        if occupant is not None and occupant.player is not None:
            player = self._player(occupant.player)
            return replace(occupant, name=player.name, rating=player.rating(game).view())
        return occupant

    def _player(self, player_id: str) -> Player:
        player = self.players.get(player_id)
        if player is None:
            raise BadToken("The player of this token is gone.")
        return player

    # Seats

    def take_seat(
        self, match_id: str, seat: Seat | Literal["any"], name: str | None, call: Call
    ) -> Done:
        """An open seat is taken; `Done.extra` is the seat and its generation.

        By the player of the token, else by a guest of this name.
        """
        player_id = _player_of(call.claim)
        player = None if player_id is None else self._player(player_id)

        def take(match: Match, now_ms: int) -> Step:
            if self.seat_of(match, call.claim) is not None and not match.has_ended:
                raise OwnMatch("This token already holds a seat of this match.")
            if player is None:
                if match.setup.rated:
                    raise refusals.NotRateable("A rated match is between players: send a token.")
                return match.take_seat(seat, Occupant("guest", name), now_ms)
            rating = player.rating(match.setup.game).view()
            taker = Occupant("player", player.name, player.id, rating=rating)
            return match.take_seat(seat, taker, now_ms)

        return self._act(match_id, take, call, status=201, extra=_seat_taken)

    def leave_seat(self, match_id: str, seat: Seat, call: Call) -> Done:
        def leave(match: Match, now_ms: int) -> Step:
            if self.own_seat(match, call.claim) != seat:
                raise refusals.NotYours("The token is for the other seat.")
            return match.leave_seat(seat, now_ms)

        return self._act(match_id, leave, call)

    # Play

    def move(self, match_id: str, texts: tuple[str, ...], ply: int, call: Call) -> Done:
        """The bearer's moves at this ply; a repeated request is answered, not played again."""

        def move(match: Match, now_ms: int) -> Step:
            seat = self.own_seat(match, call.claim)
            return match.move(seat, texts, ply, now_ms)

        def made_before(match: Match) -> bool:
            seat = self.seat_of(match, call.claim)
            if seat is None or ply >= match.ply:
                return False
            return self.matches.record(match).holds(seat, texts, ply)

        return self._act(match_id, move, call, status=201, made_before=made_before, moves=True)

    def resign(self, match_id: str, call: Call) -> Done:
        def resign(match: Match, now_ms: int) -> Step:
            return match.resign(self.own_seat(match, call.claim), now_ms)

        def made_before(match: Match) -> bool:
            seat = self.seat_of(match, call.claim)
            return seat is not None and match.has_given_up(seat, "resignation")

        return self._act(match_id, resign, call, made_before=made_before)

    def abort(self, match_id: str, call: Call) -> Done:
        def abort(match: Match, now_ms: int) -> Step:
            return match.abort(self.own_seat(match, call.claim), now_ms)

        def made_before(match: Match) -> bool:
            seat = self.seat_of(match, call.claim)
            return seat is not None and match.has_given_up(seat, "abort")

        return self._act(match_id, abort, call, made_before=made_before)

    def advance(self, match_id: str, ms: int, call: Call) -> Done:
        """A sandbox's virtual clock goes on; everything due by then is settled, in order."""

        def advance(match: Match, now_ms: int) -> Step:
            self.own_seat(match, call.claim)
            return match.advance(ms)

        done = self._act(match_id, advance, call)
        match, now_ms = self._settled(self.matches.load(match_id))
        return Done(match, now_ms, done.status, done.replayed)

    # Reads

    def get(self, match_id: str, claim: Bearer | None = None) -> tuple[Match, Viewer, int]:
        """The match, who asks, and the match's present instant; what is due is settled first.

        Raises `NoSuchMatch`, also for one that the bearer may not know of.
        """
        match, now_ms = self.present(match_id)
        return match, self.viewer(match, claim), now_ms

    def present(self, match_id: str) -> tuple[Match, int]:
        """The match and its present instant, whoever asks; what is due is settled first."""
        return self._settled(self.matches.load(match_id))

    def seat_to_move(self, match_id: str, claim: Bearer | None) -> tuple[Match, Seat, int]:
        """The match for the bearer whose turn it is. Raises `NotYours` or `NotYourTurn`."""
        match, viewer, now_ms = self.get(match_id, claim)
        if viewer == "spectator":
            raise refusals.NotYours("Legal moves are shown to the seat that is to move.")
        match.check_turn(viewer)
        return match, viewer, now_ms

    def record(self, match: Match) -> Record:
        return self.matches.record(match)

    # Bots

    def play_bot_turn(self, match_id: str, seat: Seat, version: int) -> bool:
        """The bot thinks about the turn that began at `version`, and plays it.

        False, and nothing done, if that turn is over: a job may come late, or twice.
        """
        try:
            match, now_ms = self.present(match_id)
        except refusals.NoSuchMatch:
            return False
        found = bot_to_move(match)
        if found is None or found[0] != seat or match.turn_version != version:
            return False
        luck = self.tokens.luck(match.id, seat, match.ply)
        return self._play_for(match, seat, choice(match, *found, luck, now_ms))

    def play_for_late_bot(self, match: Match) -> bool:
        """Play the one-ply choice of a bot that is to move, now."""
        found = bot_to_move(match)
        if found is None:
            return False
        luck = self.tokens.luck(match.id, found[0], match.ply)
        return self._play_for(match, found[0], one_ply(match, *found, luck))

    def _play_for(self, match: Match, seat: Seat, move: str) -> bool:
        """Make the bot's move as anyone would; False if the turn is over meanwhile."""
        claim = Claim(match.id, seat, match.seat(seat).generation)
        with suppress(Refusal):
            self.move(match.id, (move,), match.ply, Call(claim))
            return True
        return False

    # Checks

    def verdict(self, match: Match) -> dict[str, Any] | None:
        """What the last check of repetition found (`Verdict.view`), or None before the first."""
        kept = self.matches.verdict(match)
        return None if kept is None else {k: v for k, v in kept.items() if k != "version"}

    def check_repetition(self, match_id: str, version: int) -> None:
        """Count repetition anew at this version or a later one, and keep the verdict.

        What is barred is noted in the log. Nothing is done twice: the job may come late, or
        twice. If the match moves on meanwhile the check of that move does it.
        """
        whole = self.matches.whole(match_id)
        if whole is None:
            return
        match, record = whole
        kept = self.matches.verdict(match)
        if kept is not None and kept["version"] >= max(version, match.version):
            return
        verdict = checked(match, record)
        dump = {"version": verdict.version, **verdict.view()}
        self.matches.note(match.told_of(verdict.repetition), f"check {verdict.ply}", "keep", dump)

    # What falls due

    def settle(self, match_id: str) -> Match | None:
        """Settle what is due, as the timekeeper does. Returns the match.

        One that is gone or has ended is forgotten: None.
        """
        try:
            match, now_ms = self._settled(self.matches.load(match_id))
        except refusals.NoSuchMatch:
            self.matches.forget_due(match_id)
            return None
        if match.has_ended:
            self.matches.forget_due(match_id)
            return None
        if match.virtual_ms is None:
            self._tell_reminders(match, now_ms)
        return match

    def _tell_reminders(self, match: Match, now_ms: int) -> None:
        """Note what the clock has told by now, and look again when something comes next."""
        after_ms = match.clock.at_ms
        while (step := match.reminded(after_ms)) and step.match.clock.at_ms <= now_ms:
            after_ms = step.match.clock.at_ms
            self.matches.note(step, f"clock {after_ms}", "keep")
        self.matches.note(Step(match, ()), "", self._due_ms(match, now_ms, now_ms))

    def foresee(self, match_id: str, at_ms: int) -> Step | None:
        """What will happen at this instant if nobody acts before it, for `settle_foreseen`.

        None if nothing will, or not by the world's time.
        """
        match, now_ms, *_ = self.matches.load(match_id)
        if match is None or match.virtual_ms is not None:
            return None
        if self._changes_ms(match, now_ms) != at_ms:
            return None
        return self._due_step(match, at_ms)

    def settle_foreseen(self, step: Step, at_ms: int) -> None:
        """The instant has come: what was foreseen happens, unless somebody acted meanwhile."""
        with suppress(Conflict):
            self._commit(step, at_ms)

    # The one path

    def _act(
        self,
        match_id: str,
        act: Act,
        call: Call,
        *,
        status: int = 200,
        made_before: Callable[[Match], bool] = lambda match: False,
        extra: Callable[[Step], str] = lambda step: "",
        moves: bool = False,
    ) -> Done:
        """Load, settle what is due, decide, commit; again if another commit came first.

        The instant is that of the first load. Raises whatever refuses the act.
        """
        loaded = self._load(match_id, call, moves)
        first_ms = loaded.now_ms
        while True:
            match = _existing(loaded)
            if loaded.kept is not None:
                return self._again(loaded, match, call)
            self.viewer(match, call.claim)
            now_ms = match.instant(first_ms)
            mover = self.seat_of(match, call.claim) if moves else None
            pause_ms = self._grace_left_ms(match, now_ms, loaded.now_ms, mover)
            try:
                if pause_ms > 0:
                    time.sleep(pause_ms / 1000)
                    first_ms += pause_ms
                elif (due := self._due_step(match, now_ms)) is not None:
                    self._commit(due, loaded.now_ms)
                elif made_before(match):
                    return Done(match, now_ms, 200, replayed=True)
                else:
                    _refuse_other_version(match, call)
                    step = act(match, now_ms)
                    reply = Reply(call.mark, call.body, status, extra(step)) if call.key else None
                    self._commit(step, loaded.now_ms, reply)
                    return Done(step.match, now_ms, status, extra=extra(step))
            except Conflict:
                pass
            loaded = self.matches.load(match_id, call.mark)

    def _load(self, match_id: str, call: Call, moves: bool) -> Loaded:
        """The match for a request. Raises `RateLimited` for a move too many."""
        if not moves or call.counted is None or call.claim is None:
            return self.matches.load(match_id, call.mark)
        loaded = self.matches.load(match_id, call.mark, _mover(call.claim))
        if loaded.moves is not None:
            bucket = Bucket(MOVES, *loaded.moves)
            call.counted(bucket)
            bucket.refuse_if_over()
        return loaded

    def _due_step(self, match: Match, now_ms: int) -> Step | None:
        """The first thing that fell due by `now_ms`, at its own instant; None if nothing.

        A bot that has let its patience pass makes its one-ply choice at that instant,
        however late it is seen, so it never loses on time.
        """
        late_ms = match.bot_due_ms
        if late_ms is None or late_ms > now_ms or match.virtual_ms is not None:
            return match.settle(now_ms)
        found = bot_to_move(match)
        if found is None:
            return match.settle(now_ms)
        seat, bot = found
        luck = self.tokens.luck(match.id, seat, match.ply)
        move = one_ply(match, seat, bot, luck)
        return match.move(seat, (move,), match.ply, late_ms)

    def _grace_left_ms(self, match: Match, now_ms: int, server_ms: int, mover: Seat | None) -> int:
        """How long this request waits, so as not to kill a move that was in time."""
        due_ms = match.due_ms
        if due_ms is None or due_ms > now_ms or match.status != "active":
            return 0
        if match.bot_due_ms is not None:
            return 0
        if match.virtual_ms is not None or (mover and match.is_late(mover, now_ms)):
            return 0
        return due_ms + self.grace_ms - server_ms

    def _settled(self, loaded: Loaded) -> tuple[Match, int]:
        """The match after everything that fell due, and its present instant."""
        for _ in range(SETTLE_AT_MOST):
            match = _existing(loaded)
            now_ms = match.instant(loaded.now_ms)
            if self._grace_left_ms(match, now_ms, loaded.now_ms, None) > 0:
                break
            due = self._due_step(match, now_ms)
            if due is None:
                break
            with suppress(Conflict):
                self._commit(due, loaded.now_ms)
            loaded = self.matches.load(match.id)
        return match, now_ms

    def _commit(self, step: Step, server_ms: int, reply: Reply | None = None) -> None:
        """Save the step, and hand on at once what must follow it.

        What cannot be handed on now stays in the outbox, for the timekeeper: the
        change is in the store, so no trouble after it refuses the request.
        """
        due_ms = self._due_ms(step.match, server_ms, step.match.clock.at_ms)
        handed = self.matches.commit(step, due_ms=due_ms, outbox=follows(step), reply=reply)
        with suppress(RedisError):
            self.takers.hand_on_at_once(handed)

    def _due_ms(self, match: Match, server_ms: int, told_ms: int) -> int | None:
        """When the timekeeper must look at the match; what its clock told by `told_ms` is done."""
        changes_ms = self._changes_ms(match, server_ms)
        if match.status != "active" or match.virtual_ms is not None:
            return changes_ms
        told = match.clock.reminders(told_ms)
        coming = (changes_ms, told[0].at_ms if told else None)
        return min((ms for ms in coming if ms is not None), default=None)

    def _changes_ms(self, match: Match, server_ms: int) -> int | None:
        """When the match changes next if nobody acts, by the timekeeper's hand.

        A virtual clock is never its business, but a bot's patience is real time.
        """
        bot_ms = match.bot_due_ms
        if match.virtual_ms is not None:
            return None if bot_ms is None else server_ms + BOT_PATIENCE_MS
        due_ms = match.due_ms
        if due_ms is not None and match.status == "active":
            due_ms += self.grace_ms
        return min((ms for ms in (due_ms, bot_ms) if ms is not None), default=None)

    def _again(self, loaded: Loaded, match: Match, call: Call) -> Done:
        """The answer to a request whose key has been used: the first status, the match as it is."""
        kept = loaded.kept
        if kept is None or kept.body != call.body:
            raise refusals.KeyReused("This Idempotency-Key came with another body before.")
        return Done(match, match.instant(loaded.now_ms), kept.status, True, kept.extra)


def _existing(loaded: Loaded) -> Match:
    if loaded.match is None:
        raise refusals.NoSuchMatch("There is no such match.")
    return loaded.match


def _refuse_other_version(match: Match, call: Call) -> None:
    if call.if_versions is not None and match.version not in call.if_versions:
        raise refusals.VersionChanged(f"The match is at version {match.version}.")


def _seat_taken(step: Step) -> str:
    (seat,) = (event.seat for event in step.events if event.type == "seat.taken" and event.seat)
    return f"{seat} {step.match.seat(seat).generation}"


def _created_before(match: Match, now_ms: int, call: Call) -> Done:
    """The answer to a creation whose key has been used; its id follows from the key."""
    if match.setup.request != call.body:
        raise refusals.KeyReused("This Idempotency-Key came with another body before.")
    return Done(match, match.instant(now_ms), 201, replayed=True)


def _player_of(claim: Bearer | None) -> str | None:
    return claim.player_id if isinstance(claim, PlayerClaim) else None


def _made_by(match: Match, claim: Bearer | None) -> bool:
    player_id = _player_of(claim)
    return player_id is not None and match.setup.creator == player_id


def _mover(claim: Bearer) -> str:
    """By which name the bearer's moves in a match are counted."""
    if isinstance(claim, PlayerClaim):
        return claim.player_id
    return f"{claim.seat[0]}{claim.generation}"


def _seated(wish: Wish, call: Call) -> Wish:
    """The wish with both seats: White is the caller if not told otherwise, Black is open.

    A caller who wants Black leaves White open.
    """
    caller = _player_of(call.claim)
    black = wish.black or Occupant("open")
    if wish.white is not None:
        white = wish.white
    elif caller is None:
        white = Occupant("guest")
    else:
        white = Occupant("open") if black.player == caller else Occupant("player", player=caller)
    return replace(wish, white=white, black=black)


def _created(wish: Wish, match_id: str, now_ms: int, call: Call) -> Step:
    """The first step of a match. Raises what the wish cannot have."""
    game = GAMES.get(wish.game)
    if game is None:
        raise refusals.NoSuchGame(f"There is no game {wish.game!r}.")
    seed = wish.seed or secrets.token_bytes(SEED_BYTES)
    options = game.complete(wish.options)
    if wish.position is None:
        start = game.position.start(options, seed)
    elif game.information == "hidden":
        raise refusals.PositionNotSupported(f"{game.name} cannot start from a position.")
    else:
        start = game.position.parse(wish.position)
        settled = start.settled_options()
        if any(wish.options.get(name, value) != value for name, value in settled.items()):
            raise BadOption("The position is of another kind than the options ask for.")
        options |= settled
    white, black = wish.white or Occupant("guest"), wish.black or Occupant("open")
    if wish.random_sides and secrets.randbits(1):
        white, black = black, white
    if wish.rated and (wish.sandbox or wish.position or "guest" in (white.kind, black.kind)):
        raise refusals.NotRateable("A rated match has no guest, no given position, no sandbox.")
    setup = Setup(
        id=match_id,
        game=game.slug,
        options=options,
        control=wish.control or _default_control(game.slug, white, black),
        visibility=wish.visibility,
        rated=wish.rated,
        creator=_player_of(call.claim),
        seed=seed,
        start=start.dump(),
        from_position=wish.position is not None,
        created_ms=now_ms,
        expires_ms=now_ms + wish.open_for_ms,
        sandbox=wish.sandbox,
        virtual_clock=wish.virtual_clock,
        request=call.body,
    )
    return Match.create(setup, white, black)


def _default_control(game: str, white: Occupant, black: Occupant) -> Control:
    """No clock against a bot, else the game's own."""
    if "bot" in (white.kind, black.kind):
        return Control("none")
    return Control.load(GAMES[game].presets[GAMES[game].default_preset])
