"""Players: who they are, and the tokens that prove it."""

import secrets
from typing import Final, NamedTuple

from menagerie.play import refusals
from menagerie.play.referee import Call
from menagerie.play.tokens import BadToken, Bearer, PlayerClaim, Tokens, id_from
from menagerie.player import Player
from menagerie.store.pages import Cursor
from menagerie.store.players import Entry, Players

DEAD: Final = "The token is no longer good: its player has a newer one."


class Admitted(NamedTuple):
    """A player and the token that was given, and whether it is given again."""

    player: Player
    token: str
    replayed: bool


class Registry:
    """The use cases of players. Tokens follow from id and generation: the store keeps none."""

    def __init__(self, players: Players, tokens: Tokens) -> None:
        self._players = players
        self._tokens = tokens

    def register(self, name: str, call: Call) -> Admitted:
        """A new player; the same one again, with the first token, for the same idempotency key."""
        player_id = (
            id_from(secrets.token_bytes(10))
            if call.key is None
            else self._tokens.derived_id("player", call.key)
        )
        made = self._players.register(player_id, name, call.body)
        if made.request != call.body:
            raise refusals.KeyReused("This Idempotency-Key came with another body before.")
        player = Player(player_id, name, made.created_ms) if made.is_new else self.get(player_id)
        return Admitted(player, self._tokens.player_token(player_id, 0), not made.is_new)

    def check(self, claim: PlayerClaim) -> None:
        """Raise `BadToken` unless this is the player's present token."""
        if self._players.generation(claim.player_id) != claim.generation:
            raise BadToken(DEAD)

    def new_token(self, claim: Bearer | None, call: Call) -> Admitted:
        """The player's next token; the one that asks is dead from now on.

        With an idempotency key the dead one may ask again, for the token that it
        was given and whose answer may have been lost.
        """
        asking = self.claim_of(claim)
        mark = call.mark or secrets.token_hex(8)
        fresh = self._players.rotate(asking.player_id, asking.generation, mark)
        if fresh is None:
            raise BadToken(DEAD)
        generation, again = fresh
        token = self._tokens.player_token(asking.player_id, generation)
        return Admitted(self.get(asking.player_id), token, again and call.key is not None)

    def get(self, player_id: str) -> Player:
        """The player. Raises `NoSuchPlayer`."""
        player = self._players.get(player_id)
        if player is None:
            raise refusals.NoSuchPlayer("There is no such player.")
        return player

    def me(self, claim: Bearer | None) -> Player:
        """The bearer. Raises `NoToken`, or `NotYours` for the token of a seat."""
        return self.get(self.claim_of(claim).player_id)

    def claim_of(self, claim: Bearer | None) -> PlayerClaim:
        """The bearer's claim. Raises `NoToken`, or `NotYours` for the token of a seat."""
        if claim is None:
            raise refusals.NoToken("This needs the token of a player.")
        if not isinstance(claim, PlayerClaim):
            raise refusals.NotYours("The token is for a seat of a match, not for a player.")
        return claim

    def leaderboard(
        self, game: str, before: Cursor | None, limit: int
    ) -> tuple[list[Entry], Cursor | None]:
        """The next lines of a game's leaderboard, and where the next page goes on."""
        return self._players.leaderboard(game, before, limit)
