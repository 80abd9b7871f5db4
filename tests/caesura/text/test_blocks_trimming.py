"""Chunks keep the indentation of a first line that is code; prose, lists and tables are trimmed as ever."""

from __future__ import annotations

import random

import pytest
from fakes.texts.essays import essay, every_essay

from caesura import Limits, Span, Splitter
from caesura.edges import trim
from caesura.text.blocks import trim_chunk
from caesura.text.sentences import sentences, units
from caesura_static import StaticEmbedder

EMBED = StaticEmbedder()
FUNCTION = "def f(x):\n    y = x + 1\n    for z in y:\n        g(z)\n    return (y)\n"
PROSE = "The ferry left at nine, and nobody was on it. Where had they gone? The captain said that he did not know"


def chunks(text: str, size: int) -> list[str]:
    return [chunk.text for chunk in Splitter(Limits(size)).split(text, EMBED)]


@pytest.mark.parametrize("fence", ["", "```python\n"])
def test_code_that_is_cut_keeps_its_look(fence: str) -> None:
    text = fence + "\n".join(FUNCTION.replace("f(x)", f"f{n}(x)") for n in range(9)) + ("```\n" if fence else "")
    for size in (40, 60, 100):
        found = chunks(text, size)
        assert all(len(chunk) <= size for chunk in found)
        lines = text.splitlines()
        assert all(chunk.splitlines()[0] in lines for chunk in found)


def test_indented_code_in_prose_keeps_its_first_indentation_too() -> None:
    block = FUNCTION.replace("\n", "\n    ").rstrip()
    text = f"{PROSE}.\n\n    {block}\n\n{PROSE}.\n"
    assert [text[start:][:8] for start in units(text).tolist()[:-1]].count("    def ") == 1
    assert any(chunk.startswith("    def f") for chunk in chunks(text, 130))


def test_a_unit_of_code_begins_with_its_indentation_after_any_line_end() -> None:
    for end in ("\n", "\r\n"):
        text = "Words are here.\n\n\tx = call(1)\n\treturn (x)\n\nMore words.".replace("\n", end)
        assert text[int(sentences(text)[1])] == "\t"


@pytest.mark.parametrize(
    "text",
    [
        f"    {PROSE}.",
        f"\n\n   {PROSE}.\n   {PROSE}.",
        f"  - {PROSE}.\n  - {PROSE}.",
        f"Fares\n\n    {PROSE},\n    {PROSE},\n    {PROSE}.",
        f"> {PROSE}.\n>     {PROSE}.",
        f"\t{PROSE}.\r\n\r\n\t{PROSE}.",
    ],
)
def test_prose_lists_and_quotations_are_trimmed_whole(text: str) -> None:
    for start in range(len(text)):
        for end in (start, start + 40, len(text)):
            span = start, max(min(end, len(text)), start)
            assert trim_chunk(text, *span) == trim(text, *span)
    for size in (20, 50, 90, 400):
        assert all(chunk == chunk.strip() for chunk in chunks(text, size))


@every_essay
def test_essays_with_indented_lines_are_trimmed_whole(name: str) -> None:
    rng = random.Random(name)
    text = "\n".join(" " * rng.choice((0, 2, 4)) + line for line in essay(name).splitlines())[:6000]
    assert all(chunk == chunk.strip() for size in (60, 300) for chunk in chunks(text, size))


def test_what_the_segmenter_calls_code_keeps_it_whatever_it_looks_like() -> None:
    text = "Once\n  upon a time\n\n  there was"
    assert trim_chunk(text, 5, len(text), is_code=True) == Span(5, len(text))
    assert trim_chunk(text, 5, len(text)) == Span(7, len(text))
    assert trim_chunk(text, 6, len(text), is_code=True) == Span(7, len(text))  # no line's start
    assert trim_chunk(text, 18, len(text), is_code=True) == trim(text, 18, len(text))  # a blank line first
    assert trim_chunk("a\n  \n ", 2, 6, is_code=True) == Span(6, 6)


def test_without_trimming_chunks_are_as_they_were() -> None:
    text = "\n".join([FUNCTION] * 4)
    found = Splitter(Limits(80), trim=False).split(text, EMBED)
    assert "".join(chunk.text for chunk in found) == text
