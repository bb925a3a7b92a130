"""Streams of real servers: cut at random, servers that stop or die, readers that do not read."""

import json
import random
import re
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import requests

from menagerie.serve import api_command
from tests.e2e.conftest import PATIENCE_S, Match, Process, Server, Writers, until

SSE, NDJSON, JSON = "text/event-stream", "application/x-ndjson", "application/json"
BOTS = {seat: {"kind": "bot", "bot": "jungle-1"} for seat in ("white", "black")}


class Reader:
    """Reads a match's log in one form, by as many connections as it takes."""

    def __init__(self, match: Match, form: str, seed: int = 1) -> None:
        self.match = match
        self.form = form
        self.luck = random.Random(seed)
        self.ids: list[str] = []
        self.ended = False
        self.reason: str | None = None

    def read(self, most_bytes: int, last: str | None = None) -> None:
        """Resume, and read until so many bytes have come, wherever that is.

        Or until the stream ends, or this event has come.
        """
        headers = {"Accept": self.form, "Last-Event-ID": self.ids[-1] if self.ids else "0"}
        url = self.match.server.url + self.match.path + "/events"
        if self.form == JSON:
            answer = requests.get(url, {"wait": 1}, headers=headers, timeout=PATIENCE_S).json()
            for event in answer["items"][: self.luck.randint(0, 2)]:
                self._take(event)
            return
        with requests.get(url, headers=headers, timeout=PATIENCE_S, stream=True) as response:
            assert response.status_code == 200
            mark, data = (b"\n\n" if self.form == SSE else b"\n"), b""
            for byte in response.iter_content(1):
                data, most_bytes = data + byte, most_bytes - 1
                if data.endswith(mark):
                    self._take(
                        json.loads(data.partition(b"data: ")[2] if self.form == SSE else data)
                    )
                    data = b""
                if most_bytes <= 0 or self.ended or self.ids[-1:] == [last]:
                    return

    def forget(self, count: int) -> None:
        """Have read so many events less."""
        self.ids, self.ended = self.ids[:-count], False

    def read_up_to(self, last: str) -> None:
        while self.ids[-1:] != [last]:
            self.read(5_000, last)

    def _take(self, event: dict) -> None:
        if event["type"] == "stream.end":
            self.reason = event["reason"]
        elif event["type"] != "ping":
            self.ids.append(event["id"])
            self.ended = event["type"] in ("match.finished", "match.aborted")


@pytest.fixture
def pool(redis_url: str, redis: object) -> Iterator[Process]:
    process = Process(redis_url, "workers.pool")
    yield process
    process.stop()


def log_of(match: Match) -> list[str]:
    found, after = [], "0"
    while items := match.events(after):
        found += [event["id"] for event in items]
        after = found[-1]
    return found


@pytest.mark.parametrize("form", [SSE, NDJSON, JSON])
def test_a_reader_cut_a_hundred_times_during_a_bot_match_misses_and_repeats_nothing(
    servers: tuple[Server, Server], pool: Process, form: str
) -> None:
    match = servers[0].create(seats=BOTS)
    reader, cuts = Reader(match, form), 0
    while cuts < 100 or not reader.ended:
        reader.match.server = servers[cuts % 2]
        if reader.ended:  # sooner than expected: read the last part again
            reader.forget(60)
        reader.read(reader.luck.randint(1, 1_000))
        cuts += 1
    assert reader.ids == log_of(match)
    assert len(reader.ids) > 20


def test_streams_of_a_server_that_stops_end_and_go_on_elsewhere(
    servers: tuple[Server, Server], redis_url: str
) -> None:
    doomed = Server(redis_url)
    try:
        writers = Writers(doomed.wait_until_ready(), matches=2)
        writers.wait_for(moves=20)
        streams = []
        for match in writers.matches:
            for form in (SSE, NDJSON):
                headers = {"Accept": form}
                url = f"{doomed.url}{match.path}/events"
                streams.append(requests.get(url, headers=headers, stream=True, timeout=PATIENCE_S))
        doomed.process.terminate()
        for stream in streams:
            body = stream.content  # to the end, and a whole body
            assert b'"stream.end"' in body
            assert b'"server_restart"' in body
        doomed.process.wait(20)
    finally:
        doomed.kill()
    writers.join()
    for match, stream in zip((m for m in writers.matches for _ in range(2)), streams, strict=True):
        match.server = servers[0]
        seen = re.findall(rb'"id":"(\d+-\d+)"', stream.content)
        reader = Reader(match, NDJSON)
        reader.ids = [seen[-1].decode()]
        whole = log_of(match)
        reader.read_up_to(whole[-1])
        read = [event_id.decode() for event_id in seen] + reader.ids[1:]
        assert read == whole[whole.index(read[0]) :]


