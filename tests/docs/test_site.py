"""The pages show outputs, which test_pages.py holds, and commands; the site may ask no other host for anything."""

from __future__ import annotations

import importlib
import re
import shutil
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import pytest
from fakes.pages import ROOT, blocks, load_program, outputs

DOCS = ROOT / "docs"


def test_the_quickstarts_and_what_explains_show_their_output() -> None:
    for name in ("quickstart-llama-index", "quickstart-langchain", "splitters", "hierarchy"):
        page = DOCS / f"{name}.md"
        assert len(blocks(page)) == len(outputs(page)) >= 3, name


@pytest.mark.parametrize("section", ["Is it for me?", "What it finds", "Which splitter"])
def test_the_readme_and_the_home_page_say_the_same(section: str) -> None:
    readme, home = (
        re.findall(
            r"^[|*-] .*|^\*\*.*", page.read_text("utf-8").split(f"## {section}\n")[1].split("\n## ")[0], re.MULTILINE
        )
        for page in (ROOT / "README.md", DOCS / "index.md")
    )
    assert len(readme) >= 3
    assert [line.replace("(docs/", "(") for line in readme] == home


@pytest.mark.parametrize("retriever", ["`SentenceSplitter()`", "`QueryFusionRetriever`", "`HierarchyIndex()`"])
def test_a_quickstart_repeats_the_figures_of_the_home_page(retriever: str) -> None:
    here, there = (
        [re.findall(r"(?<=\| )\W*(\d+)", row) for row in re.findall(r"^\|.*", page, re.MULTILINE) if retriever in row]
        for page in (
            (DOCS / "quickstart-llama-index.md").read_text("utf-8"),
            (DOCS / "index.md").read_text("utf-8").split("## What it finds\n")[1],
        )
    )
    assert len(here[0]) == 6
    assert here == there


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("bash") is None, reason="the commands are a shell's")
@pytest.mark.parametrize(("name", "commands"), [("index", 1), ("tuning", 4)])
def test_commands_print_what_the_page_shows(name: str, commands: int, tmp_path: Path) -> None:
    page = (DOCS / f"{name}.md").read_text("utf-8")
    assert page.count("\n$ ") == commands
    assert load_program("docs/shown").shown(page, tmp_path) == page


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
    assert load_program("docs/elsewhere").elsewhere(tmp_path) == [f"{Path('sub/page.html')}: {address}"]


def test_a_style_sheet_is_looked_through(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("a { background: url('https://a.example/a.png') } b { background: url(b.png) }")
    assert load_program("docs/elsewhere").elsewhere(tmp_path) == ["a.css: https://a.example/a.png"]


def test_a_link_to_follow_and_what_is_here_are_no_requests(tmp_path: Path) -> None:
    body = (
        '<a href="https://example.com">there</a><script src="x.js"></script><img src="data:image/png;base64,AA//">'
        '<link rel="canonical" href="https://example.com/"><svg xmlns="http://www.w3.org/2000/svg"></svg>'
        "<p>url(https://example.com)</p>"
    )
    (tmp_path / "page.html").write_text(body, encoding="utf-8")
    assert load_program("docs/elsewhere").elsewhere(tmp_path) == []


PAGES = load_program("docs/reference_pages").PAGES
PLUGINS = {
    page.package: page for page in PAGES if page.package in ("langchain_caesura", "llama_index.node_parser.caesura")
}


BASES = "BaseSemanticSplitter", "LLMTransformer", "LLMNodeParser"
"""What has an entry of their own, to which those of their heirs lead."""


def entries(file: str, methods: bool = False) -> dict[str, str]:
    """A page of the reference -> the text of each entry, or of each method's part too, by the name in its anchor."""
    parts = re.split(rf"(?m)^#{{2,{4 if methods else 3}}} (?=\w)", (DOCS / "api" / file).read_text("utf-8"))
    return {part.split("\n", 1)[0].replace(".", ""): part for part in parts}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.file)
def test_a_page_of_the_reference_has_an_entry_for_each_of_its_names(page: Any) -> None:
    names = [name.rpartition(".")[2] for section in page.sections for name in section.names]
    assert len(names) == len(set(names))
    assert set(names) <= set(entries(page.file))


@pytest.mark.parametrize("package", [page.package for page in PAGES if page.package not in ("", "caesura_llm")])
def test_every_public_name_of_a_package_is_in_the_reference(package: str) -> None:
    (page,) = (page for page in PAGES if page.package == package)
    names = {name for section in page.sections for name in section.names}
    assert set(importlib.import_module(package).__all__) <= names


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.file)
def test_links_of_the_reference_lead_to_an_entry(page: Any) -> None:
    text = (DOCS / "api" / page.file).read_text("utf-8")
    links = {(file or page.file, anchor) for file, anchor in re.findall(r"\]\(([\w-]*(?:\.md)?)#([\w-]+)\)", text)}
    assert links
    headings = {file: {name.lower() for name in entries(file, methods=True)} for file, _ in links}
    assert [(file, anchor) for file, anchor in links if anchor not in headings[file]] == []


@pytest.mark.parametrize("package", PLUGINS)
def test_the_plugins_reference_begins_with_what_a_newcomer_uses_and_has_no_plumbing(package: str) -> None:
    page = PLUGINS[package]
    assert page.sections[0].names[0] == "DoublePassSemanticSplitter"
    text = (DOCS / "api" / page.file).read_text("utf-8")
    assert [
        name for name in ("__getstate__", "__repr_args__", "lc_id", "class_name", "Annotated") if name in text
    ] == []


@pytest.mark.parametrize("package", PLUGINS)
def test_each_public_class_of_the_plugins_explains_all_its_settings(package: str) -> None:
    shown, plugin = entries(PLUGINS[package].file), importlib.import_module(package)
    for public in plugin.__all__:
        cls = getattr(plugin, public)
        if not isinstance(cls, type):
            continue
        ways = [base.__name__ for base in cls.__mro__ if base.__name__ in BASES]
        explained = "\n".join(shown[name] for name in (*ways[:1], public))
        rows = dict(re.findall(r"(?m)^\| `(\w+)` \| (.*) \| .* \|$", explained))
        kinds = Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY
        ours = [base for base in cls.__mro__ if base.__module__.startswith(package)]
        constructors = [
            signature(base.__init__)
            for base in ours[:1]
            if base.__init__ in [vars(one).get("__init__") for one in ours]
        ]
        named = {one.name for each in constructors for one in list(each.parameters.values())[1:] if one.kind in kinds}
        named |= {
            field
            for base in (ours[:1] if ways else ours)
            if hasattr(cls, "model_fields")
            for field in vars(base).get("__annotations__", {})
            if field in cls.model_fields
        }
        assert named <= set(rows), public
        assert [name for name in named if len(rows[name]) < 4] == [], public
