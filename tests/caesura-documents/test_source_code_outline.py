"""`Code.outline`: the classes and functions that a place stands in, until each of them ends."""

from __future__ import annotations

from bisect import bisect_right

import pytest

pytest.importorskip("tree_sitter")

from fakes.texts.programs import PROGRAMS, python_program
from house.sources import ROOT
from naive.scopes import line_starts, path

from caesura_documents.source_code import Code

pytestmark = pytest.mark.thorough

OWN = sorted((ROOT / "packages/caesura/src/caesura").glob("*/*.py"))[::8]
PATHS = {
    "bash": ("greet",),
    "c": ("add",),
    "c_sharp": ("N", "Tide", "Rise"),
    "cpp": ("n", "Tide", "rise"),
    "go": ("Tide", "Rise"),
    "java": ("Tide", "rise"),
    "javascript": ("Tide", "rise"),
    "kotlin": ("Tide", "rise"),
    "php": ("Tide", "rise"),
    "python": ("Tide", "rise"),
    "ruby": ("Tide", "rise"),
    "rust": ("Tide", "rise"),
    "scala": ("Tide", "rise"),
    "swift": ("Tide", "rise"),
    "tsx": ("Tide",),
    "typescript": ("Ebb", "rise"),
}
INSIDE = {
    "bash": "echo", "c": "return", "kotlin": "return a", "ruby": "1", "rust": "self.a\n", "scala": "y\n",
    "typescript": "go()",
}  # fmt: skip
"""What stands in the innermost, `return` in the others."""


def titles(text: str, at: int, language: str = "python") -> tuple[str, ...]:
    return Code(language).outline(text).path(text, at, at + 1).titles


@pytest.mark.parametrize("language", PATHS)
def test_every_language_says_the_names_around_a_statement(language: str) -> None:
    text = PROGRAMS[language]
    assert titles(text, text.index(INSIDE.get(language, "return")), language) == PATHS[language]
    assert titles(text, len(text), language) == ()


@pytest.mark.parametrize("seed", range(60))
def test_paths_are_those_of_the_naive_twin(seed: int) -> None:
    text = python_program(seed)
    starts, found = line_starts(text), Code("python").outline(text)
    for at in Code("python")(text).tolist()[:-1]:
        bare = at + len(text[at:]) - len(text[at:].lstrip("\n"))
        line = bisect_right(starts, bare)
        assert found.path(text, bare, bare + 1).titles == path(text, line), text[at : at + 80]


@pytest.mark.parametrize("file", OWN, ids=lambda file: file.name)
def test_paths_in_our_own_modules_are_those_of_the_naive_twin(file: object) -> None:
    text = file.read_text("utf-8")  # type: ignore[attr-defined]
    starts, found = line_starts(text), Code("python").outline(text)
    for at in Code("python")(text).tolist()[:-1]:
        assert found.path(text, at, at + 1).titles == path(text, bisect_right(starts, at))


def test_a_class_is_in_the_path_from_the_comment_above_it_to_its_end() -> None:
    text = "x = 1\n\n# why\n@mark\nclass A:\n    def f(self):\n        pass\n\n    y = 2\n\n\nz = 3\n"
    places = ["x", "# why", "    def", "        pass", "    y", "z"]
    assert [titles(text, text.index(place)) for place in places] == [
        (), ("A",), ("A", "f"), ("A", "f"), ("A",), (),
    ]  # fmt: skip


def test_what_is_exported_or_assigned_begins_at_its_line() -> None:
    text = PROGRAMS["javascript"]
    assert titles(text, text.index("// a tide"), "javascript") == ("Tide",)
    assert titles(text, text.index("const fall"), "javascript") == ("fall",)


def test_positions_are_of_characters() -> None:
    text = "# é😀\nx = '中'\n\n\ndef ß():\n    return 1\n"
    assert [(text[each.start :][:3], each.title) for each in Code("python").outline(text).headings] == [
        ("def", "ß"),
        ("\n", ""),
    ]
