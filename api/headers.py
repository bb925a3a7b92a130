"""The headers that every answer carries."""

import re
import secrets
import time
from time import perf_counter

from flask import Flask, Response, g, request

from menagerie.instants import instant

ALLOWED = (
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "If-Match",
    "If-None-Match",
    "Last-Event-ID",
    "X-Request-Id",
)
EXPOSED = (
    "ETag",
    "Location",
    "Link",
    "Retry-After",
    "RateLimit",
    "RateLimit-Policy",
    "X-Request-Id",
    "Idempotent-Replayed",
    "Server-Time",
    "Server-Timing",
)

CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": ", ".join(EXPOSED),
}
PREFLIGHT = {
    "Access-Control-Allow-Headers": ", ".join(ALLOWED),
    "Access-Control-Allow-Methods": "GET, HEAD, POST, DELETE, OPTIONS",
    "Access-Control-Max-Age": "86400",
}

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")


def register(app: Flask) -> None:
    """Give every answer its request id, instant, timing and CORS."""

    @app.before_request
    def name_request() -> None:
        asked = request.headers.get("X-Request-Id", "")
        g.request_id = asked if _REQUEST_ID.fullmatch(asked) else secrets.token_hex(8)

    @app.after_request
    def add_headers(response: Response) -> Response:
        now_ms = g.get("now_ms") or time.time_ns() // 1_000_000
        response.headers.extend(
            {
                "X-Request-Id": g.request_id,
                "Server-Time": instant(now_ms),
                "Server-Timing": f"total;dur={(perf_counter() - g.began) * 1000:.1f}",
                "Vary": "Authorization, Accept",
                **CORS,
                **(PREFLIGHT if request.method == "OPTIONS" else {}),
            }
        )
        return response
