"""The whole service on one machine: `python -m menagerie.serve`.

Redis, the API, the timekeeper and the worker pool, until SIGINT or SIGTERM.
`python -m menagerie.serve api` (or another child's name) becomes that child
alone, with the environment as it is, for machines where each has a container.
"""

import http.client
import os
import secrets
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Final, Self

from menagerie.store import embedded
from menagerie.supervisor import Child, Supervisor, say

TICK_S: Final = 0.1
READY_S: Final = 120.0
PORT_S: Final = 8.0
"""How long a taken port is waited for: an API whose supervisor was killed ends within it."""
RESTLESS: Final = 5
"""Deaths of one child before the service was ever ready that mean it cannot start."""


class CannotServe(Exception):
    """The service cannot start; the text says why, in one line."""


@dataclass(frozen=True)
class Settings:
    """What the environment says."""

    host: str
    port: int
    data: Path
    redis_url: str | None
    queue_url: str | None
    secret: str | None

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> Self:
        """The settings in `environ`; what is empty counts as not set. Raises `CannotServe`."""
        return cls(
            host=environ.get("MENAGERIE_HOST") or "127.0.0.1",
            port=_port(environ.get("PORT") or "8000"),
            data=Path(environ.get("MENAGERIE_DATA") or "data").resolve(),
            redis_url=environ.get("MENAGERIE_REDIS_URL") or None,
            queue_url=environ.get("MENAGERIE_QUEUE_URL") or None,
            secret=environ.get("MENAGERIE_SECRET") or None,
        )

    def environment(self, redis_url: str) -> dict[str, str]:
        """What the children find in theirs, but for the folder of their counts."""
        return {
            **os.environ,
            "MENAGERIE_DATA": str(self.data),
            "MENAGERIE_REDIS_URL": redis_url,
            "MENAGERIE_QUEUE_URL": self.queue_url or redis_url,
            "MENAGERIE_SECRET": self.secret or kept_secret(self.data),
        }


Children = Callable[[Settings], Sequence[Child]]


def api_command(host: str, port: int, workers: int) -> tuple[str, ...]:
    """The API server: requests and streams in one kind of process."""
    return (
        *(sys.executable, "-m", "gunicorn", "--config", "python:menagerie.gunicorn"),
        *("--bind", _netloc(host, port), "--workers", str(workers), "api.wsgi:app"),
    )


def children(settings: Settings) -> Sequence[Child]:
    """What runs beside Redis, in the order of starting and of stopping."""
    return (
        Child("api", api_command(settings.host, settings.port, _cores())),
        Child("timekeeper", (sys.executable, "-m", "workers.timekeeper")),
        Child("pool", (sys.executable, "-m", "workers.pool")),
    )


class Service:
    """Redis and its clients, as one thing to start, tend and stop."""

    def __init__(self, settings: Settings, children: Children) -> None:
        self.settings = settings
        self.children = children(settings)
        self.redis = embedded.start(settings.data, settings.redis_url)
        self.clients = self._clients()

    def _clients(self) -> Supervisor:
        environment = self.settings.environment(self.redis.url)
        return Supervisor(self.children, {**environment, **empty_counts(self.settings, "all")})

    def start(self) -> None:
        self.clients.start()

    def tend(self) -> None:
        """One look at everything: what has died begins again."""
        if self.settings.redis_url is None and not self.redis.lives():
            self._restart_redis()
        self.clients.tend()

    def _restart_redis(self) -> None:
        """Start Redis again. Its address stays, unless another process took the port since."""
        say("Redis ended, starting it again")
        address = self.redis.url
        self.redis = embedded.start(self.settings.data)
        say("Redis is back")
        if self.redis.url != address:
            self.clients.stop()
            self.clients = self._clients()
            self.clients.start()

    def stop(self) -> None:
        """Stop the clients, then Redis if it was started here."""
        self.clients.stop()
        self.redis.stop()


class StopSignal:
    """Whether SIGINT or SIGTERM has come. It only notes it, so no step is cut in two."""

    def __init__(self) -> None:
        self.came = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.came = True


