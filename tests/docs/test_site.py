"""The pages show outputs, which test_pages.py holds, and commands; the site may ask no other host for anything."""

from __future__ import annotations

import importlib
import importlib.util
import re
import shutil
import sys
from inspect import Parameter, signature
from pathlib import Path
from types import ModuleType

import pytest
from fakes.pages import ROOT, blocks, outputs

from langchain_caesura.base import BaseSemanticSplitter
from llama_index.node_parser.caesura.base import BaseSemanticSplitter as BaseSemanticParser

DOCS = ROOT / "docs"
SHARED = BaseSemanticSplitter, BaseSemanticParser
"""What has a table of its own, to which the tables of its heirs lead."""


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


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("bash") is None, reason="the commands are a shell's")
def test_the_commands_of_tuning_print_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


@pytest.mark.thorough
def test_each_public_class_of_the_plugins_has_a_table_that_explains_all_its_settings() -> None:
    griffe = pytest.importorskip("griffe")
    paths = [str(path) for name in ("packages", "integrations") for path in (ROOT / name).glob("*/src")]
    loader = griffe.GriffeLoader(
        search_paths=paths, extensions=griffe.load_extensions(module("docstrings").Docstrings())
    )
    loader.load("caesura")
    for name in ("langchain_caesura", "llama_index.node_parser.caesura"):
        pages, plugin = loader.load(name), importlib.import_module(name)
        for public in plugin.__all__:
            cls = getattr(plugin, public)
            if not isinstance(cls, type):
                continue
            lines = [line.split(" | ") for line in pages[public].final_target.docstring.value.splitlines()]
            table = {
                re.sub("<.*?>|^. ", "", cells[0]).replace("&#95;", "_"): cells for cells in lines if len(cells) == 4
            }
            kinds = Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY
            ours = [base for base in cls.__mro__ if base.__module__.startswith(name)]
            constructors = [
                signature(base.__init__)
                for base in ours[:1]
                if base.__init__ in [vars(one).get("__init__") for one in ours]
            ]
            named = {
                one.name for each in constructors for one in list(each.parameters.values())[1:] if one.kind in kinds
            }
            named |= {
                field
                for base in ours
                if hasattr(cls, "model_fields") and not issubclass(cls, SHARED)
                for field in vars(base).get("__annotations__", {})
                if field in cls.model_fields
            }
            assert named <= set(table), public
            assert not [cells for cells in table.values() if len(cells[3]) < 5 or "&#95;WEIGHT" in cells[2]], public
