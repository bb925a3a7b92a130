"""What the service counts of itself, for Prometheus."""

import os
from functools import cache
from time import perf_counter

from flask import Flask, Response, g, request
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

METHODS = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "PATCH"})
"""Methods counted by name: a client may send any word, and must not make new counters."""

REQUESTS = Counter("menagerie_requests", "Requests answered.", ["operation", "method", "status"])
SECONDS = Histogram(
    "menagerie_request_seconds",
    "Time to answer.",
    ["operation"],
    buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 30),
)


def register(app: Flask) -> None:
    """Count every request of the app."""

    @app.before_request
    def begin() -> None:
        g.began = perf_counter()

    @app.after_request
    def end(response: Response) -> Response:
        operation = (request.endpoint or "none").rpartition(".")[2]
        method = request.method if request.method in METHODS else "other"
        count, seconds = _counters(operation, method, response.status_code)
        count.inc()
        seconds.observe(perf_counter() - g.began)
        return response


@cache
def _counters(operation: str, method: str, status: int) -> tuple[Counter, Histogram]:
    """The two counters of such a request: found once, as their labels are few."""
    return REQUESTS.labels(operation, method, status), SECONDS.labels(operation)


def exposition() -> Response:
    """The counts of all processes of this server."""
    registry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
