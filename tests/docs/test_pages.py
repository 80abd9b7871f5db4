"""Every Python block of every README and page runs as a newcomer would run it: from a file, in a fresh interpreter."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
from fakes.pages import ROOT, blocks, missing, outputs, printed

PAGES = [
    ROOT / "README.md",
    *sorted(ROOT.glob("packages/*/README.md")),
    *sorted(ROOT.glob("packages/*/MODEL_CARD.md")),
    *sorted(ROOT.glob("integrations/*/README.md")),
    *(page for page in sorted(ROOT.glob("docs/*.md")) if page.stem not in ("scale", "spacy")),  # these have their own
]
BLOCKS = [
    pytest.param(
        block,
        outputs(page).get(block),
        id=f"{page.relative_to(ROOT)}-{number}",
        marks=[] if (page, number) == (PAGES[0], 1) else pytest.mark.thorough,  # each starts an interpreter
    )
    for page in PAGES
    for number, block in enumerate(blocks(page), 1)
]


@pytest.mark.enable_socket
@pytest.mark.parametrize(("block", "shown"), BLOCKS)
def test_a_block_copied_into_a_file_runs_and_prints_what_is_shown(
    block: str, shown: str | None, tmp_path: Path
) -> None:
    if missing(block):
        pytest.skip(f"the session `peers` runs it: needs {missing(block)}")
    said = printed(block, tmp_path)
    assert said.strip()
    assert shown in (said, None)


def test_no_program_keeps_documents_longer_than_their_vectors() -> None:
    every = [(page, block) for page in sorted(ROOT.glob("docs/**/*.md")) for block in blocks(page)]
    assert sum("SQLiteDocumentStore(" in block for _, block in every) > 5
    torn = [
        (page.name, block)
        for page, block in every
        if "SQLiteDocumentStore(" in block and "InMemoryVectorStore(" in block  # empty in a second run
    ]
    assert torn == []


LINKING = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "examples" / "README.md", *ROOT.glob("docs/*.md")]


@pytest.mark.parametrize("page", LINKING, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    assert [link for link in links if not link.startswith("http") and not (page.parent / link).exists()] == []


@pytest.mark.thorough
def test_the_first_text_that_a_newcomer_cuts_is_cut(tmp_path: Path) -> None:
    first, second = printed(blocks(ROOT / "packages" / "caesura" / "README.md")[-1], tmp_path).splitlines()
    assert "dough" in first
    assert "tide" in second


@pytest.mark.parametrize("plugin", ["langchain_caesura", "llama_index.node_parser.caesura"])
def test_the_examples_of_a_plugin_print_what_they_show(plugin: str) -> None:
    """pytest itself would load LlamaIndex's plugin a second time, and its classes would be there twice."""
    tried = 0
    for module in walk_packages(import_module(plugin).__path__, f"{plugin}."):
        found = doctest.testmod(import_module(module.name))
        assert not found.failed, module.name
        tried += found.attempted
    assert tried > 30
