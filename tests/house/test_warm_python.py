"""A program of a warm interpreter sees, says and ends as it does in a fresh one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from math import sqrt
from multiprocessing import get_context
from pathlib import Path

import pytest
from fakes.warm_python import warm_python

PROGRAMS = {
    "its arguments, folder and variables": "import os, sys; print(sys.argv, os.getcwd(), os.environ['COLOUR'])",
    "its input": "import sys; print(sys.stdin.read().upper())",
    "its name": "import __main__; x = 1; print(__name__, __main__.x)",
    "nothing of ours": "import sys; print([name for name in sys.modules if name.startswith('caesura')])",
    "an exit code": "import sys; print('said'); sys.exit(3)",
    "an exit message": "raise SystemExit('it went wrong')",
    "an exit handler": "import atexit; atexit.register(print, 'last'); print('first')",
    "a thread that goes on": "import threading, time\n"
    "threading.Thread(target=lambda: (time.sleep(0.1), print('late'))).start()",
    "a signal": "import os; os.kill(os.getpid(), 15)",
    "random numbers": "import random; random.seed(7); print(random.random())",
}


def ended(interpreter: str, *arguments: str, folder: Path) -> tuple[int, str, str]:
    environment = {**os.environ, "COLOUR": "green"}
    done = subprocess.run(
        [interpreter, *arguments],
        input="loud",
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=environment,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize("form", ["-c", "path", "-m"])
def test_a_program_sees_says_and_ends_alike(form: str, program: str, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(program, encoding="utf-8")
    arguments = {"-c": ("-c", program), "path": (str(path),), "-m": ("-m", "program")}[form]
    fresh, warm = (ended(each, *arguments, "a b", folder=tmp_path) for each in (sys.executable, warm_python()))
    assert warm == fresh


def test_an_error_is_shown_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text("def fail():\n    raise ValueError('no')\n\nfail()\n", encoding="utf-8")
    code, _, said = ended(warm_python(), str(path), folder=tmp_path)
    assert code == 1
    assert f'File "{path}", line 4' in said
    assert said.endswith("ValueError: no\n")


def test_two_programs_share_nothing(tmp_path: Path) -> None:
    assert ended(warm_python(), "-c", "import json; json.mark = 1", folder=tmp_path)[0] == 0
    assert ended(warm_python(), "-c", "import json; print(hasattr(json, 'mark'))", folder=tmp_path)[1] == "False\n"


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_one_that_is_killed_is_gone(tmp_path: Path) -> None:
    program = "import os, time; print(os.getpid(), flush=True); time.sleep(100)"
    running = subprocess.Popen([warm_python(), "-c", program], stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    number = int(running.stdout.readline())
    os.kill(number, 0)
    running.kill()
    assert running.stdout.read() == ""  # its end too is closed
    assert running.wait() == -signal.SIGKILL
    running.stdout.close()


def test_a_pool_of_processes_is_of_such() -> None:
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        assert list(pool.map(sqrt, [4.0, 9.0])) == [2.0, 3.0]
