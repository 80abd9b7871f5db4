"""The pages stay short: how many words they have together, what they begin with, and how wide their code is.

A word is what stands between spaces and has a letter. Prose and tables count, with the names in them; fenced code,
figures, the addresses of links and HTML do not. The reference (`docs/api`), the changelog and the site's copies of the
examples are no pages here.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fakes.pages import ROOT, blocks

PAGES = [
    ROOT / "README.md",
    ROOT / "examples" / "README.md",
    *sorted(ROOT.glob("docs/*.md")),
    *sorted(ROOT.glob("docs/recipes/*.md")),
    *sorted(ROOT.glob("packages/*/README.md")),
    *sorted(ROOT.glob("integrations/*/README.md")),
]
MOST = 16_000
FENCE = re.compile(r"^( *)(`{3,}|~{3,}).*?^\1\2 *$", re.DOTALL | re.MULTILINE)


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def words(text: str) -> int:
    """How many words a page of Markdown has."""
    text = re.sub(r"<[^>]*>", " ", FENCE.sub("", text))
    return sum(1 for word in re.sub(r"\]\([^)]*\)", "]", text).split() if re.search(r"[^\W\d_]", word))


def test_words_of_prose_and_tables_count_and_code_figures_and_addresses_do_not() -> None:
    page = (
        '# A page\n\nSee [it](lab.md), 12 <kbd>x</kbd>.\n\n=== "B"\n\n    ```python\n    no = 1\n    ```\n\n| c | 3 |\n'
    )
    assert words(page) == len(("A", "page", "See", "it", "x", "B", "c"))


def test_all_pages_together_have_at_most_16000_words() -> None:
    counts = {name(page): words(page.read_text("utf-8")) for page in PAGES}
    assert len(counts) > 30
    assert sum(counts.values()) <= MOST, sorted(counts.items(), key=lambda one: -one[1])


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_page_begins_with_what_one_types(page: Path) -> None:
    before = page.read_text("utf-8").partition("```")[0]
    assert words(before) <= 50
    assert not re.search(r"^(## |\||- )", before, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_code_fits_its_box(page: Path) -> None:
    """88 letters are what the site has room for in a window of 1,280 pixels; a phone scrolls them."""
    assert [line for block in blocks(page) for line in block.splitlines() if len(line) > 88] == []
