"""No text is too odd for an outline, or takes it time that grows faster than the text."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura import Chunk
from caesura_documents.chunk_metadata import ChunkMetadata
from caesura_documents.outline import outline

pytestmark = pytest.mark.thorough

NAMED = ChunkMetadata.of(["headings", "heading_levels", "table_header", "line_start", "line_end"])
ATOMS = (
    *(
        "# a\n",
        "#",
        "# ",
        "# a\n\n",
        "x\n===\n",
        "=\n",
        "===\n",
        "===\na\n===\n",
        "-",
        "- ",
        "~~~\n",
        "~~~",
        "```\n",
        "```a\n",
        "`",
        "~",
        "~~~~~~~~~~\na\n",
    ),
    *(
        "|",
        "| ",
        "|-",
        "|-|\n",
        "|\n|-|\n",
        "a|b\n",
        "-|",
        ":-|x\n",
        ",",
        "a,b\n",
        "a;b\n",
        '"',
        '",',
        '"a\n',
        "a\tb\n",
        "  ",
        "\t",
        " \n",
    ),
    *(
        "<h1>",
        "</h1>",
        "<h1>a</h1>",
        "<h1",
        "<h1 ",
        "<h2>a",
        "<table>",
        "<tr>",
        "<th>",
        "<table><tr><th>a",
        "</table>",
        "<pre>",
        "<pre>\n",
        "<script>",
        "</pre>",
    ),
    *(
        "<!--",
        "<!-- -->",
        "-->",
        "<",
        "&amp;",
        "<td><table>",
        "\\section{",
        "\\section{\n",
        "\\section{a}\n",
        "\\section[",
        "{",
        "}",
        "\\",
        "\\begin{verbatim}\n",
    ),
    *(
        "---\n",
        "+++\n",
        "1.1 Aa\n\n",
        "AAA\n\n",
        "AAA\n",
        "1.",
        ".. a::\n",
        "# a\nx = 1\n",
        "# a\n\n\n",
        "def f():\n",
        "\0",
        "\ud800",
        "\r",
        "\n",
        "\r\n",
        "\ufeff",
        "a",
    ),
)
FRAMES: tuple[Callable[[str], str], ...] = (
    lambda many: many,
    lambda many: f"# {many}",
    lambda many: f"~~~~~~~~~~~\n{many}x\n~~~",
    lambda many: f"A\n---\n\n|a|b|\n|--|{many}x\n",
    lambda many: f"<table><tr><th>{many}<h1>a</h1>\n# a\n",
    lambda many: f"# a\n{many}x:\nif {many}",
)


def seconds(text: str, rounds: int) -> float:
    """Of this process alone, the best of so many, without looks at what other tests left in memory."""
    taken = []
    gc.disable()
    for _ in range(rounds):
        begun = time.process_time()
        found = outline(text)
        found.path(text, 0, len(text))
        found.below(text, ["a"], [1]).within(text, "a | b")
        taken.append(time.process_time() - begun)
    gc.enable()
    return min(taken)


def test_time_grows_no_faster_than_the_text() -> None:
    """Eight times the text takes less than 20 times as long: with its square it would take 64 times."""
    for atom in ATOMS:
        for number, frame in enumerate(FRAMES):
            short, long = (frame(atom * (length // len(atom))) for length in (5_000, 40_000))
            if (taken := seconds(long, 1)) > 0.04:
                least = seconds(short, 5)
                assert min(taken, seconds(long, 3)) < 20 * least, f"{atom!r} in frame {number}: {taken:.3f} s"


@settings(max_examples=300)
@given(st.lists(st.sampled_from(ATOMS), max_size=20), st.data())
def test_no_text_raises(atoms: list[str], data: st.DataObject) -> None:
    text = "".join(atoms)
    places = st.integers(0, len(text))
    chunks = [
        Chunk(text[start:end], start, end) for start, end in data.draw(st.lists(st.tuples(places, places).map(sorted)))
    ]
    for said, chunk in zip(NAMED.describe(text, {}, chunks, [""] * len(chunks)), chunks, strict=True):
        assert all(0 < len(title) <= 200 for title in said.get("headings", []))
        assert len(said.get("headings", [])) == len(said.get("heading_levels", []))
        NAMED.describe(chunk.text, said, [Chunk(chunk.text, 0, len(chunk.text))], [""])


@pytest.mark.parametrize(
    "text",
    ["# " + "a" * 100_000, "a" * 100_000 + "\n====", f"<h1>{'a' * 100_000}</h1>", "\\section{" + "a" * 100_000 + "}"],
)
def test_a_line_of_100_000_characters_is_no_heading(text: str) -> None:
    assert outline(text).headings == ()
    assert outline(f"{text}\n\n# Next\n").headings[-1].title == "Next"


def test_html_that_never_closes_has_the_headings_that_close_and_a_table_to_its_end() -> None:
    text = "<h1>A\n<p>One.\n<h2>B</h2>\n<table><tr><th>x</th></tr>\n<tr><td>1\n<tr><td>2"
    found = outline(text)
    assert [heading.title for heading in found.headings] == ["B"]
    assert found.table_words(text, len(text) - 1, len(text)).header == "x"


def test_braces_that_never_close_and_code_that_never_ends() -> None:
    assert [each.title for each in outline("\\section{a\n\n\\section{b}\n").headings] == ["b"]
    assert [each.title for each in outline("# A\n\n```\n# b\n\n# c\n").headings] == ["A"]
    assert [each.title for each in outline("# A\n\n<!-- open\n\n# B\n").headings] == ["A", "B"]
