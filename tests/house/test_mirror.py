"""The tests mirror the source: tests/<distribution>/<path>/test_<module>[_<subject>].py; the rest is in tests/promises."""

from __future__ import annotations

from pathlib import Path

import pytest
from house.sources import DISTRIBUTIONS, ROOT

TESTS = ROOT / "tests"
FOLDERS = {
    next(parent.parent.name for parent in folder.parents if parent.name == "src"): folder
    for folder in DISTRIBUTIONS.values()
}
"""The name of a distribution's folder -> its sources."""


@pytest.mark.parametrize("name", FOLDERS)
def test_each_test_file_is_named_by_a_module(name: str) -> None:
    strangers = []
    for test in sorted((TESTS / name).rglob("test_*.py")):
        folder = FOLDERS[name] / test.parent.relative_to(TESTS / name)
        modules = [path.stem for path in folder.glob("*.py")]
        stem = test.stem.removeprefix("test_")
        if not any(stem == module or stem.startswith(f"{module}_") for module in modules):
            strangers.append(test.relative_to(TESTS).as_posix())
    assert strangers == []


def test_each_distribution_has_tests() -> None:
    assert [name for name in FOLDERS if not list((TESTS / name).rglob("test_*.py"))] == []


def test_no_test_is_elsewhere_without_a_reason() -> None:
    elsewhere = {
        path.name for path in TESTS.iterdir() if path.is_dir() and list(path.rglob("test_*.py"))
    } - FOLDERS.keys()
    assert elsewhere == {
        "benchmarks",
        "distributed",
        "docs",
        "end_to_end",
        "house",
        "models",
        "peers",
        "promises",
        "typing",
    }


def test_no_test_reaches_into_private_names() -> None:
    """Neither imports one of ours nor patches one."""
    assert private_uses(TESTS) == []


def private_uses(folder: Path) -> list[str]:
    return []
