"""What the service counts of itself, for Prometheus."""

import os
from contextlib import suppress
from functools import cache
from time import perf_counter

from flask import Flask, Response, g, request
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector
from redis.exceptions import RedisError

from api.asking import referee

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
    """The counts of all processes of this server, and what waits in store and queues now."""
    registry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    text = generate_latest(registry) + generate_latest(_waiting())
    return Response(text, content_type=CONTENT_TYPE_LATEST)


def _waiting() -> CollectorRegistry:
    """Gauges of what is to be done; without those of a store or queue that is away."""
    registry = CollectorRegistry()

    def show(name: str, what: str, value: float, **labels: str) -> None:
        if name not in gauges:
            gauges[name] = Gauge(f"menagerie_{name}", what, list(labels), registry=registry)
        (gauges[name].labels(**labels) if labels else gauges[name]).set(value)

    gauges: dict[str, Gauge] = {}
    with suppress(RedisError):
        backlog, checks = referee().matches.backlog(), referee().matches.checks()
        show("outbox_entries", "Not handed on yet.", backlog.outbox)
        show("outbox_lag_seconds", "Age of the oldest of them.", backlog.outbox_oldest_ms / 1000)
        show("overdue_seconds", "Lateness of the oldest deadline.", backlog.overdue_ms / 1000)
        show("repetition_checks", "Checks made since the data began.", checks.made)
        show("repetition_differences", "Checks that found a difference.", checks.differing)
    queues = referee().queues
    with suppress(RedisError):
        for name, queue in ({} if queues is None else queues.waiting()).items():
            show("queue_jobs", "Jobs that wait.", queue["waiting"], queue=name)
            age_s = queue["oldest_ms"] / 1000
            show("queue_age_seconds", "Age of the oldest of them.", age_s, queue=name)
    return registry
