"""The page of promises names tests that there are, and every promise of the README."""

from __future__ import annotations

import re

from fakes.pages import ROOT

PAGE = (ROOT / "docs" / "promises.md").read_text("utf-8")


def test_every_test_that_is_named_is_there() -> None:
    named = re.findall(r"`(tests/[\w/-]+(?:\.py)?)`", PAGE)
    assert len(named) > 15
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_every_promise_of_the_readme_has_its_tests() -> None:
    promises = (ROOT / "README.md").read_text("utf-8").split("## What it promises")[1].split("\n## ")[0]
    made = re.findall(r"^- \*\*([^*]+?)\.?\*\*", promises, re.MULTILINE)
    assert len(made) == 6
    assert [promise for promise in made if f"| **{promise}**" not in PAGE] == []
