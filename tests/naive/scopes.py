"""The slow and obvious twin of `Code("python")`: lines of statements and names above them, by `ast`."""

from __future__ import annotations

import ast
from itertools import accumulate

Scoped = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def line_starts(text: str) -> list[int]:
    return [0, *accumulate(len(line) for line in text.splitlines(keepends=True))]


def first_line(node: ast.stmt, lines: list[str]) -> int:
    """The first line of a statement, from 1, with its decorators and the comments right above it."""
    at = min([node.lineno, *(mark.lineno for mark in getattr(node, "decorator_list", []))])
    while at > 1 and lines[at - 2].strip().startswith("#"):
        at -= 1
    return at


def statement_lines(text: str) -> set[int]:
    """The lines, from 1, at which a unit may start: of statements, of what goes on with them, and of comments."""
    lines, tree = text.splitlines(), ast.parse(text)
    found = {first_line(node, lines) for node in ast.walk(tree) if isinstance(node, ast.stmt | ast.ExceptHandler)}
    going_on = ("else", "elif ", "except", "finally", "case ", "#")
    return found | {at for at, line in enumerate(lines, 1) if line.strip().startswith(going_on)}


def path(text: str, line: int) -> tuple[str, ...]:
    """The names of the classes and functions that a line stands in, the outermost first."""
    lines = text.splitlines()
    around = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, Scoped) and first_line(node, lines) <= line <= (node.end_lineno or 0)
    ]
    return tuple(node.name for node in sorted(around, key=lambda node: node.lineno))
