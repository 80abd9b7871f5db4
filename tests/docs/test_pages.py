"""Every Python block of every README and page runs as a newcomer would run it: from a file, in a fresh interpreter."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from openai_server import OpenAIServer

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted(ROOT.glob("packages/*/README.md")),
    *sorted(ROOT.glob("packages/*/MODEL_CARD.md")),
    *sorted(ROOT.glob("integrations/*/README.md")),
    *(page for page in sorted(ROOT.glob("docs/*.md")) if page.stem not in ("scale", "spacy")),  # these have their own
]
BLOCKS = [
    pytest.param(block, id=f"{page.relative_to(ROOT)}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.S), 1)
]


@pytest.mark.enable_socket
@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_copied_into_a_file_runs_and_prints(block: str, tmp_path: Path) -> None:
    path = tmp_path / "example.py"
    path.write_text(block, encoding="utf-8")
    with a_model(block) as variables:
        done = subprocess.run(
            [sys.executable, path],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            timeout=120,
            check=False,
            env=os.environ | variables,
        )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip()


@contextmanager
def a_model(block: str) -> Iterator[dict[str, str]]:
    """For a block that asks a model of OpenAI, what makes the client ask a server here; for others, nothing."""
    if "gpt-" not in block:
        yield {}
        return
    with OpenAIServer() as server:
        yield {"OPENAI_API_KEY": "any", "OPENAI_BASE_URL": server.url, "OPENAI_API_BASE": server.url}
        assert server.calls > 0


@pytest.mark.parametrize("page", [ROOT / "README.md", *ROOT.glob("docs/*.md")], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8"))
    assert [link for link in links if not link.startswith("http") and not (page.parent / link).exists()] == []


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", ROOT / "packages" / "caesura" / "README.md"], ids=lambda page: page.parent.name
)
def test_the_first_text_that_a_newcomer_cuts_is_cut(page: Path, tmp_path: Path) -> None:
    block = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.S)[-1]
    path = tmp_path / "example.py"
    path.write_text(block, encoding="utf-8")
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, cwd=tmp_path, timeout=120, check=True)
    first, second = done.stdout.splitlines()
    assert "dough" in first
    assert "tide" in second
