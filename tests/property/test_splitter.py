"""What every split text promises, whatever the text, the limits, the sizer and the embedder."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import naive.chunks
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import law
from texts import SIZERS, Counting, at_stops, blanks, documents, embed, tiktoken_sizer, tilings

from caesura import Adjacent, Count, DoublePassCut, Limits, Percentile, PercentileCut, Segmentation, Splitter, joined
from caesura.edges import is_tiling
from caesura.size import without_surrogates
from caesura.testing import check_chunks

CUTS = (
    DoublePassCut(),
    DoublePassCut(-1, -1, -1),
    DoublePassCut(1, 1, 1),
    DoublePassCut(0.3, 0.4, 0.5, 3),
    PercentileCut(),
    PercentileCut(Adjacent(1), Percentile(40)),
    PercentileCut(threshold=Count(3)),
)
NAMES = (*SIZERS, "tiktoken")
every_sizer = pytest.mark.parametrize("name", NAMES)
texts = st.one_of(documents, documents, blanks)


def sizer(name: str) -> tuple[Callable[[str], int], int]:
    if name != "tiktoken":
        return SIZERS[name]
    found = tiktoken_sizer()
    if found is None:
        pytest.skip("needs tiktoken and the data that llama-index-core carries")
    return found, 16


@st.composite
def splitters(draw: st.DrawFn, name: str) -> Splitter:
    size, least = sizer(name)
    largest = draw(st.one_of(st.none(), st.integers(least, least + 60)))
    smallest = draw(st.integers(0, 30 if largest is None else largest))
    return Splitter(
        Limits(largest, smallest), size, at_stops, None, draw(st.sampled_from(CUTS)), None, draw(st.booleans())
    )


def segmented(splitter: Splitter, text: str) -> Segmentation:
    batch = splitter.prepare([text])
    (made,) = splitter.finish(batch, embed(batch.texts))
    return made


@every_sizer
@law(cases=len(NAMES))
@given(data=st.data(), text=texts)
def test_chunks_are_rising_slices_within_the_limit_and_what_lies_outside_them_is_blank(
    name: str, data: st.DataObject, text: str
) -> None:
    splitter = data.draw(splitters(name))
    chunks = splitter.split(text, embed)
    check_chunks(text, chunks, size=splitter.size, max_size=splitter.limits.max_size)
    assert not splitter.trim or all(chunk.text == chunk.text.strip() for chunk in chunks)


@every_sizer
@law(cases=len(NAMES))
@given(data=st.data(), text=texts)
def test_nothing_over_the_limit_or_blank_is_embedded(name: str, data: st.DataObject, text: str) -> None:
    splitter = data.draw(splitters(name))
    embedder = Counting()
    splitter.split(text, embedder)
    for shown in embedder.texts:
        assert shown.strip()
        assert splitter.limits.max_size is None or splitter.size(shown) <= splitter.limits.max_size
        shown.encode("utf-8")


@law()
@given(data=st.data(), text=documents)
def test_every_character_is_embedded_exactly_once(data: st.DataObject, text: str) -> None:
    splitter = data.draw(splitters("len"))
    batch = splitter.prepare([text])
    edges = batch.units[0].tolist()
    pieces = [piece for piece in naive.chunks.units(text, edges) if piece.strip()]
    assert [shown.strip() for shown in batch.texts] == [without_surrogates(piece).strip() for piece in pieces]
    shown = "".join("".join(piece.split()) for piece in pieces)
    assert shown == "".join(text.split())


@every_sizer
@law(cases=len(NAMES))
@given(data=st.data(), text=texts)
def test_units_join_to_the_text_and_breaks_lie_among_them(name: str, data: st.DataObject, text: str) -> None:
    made = segmented(data.draw(splitters(name)), text)
    assert is_tiling(made.units, len(text))
    assert is_tiling(made.edges, len(text))
    assert "".join(naive.chunks.units(text, made.units.tolist())) == text
    assert set(made.edges.tolist()) <= set(made.units.tolist())
    assert all(a < b for a, b in pairwise([0, *made.breaks.tolist(), max(len(made.sizes), 1)]))


@every_sizer
@law(cases=len(NAMES))
@given(data=st.data(), text=texts)
def test_a_unit_has_no_size_only_where_it_is_blank(name: str, data: st.DataObject, text: str) -> None:
    made = segmented(data.draw(splitters(name)), text)
    pieces = naive.chunks.units(text, made.units.tolist())
    assert [bool(piece.strip()) for piece in pieces] == [bool(size) for size in made.sizes.tolist()]
    assert not made.rows[made.sizes == 0].any()
    assert made.limits.max_size is None or made.sizes.max(initial=0) <= made.limits.max_size


@law()
@given(data=st.data(), many=st.lists(texts, max_size=4))
def test_many_texts_are_cut_as_each_alone(data: st.DataObject, many: list[str]) -> None:
    splitter = data.draw(splitters("odd_tokens"))
    assert splitter.split_many(many, embed) == [splitter.split(text, embed) for text in many]


@law()
@given(data=st.data(), text=documents, batch_size=st.integers(1, 5))
def test_the_batch_size_changes_nothing(data: st.DataObject, text: str, batch_size: int) -> None:
    splitter = data.draw(splitters("len"))
    assert splitter.split(text, embed, batch_size) == splitter.split(text, embed)


@every_sizer
@law(cases=len(NAMES))
@given(data=st.data(), text=texts, overlap=st.integers(0, 30))
def test_chunks_are_those_of_the_slow_twin(name: str, data: st.DataObject, text: str, overlap: int) -> None:
    made = segmented(data.draw(splitters(name)), text)
    slow = naive.chunks.chunks(
        text,
        made.units.tolist(),
        made.breaks.tolist(),
        made.sizes.tolist(),
        made.size,
        made.limits.max_size,
        made.trim,
        overlap,
    )
    assert [(chunk.text, chunk.start, chunk.end) for chunk in made.chunks(overlap)] == slow


@every_sizer
@law(cases=len(NAMES))
@given(data=st.data(), text=texts, overlap=st.integers(1, 30))
def test_chunks_that_overlap_rise_and_keep_the_limit_plus_the_overlap(
    name: str, data: st.DataObject, text: str, overlap: int
) -> None:
    made = segmented(data.draw(splitters(name)), text)
    plain, wide = made.chunks(), made.chunks(overlap)
    assert [chunk.end for chunk in wide] == [chunk.end for chunk in plain]
    assert all(one.start < two.start for one, two in pairwise(wide))
    assert all(
        one.start < two.start <= three.start for one, two, three in zip(plain, wide[1:], plain[1:], strict=False)
    )
    if made.limits.max_size is not None:
        assert all(made.size(chunk.text) <= made.limits.max_size + overlap for chunk in wide)


@every_sizer
@law(cases=len(NAMES))
@given(data=st.data(), text=texts)
def test_chunk_vectors_are_those_of_the_slow_twin(name: str, data: st.DataObject, text: str) -> None:
    made = segmented(data.draw(splitters(name)), text)
    slow = naive.chunks.chunk_vectors(
        text, made.units.tolist(), made.breaks.tolist(), made.sizes.tolist(), made.rows.tolist()
    )
    fast = made.vectors()
    assert fast.shape == (len(made.chunks()), made.rows.shape[1])
    assert np.allclose(fast, np.reshape(slow, fast.shape), rtol=1e-5, atol=1e-6)


@law()
@given(data=st.data(), text=documents, buffer_size=st.integers(0, 4))
def test_the_joined_view_is_that_of_the_slow_twin(data: st.DataObject, text: str, buffer_size: int) -> None:
    edges = data.draw(tilings(text))
    assert joined(buffer_size)(text, edges) == naive.chunks.joined(text, edges.tolist(), buffer_size)


@law()
@given(data=st.data(), text=documents)
def test_neither_the_vectors_nor_the_batch_are_changed(data: st.DataObject, text: str) -> None:
    splitter = data.draw(splitters("len"))
    batch = splitter.prepare([text])
    arrays = [embed(batch.texts), *batch.units, *batch.sizes]
    before = [array.tobytes() for array in arrays]
    for array in arrays:
        array.setflags(write=False)
    (made,) = splitter.finish(batch, arrays[0])
    made.chunks(7)
    made.vectors()
    assert [array.tobytes() for array in arrays] == before
