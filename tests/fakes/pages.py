"""A page in, its Python blocks and what each prints out: run as a newcomer would run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from fakes.servers.openai_server import OpenAIServer

ROOT = Path(__file__).parents[2]
PEERS = ("chonkie", "langchain_experimental")
"""Packages that blocks on where people come from import, and that the session `peers` alone installs."""


def vocabulary() -> dict[str, str]:
    """What tells tiktoken where llama-index-core has `cl100k_base`, which a newcomer's first call downloads."""
    found = find_spec("llama_index.core")
    return {"TIKTOKEN_CACHE_DIR": str(Path(str(found.origin)).parent / "_static" / "tiktoken_cache")} if found else {}


def load_program(path: str) -> ModuleType:
    """A program of the repository, as "docs/shown" -> its module."""
    spec = spec_from_file_location(path.replace("/", "_"), ROOT / f"{path}.py")
    assert spec is not None
    assert spec.loader is not None
    found = module_from_spec(spec)
    sys.modules[spec.name] = found
    spec.loader.exec_module(found)
    return found


def blocks(page: Path) -> list[str]:
    """The blocks that a page says are Python, in tabs too; one that is marked as ``py`` is only shown."""
    found = re.findall(r"^( *)```python\n(.*?)^\1```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return [outdented(block, by) for by, block in found]


def outputs(page: Path) -> dict[str, str]:
    """Those of the blocks that a ``text`` block follows -> what it says that they print."""
    shown = r"^( *)```python\n((?:(?!```).)*)^\1```\n\n\1```text\n(.*?)^\1```"
    found = re.findall(shown, page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return {outdented(block, by): outdented(output, by) for by, block, output in found}


def outdented(block: str, by: str) -> str:
    """A block without the spaces by which a tab indents each of its lines."""
    return re.sub(f"^{by}", "", block, flags=re.MULTILINE)


def peers_of(block: str) -> list[str]:
    """The packages of `PEERS` that a block imports."""
    return [name for name in PEERS if re.search(rf"^(?:from|import) {name}\b", block, re.MULTILINE)]


def missing(block: str) -> list[str]:
    """Those that are not installed here."""
    return [name for name in peers_of(block) if find_spec(name) is None]


def printed(block: str, folder: Path) -> str:
    """What a block prints that was copied into a file and run there, in a fresh interpreter."""
    path = folder / "example.py"
    path.write_text(block, encoding="utf-8")
    with a_model(block) as variables:
        done = subprocess.run(
            [sys.executable, path],
            capture_output=True,
            text=True,
            cwd=folder,
            check=False,
            env=os.environ | vocabulary() | variables,
        )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@contextmanager
def a_model(block: str) -> Iterator[dict[str, str]]:
    """For a block that asks a model of OpenAI, Azure or Ollama, what makes the client ask a server here; for others,
    nothing.
    """
    if "gpt-" not in block and "llama3" not in block:
        yield {}
        return
    with OpenAIServer() as server:
        if "Azure" in block:
            yield {"AZURE_OPENAI_API_KEY": "any", "AZURE_OPENAI_ENDPOINT": server.root}
        elif "Ollama" in block:
            yield {"OLLAMA_HOST": server.root}
        else:
            yield {"OPENAI_API_KEY": "any", "OPENAI_BASE_URL": server.url, "OPENAI_API_BASE": server.url}
        assert server.calls > 0
