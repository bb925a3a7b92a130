"""How answers leave: bodies, ETags, caching."""

from typing import Any

from flask import Response, current_app, request

from api.asking import remember_instant
from menagerie.games.position import Seat, Viewer
from menagerie.match import Match
from menagerie.play.referee import Done


def send(body: Any, status: int = 200, **headers: str) -> Response:
    """A JSON answer; `headers` with `_` for `-`."""
    text = current_app.json.dumps(body)
    return Response(text, status, _named(headers), mimetype="application/json")


def etag(match: Match, viewer: Viewer, more: str = "") -> str:
    """From version and viewer: the body depends on nothing else but what `more` names."""
    return f'"{match.version}-{viewer}{more}"'


def cache_policy(match: Match, viewer: Viewer) -> str:
    is_for_all = viewer == "spectator" and match.setup.visibility != "players"
    return "public, no-cache" if is_for_all else "private, no-cache"


def send_match(
    match: Match,
    viewer: Viewer,
    now_ms: int,
    status: int = 200,
    tokens: dict[Seat, str] | None = None,
    **headers: str,
) -> Response:
    """The match as the viewer may see it, with its legal moves where they were asked for."""
    remember_instant(now_ms)
    with_moves = request.args.get("include") == "legal_moves"
    tag = etag(match, viewer, "+moves" if with_moves else "")
    headers |= {"ETag": tag, "Cache_Control": cache_policy(match, viewer)}
    if status == 200 and request.method == "GET" and is_known(tag):
        return send_nothing(304, headers)
    body = match.view(viewer)
    if with_moves:
        body["legal_moves"] = legal_moves(match, viewer)
    if tokens is not None:
        body["tokens"] = tokens
        headers["Cache_Control"] = "no-store"
    return send(body, status, **headers)


def send_done(
    done: Done, viewer: Viewer, tokens: dict[Seat, str] | None = None, **headers: str
) -> Response:
    """The answer to an act; the same act again is answered as the first time, and says so."""
    if done.replayed:
        headers["Idempotent_Replayed"] = "true"
    return send_match(done.match, viewer, done.now_ms, done.status, tokens, **headers)


def send_nothing(status: int, headers: dict[str, str]) -> Response:
    response = Response(status=status, headers=_named(headers))
    del response.headers["Content-Type"]
    return response


def _named(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def legal_moves(match: Match, viewer: Viewer, origin: str | None = None) -> dict[str, Any] | None:
    """The moves of a viewer who is to move, those from one square if asked; else None."""
    if viewer == "spectator" or viewer not in match.to_move:
        return None
    details = [
        detail
        for detail in match.position.details(viewer)
        if origin is None or detail["from"] == origin
    ]
    return {
        "ply": match.ply,
        "moves": [detail["move"] for detail in details],
        "details": details,
    }


def is_known(tag: str) -> bool:
    """Whether the client has what this ETag stands for, by its `If-None-Match`."""
    return request.if_none_match.contains_weak(tag.strip('"'))
