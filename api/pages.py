"""Lists leave in pages: items, and a cursor to go on with."""

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from flask import Response, request, url_for

from api.answers import send
from api.problems import BadCursor
from menagerie.store.pages import Cursor


def send_page(items: list[dict[str, Any]], last: Cursor | None, **headers: str) -> Response:
    """A page of this request's list; `last`: its last place if more follow."""
    if last is None:
        return send({"items": items, "next_cursor": None}, **headers)
    cursor = _cursor(last)
    arguments = {**request.args, "cursor": cursor}
    address = url_for(request.endpoint or "", **(request.view_args or {}), **arguments)
    headers["Link"] = f'<{address}>; rel="next"'
    return send({"items": items, "next_cursor": cursor}, **headers)


def before(query: Mapping[str, Any]) -> Cursor | None:
    """The place that the query's cursor stands for; None without one. Raises `BadCursor`."""
    if "cursor" not in query:
        return None
    try:
        score, _, member = base64.urlsafe_b64decode(query["cursor"]).decode().partition(".")
        return int(score), member
    except (ValueError, binascii.Error):
        raise BadCursor("The cursor was not given by this list.") from None


def _cursor(last: Cursor) -> str:
    return base64.urlsafe_b64encode(f"{last[0]}.{last[1]}".encode()).decode()
