"""Two real server processes over one store."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import requests
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

FLAGS = "--worker-class gevent --workers 1 --no-control-socket --log-level warning"


@dataclass(frozen=True)
class Server:
    """One gunicorn."""

    url: str
    process: subprocess.Popen[bytes]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def servers(redis_url: str) -> Iterator[list[Server]]:
    """Two servers that have no memory in common but the store."""
    environment = {
        **os.environ,
        "MENAGERIE_REDIS_URL": redis_url,
        "MENAGERIE_SECRET": "a secret of the tests",
    }
    started = []
    for _ in range(2):
        port = free_port()
        command = [sys.executable, "-m", "gunicorn", "api.wsgi:app", *FLAGS.split()]
        process = subprocess.Popen([*command, "--bind", f"127.0.0.1:{port}"], env=environment)
        started.append(Server(f"http://127.0.0.1:{port}", process))
    with requests.Session() as session:
        patient = Retry(connect=60, backoff_factor=0.1, backoff_max=0.5)
        session.mount("http://", HTTPAdapter(max_retries=patient))
        for server in started:
            session.get(f"{server.url}/readyz", timeout=10).raise_for_status()
    yield started
    for server in started:
        server.process.terminate()
    for server in started:
        server.process.wait(20)
