"""What is one block of a document, of whatever kind, is inside one unit, and no piece ends inside a row or an item."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fakes.texts.document_kinds import LIMITS, bare, pieces, read, segment
from hypothesis import given
from hypothesis import strategies as st

from caesura.text.blocks import blocks, detect_code_or_table

ROOT = Path(__file__).parents[3]
BLOCKS = {
    "sample.md": [
        r"---\ntitle.*?\n---\n",
        r"- a funnel.*?ESP8266\n",
        r"1\. Level.*?screw in\.\n",
        r"```python\n.*?```\n",
        r"\$\$\n.*?\$\$\n",
        r"2024-10-31 06.*?0 tips\n",
        r"\| Month.*?once \|\n",
        r"> My neighbour.*?to move\.\n",
    ],
    "mkdocs.md": [
        r"# Paths of.*?each harbour\.",
        r"## path/.*?one table\.",
        r"/// note.*?\n///\n",
        r"Errors.*?end like code\.",
        r"//// tab.*?\n////\n",
        r"### Last.*?at once\.",
    ],
    "sample.py": [
        r'"""Reads.*?"""\n',
        r"import csv\n.*?import Path\n",
        r"def clears.*?\+ 0\.5\n",
        r"def read.*?        \)\n",
        r"def openings.*?start = None\n",
        r"if __name__.*",
    ],
    "sample.js": [
        r"/\*\*.*?\*/\n",
        r"constructor.*?\n  }\n",
        r"add\(.*?\n  }\n",
        r"while .*?\n    }\n",
        r"export async .*",
    ],
    "sample.html": [r"<style>.*?</style>", r"<table>.*?</table>", r"<ol>.*?</ol>", r"<pre>.*?</pre>"],
    "sample.json": [r".*"],
    "sample.csv": [r".*"],
    "sample.tex": [
        r"\\documentclass.*?\\maketitle\n",
        r"\\begin\{equation\}.*?\\end\{equation\}",
        r"\\begin\{align\}.*?\\end\{align\}",
        r"\\begin\{itemize\}.*?\\end\{itemize\}",
        r"\\begin\{table\}.*?\\end\{table\}",
        r"\\\[ R.*?\\\]",
    ],
    "sample.txt": [r"1\. Stand.*?\"set\"\.\n"],
    "chinese.md": [r"\| 茶名.*?爱喝 +\|\n", r"- 早上.*?提早。\n", r"> 做生意.*?苦了。\n"],
    "pdf.txt": [r"Store  .*?165\n"],
}
"""What is one block: a unit holds all of it."""

LINES = {
    "sample.md": r"- .*|  - .*|\d\. .*|\|.*|    .*|last.*|def.*|>.*[.]",
    "sample.py": r".*",
    "sample.js": r".*",
    "sample.html": r" *</?(?!p|em)\w+.*|berth.*",
    "sample.json": r".*",
    "sample.csv": r"(?!1046|Call).*",
    "sample.tex": r"    .*|  \\item.*|  [Tt].*",
    "sample.txt": r"\d\. .*",
    "chinese.md": r"[|>-] .*",
    "pdf.txt": r"(?:Store|[ABC])  .*|Municipal.*",
}
"""Lines that no piece ends inside of, while they are not over the limit alone: rows, items, lines of code."""


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_is_inside_one_unit(name: str) -> None:
    text = read(name)
    edges = segment(text).tolist()
    for pattern in BLOCKS[name]:
        found = re.search(pattern, text, re.DOTALL)
        assert found is not None, pattern
        end = found.start() + len(found[0].rstrip())
        assert [text[at:][:40] for at in edges if found.start() < at < end] == [], pattern


@pytest.mark.parametrize("max_size", LIMITS)
@pytest.mark.parametrize("name", LINES)
def test_no_piece_ends_inside_a_row_an_item_or_a_line_of_code(name: str, max_size: int) -> None:
    found = pieces(read(name), max_size)
    for line in read(name).splitlines():
        if re.fullmatch(LINES[name], line) and len(line) < max_size:  # with its line end
            assert any(line.strip() in piece for piece in found), line


@pytest.mark.parametrize("max_size", LIMITS)
@pytest.mark.parametrize("name", ["sample.py", "sample.js", "sample.json", "sample.csv"])
def test_the_rest_of_a_line_that_was_cut_is_not_joined_to_the_next_line(name: str, max_size: int) -> None:
    lines = {line.strip() for line in read(name).splitlines()}
    for piece in pieces(read(name), max_size):
        first, *more = piece.strip().splitlines()
        assert first in lines or not more or any(line.startswith(first) for line in lines), piece


def test_two_lists_of_different_kind_are_two_units() -> None:
    assert bare("- one\n- two\n\n1. three\n2. four\n") == ["- one\n- two", "1. three\n2. four"]


@pytest.mark.parametrize("name", ["sample.md", "mkdocs.md", "sample.html", "sample.tex", "chinese.md"])
def test_a_heading_opens_the_unit_of_what_follows_it(name: str) -> None:
    heading = re.compile(r"#+ .*|.*\n-+|<h\d>.*</h\d>|\\section\{.*\}")
    assert [unit for unit in bare(read(name)) if heading.fullmatch(unit)] == []


@given(
    st.sampled_from(["# {}", "## {}", "###### {} ##", "{}\n====", "{}\n----"]),
    st.sampled_from(["Origin", "path", "int main()", "Über uns", "x = 1"]),
    st.sampled_from(["{ #origin }", "{.quiet}", "{: #a .b key='c d' }", "{-}"]),
    st.sampled_from(["\n", "\n\n", "\r\n\r\n"]),
)
def test_a_heading_with_attributes_is_in_the_unit_of_what_follows_it(
    form: str, title: str, attributes: str, gap: str
) -> None:
    heading = form.format(f"{title} {attributes}")
    assert bare(f"Before it. \n\n{heading}{gap}The first one. The last one.\n")[1] == f"{heading}{gap}The first one."


@pytest.mark.parametrize("name", ["splitters", "hierarchy", "lab", "promises"])
def test_attributes_of_headings_move_no_edge(name: str) -> None:
    text = (ROOT / "docs" / f"{name}.md").read_text("utf-8")
    marked = re.sub(r"(?m)^#{1,6} .*$(?=\n\n)", r"\g<0> { #id .class }", text)
    assert marked.count("{ #id .class }") > 1
    assert [unit.replace(" { #id .class }", "") for unit in bare(marked)] == bare(text)


@pytest.mark.parametrize("end", ["{", "}", ";", "(", "=>", "):"])
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_heading_that_ends_as_code_makes_no_code_of_prose(end: str, gap: str) -> None:
    assert bare(f"## What is x {end}{gap}The first one. The last one.\n") == [
        f"## What is x {end}{gap}The first one.",
        "The last one.",
    ]


def test_a_comment_above_code_is_code_with_it() -> None:
    code = "# all of it;\nx = 1;\ny = 2;"
    assert bare(f"{code}\n\nThe first one.") == [code, "The first one."]


@pytest.mark.parametrize(
    "text",
    [
        "/// Adds\n///\n/// more\nfn x() {\n}",
        "/// Adds\npub fn x() {\n}\n\n/// Takes\n///\n/// more\nfn y() {\n}",
        "/// note\n\nIt never ends. No mark closes it.",
    ],
)
def test_comments_of_three_slashes_are_no_container(text: str) -> None:
    assert all(kind != "container" for _, _, kind in blocks(text, lists=True))


def test_a_long_container_is_cut_inside_and_its_marks_belong_to_its_text() -> None:
    found = bare("/// note\n\n" + "It is a sentence. " * 500 + "\n\n///\n\nAfter it.")
    assert (found[0], found[-2:]) == ("/// note\n\nIt is a sentence.", ["It is a sentence. \n\n///", "After it."])


@pytest.mark.parametrize("name", ["sample.py", "sample.js", "sample.json", "sample.html"])
def test_no_unit_is_only_brackets_or_tags(name: str) -> None:
    assert [unit for unit in bare(read(name)) if not re.search(r"\w", re.sub(r"<[^>]*>", "", unit))] == []


ODD_ROWS = {
    "a blank behind a comma": "Dorsett Inc, Yadkinville",
    "one value more": "Dorsett Inc,Yadkinville,US",
    "an inch": '5" pipe,Yadkinville',
    "marks in quotes": '"Dorsett, ""D"", Inc",Yadkinville',
}


@pytest.mark.parametrize("odd", ODD_ROWS.values(), ids=ODD_ROWS)
def test_an_odd_row_among_many_of_values_leaves_a_table(odd: str) -> None:
    rows = [f'"Ferry {n}, Ltd.",Harbour St. {n}' for n in range(40)]
    text = "\n".join(["name,address", *rows, odd, *rows])
    assert [kind for _, _, kind in blocks(text, lists=True)] == ["table"]


def test_rows_of_values_that_are_all_in_quotes_are_no_table() -> None:
    text = '"a,b;\nc,d;"'
    assert detect_code_or_table(text, 0, len(text)) != "table"


def test_an_entry_of_a_changelog_of_debian_is_one_unit_with_its_signature() -> None:
    first, second = (
        f"ferry (1.{n}-1) unstable; urgency=medium\n\n  * Sail at dawn.\n  * Call at Aran.\n\n"
        f" -- Ann Uí Néill <ann@example.org>  Thu, 1{n} Dec 2020 12:13:52 +0100\n\n"
        for n in (2, 1)
    )
    assert bare(first + second) == [first.strip(), second.strip()]


def test_a_heading_of_asciidoc_opens_the_unit_of_what_follows_it() -> None:
    assert bare("It sails.\n\n=== Deep water\n\nNobody waits.\n\n== a\n\n== b\n") == [
        "It sails.",
        "=== Deep water\n\nNobody waits.",
        "== a\n\n== b",
    ]
