"""Chunks of real texts at the defaults: no scraps, whole paragraphs where they fit, no message of a chat torn."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from fakes.langchain.splitters import SPLITTERS, every_splitter, places
from fakes.texts.articles import article
from fakes.texts.essays import essay, every_essay

from langchain_caesura import SemanticPercentileSplitter

EXAMPLES = Path(__file__).parents[2] / "examples"
WRITTEN = ["article.md", "kinds/handbook.md", "kinds/pantry.py"]
TARGET, LARGEST, SCRAP = 400, 800, 100
PARAGRAPH = re.compile(r"\S.*?(?=\n[ \t]*\n|\s*\Z)", re.DOTALL)


def spans(cls: Any, text: str, **settings: Any) -> list[tuple[int, int]]:
    return places(cls(add_start_index=True, **settings).create_documents([text]))


def torn(found: list[tuple[int, int]], whole: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those of the places `whole` within which a chunk begins."""
    return [(a, b) for a, b in whole if any(a < start < b for start, _ in found)]


def check_even(found: list[tuple[int, int]], length: int, least: float = 0.7) -> None:
    ends = [0, *(end for _, end in found)]
    assert min(after - before for before, after in pairwise(ends)) >= SCRAP  # the whitespace before a chunk counts
    assert max(end - start for start, end in found) <= LARGEST
    assert least * TARGET < length / len(found) < 1.3 * TARGET


@every_splitter
@pytest.mark.parametrize("name", WRITTEN)
def test_no_chunk_is_a_scrap_and_a_paragraph_that_fits_is_whole(cls: Any, name: str) -> None:
    text = (EXAMPLES / name).read_text("utf-8")
    found = spans(cls, text)
    check_even(found, len(text))
    paragraphs = [match.span() for match in PARAGRAPH.finditer(text)]
    assert torn(found, [(a, b) for a, b in paragraphs if b - a <= TARGET]) == []
    begun = {start for start, _ in paragraphs}
    bare = [end - len(text[start:end].lstrip()) for start, end in found]  # code has its indentation before
    assert sum(start in begun for start in bare) >= 0.75 * len(found)


@every_splitter
@every_essay
def test_an_essay_has_no_scraps(cls: Any, name: str) -> None:
    text = essay(name)
    found = spans(cls, text)
    check_even(found, len(text))
    paragraphs = [match.span() for match in PARAGRAPH.finditer(text)]
    assert torn(found, [(a, b) for a, b in paragraphs if 100 < b - a <= TARGET]) == []


@pytest.mark.parametrize("cls", [cls for cls in SPLITTERS if cls is not SemanticPercentileSplitter])
def test_no_message_of_a_chat_is_torn(cls: Any) -> None:
    text = (EXAMPLES / "kinds" / "chat.txt").read_text("utf-8")
    found = spans(cls, text)
    check_even(found, len(text))
    assert torn(found, [match.span() for match in re.finditer(r"^\[\d\d:\d\d\] .*$", text, re.MULTILINE)]) == []


@pytest.mark.thorough
@every_splitter
@pytest.mark.parametrize("between", [" ", "\n", "\n\n", "\r\n\r\n"], ids=repr)
def test_texts_of_single_sentences_have_no_scraps(cls: Any, between: str) -> None:
    for seed in range(5):
        text = article(150, seed, between)
        check_even(spans(cls, text), len(text), 0.6)


@every_splitter
@pytest.mark.parametrize("length", [1, 50, 99, 399])
def test_a_text_under_the_target_is_one_chunk(cls: Any, length: int) -> None:
    text = article(20)[:length].strip()
    assert spans(cls, text) == [(0, len(text))]


@every_splitter
def test_an_embedder_that_knows_nothing_still_gives_even_chunks(cls: Any) -> None:
    text = (EXAMPLES / "article.md").read_text("utf-8")

    def nothing(texts: list[str]) -> list[list[float]]:
        return [[0.0, 0.0]] * len(texts)

    check_even(spans(cls, text, embeddings=nothing, calibrated=False), len(text))
