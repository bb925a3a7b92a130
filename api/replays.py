"""What happened in a match: its replay."""

from typing import Any

import orjson
from flask import Response, current_app, request

from api.answers import cache_policy, etag, is_known, send
from api.asking import claim, referee, remember_instant
from api.blueprint import IF_NONE_MATCH, Blueprint
from menagerie.games.position import Viewer
from menagerie.match import Match
from menagerie.play.refusals import NotYours
from schemas.replays import ReplayQuerySchema, ReplaySchema

blp = Blueprint("replays", __name__, description="Replays.")

JSON, NDJSON, TEXT = "application/json", "application/x-ndjson", "text/plain"
IMMUTABLE = "public, max-age=31536000, immutable"


@blp.route("/v1/matches/<match_id>/replay")
@blp.answers(
    200,
    ReplaySchema,
    "no_such_match",
    "not_yours",
    also={304: "The client has this version."},
    parameters=(IF_NONE_MATCH,),
)
@blp.alt_response(200, schema={"type": "string"}, content_type=NDJSON, success=True)
@blp.alt_response(200, schema={"type": "string"}, content_type=TEXT, success=True)
@blp.arguments(ReplayQuerySchema, location="query")
def get_replay(query: dict[str, Any], match_id: str) -> Response:
    """The record of a match

    JSON, NDJSON or plain text by `Accept`. Both clocks can be recomputed from it to the
    millisecond. While the match goes on it shows what the caller may know.
    """
    match, viewer, now_ms = referee().get(match_id, claim())
    remember_instant(now_ms)
    perspective = _perspective(query, match, viewer)
    kind = request.accept_mimetypes.best_match([JSON, NDJSON, TEXT]) or JSON
    record = referee().record(match)
    tag = etag(match, perspective, f"-{len(record.entries)}")
    headers = {"ETag": tag, "Cache_Control": _caching(match, perspective)}
    if is_known(headers["ETag"]):
        return Response(status=304, headers={k.replace("_", "-"): v for k, v in headers.items()})
    replay = record.replay(
        match, perspective, query["from_ply"], query.get("to_ply"), query["positions"]
    )
    if kind == JSON:
        return send(replay, **headers)
    lines = _ndjson(replay) if kind == NDJSON else _text(replay)
    response = current_app.response_class("".join(lines), mimetype=kind)
    for name, value in headers.items():
        response.headers[name.replace("_", "-")] = value
    return response


def _perspective(query: dict[str, Any], match: Match, viewer: Viewer) -> Viewer:
    """Whose view is shown: after the end anyone's, before it one's own or a spectator's."""
    asked: Viewer = query.get("perspective", viewer)
    if asked in (viewer, "spectator") or match.has_ended:
        return asked
    raise NotYours("While the match goes on a seat's view is shown to that seat only.")


def _caching(match: Match, viewer: Viewer) -> str:
    done = match.has_ended and match.setup.visibility in ("public", "unlisted")
    return IMMUTABLE if done and not match.setup.sandbox else cache_policy(match, viewer)


def _ndjson(replay: dict[str, Any]) -> list[str]:
    """The replay, a line each: match, plies and notes in order, end."""
    head = {name: replay[name] for name in ("match", "perspective", "start_position", "placements")}
    moments = [(ply["ply"], 0, {"type": "ply", **ply}) for ply in replay["plies"]]
    moments += [(note["after_ply"], 1, {"type": "note", "note": note}) for note in replay["notes"]]
    lines = [{"type": "match", **head}]
    lines += [line for _, _, line in sorted(moments, key=lambda moment: moment[:2])]
    lines.append(
        {
            "type": "end",
            "result": replay["match"]["result"],
            "final_position": replay["final_position"],
        }
    )
    return [orjson.dumps(line).decode() + "\n" for line in lines]


def _text(replay: dict[str, Any]) -> list[str]:
    """The replay for people: a heading, a line a ply, the end."""
    match = replay["match"]
    names = " - ".join(
        seat["name"] or seat["kind"] for seat in (match["seats"]["white"], match["seats"]["black"])
    )
    lines = [f"{match['game']} {match['id']}: {names}", f"start {replay['start_position']}"]
    for ply in replay["plies"]:
        lines.append(f"{ply['ply']:>4} {ply['seat']} {ply['move']} {ply['used_ms']} ms")
    result = match["result"]
    if result is not None:
        lines.append(f"{result['winner'] or 'nobody'} wins: {result['reason']}")
    return [line + "\n" for line in lines]
