"""Headings, tables and lines are those of a twin that reads from the top, whatever is drawn, wherever it is cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from fakes.texts.outlined_documents import DOCUMENTS
from fakes.texts.outlined_texts import BLOCKS, outlined_texts
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import outline as naive

from caesura import Chunk, Limits, Splitter
from caesura_documents.chunk_metadata import ChunkMetadata
from caesura_documents.outline import outline
from caesura_documents.tables import HeadedTable

NAMED = ("start_index", "end_index", "line_start", "line_end", "headings", "heading_levels", "table_header")
LOST: dict[str, str] = {}


def embed(texts: Sequence[str]) -> list[list[float]]:
    """Each letter's share."""
    return [[1.0 + text.count(letter) for letter in "aeiou"] for text in texts]


def trimmed(text: str, ranges: Sequence[tuple[int, int, int, int | str]]) -> list[tuple[object, ...]]:
    """Ranges without the whitespace at their ends."""
    return [(start, len(text[:end].rstrip()), *rest) for start, end, *rest in ranges]


@pytest.mark.thorough
@pytest.mark.parametrize("kind", [*BLOCKS, "mixed"])
@settings(max_examples=60)
@given(data=st.data())
def test_headings_and_tables_are_the_twins(kind: str, data: st.DataObject) -> None:
    compare(data.draw(outlined_texts((kind,))))


@pytest.mark.thorough
@settings(max_examples=5000)
@given(outlined_texts())
def test_headings_and_tables_of_many_texts_are_the_twins(text: str) -> None:
    compare(text)


def compare(text: str) -> None:
    found, own = naive.find(text), outline(text)
    assert trimmed(text, own.headings) == trimmed(text, found.headings)
    assert trimmed(text, [each[:4] for each in own.tables if is_read(text, each)]) == trimmed(text, found.tables)


def is_read(text: str, table: HeadedTable) -> bool:
    """Whether the twin reads tables like this one; it knows no columns, nor numbers as readers of PDFs leave them."""
    first = text[table.start : table.end].splitlines()[0].strip("\ufeff \t")
    return first.lower().startswith("<table") or (first == table.header and any(mark in first for mark in ",;\t|"))


def described(
    text: str, chunks: Sequence[Chunk], metadata: Mapping[str, object] | None = None, start: int = 0
) -> list[dict[str, object]]:
    ids = [str(number) for number in range(len(chunks))]
    return ChunkMetadata.of(NAMED).describe(text, metadata or {}, chunks, ids, start)


def expected(text: str, start: int, end: int) -> dict[str, object]:
    """What the twin says of a range."""
    found = naive.find(text)
    titles, levels = naive.path(text, found, start, end)
    first, last = naive.line_numbers(text, start, end)
    said: dict[str, object] = {"start_index": start, "end_index": end, "line_start": first, "line_end": last}
    more = {"headings": titles, "heading_levels": levels, "table_header": naive.table_header(text, found, start, end)}
    return said | {name: value for name, value in more.items() if value}


@pytest.mark.thorough
@settings(max_examples=150)
@given(text=outlined_texts(), data=st.data())
def test_a_chunk_says_what_the_twin_says(text: str, data: st.DataObject) -> None:
    places = st.integers(0, len(text))
    cuts = data.draw(st.lists(st.tuples(places, places).map(sorted), max_size=6))
    chunks = [Chunk(text[start:end], start, end) for start, end in cuts]
    assert described(text, chunks) == [expected(text, start, end) for start, end in cuts]


@pytest.mark.parametrize("size", [40, 120, 400])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_chunks_of_documents_say_what_the_twin_says_cut_once_or_twice(name: str, size: int) -> None:
    text = DOCUMENTS[name]
    chunks = Splitter(Limits(size)).split(text, embed)
    assert described(text, chunks) == [expected(text, chunk.start, chunk.end) for chunk in chunks]


@pytest.mark.parametrize("sizes", [(400, 120), (250, 60)])
@pytest.mark.parametrize("name", [name for name in DOCUMENTS if name not in LOST])
def test_a_chunk_of_a_chunk_says_what_that_of_the_whole_would(name: str, sizes: tuple[int, int]) -> None:
    text = DOCUMENTS[name]
    first, second = (Splitter(Limits(size)) for size in sizes)
    for outer, said in zip(chunks := first.split(text, embed), described(text, chunks), strict=True):
        inner = second.split(outer.text, embed)
        assert described(outer.text, inner, said, outer.start) == [
            expected(text, outer.start + chunk.start, outer.start + chunk.end) for chunk in inner
        ]
