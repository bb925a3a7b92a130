"""The pages that a reader follows line by line: run as they stand, answers and all."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import PATIENCE_S, ROOT, Server

BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
END = "# end of a block"


def steps(page: str) -> list[tuple[str, str]]:
    """Each block of commands with what the page says it prints."""
    found: list[tuple[str, str]] = []
    for kind, text in BLOCK.findall((ROOT / "docs" / page).read_text()):
        if kind == "sh":
            found.append((text, ""))
        else:
            found[-1] = found[-1][0], text
    return found


def run(commands: list[str], server: Server, folder: Path) -> list[str]:
    """What each block prints when one shell runs them all."""
    python = Path(sys.executable).parent
    done = subprocess.run(
        ["bash", "-euo", "pipefail"],
        input="".join(f"{text}echo '{END}'\n" for text in commands),
        env={
            "API": f"{server.url}/v1",
            "PATH": f"{python}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
        },
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    return done.stdout.split(f"{END}\n")[:-1]


@pytest.mark.parametrize("page", ["feral-by-curl.md"])
def test_a_page_tells_what_its_commands_print(page: str, server: Server, tmp_path: Path) -> None:
    """On the page `…` stands for what is another each time."""
    told = steps(page)
    assert len(told) > 5
    printed = run([commands for commands, _ in told], server, tmp_path)
    for (commands, expected), got in zip(told, printed, strict=True):
        pattern = ".+".join(re.escape(part) for part in expected.split("…"))
        assert re.fullmatch(pattern, got), f"{commands}\nprints\n{got}"
