"""Pieces that are not the text are refused at the place where they leave it, with what to do."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from typing import Any

import pytest
from fakes.splitters.outside_splitters import TEXTS, bare, langchain, llama_index

from caesura import SegmentError, aligned
from caesura.text.align import WORD

pytestmark = pytest.mark.usefixtures("nltk_data")

OVERLAPPING: dict[str, Callable[[], Callable[[str], list[str]]]] = {
    "LangChain, recursive": lambda: langchain(chunk_overlap=20, separators=[" ", ""]),
    "LangChain, Python": lambda: langchain("python", chunk_overlap=30, chunk_size=60),
    "LangChain, small": lambda: langchain(chunk_size=12, chunk_overlap=6, separators=[""]),
    "LlamaIndex, sentences": lambda: llama_index(chunk_size=24, chunk_overlap=12),
    "lines, two at a time": lambda: lambda text: ["\n".join(text.splitlines()[at : at + 2]) for at in range(len(text))],
}


def refusal(split: Callable[[str], list[str]], text: str) -> tuple[str, int, int]:
    """What the error says, the position that it names, and the number of the piece; the caret is under the place."""
    with pytest.raises(SegmentError) as caught:
        aligned(split)(text)
    said, line, caret = str(caught.value).rsplit("\n", 2)
    found = re.search(r"\bat (\d+)\b", said)
    assert found
    place = int(found[1])
    assert caret.strip() == "^"
    shown = line[caret.index("^") :]
    assert text.startswith(shown, place)
    assert shown or place == len(text) or text[place] == "\n"
    piece = re.search(r"\bpiece (\d+)\b", said)
    return said, place, int(piece[1]) if piece else -1


@pytest.mark.parametrize("name", ["prose", "Python", "Chinese"])
@pytest.mark.parametrize("make", OVERLAPPING.values(), ids=OVERLAPPING)
def test_overlap_is_named_as_the_cause_with_its_remedy(make: Any, name: str) -> None:
    text, split = TEXTS[name], make()
    pieces = split(text)
    if bare("".join(pieces)) == bare(text):
        pytest.skip("no two of its pieces overlap here")
    said, place, piece = refusal(split, text)
    assert "piece" in said
    assert bare(text[:place]).startswith(bare("".join(pieces[:piece])))
    assert "overlap" in said
    assert "chunk_overlap=0" in said


def test_pieces_that_were_rewritten_are_shown_where_they_differ() -> None:
    text = TEXTS["prose"]
    said, place, piece = refusal(lambda text: [row.replace("fell", "FELL") for row in text.splitlines()], text)
    assert text.startswith("fell, e.g.", place)
    assert piece == 2
    assert "chunk_overlap" not in said


def test_a_separator_that_is_dropped_is_shown() -> None:
    text = TEXTS["Chinese"]
    split = langchain(separators=["。"], keep_separator=False, chunk_size=8)
    said, place, piece = refusal(split, text)
    assert text[place] == "。"
    assert piece == 1
    assert "chunk_overlap" not in said


def test_a_placeholder_at_the_end_is_shown_at_the_end() -> None:
    text = TEXTS["prose"].strip()
    _, place, piece = refusal(lambda text: textwrap.wrap(text, 30, max_lines=3, placeholder=" [...]"), text)
    assert (text[place : place + 5], piece) == ("lucky", 2)
    _, place, piece = refusal(lambda text: [text, "[...]"], text)
    assert (place, piece) == (len(text), 1)


def test_headings_that_are_taken_off_are_shown() -> None:
    splitters = pytest.importorskip("langchain_text_splitters")
    by_heading = splitters.MarkdownHeaderTextSplitter([("#", "h1"), ("##", "h2")])
    _, place, piece = refusal(
        lambda text: [part.page_content for part in by_heading.split_text(text)], TEXTS["Markdown"]
    )
    assert (place, piece) == (0, 0)


def test_no_pieces_at_all_are_shown_at_the_first_word() -> None:
    text = "\n  " + TEXTS["prose"]
    _, place, _ = refusal(lambda text: [], text)
    assert place == next(WORD.finditer(text)).start() == 3
