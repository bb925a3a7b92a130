"""How a stream of events is written: as Server-Sent Events or as lines of JSON."""

from typing import Any, Final

import orjson

from menagerie.games.position import Viewer
from menagerie.play.streams import Reason
from menagerie.store.events import StoredEvent

RETRY_MS: Final = 1000
FINAL_RETRY_MS: Final = 60_000
"""When a browser comes back by itself: soon, and late where nothing more will come."""


class ServerSentEvents:
    """`text/event-stream`: `id` is the event's, `event` its type."""

    mimetype = "text/event-stream"

    def snapshot(self, body: dict[str, Any]) -> bytes:
        return b"retry: %d\n" % RETRY_MS + self.item(body)

    def event(self, event: StoredEvent, viewer: Viewer) -> bytes:
        return self.item(event.view(viewer))

    def item(self, body: dict[str, Any]) -> bytes:
        named = body["id"].encode(), body["type"].encode(), orjson.dumps(body)
        return b"id: %s\nevent: %s\ndata: %s\n\n" % named

    def ping(self, server_time: str) -> bytes:
        body = orjson.dumps({"type": "ping", "server_time": server_time})
        return b": ping\nevent: ping\ndata: %s\n\n" % body

    def end(self, reason: Reason, server_time: str) -> bytes:
        body = _end(reason, server_time)
        again_ms = FINAL_RETRY_MS if reason in ("finished", "ticket_expired") else RETRY_MS
        return b"retry: %d\nevent: stream.end\ndata: %s\n\n" % (again_ms, body)


class Lines:
    """`application/x-ndjson`: an event a line."""

    mimetype = "application/x-ndjson"

    def snapshot(self, body: dict[str, Any]) -> bytes:
        return self.item(body)

    def event(self, event: StoredEvent, viewer: Viewer) -> bytes:
        return self.item(event.view(viewer))

    def item(self, body: dict[str, Any]) -> bytes:
        return orjson.dumps(body) + b"\n"

    def ping(self, server_time: str) -> bytes:
        return orjson.dumps({"type": "ping", "server_time": server_time}) + b"\n"

    def end(self, reason: Reason, server_time: str) -> bytes:
        return _end(reason, server_time) + b"\n"


def _end(reason: Reason, server_time: str) -> bytes:
    return orjson.dumps({"type": "stream.end", "reason": reason, "server_time": server_time})


FORMS: Final = {form.mimetype: form for form in (ServerSentEvents(), Lines())}
"""One of each, as what they wrote of an event is kept for all its readers."""
