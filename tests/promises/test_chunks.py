"""What the chunks of every split text promise, with overlap and without."""

from __future__ import annotations

from itertools import pairwise

import naive.chunks
from fakes.embedders.rows_of_words import embed
from fakes.laws import law
from fakes.splitters.drawn_splitters import NAMES, every_sizer, splitters, texts
from fakes.splitters.every_stop import segmented
from hypothesis import given
from hypothesis import strategies as st

from caesura_testing import check_chunks


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
