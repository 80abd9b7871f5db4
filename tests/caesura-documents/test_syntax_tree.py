"""What is found in a source: once for its units and its headings, and with the first statement at its opening line."""

from __future__ import annotations

from itertools import pairwise

import pytest

pytest.importorskip("tree_sitter")

from fakes.texts.programs import PROGRAMS

from caesura_documents.source_code import Code
from caesura_documents.syntax_tree import KEPT, parse_source

LONG = "x = height_of_the_tide_at_dawn + height_of_the_tide_at_noon + height_at_night"
BODIES = {
    "c": f"int f(void)\n{{\n    {LONG};\n    {LONG};\n    {LONG};\n    {LONG};\n}}\n",
    "go": f"// Says.\nfunc f() {{\n\t{LONG}\n\t{LONG}\n\t{LONG}\n\t{LONG}\n}}\n",
    "java": f"class A {{\n  // says\n  String f() {{\n    {LONG};\n    {LONG};\n    {LONG};\n    {LONG};\n  }}\n}}\n",
    "python": f"class A:\n    def f(self):\n        {LONG}\n        {LONG}\n        {LONG}\n        {LONG}\n",
    "ruby": f"class A\n  def f\n    {LONG}\n    {LONG}\n    {LONG}\n    {LONG}\n  end\nend\n",
}


@pytest.mark.parametrize("language", PROGRAMS)
def test_a_source_is_parsed_once_for_units_and_headings(language: str) -> None:
    text = PROGRAMS[language]
    found = parse_source(language, text)
    Code(language)(text)
    Code(language).for_file("a").outline(text)
    assert parse_source(language, "".join([text])) is found


def test_what_was_found_is_forgotten_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caesura_documents.syntax_tree.KEPT", kept := KEPT // 10)
    text = PROGRAMS["python"]
    found = parse_source("python", text)
    each = "def f(): pass\n" * 2_000
    for number in range(kept // 6_000 + 2):
        parse_source("python", f"{number}\n{each}")
    again = parse_source("python", text)
    assert again == found
    assert again is not found


@pytest.mark.parametrize("language", BODIES)
def test_the_first_statement_of_a_body_stays_with_the_line_that_opens_it(language: str) -> None:
    text = BODIES[language]
    edges = [0, *parse_source(language, text).starts, len(text)]
    first = text[: edges[1]]
    assert len(edges) > 3
    assert first.count(LONG) == 1
    assert all(LONG in text[start:end] for start, end in pairwise(edges))


def test_a_docstring_is_a_beginning_by_itself() -> None:
    text = f'def f():\n    """Says."""\n\n    {LONG}\n    {LONG}\n    {LONG}\n    {LONG}\n'
    starts = parse_source("python", text).starts
    assert text[: starts[0]] == 'def f():\n    """Says."""\n\n'


def test_no_unit_begins_where_the_source_ends() -> None:
    text = "\\\n" * 300
    for language in ("bash", "c", "cpp"):
        assert Code(language)(text).tolist() == [0, len(text)]
