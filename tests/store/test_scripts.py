"""Scripts reach the server whatever became of their connection."""

import threading
from collections.abc import Iterator

import pytest
from redis import Redis
from redis.exceptions import ResponseError

from menagerie.play.settings import connect
from menagerie.store.scripts import Lines, Script


@pytest.fixture
def counting(redis: Redis, redis_url: str) -> Iterator[Script]:
    """A script that adds its argument to its key, sent by a client as the service has it."""
    with connect(redis_url) as client:
        script = client.register_script("return redis.call('INCRBY', KEYS[1], ARGV[1])")
        yield Script(Lines(client), script)


def test_a_script_that_the_server_does_not_have_is_loaded(counting: Script, redis: Redis) -> None:
    redis.script_flush()
    assert counting(["n"], [2]) == 2
    assert counting(["n"], [3]) == 5


def test_a_script_whose_connection_was_closed_is_sent_again(counting: Script, redis: Redis) -> None:
    redis.script_flush()
    counting(["n"], [1])  # by both connections: its own, and the client's, which loads it
    assert len(redis.client_list(_type="normal")) >= 3
    redis.client_kill_filter(_type="normal", skipme=True)
    assert counting(["n"], [1]) == 2


def test_an_error_of_the_script_is_raised_and_the_next_call_is_answered(
    counting: Script, redis: Redis
) -> None:
    redis.set("word", "cat")
    with pytest.raises(ResponseError):
        counting(["word"], [1])
    assert counting(["n"], [7]) == 7


def test_calls_from_many_threads_get_their_own_answers(counting: Script) -> None:
    answers: list[tuple[int, int]] = []

    def call(nth: int) -> None:
        for _ in range(50):
            answers.append((nth, counting([f"n{nth}"], [nth])))

    threads = [threading.Thread(target=call, args=[nth]) for nth in range(1, 13)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [(nth, nth * k) for nth in range(1, 13) for k in range(1, 51)]
