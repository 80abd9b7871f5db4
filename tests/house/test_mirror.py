"""The tests mirror the source, tests/<distribution>/<path>/test_<module>[_<subject>].py, and use its public names."""

from __future__ import annotations

import ast
import re

import pytest
from house.sources import DISTRIBUTIONS, ROOT, SOURCES, tree

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


HOSTS = {
    "_replace",
    "_repr_html_",
    "_llm",
    "_embed_model",
    "_get_text_embeddings",
    "_store",
    "_client",
    "_retrieve",
    "_transformations",
}
"""Private names of ours that are also those of Python or of a framework, which its heirs define and its users see."""
BY_NAME = {"getattr", "setattr", "delattr", "hasattr", "attrgetter", "patch", "object", "multiple"}
"""Functions that take the name of an attribute: `monkeypatch.setattr`, `patch.object` and the like."""


def private_names() -> set[str]:
    """Those that our sources define."""
    found: set[str] = set()
    for node in (node for path in SOURCES for node in ast.walk(tree(path))):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return {name for name in found if re.match("_[^_]", name)} - HOSTS


def test_no_test_reaches_into_private_names() -> None:
    private, found = private_names(), []
    assert len(private) > 200
    for path in sorted(TESTS.rglob("*.py")):
        source = path.read_text("utf-8")
        if private.isdisjoint(re.findall(r"\b_\w+", source)):
            continue
        nodes = [*ast.walk(ast.parse(source))]
        own = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        own |= {node.attr for node in nodes if isinstance(node, ast.Attribute) and is_own(node.value)}
        for node in nodes:
            found += [f"{path.relative_to(TESTS)}:{node.lineno} {name}" for name in reached(node) & (private - own)]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "text._words",
        "made()._words()",
        "from caesura.text import _words",
        "getattr(text, '_words')",
        "patch.object(text, '_words', None)",
        "patch('caesura.text._words', None)",
        "patch.multiple(text, _words=None)",
    ],
)
def test_a_private_name_is_found_however_it_is_reached(line: str) -> None:
    assert "_words" in set().union(*map(reached, ast.walk(ast.parse(line))))


@pytest.mark.parametrize("line", ["self._words", "super()._words()", "print('_words')", "f'{name}_words'", "_words()"])
def test_a_name_of_its_own_or_in_a_text_is_not_reached(line: str) -> None:
    assert "_words" not in set().union(*map(reached, ast.walk(ast.parse(line))))


def reached(node: ast.AST) -> set[str]:
    """The names that an expression or an import takes from something else."""
    if isinstance(node, ast.ImportFrom):
        return {alias.name for alias in node.names}
    if isinstance(node, ast.Attribute):
        return set() if is_own(node.value) else {node.attr}
    if not isinstance(node, ast.Call) or ast.unparse(node.func).rpartition(".")[2] not in BY_NAME:
        return set()
    texts = [each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return {text.rpartition(".")[2] for text in texts} | {str(keyword.arg) for keyword in node.keywords}


def is_own(node: ast.expr) -> bool:
    """Whether it is `self`, `cls` or `super()`."""
    named = node.func if isinstance(node, ast.Call) else node
    return isinstance(named, ast.Name) and named.id in ("self", "cls", "super")
