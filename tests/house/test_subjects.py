"""The core cuts text: each of its modules serves a stage of docs/architecture.md, and names no other subject."""

from __future__ import annotations

import re

from house.sources import CORE, NAMES, ROOT, distribution
from house.subjects import STAGES, SUBJECTS

PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
OTHERS = re.compile(
    r"docling|unstructured|sqlite|pdf|\bpages?\b|\bray\b|spark|dask|parquet|tantivy|bm25", re.IGNORECASE
)
"""Subjects of other distributions. A page is a document's here, not the site's."""
MODULES = {name.removeprefix("caesura.") for name in NAMES if distribution(name) == "caesura"} - {"caesura"}


def test_each_module_of_the_core_serves_a_stage() -> None:
    homeless = {
        name for name in MODULES if not any(name == subject or name.startswith(f"{subject}.") for subject in SUBJECTS)
    }
    assert homeless == set(), "a stage in docs/architecture.md and tests/house/subjects.py, or another distribution"
    assert SUBJECTS.keys() - MODULES == set()
    assert set(SUBJECTS.values()) == set(STAGES)


def test_the_page_lists_the_stages() -> None:
    assert [stage for stage in STAGES if not re.search(rf"(?m)^{stage} ", PAGE)] == []


def test_the_core_says_nothing_of_other_subjects() -> None:
    found = {
        f"{path.relative_to(CORE)}: {match.group()}"
        for path in CORE.rglob("*.py")
        for match in OTHERS.finditer(path.read_text("utf-8"))
    }
    assert found == set()