def serve(settings: Settings, children: Children = children) -> None:
    """Run the service until a stop signal. Raises `CannotServe` or `embedded.NoRedis`."""
    stop = StopSignal()
    _wait_for_port(settings, stop)
    if stop.came:
        return
    service = Service(settings, children)
    try:
        service.start()
        _wait_until_ready(service, stop)
        if not stop.came:
            print(_welcome(settings), flush=True)
        while not stop.came:
            time.sleep(TICK_S)
            service.tend()
    finally:
        service.stop()


def kept_secret(data: Path) -> str:
    """The service's secret (64 hex digits): made once, then read from the data folder."""
    data.mkdir(parents=True, exist_ok=True)
    kept = data / "secret"
    if not kept.exists():
        with tempfile.NamedTemporaryFile("w", dir=data) as file:
            file.write(secrets.token_hex(32))
            file.flush()
            os.fsync(file.fileno())
            with suppress(FileExistsError):  # another start was faster: its secret counts
                kept.hardlink_to(file.name)
    return kept.read_text()


def empty_counts(settings: Settings, owner: str) -> dict[str, str]:
    """Where prometheus-client adds up the counts of many processes: a folder that starts empty."""
    folder = settings.data / "metrics" / f"{settings.port}-{owner}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return {"PROMETHEUS_MULTIPROC_DIR": str(folder)}


def _wait_for_port(settings: Settings, stop: StopSignal) -> None:
    deadline_s = time.monotonic() + PORT_S
    while not stop.came and not embedded.port_is_free(settings.host, settings.port):
        if time.monotonic() > deadline_s:
            where = _netloc(settings.host, settings.port)
            raise CannotServe(f"{where} is in use; choose another with PORT.")
        time.sleep(TICK_S)


def _wait_until_ready(service: Service, stop: StopSignal) -> None:
    deadline_s = time.monotonic() + READY_S
    while not stop.came and not _is_ready(service.settings):
        service.tend()
        for name, deaths in service.clients.deaths().items():
            if deaths >= RESTLESS:
                raise CannotServe(f"{name} ended {deaths} times before the service was ready.")
        if time.monotonic() > deadline_s:
            raise CannotServe(f"/readyz did not answer 200 within {READY_S:.0f} s.")
        time.sleep(TICK_S)


def _is_ready(settings: Settings) -> bool:
    connection = http.client.HTTPConnection(_reachable(settings.host), settings.port, timeout=2)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _welcome(settings: Settings) -> str:
    address = f"http://{_netloc(_reachable(settings.host), settings.port)}"
    body = (
        '{"game": "jungle", "seats": {"white": {"kind": "guest", "name": "Ann"}, '
        '"black": {"kind": "bot", "bot": "jungle-3"}}}'
    )
    return (
        f"Menagerie is at {address} (docs: {address}/docs, data: {settings.data})\n"
        "A first match of Jungle against a bot:\n"
        f"  curl -X POST {address}/v1/matches -H 'Content-Type: application/json' -d '{body}'"
    )


def _reachable(host: str) -> str:
    """Where this machine finds a server that listens on `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - a look-up


def _netloc(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 65_535):
        raise CannotServe(f"PORT is a number from 1 to 65535, not {text!r}.")
    return int(text)


def _cores() -> int:
    """The processor cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def become(child: Child, settings: Settings) -> None:
    """Replace this process by one child."""
    environment = {**os.environ, **empty_counts(settings, child.name)}
    os.execvpe(child.command[0], child.command, environment)  # noqa: S606 - no shell is the point


def main(names: Sequence[str] = (), children: Children = children) -> None:
    """The command line: all of the service, or the one child that is named."""
    try:
        settings = Settings.read(os.environ)
        if not names:
            serve(settings, children)
            return
        known = {child.name: child for child in children(settings)}
        if len(names) > 1 or names[0] not in known:
            raise CannotServe(f"name one of {', '.join(known)}, or nothing for all.")
        become(known[names[0]], settings)
    except (CannotServe, embedded.NoRedis, OSError) as error:
        sys.exit(f"menagerie: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
