"""`Code()` and code in the fences of Markdown: whole where it fits, else cut at its statements, under its functions."""

from __future__ import annotations

import time

import pytest
from fakes.growth import assert_time_grows

pytest.importorskip("tree_sitter")

from house.sources import ROOT
from naive.scopes import line_starts, statement_lines

from caesura import Background, Limits, OptimalCut, Splitter
from caesura_documents.outline import outline
from caesura_documents.source_code import Code
from caesura_static import StaticEmbedder

EMBED = StaticEmbedder()
BACKGROUND = Background(EMBED.background)
CODE = Code()
PROGRAM = (ROOT / "packages/caesura/src/caesura/edges.py").read_text("utf-8")
TEXT = f"# Edges\n\nThey rise. They are whole.\n\n```python\n{PROGRAM}```\n\n## After\n\nIt goes on. So it does.\n"
WIDE = "x" * 300


def indent(text: str, width: int) -> str:
    return "".join(" " * width + line if line.strip() else line for line in text.splitlines(keepends=True))


def titles(text: str, place: str) -> tuple[str, ...]:
    at = text.index(place)
    return CODE.outline(text).path(text, at, at + len(place)).titles


def chunks_of(text: str, size: int, segment: object = CODE) -> list[str]:
    splitter = Splitter(Limits(size), segment=segment, background=BACKGROUND, cut=OptimalCut())  # type: ignore[arg-type]
    found = splitter.split(text, EMBED)
    assert all(text[chunk.start : chunk.end] == chunk.text and len(chunk.text) <= size for chunk in found)
    return [chunk.text for chunk in found]


@pytest.mark.parametrize("size", [300, 700])
@pytest.mark.parametrize("width", [0, 4])
def test_a_fence_over_the_limit_is_cut_at_its_statements(size: int, width: int) -> None:
    text = TEXT.replace(f"```python\n{PROGRAM}```", indent(f"```python\n{PROGRAM}```", width))
    first = text.index(PROGRAM[:9])
    bare, starts, allowed = text.split("```")[1].partition("\n")[2], line_starts(PROGRAM), statement_lines(PROGRAM)
    begins, at = [], 0
    for chunk in chunks_of(text, size):
        at = text.index(chunk, at)
        if first < at < first + len(bare):
            begins.append(text.count("\n", first, at) + 1)
    assert len(begins) > 2
    assert sum(line in allowed for line in begins) >= 0.85 * len(begins)
    assert len(starts) > max(begins)


def test_a_fence_that_fits_is_whole() -> None:
    fence = f"```python\n{PROGRAM[:1500]}\n```"
    text = f"Edges rise. They are whole.\n\n{fence}\n\nIt goes on. So it does.\n"
    assert any(fence in chunk for chunk in chunks_of(text, len(fence)))


def test_a_chunk_in_a_fence_is_below_its_function() -> None:
    assert titles(TEXT, "def merge") == ("Edges", "merge")
    text = "# A\n\n```js\nclass Tide {\n  rise() {\n    return 1;\n  }\n}\n" + f"// {WIDE}\n```\n\nText.\n"
    assert titles(text, "return 1") == ("A", "Tide", "rise")
    assert titles(text, "// x") == titles(text, "Text.") == ("A",)
    for info in ("{.js .numberLines}", "{code-block} js", "JavaScript title='a'", "node"):
        assert titles(text.replace("```js", f"```{info}"), "return 1") == ("A", "Tide", "rise")
    for info in ("", "none", "{code-block}", "a js"):
        assert titles(text.replace("```js", f"```{info}"), "return 1") == ("A",)


def test_positions_in_an_indented_fence_are_those_of_the_text() -> None:
    body = f"def é():\n    return '😀'\n\n\ndef ß(): return 2\n# {WIDE}\n"
    fence = indent("```py\n" + body + "```", 4)
    text = f"# A\n\n- item\n\n{fence}\n\n## B\n"
    found = [(text[each.start :].lstrip(" ")[:5], each.title) for each in CODE.outline(text).headings if each.title]
    assert found == [("# A\n\n", "A"), ("def é", "é"), ("def ß", "ß"), ("## B\n", "B")]


@pytest.mark.filterwarnings("ignore:the built-in model knows English")
def test_other_texts_are_cut_and_outlined_as_by_our_rules() -> None:
    for file in sorted((ROOT / "tests/golden/kinds").iterdir()):
        if file.is_file() and not file.name.endswith(".golden"):
            text = file.read_text("utf-8")
            assert chunks_of(text, 900) == chunks_of(text, 900, Splitter().segment), file.name
            if "```" not in text:
                assert CODE.outline(text) == outline(text)


@pytest.mark.parametrize(
    "text",
    [
        "```python\n",
        "```python",
        "~~~py\r\nx = 1\r\n\r\ny = 2\r\n~~~\r\n",
        "```py\n" + "x = 1\n" * 200,
        "```py\n\ud800 = 'é😀\ud800'\n" + "def f():\n  return 1\n" * 40 + "```\n",
        "```py\n\t\tx = 1\n    y = 2\n" * 30,
        "> ```py\n> x = 1\n" * 40,
        "```py\n```js\n```\n```\n" * 40,
        "\ufeff```py\nx\n```",
        "```py\n" + "(" * 3000 + "\n```",
        "```js\n" + "function f(){" * 800 + "\n```",
        "```py\nx = '" + "a" * 5000 + "'\n```",
    ],
    ids=repr,
)
def test_hostile_fences_are_cut_within_the_limit(text: str) -> None:
    for size in (20, 300):
        assert "".join("".join(chunks_of(text, size)).split()) == "".join(text.split())
    CODE.outline(text)


@pytest.mark.parametrize(
    "piece",
    [
        "```py\nx = 1\n",
        *(
            pytest.param(piece, marks=pytest.mark.thorough)
            for piece in ("```py\nx = 1\n```\n", "~~~js\n`` f() {\n```\n", "```py\n(((\n")
        ),
    ],
)
def test_time_is_linear(piece: str) -> None:
    def seconds(count: int) -> float:
        text = piece * count
        start = time.process_time()
        CODE.outline(text)
        CODE.block_parts(text)
        return time.process_time() - start

    assert_time_grows(seconds, 2000, 8000, 12)
