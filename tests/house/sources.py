"""The source files of every distribution, and which of them imports which."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
DISTRIBUTIONS = {
    path.parent.relative_to(folder).as_posix().replace("/", "."): path.parent
    for folder in sorted(ROOT.glob("*/*/src"))
    for path in folder.glob("**/py.typed")
}
"""What each distribution is imported as, and its folder."""
SOURCES = sorted(path for folder in DISTRIBUTIONS.values() for path in folder.rglob("*.py"))
CORE = DISTRIBUTIONS["caesura"]


def name_of(path: Path) -> str:
    """`.../caesura/cuts/__init__.py` -> `caesura.cuts`"""
    source = next(folder for folder in path.parents if folder.name == "src")
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {name_of(path): path for path in SOURCES}


def distribution(name: str) -> str:
    """A module of ours -> the distribution that it is in."""
    return next(package for package in DISTRIBUTIONS if f"{name}.".startswith(f"{package}."))


@cache
def tree(path: Path) -> ast.Module:
    """The syntax of a file, which nobody changes."""
    return ast.parse(path.read_text("utf-8"))


@cache
def imported(path: Path) -> frozenset[str]:
    """What a file imports anywhere, within functions and under TYPE_CHECKING too: modules of ours by their whole name,
    others as they are written.
    """
    found: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: a relative import"
            module = str(node.module)
            found |= {whole if (whole := f"{module}.{name.name}") in NAMES else module for name in node.names}
    return frozenset(found)


def arrows(package: str) -> list[tuple[str, str]]:
    """(importing, imported) for the modules of one distribution, its face aside, whose names come from all of them."""
    return [
        (name, other)
        for name, path in NAMES.items()
        if distribution(name) == package and name != package
        for other in sorted(imported(path) - {name, package})
        if other in NAMES and distribution(other) == package
    ]


def foreign(path: Path) -> set[str]:
    """The packages that a file imports which are neither ours nor of the standard library."""
    ours = {name.split(".")[0] for name in NAMES if not name.startswith("llama_index.")}
    names = {name for name in imported(path) if name not in NAMES and not name.startswith("llama_index.node_parser")}
    return {name.split(".")[0] for name in names} - ours - set(sys.stdlib_module_names)


IMPORTED = {"llama-index-core": "llama_index", "pystemmer": "Stemmer"}
"""Distributions that are imported under another name."""


def requirements(package: str) -> set[str]:
    """What a distribution always needs, by the names under which it is imported."""
    folder = next(each for each in DISTRIBUTIONS[package].parents if (each / "pyproject.toml").exists())
    said = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    names = [re.split(r"[^\w-]", line)[0] for line in said]
    return {IMPORTED.get(name, name.replace("-", "_")) for name in names}