def test_streams_of_a_killed_server_break_and_go_on_elsewhere(
    servers: tuple[Server, Server], redis_url: str
) -> None:
    doomed = Server(redis_url)
    try:
        writers = Writers(doomed.wait_until_ready(), matches=1)
        (match,) = writers.matches
        reader = Reader(match, SSE)
        while len(reader.ids) < 20:
            reader.read(5_000)
    finally:
        doomed.kill()
    writers.join()
    match.server = servers[1]
    whole = log_of(match)
    reader.read_up_to(whole[-1])
    assert reader.ids == whole


def test_a_reader_who_does_not_read_holds_up_nobody_and_loses_no_event(server: Server) -> None:
    match = server.create()
    with socket.socket() as lazy:
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        lazy.settimeout(PATIENCE_S)
        lazy.connect(("127.0.0.1", server.port))
        head = f"GET {match.path}/events HTTP/1.1\r\nHost: x\r\nAccept: {SSE}\r\n\r\n"
        lazy.sendall(head.encode())
        moves = ["a3a4", "g7g6", "a4a3", "g6g7", "b2b3", "f8f7", "b3b2", "f7f8"]
        played = 0
        for _ in range(8):  # as far as the repetition rules let them
            for text in moves:
                seat = ("white", "black")[played % 2]
                if match.move(seat, text, played).status_code != 201:
                    break
                played += 1
        match.post("resign", "white")
        reader = Reader(match, SSE)
        reader.read(1_000)
        data = b""
        last = log_of(match)[-1]
        while f'"id":"{last}"'.encode() not in data:
            data += lazy.recv(1024)
    seen = [event_id.decode() for event_id in re.findall(rb"\nid: (\d+-\d+)\n", data)]
    assert seen[1:] == log_of(match)[2:]  # the first is the snapshot's


def test_addresses_are_logged_without_their_queries(redis_url: str, server: Server) -> None:
    match = server.create()
    ticket = match.post("tickets", "white").json()["ticket"]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = (*api_command("127.0.0.1", port, 1)[2:], "--access-logfile", "-")
    logging = Process(redis_url, *command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        url = f"http://127.0.0.1:{port}{match.path}/events"

        def answered() -> bool:
            try:
                return requests.get(url, {"ticket": ticket}, timeout=PATIENCE_S).ok
            except requests.ConnectionError:
                return False

        until(answered, "a server that logs")
    finally:
        logging.process.terminate()
        told = logging.process.communicate(timeout=PATIENCE_S)[0].decode()
        logging.kill()
    assert f"GET {match.path}/events HTTP/1.1" in told
    assert ticket not in told
    assert "ticket=" not in told


def test_an_http_1_0_reader_gets_plain_parts_and_the_end_of_the_connection(server: Server) -> None:
    match = server.create()
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S) as old:
        old.sendall(f"GET {match.path}/events HTTP/1.0\r\nAccept: {NDJSON}\r\n\r\n".encode())
        with old.makefile("rb") as file:
            while file.readline().strip():
                pass
            assert json.loads(file.readline())["type"] == "snapshot"
            match.move("white", "a3a4", 0)
            assert json.loads(file.readline())["type"] in ("move.played", "ping")


def test_requests_are_served_beside_many_streams_that_begin_at_once(server: Server) -> None:
    match = server.create()
    head = f"GET {match.path}/events?after=1 HTTP/1.1\r\nHost: x\r\nAccept: {SSE}\r\n\r\n"
    with ExitStack() as streams:
        opened = []
        for _ in range(300):
            address = ("127.0.0.1", server.port)
            stream = streams.enter_context(socket.create_connection(address, timeout=PATIENCE_S))
            stream.sendall(head.encode())
            opened.append(stream)
        assert match.move("white", "a3a4", 0).status_code == 201
        for stream in opened:
            data = b""
            while b"event: move.played" not in data:
                data += stream.recv(65_536)
    assert server.status("/livez") == 200


def test_a_client_that_asks_without_pause_does_not_keep_others_waiting(server: Server) -> None:
    ask = b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"
    with ExitStack() as stack:
        greedy, other = (
            stack.enter_context(
                socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S)
            )
            for _ in range(2)
        )
        for connection in (greedy, other):  # both are accepted
            connection.sendall(ask)
            read_times(connection, 1)
        greedy.sendall(ask * 300)
        greedy.recv(1, socket.MSG_PEEK)  # it is being served
        other.sendall(ask)
        (served,) = read_times(other, 1)
        assert served < read_times(greedy, 300)[-1]


def read_times(connection: socket.socket, count: int) -> list[str]:
    """The `Server-Time` of the next answers."""
    data, times = b"", list[bytes]()
    while len(times) < count or not data.endswith(b"}"):
        data += connection.recv(65_536)
        times = re.findall(rb"Server-Time: (\S+)", data)
    return [time.decode() for time in times]
