"""Code on a page fits its box."""

from __future__ import annotations

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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_code_is_at_most_88_letters_wide(page: Path) -> None:
    """The site has room for that in a window of 1,280 pixels; a phone scrolls it."""
    assert [line for block in blocks(page) for line in block.splitlines() if len(line) > 88] == []
