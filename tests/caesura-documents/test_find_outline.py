"""Headings and tables that a reader would name, by hand; test_find_outline_drawn.py draws the rest."""

from __future__ import annotations

import pytest

from caesura_documents.outline import Outline, outline

HEADINGS = {
    "attributes": (
        "# A { #a }\nx\n\n## B ## {.b}\n\nC {: #c key='d e' }\n===\n\n## path/{item}\n\n## {{ .E }}\n",
        [(1, "A"), (2, "B"), (1, "C"), (2, "path/{item}"), (2, "{{ .E }}")],
    ),
    "emphasis and tags": (
        "# **A** and *b*\n## \\*j\\* <b>k</b> [1.2.0]\n## {l} ;\n\n:class:`M` of ``n``\n======\n",
        [(1, "A and b"), (2, "*j* k [1.2.0]"), (2, "{l} ;"), (1, "M of n")],
    ),
    "links and code": (
        "## [`c_d`](e.org/f_(g)) ![h](i)\n## `__init__` of x_y\n",
        [(2, "c_d h"), (2, "__init__ of x_y")],
    ),
    "fences in items and in fences": (
        "- ```\n  # no\n  ```\n\n# A\n\n1. ~~~\n   # no\n   ~~~\n\n```py\nx\n    ```\n    # no\n# no\n```\n\n## B\n",
        [(1, "A"), (2, "B")],
    ),
    "a comment of MDX": ("# A\n\n{/*\n# no\n*/}\n\n## B\n", [(1, "A"), (2, "B")]),
    "code of a directive": ("# A\n\n.. code-block:: sh\n\n   # no\n\n## B\n", [(1, "A"), (2, "B")]),
    "Markdown": ("# A\n\n## B ##\nwords\n\n#no\n\nC\n===\n\nD\n---\n", [(1, "A"), (2, "B"), (1, "C"), (2, "D")]),
    "code, comments and front matter": (
        "---\n# no\n---\n\n```py\n# no\n```\n\n<!--\n# no\n-->\n\n<pre>\n# no\n</pre>\n\n    # no\n\n# A\n",
        [(1, "A")],
    ),
    "a longer fence": ("````\n```\n# no\n```\n````\n# A\n", [(1, "A")]),
    "a fence around one line": ("```\n# no\n```\n\nA\n---\n", [(2, "A")]),
    "HTML": (
        "<H1 id=a>A <b>&amp; B</b></H1>\n<p>x</p><h2>C\n D</h2><script>'<h2>no</h2>'</script>",
        [(1, "A & B"), (2, "C D")],
    ),
    "HTML in words": ("# A\n\nUse `<h2>no</h2>` for it.\n", [(1, "A")]),
    "reStructuredText": (
        "===\nA\n===\n\nB\n===\n\nC\n~~~\n\nD\n===\n",
        [(32 + 10, "A"), (64, "B"), (96 + 2, "C"), (64, "D")],
    ),
    "code below two colons": (
        "A\n~~~\n\nDo this::\n\n   # no\n   x\n\n  # no\n\nB\n~~~\n",
        [(32 + 2, "A"), (32 + 2, "B")],
    ),
    "a directive": ("A\n---\n\n.. code:: sh\n\n   # no\n\nB\n===\n", [(32 + 1, "A"), (64, "B")]),
    "LaTeX": ("\\section[a]{A \\emph{b}}\n\\subsection*{B}\n% \\section{no}\n", [(3, "A \\emph{b}"), (4, "B")]),
    "numbers": (
        "PART ONE\n\nWords.\n\nChapter I\n\nWords.\n\n2.1 Methods\n\nMore words.\n",
        [(7, "PART ONE"), (8, "Chapter I"), (10, "2.1 Methods")],
    ),
    "capitals, but in code": ("TERMS\n\nWords.\n\n```\n\nMORE\n\nx\n```\n\nWords.", [(9, "TERMS")]),
    "a program": ("#!/bin/env python\n# License\nimport os\n\n# Ports\nx = 1\n\n# Alone\n\nprint(x)\n", []),
    "a program's lines below a title": ("# A\n\nWords.\n\n# B\n\nMore.\n\n# run\nx = 1\n", [(1, "A"), (1, "B")]),
    "a table, a rule and a list": ("| a |\n|---|\n| b |\n---\n\n- a\n---\n\n***\n", []),
    "line ends of old": ("# A\r\rwords\r\rB\r---\r", [(1, "A"), (2, "B")]),
    "a byte order mark": ("\ufeff# A\n", [(1, "A")]),
}
TABLES = {
    "Markdown": ("Words\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\nwords", "| a | b |", "| 1"),
    "Markdown without outer bars": ("a | b\n--- | ---\n1 | 2", "a | b", "1 |"),
    "commas": ('a,"b,c"\n1,2\n3,4', 'a,"b,c"', "3"),
    "HTML": (
        "<table>\n<tr><th>a<th>b</tr>\n<tr><td>1<td><table><tr><td>x</td></tr></table></tr>\n</table>",
        "a | b",
        "x",
    ),
    "HTML in Markdown after a mention": (
        "The <table> tag.\n\n<table><tr><th>a</th></tr><tr><td>1</td></tr></table>",
        "a",
        "1",
    ),
}


