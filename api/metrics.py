"""What the service counts of itself, for Prometheus."""

import os
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
        REQUESTS.labels(operation, request.method, response.status_code).inc()
        SECONDS.labels(operation).observe(perf_counter() - g.began)
        return response


def exposition() -> Response:
    """The counts of all processes of this server."""
    registry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
