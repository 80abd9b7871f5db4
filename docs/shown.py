"""A page in, the page out with what its ```console commands print, and its ```python programs where ```text follows.

python docs/shown.py PAGE...    writes the pages; run by `nox -s pages`
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent, indent

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"```console\n(?=\$ )(.*?)```", re.DOTALL)
COMMANDS = re.compile(r"^\$ ((?:.*\\\n)*.*)$", re.MULTILINE)
"""One that is long goes on in the next line, after a backslash."""
PROGRAM = re.compile(
    r"^(?P<in>[ ]*)```python\n(?P<program>(?:(?!```).)*)^(?P=in)```\n\n(?P=in)```text\n(?P<output>.*?)^(?P=in)```",
    re.DOTALL | re.MULTILINE,
)
"""A program, and right after it what it prints; in a tab both are indented."""
COMMAND = 'caesura() { "$PYTHON" -m caesura_lab "$@"; }\n'


def shown(page: str, folder: Path) -> str:
    """A page's Markdown -> the same, with the output of the commands that begin with `$ `. Files go into `folder`."""
    return BLOCK.sub(lambda match: f"```console\n{_run(match[1], folder)}```", page)


def with_outputs(page: str, folder: Path) -> str:
    """A page's Markdown -> the same, with what its programs print, each run from a file in `folder`."""
    environment = {**os.environ, "TIKTOKEN_CACHE_DIR": str(_tiktoken())}

    def ran(match: re.Match[str]) -> str:
        path = folder / "program.py"
        path.write_text(dedent(match["program"]), encoding="utf-8")
        command = [sys.executable, path]
        done = subprocess.run(command, capture_output=True, cwd=folder, env=environment, check=True, timeout=300)  # noqa: S603
        before = match["in"]
        output = indent(done.stdout.decode(), before)
        return f"{before}```python\n{match['program']}{before}```\n\n{before}```text\n{output}{before}```"

    return PROGRAM.sub(ran, page)


def _tiktoken() -> Path:
    """The folder in which llama-index-core has OpenAI's vocabulary `cl100k_base`: nothing is downloaded here."""
    found = find_spec("llama_index.core")
    return Path(str(found and found.origin)).parent / "_static" / "tiktoken_cache"


def _run(block: str, folder: Path) -> str:
    return "".join(f"$ {command}\n{output(command, folder)}" for command in COMMANDS.findall(block))


def output(command: str, folder: Path) -> str:
    """What a shell prints, both streams. In `folder` there are the examples and the benchmarks, and nothing else."""
    for name in ("examples", "benchmarks"):
        if not (folder / name).exists():
            (folder / name).symlink_to(ROOT / name, target_is_directory=True)
    environment = {**os.environ, "PYTHON": sys.executable, "COLUMNS": "92", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
    done = subprocess.run(  # noqa: S603
        ["bash", "-c", COMMAND + command],  # noqa: S607
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        cwd=folder,
        env=environment,
        check=False,
        timeout=300,
    )
    lines = [
        line.rstrip() for line in done.stdout.decode().splitlines() if not re.match(r"(files|splitters) +[━╸╺]", line)
    ]
    return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as empty:
            path = Path(name)
            page = with_outputs(shown(path.read_text("utf-8"), Path(empty)), Path(empty))
            path.write_text(page, encoding="utf-8")
