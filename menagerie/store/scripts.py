"""Lua scripts, sent over connections that are kept ready."""

from pathlib import Path
from typing import Any, Final

from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import NoScriptError

FOLDER: Final = Path(__file__).parent


class Lines:
    """Connections to one Redis that only scripts use, in one process.

    redis-py's pool and its wrappers take longer over a call than the call itself, so a script
    is sent on a connection of ours: the one that was used last, or a new one if all are busy.
    """

    def __init__(self, redis: Any) -> None:
        self.redis = redis
        self._idle: list[Any] = []

    def script(self, name: str) -> "Script":
        """The script in the file `<name>.lua` beside this one."""
        return Script(self, self.redis.register_script((FOLDER / f"{name}.lua").read_text("utf-8")))

    def run(self, *command: Any) -> Any:
        """The server's answer to a command that is sent once, on one connection."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self.redis.connection_pool.make_connection()
        try:
            connection.send_command(*command)
            return connection.read_response()
        finally:  # a connection in trouble has closed itself, and opens when it is used again
            self._idle.append(connection)


class Script:
    """One script: `script(keys, args)` runs it.

    What redis-py mends is left to it: a script that the server does not have is loaded, and one
    whose connection broke is sent again, so every script must be safe to run twice.
    """

    def __init__(self, lines: Lines, script: Any) -> None:
        self._lines = lines
        self._script = script

    def __call__(self, keys: list[str], args: list[Any]) -> Any:
        try:
            return self._lines.run("EVALSHA", self._script.sha, len(keys), *keys, *args)
        except (NoScriptError, RedisConnectionError):
            return self._script(keys=keys, args=args)
