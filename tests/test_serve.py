"""The service as its operator sees it: start, loss of any part, stop, and nothing left behind.

The children are stand-ins that tell what happens to them; Redis is real.
"""

import fcntl
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from redis import Redis

from menagerie import serve
from menagerie.serve import CannotServe, Settings
from menagerie.supervisor import Child, Supervisor

STAND_INS = """
import fcntl, os, signal, sys
from http.server import BaseHTTPRequestHandler, HTTPServer


def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())


def stop(name):
    def on_signal(*_):
        say(name, "stops")
        os._exit(0)
    signal.signal(signal.SIGTERM, on_signal)


class Ready(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/readyz" else 404)
        self.end_headers()

    def log_message(self, *_):
        pass


def api(port):
    stop("api")
    with HTTPServer(("127.0.0.1", int(port)), Ready) as server:
        say("api", os.getpid(), os.environ["MENAGERIE_SECRET"])
        server.serve_forever()


def timekeeper():
    stop("timekeeper")
    say("timekeeper", os.getpid(), os.environ["MENAGERIE_REDIS_URL"])
    while True:
        signal.pause()


def pool():
    stop("pool")
    signal.signal(signal.SIGALRM, lambda *_: say("pool 0 crowded"))
    signal.alarm(10)
    fcntl.flock(os.open("pool.lock", os.O_RDWR | os.O_CREAT), fcntl.LOCK_EX)
    signal.alarm(0)
    worker = os.fork()
    if worker == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    else:
        say("pool", os.getpid(), os.environ["MENAGERIE_QUEUE_URL"])
    while True:
        signal.pause()


def broken():
    sys.exit(3)


def children(settings):
    from menagerie.supervisor import Child

    names = os.environ["STAND_INS"].split()
    here = (sys.executable, __file__)
    return [Child(name, (*here, name, *[str(settings.port)] * (name == "api"))) for name in names]


if len(sys.argv) > 1:
    globals()[sys.argv[1]](*sys.argv[2:])
else:
    from menagerie import serve

    serve.main(children=children)
"""


