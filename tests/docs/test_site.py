"""The pages show outputs, which test_pages.py holds, and commands; the site may ask no other host for anything."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest
from fakes.pages import ROOT, blocks, outputs
from fakes.warm_python import warm_python

DOCS = ROOT / "docs"


def module(name: str) -> ModuleType:
    """One of the site's own programs."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found
    spec.loader.exec_module(found)
    return found


def test_the_quickstarts_and_what_explains_show_their_output() -> None:
    for name in ("quickstart-llama-index", "quickstart-langchain", "splitters", "hierarchy"):
        page = DOCS / f"{name}.md"
        assert len(blocks(page)) == len(outputs(page)) >= 3, name


@pytest.mark.skipif(shutil.which("bash") is None, reason="the commands are a shell's")
def test_the_commands_of_tuning_print_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", warm_python())
    page = (DOCS / "tuning.md").read_text("utf-8")
    assert page.count("\n$ ") >= 4
    assert module("shown").shown(page, tmp_path) == page


@pytest.mark.parametrize(
    ("asking", "address"),
    [
        ('<script src="https://cdn.example/x.js"></script>', "https://cdn.example/x.js"),
        ('<link rel="stylesheet" href="//fonts.example/css?family=A">', "//fonts.example/css?family=A"),
        ('<img src="a.png" srcset="a.png 1x, https://b.example/b.png 2x">', "https://b.example/b.png 2x"),
        ("<svg><image xlink:href='http://c.example/c.png'/></svg>", "http://c.example/c.png"),
        ("<style>@import 'https://d.example/d.css';</style>", "https://d.example/d.css"),
        ('<p style="background: url(https://e.example/e.png)">', "https://e.example/e.png"),
        ('<pre class="mermaid"><code>graph TD</code></pre>', 'class="mermaid", for which the theme asks another host'),
    ],
)
def test_what_a_page_asks_of_another_host_is_found(asking: str, address: str, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "page.html").write_text(f"<html><body>{asking}</body></html>", encoding="utf-8")
    assert module("elsewhere").elsewhere(tmp_path) == [f"{Path('sub/page.html')}: {address}"]


def test_a_style_sheet_is_looked_through(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("a { background: url('https://a.example/a.png') } b { background: url(b.png) }")
    assert module("elsewhere").elsewhere(tmp_path) == ["a.css: https://a.example/a.png"]


def test_a_link_to_follow_and_what_is_here_are_no_requests(tmp_path: Path) -> None:
    body = (
        '<a href="https://example.com">there</a><script src="x.js"></script><img src="data:image/png;base64,AA//">'
        '<link rel="canonical" href="https://example.com/"><svg xmlns="http://www.w3.org/2000/svg"></svg>'
        "<p>url(https://example.com)</p>"
    )
    (tmp_path / "page.html").write_text(body, encoding="utf-8")
    assert module("elsewhere").elsewhere(tmp_path) == []
