"""Documents of many kinds: what is cut where, as golden files to be read, and what they must show, in words.

`CAESURA_REWRITE=1` writes the golden files anew; read them then as a careful reader would.
"""

from __future__ import annotations

import os
import re
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from caesura import Limits, Span, Splitter
from caesura.edges import trim
from caesura.types import Breaks, Sizes, Vectors

KINDS = Path(__file__).parent / "kinds"
SAMPLES = sorted(path for path in KINDS.iterdir() if path.is_file() and path.suffix != ".golden")
LIMITS = (400, 80)
segment = Splitter().segment  # what is used where nothing is chosen


def everywhere(vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
    """Every unit its own chunk."""
    return np.arange(1, len(sizes), dtype=np.intp)


def alike(texts: object) -> NDArray[np.float32]:
    """One row for all texts: nothing here hangs on meaning."""
    return np.ones((len(texts), 1), np.float32)  # type: ignore[arg-type]


def read(name: str) -> str:
    return (KINDS / name).read_bytes().decode("utf-8")


def units(text: str) -> list[str]:
    return [text[a:b] for a, b in pairwise(segment(text).tolist())]


def pieces(text: str, max_size: int) -> list[str]:
    """The chunks where every unit is one: whole units, and the pieces of those over the limit."""
    splitter = Splitter(limits=Limits(max_size), cut=everywhere)
    return [chunk.text for chunk in splitter.split(text, alike)]


def bare(text: str) -> list[str]:
    return [unit.strip() for unit in units(text)]


def shown(text: str, start: int, end: int, number: int) -> str:
    """A piece under a line that says where it is; line ends, form feeds and spaces at line ends can be seen."""
    marked = text[start:end].replace("\r", "␍").replace("\f", "␌").replace("\t", "⇥")
    marked = re.sub(" +(?=\n|$)", lambda found: "·" * len(found[0]), marked).replace("\n", "⏎\n")
    return f"--- {number} [{start}, {end})\n{marked}" + ("" if marked.endswith("\n") else "\n")


def golden(name: str) -> str:
    """Sample -> its units, and the pieces of those that are over a limit."""
    text = read(name)
    spans = list(pairwise(segment(text).tolist()))
    parts = [f"=== {name}: {len(spans)} units\n", *(shown(text, *span, i) for i, span in enumerate(spans, 1))]
    whole = {trim(text, *span): number for number, span in enumerate(spans, 1)}
    for max_size in LIMITS:
        chunks = Splitter(limits=Limits(max_size), cut=everywhere).split(text, alike)
        parts.append(f"\n=== at most {max_size} characters: {len(chunks)} chunks\n")
        numbered = list(enumerate(chunks, 1))
        for same, run in groupby(numbered, key=lambda pair: (pair[1].start, pair[1].end) in whole):
            members = list(run)
            if same:
                first, last = (whole[Span(one.start, one.end)] for _, one in (members[0], members[-1]))
                parts.append(f"--- units {first} to {last}, whole\n" if first < last else f"--- unit {first}, whole\n")
            else:
                parts += [shown(text, chunk.start, chunk.end, number) for number, chunk in members]
    return "".join(parts)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_what_is_cut_where(path: Path) -> None:
    file, found = path.with_name(path.name + ".golden"), golden(path.name)
    if os.environ.get("CAESURA_REWRITE") == "1":
        file.write_bytes(found.encode("utf-8"))
    assert found == file.read_bytes().decode("utf-8")


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
        first, *more = piece.splitlines()
        assert first in lines or not more or any(line.startswith(first) for line in lines), piece


def test_two_lists_of_different_kind_are_two_units() -> None:
    assert bare("- one\n- two\n\n1. three\n2. four\n") == ["- one\n- two", "1. three\n2. four"]


@pytest.mark.parametrize("name", ["sample.md", "sample.html", "sample.tex", "chinese.md"])
def test_a_heading_opens_the_unit_of_what_follows_it(name: str) -> None:
    heading = re.compile(r"#+ .*|.*\n-+|<h\d>.*</h\d>|\\section\{.*\}")
    assert [unit for unit in bare(read(name)) if heading.fullmatch(unit)] == []


@pytest.mark.parametrize("name", ["sample.py", "sample.js", "sample.json", "sample.html"])
def test_no_unit_is_only_brackets_or_tags(name: str) -> None:
    assert [unit for unit in bare(read(name)) if not re.search(r"\w", re.sub(r"<[^>]*>", "", unit))] == []


@pytest.mark.parametrize(
    "sentence",
    [
        (
            "Rev. P. J.\nHollis had it looked at in 1953 by a Mr. Tull of Tull &\nSons Ltd., "
            "who tapped it for an hour and charged £4 10s."
        ),
        "The nearest foundry, how-\never, closed in 1987.",
        "Visitors from the U.S. have asked whether\nit could be recast.",
    ],
)
def test_sentences_of_plain_prose_go_on_across_lines(sentence: str) -> None:
    assert sentence in bare(read("sample.txt"))


@pytest.mark.parametrize(
    "sentence",
    [
        (
            "Because the lower shelves stand\nonly 10 cm above the floor, "
            "the boxes on them had begun to draw in mois-\nture."
        ),
        "Dr. Sabatier of the regional laboratory took samples from\ntwelve boxes, and found live spores in two.",
        (
            "Each load\nstayed in the chamber for about three weeks "
            "(the registers, which are bound\nin leather, for five)."
        ),
        "The costs came to € 18,400 in all, i.e. some € 190\nper wet box.1",
    ],
)
def test_sentences_of_a_pdf_go_on_across_lines(sentence: str) -> None:
    assert sentence in bare(read("pdf.txt"))


def test_the_header_of_a_page_is_joined_to_no_sentence() -> None:
    found = bare(read("pdf.txt"))
    headers = [unit for unit in found if "Municipal Archive" in unit]
    assert len(headers) == 2
    assert all(
        re.fullmatch(r"Municipal Archive of Tarn +Report on the Water Damage of 2019\n +[45]", unit) for unit in headers
    )
    at = found.index(headers[1])
    assert found[at - 1].endswith("and we were able to")
    assert found[at + 1] == "stop the mould before it had spread beyond the parish registers."


@pytest.mark.parametrize("page", ["\f", "\n\f", "\f\n", "\n\f\n"])
def test_a_sentence_goes_on_across_a_page_without_a_header(page: str) -> None:
    sentence = (
        f"The dairy lent us a cold room, and we were able to{page}stop the mould before it had spread to the registers."
    )
    assert bare(f"Freezing began at once. {sentence} Nothing was lost.") == [
        "Freezing began at once.",
        sentence,
        "Nothing was lost.",
    ]


@pytest.mark.parametrize("page", ["\f", "\n\f", "\f\n"])
def test_a_page_that_ends_with_a_sentence_ends_a_unit(page: str) -> None:
    assert bare(f"Freezing began at once.{page}Nothing was lost.") == ["Freezing began at once.", "Nothing was lost."]


TURN = re.compile(r"^(?:\[\d\d:\d\d\] )?(?:Mara|Jonas|Dr\. Pell): |^<\w+> ", re.MULTILINE)


def test_turns_of_a_chat_stay_apart() -> None:
    text = read("chat.txt")
    turns = {found.start() for found in TURN.finditer(text)}
    assert len(turns) == 18
    assert turns <= set(segment(text).tolist())
    assert "they are thawed anyway" in next(unit for unit in bare(text) if "then I'll start" in unit)


@pytest.mark.parametrize(
    "turns",
    [
        ["09:12 Mara: hm", "09:13 Jonas: so, 2"],
        ["12/03/2024, 09:12 - Mara: hm", "12/03/2024, 09:13 - Jonas: so, 2"],
        ["[2024-03-12 09:12:40] mara: hm", "[2024-03-12 09:13:02] jonas: so, 2"],
        ["<mara> hm", "<jonas> so, 2", "<mara> ok"],
        ["user: Where is it?", "assistant: In the second drawer.", "user: thanks"],
        ["**Mara:** hm", "**Jonas:** so, 2"],
    ],
)
def test_turns_in_the_ways_that_they_are_written(turns: list[str]) -> None:
    assert bare("\n".join(turns)) == turns
