"""One name, one thing: no two public classes or functions of the workspace are spelt alike."""

from __future__ import annotations

import ast
from collections import defaultdict

from house.sources import NAMES, distribution, tree

PLUGINS = {"langchain_caesura", "llama_index.node_parser.caesura"}
COMMANDS = "caesura_lab.commands."
"""A command is named as the function that it runs."""


def exported(package: str) -> set[str]:
    """The names in a package's `__all__`."""
    lists = [
        node.value
        for node in tree(NAMES[package]).body
        if isinstance(node, ast.Assign | ast.AnnAssign) and "__all__" in ast.dump(node)
    ]
    return {
        constant.value for each in lists if each for constant in ast.walk(each) if isinstance(constant, ast.Constant)
    }


def test_no_two_public_names_are_spelt_alike() -> None:
    twins = set.intersection(*map(exported, PLUGINS)) | {"BaseSemanticSplitter"}  # the two plugins' by design
    found: dict[str, list[str]] = defaultdict(list)
    for module, path in NAMES.items():
        for node in tree(path).body:
            if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) or node.name.startswith("_"):
                continue
            by_design = module.startswith(COMMANDS) or (node.name in twins and distribution(module) in PLUGINS)
            if not by_design:
                found[node.name].append(module)
    assert {name: modules for name, modules in found.items() if len(modules) > 1} == {}
