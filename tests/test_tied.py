"""A tied command ends with its parent, and is otherwise the command itself."""

import os
import signal
import subprocess
import sys

from menagerie.tied import tied

PARENT = """
import subprocess, sys
from menagerie.tied import tied

child = "import signal; print('here', flush=True); signal.pause()"
subprocess.Popen(tied([sys.executable, "-c", child]))
sys.stdin.read()
"""


def test_a_tied_command_keeps_its_words_its_input_and_its_exit_code():
    script = "import sys; print(sys.argv[1:], sys.stdin.read()); sys.exit(7)"
    command = tied([sys.executable, "-c", script, "two words", ""])
    done = subprocess.run(command, input="in", capture_output=True, text=True, check=False)
    assert done.stdout == "['two words', ''] in\n"
    assert done.returncode == 7


def test_a_command_tied_to_another_process_does_not_begin():
    command = tied(["echo", "begun"])
    command[command.index(str(os.getpid()))] = "1"
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == ""
    assert done.returncode == 1


if sys.platform == "linux":  # elsewhere it is not tied

    def test_a_tied_command_ends_with_its_parent():
        parent = subprocess.Popen(
            [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert parent.stdout.readline() == b"here\n"
        parent.send_signal(signal.SIGKILL)
        rest, _ = parent.communicate(timeout=60)  # ends only with all who could write
        assert rest == b""