class Running:
    """A service in a process of its own, and what it and its children say, line by line."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        (folder / "stand_ins.py").write_text(STAND_INS)
        self.data = folder / "data"
        self.unread: list[str] = []
        self.stand_ins = environment["STAND_INS"].split()
        self.process = subprocess.Popen(
            [sys.executable, "stand_ins.py"],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.alarm = threading.Timer(60, self.process.kill)  # a test fails rather than hangs
        self.alarm.start()

    def line(self, pattern: str) -> re.Match[str]:
        """The first line that fits and was not asked for before."""
        for i, line in enumerate(self.unread):
            if match := re.match(pattern, line):
                del self.unread[i]
                return match
        for line in self.process.stdout:
            if match := re.match(pattern, line):
                return match
            self.unread.append(line)
        raise AssertionError(f"No line is {pattern!r}: {self.unread}")

    def ready(self) -> dict[str, tuple[int, str]]:
        """Return once all is up: each child's process, and what it found in its environment."""
        self.line("Menagerie is at ")
        told = {name: self.line(rf"{name} (\d+) (\S+)") for name in self.stand_ins}
        return {name: (int(match[1]), match[2]) for name, match in told.items()}

    def rest(self) -> list[str]:
        """All further lines, once every process that could write one has ended."""
        return self.process.communicate(timeout=60)[0].splitlines()

    def wait_for_redis_to_end(self) -> None:
        """Return once no server holds the data folder."""
        with (self.data / "redis" / "lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def service(tmp_path: Path, port: int) -> Iterator[Callable[..., Running]]:
    """Starts services on one data folder and one port, and ends what is left of them."""
    started: list[Running] = []

    def start(stand_ins: str = "api timekeeper pool", **settings: str) -> Running:
        known = {name: value for name, value in os.environ.items() if "MENAGERIE" not in name}
        root = str(Path(__file__).parents[1])
        environment = {
            **known,
            "PYTHONPATH": root,
            "PORT": str(port),
            "STAND_INS": stand_ins,
            **settings,
        }
        started.append(Running(tmp_path, environment))
        return started[-1]

    yield start
    for running in started:
        running.process.terminate()
        running.process.communicate(timeout=60)
        running.alarm.cancel()


def test_it_tells_its_address_and_a_first_curl_once_it_is_ready(service, port):
    running = service()
    running.line(f"Menagerie is at http://127.0.0.1:{port} ")
    running.line(f"  curl -X POST http://127.0.0.1:{port}/v1/matches .*jungle")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_signal_stops_the_api_first_and_redis_last(service, number):
    running = service()
    running.ready()
    running.process.send_signal(number)
    assert running.rest()[-3:] == ["api stops", "timekeeper stops", "pool stops"]
    assert running.process.returncode == 0
    running.wait_for_redis_to_end()


def test_a_stop_signal_before_it_is_ready_stops_it_too(service):
    running = service(stand_ins="timekeeper")
    running.line("timekeeper ")
    running.process.terminate()
    assert running.rest() == ["timekeeper stops"]
    assert running.process.returncode == 0


@pytest.mark.parametrize("child", ["api", "timekeeper", "pool"])
def test_a_killed_child_comes_back(service, child):
    running = service()
    first, _ = running.ready()[child]
    os.kill(first, signal.SIGKILL)
    running.line(f"menagerie: {child} ended")
    assert int(running.line(rf"{child} (\d+)")[1]) != first


def test_workers_of_a_killed_child_do_not_outlive_it(service):
    running = service(stand_ins="api pool")
    first, _ = running.ready()["pool"]
    os.kill(first, signal.SIGKILL)
    assert running.line(r"pool \d+ (\S+)")[1] != "crowded"


def test_a_killed_redis_comes_back_at_its_address_with_what_it_acknowledged(service):
    running = service()
    _, url = running.ready()["timekeeper"]
    with Redis.from_url(url) as client:
        client.set("kept", "yes")
        os.kill(client.info("server")["process_id"], signal.SIGKILL)
    running.line("menagerie: Redis ended")
    running.line("menagerie: Redis is back")
    with Redis.from_url(url) as client:
        assert client.get("kept") == b"yes"


if sys.platform == "linux":  # elsewhere nothing tells a child of this death

    def test_nothing_survives_a_killed_supervisor(service):
        running = service(stand_ins="api timekeeper")
        running.ready()
        running.process.kill()
        assert sorted(running.rest()) == ["api stops", "timekeeper stops"]
        running.wait_for_redis_to_end()

    def test_the_next_start_after_a_kill_finds_the_same_data_and_secret(service):
        first = service(stand_ins="api timekeeper")
        _, secret = first.ready()["api"]
        first.process.kill()
        second = service(stand_ins="api timekeeper")
        assert second.ready()["api"][1] == secret


def test_a_second_service_on_the_folder_shares_its_redis_and_outlives_the_first(service):
    first = service()
    _, url = first.ready()["timekeeper"]
    second = service(stand_ins="timekeeper", PORT=str(free_port()))
    assert second.line(r"timekeeper \d+ (\S+)")[1] == url
    first.process.terminate()
    first.rest()
    second.line("menagerie: Redis is back")
    with Redis.from_url(url) as client:
        assert client.ping()


def test_a_port_in_use_is_one_line(service, port, tmp_path, monkeypatch):
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        taken.bind(("127.0.0.1", port))
        taken.listen()
        monkeypatch.setattr(serve, "PORT_S", 0.0)
        settings = Settings.read({"PORT": str(port), "MENAGERIE_DATA": str(tmp_path / "data")})
        with pytest.raises(CannotServe, match=rf"^127\.0\.0\.1:{port} is in use.*PORT\.$"):
            serve.serve(settings)
    assert not (tmp_path / "data").exists()


def test_a_child_that_cannot_start_ends_the_service_with_one_line(service):
    running = service(stand_ins="broken")
    assert running.rest()[-1] == "menagerie: broken ended 5 times before the service was ready."
    assert running.process.returncode == 1


def test_a_port_that_is_no_port_is_refused():
    for text in ("0", "65536", "-1", "http"):
        with pytest.raises(CannotServe, match="PORT is a number"):
            Settings.read({"PORT": text})


def test_the_defaults_are_loopback_8000_and_the_folder_data():
    settings = Settings.read({"PORT": "", "MENAGERIE_DATA": "", "MENAGERIE_REDIS_URL": ""})
    assert (settings.host, settings.port) == ("127.0.0.1", 8000)
    assert settings.data == Path("data").resolve()
    assert settings.redis_url is None


def test_children_find_the_settings_in_their_environment(tmp_path):
    settings = Settings.read(
        {"MENAGERIE_DATA": str(tmp_path), "MENAGERIE_QUEUE_URL": "redis://queue/0"}
    )
    environment = settings.environment("redis://store/0")
    assert environment["MENAGERIE_DATA"] == str(tmp_path)
    assert environment["MENAGERIE_REDIS_URL"] == "redis://store/0"
    assert environment["MENAGERIE_QUEUE_URL"] == "redis://queue/0"
    assert environment["MENAGERIE_SECRET"] == (tmp_path / "secret").read_text()


def test_the_queue_is_in_the_store_unless_told_otherwise(tmp_path):
    environment = Settings.read({"MENAGERIE_DATA": str(tmp_path)}).environment("redis://store/0")
    assert environment["MENAGERIE_QUEUE_URL"] == "redis://store/0"


def test_a_given_secret_is_used_and_none_is_made(tmp_path):
    settings = Settings.read({"MENAGERIE_DATA": str(tmp_path), "MENAGERIE_SECRET": "given"})
    assert settings.environment("redis://store/0")["MENAGERIE_SECRET"] == "given"
    assert list(tmp_path.iterdir()) == []


def test_the_secret_is_made_once_and_is_its_owners_alone(tmp_path):
    secret = serve.kept_secret(tmp_path)
    assert re.fullmatch("[0-9a-f]{64}", secret)
    assert serve.kept_secret(tmp_path) == secret
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600


def test_the_api_listens_where_it_is_told():
    settings = Settings.read({"PORT": "8123", "MENAGERIE_HOST": "::"})
    api = serve.children(settings)[0].command
    assert "[::]:8123" in api
    assert "api.wsgi:app" in api


def test_one_child_alone_takes_the_place_of_the_command(tmp_path, monkeypatch):
    became: list[tuple[str, ...]] = []
    monkeypatch.setattr(os, "execvpe", lambda file, command, environment: became.append(command))
    monkeypatch.setenv("MENAGERIE_DATA", str(tmp_path))
    serve.main(["timekeeper"])
    assert became == [(sys.executable, "-m", "workers.timekeeper")]


def test_the_counts_of_the_last_run_are_not_added_to_those_of_this_one(tmp_path):
    settings = Settings.read({"MENAGERIE_DATA": str(tmp_path)})
    folder = Path(serve.empty_counts(settings, "all")["PROMETHEUS_MULTIPROC_DIR"])
    (folder / "counter_1.db").touch()
    assert serve.empty_counts(settings, "all") == {"PROMETHEUS_MULTIPROC_DIR": str(folder)}
    assert list(folder.iterdir()) == []


def test_an_unknown_child_is_refused_with_the_names_there_are():
    with pytest.raises(SystemExit, match="api, timekeeper, pool"):
        serve.main(["clock"])


DEAF = """
import signal, sys

signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open(sys.argv[1], "w") as told:
    print("deaf", file=told, flush=True)
    signal.pause()
"""


def test_a_child_that_will_not_stop_is_killed(tmp_path):
    os.mkfifo(tmp_path / "told")
    child = Child("deaf", (sys.executable, "-c", DEAF, str(tmp_path / "told")), patience_s=0.1)
    supervisor = Supervisor([child], os.environ)
    supervisor.start()
    with (tmp_path / "told").open() as told:
        assert told.readline() == "deaf\n"
        supervisor.stop()
        assert told.read() == ""
