"""What the units of every split text promise, and the chunks' vectors."""

from __future__ import annotations

from itertools import pairwise

import naive.chunks
import numpy as np
from fakes.laws import law
from fakes.splitters.drawn_splitters import NAMES, every_sizer, splitters, texts
from fakes.splitters.every_stop import segmented
from hypothesis import given
from hypothesis import strategies as st

from caesura.edges import is_tiling


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