@pytest.mark.parametrize("name", HEADINGS)
def test_headings(name: str) -> None:
    text, headings = HEADINGS[name]
    assert [(each.level, each.title) for each in outline(text).headings] == headings


@pytest.mark.parametrize("name", TABLES)
def test_what_continues_a_table_knows_its_header(name: str) -> None:
    text, header, row = TABLES[name]
    found = outline(text)
    assert found.table_words(text, text.rindex(row), len(text)).header == header
    assert found.table_words(text, found.tables[0].start, len(text)).header is None
    assert found.table_words(text, len(text), len(text)).header is None


@pytest.mark.parametrize(
    "text",
    [
        "a, b\nc, d",
        "a,b",
        "```\na,b\n1,2\n```",
        "<table><tr><td>a</td></tr><tr><td>1</td></tr></table>",
        "|---|\n| 1 |",
    ],
)
def test_what_has_no_header_is_no_table(text: str) -> None:
    assert outline(text).tables == ()


def test_a_heading_stands_under_those_of_lower_levels() -> None:
    text = "# A\nx\n#### B\ny\n## C\nz\n"
    found = outline(text)
    assert [found.path(text, text.index(word), len(text)).titles for word in "xyz"] == [("A",), ("A", "B"), ("A", "C")]


def test_headings_that_a_range_begins_with_are_among_those_above_it() -> None:
    text = "<body>\n<h1>A</h1>\n<div>\n<h2>B</h2>\n<p>words</p>\n<h2>C</h2>\n"
    found = outline(text)
    assert found.path(text, 0, len(text)).titles == ("A", "B")
    assert found.path(text, 0, text.index("<h2>B")).titles == ("A",)
    assert Outline().path("words", 0, 5).titles == ()


@pytest.mark.parametrize("header", ["a | b", "a", "a,b"])
@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("| 1 | 2 |\r\n| 3 | 4 |\r\n\r\n| 5 |", 2),
        ("rest of a cell |\n| 1 | 2 |\nwords", 2),
        ("1,2\n3,4\n\n5,6\n7,8", 2),
        ("<tr><td>1</td></tr>\n<tr><td><table></table></td></tr></table>\nwords", 2),
        ("<tr>\n<td>1</td>", 2),
        ("one", 1),
    ],
)
def test_a_part_goes_on_with_the_rows_it_begins_with(header: str, text: str, rows: int) -> None:
    found = outline(text).within(text, header)
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines))]
    assert [found.table_words(text, start, start + 1).header == header for start in starts] == [
        number < rows for number in range(len(lines))
    ]


def test_headings_of_asciidoc_and_wikis() -> None:
    text = "= Guide\n\n== Sailing\n\nAt dawn.\n\n=== Tides ===\n\nTwice.\n\n== a\n"
    assert [(each.level, each.title) for each in outline(text).headings] == [(2, "Sailing"), (3, "Tides"), (2, "a")]
