"""What `refine` promises, whatever the text, its edges and the sizer."""

from __future__ import annotations

from itertools import pairwise

import pytest
from fakes.laws import law
from fakes.splitters.sizers import SIZERS, Recording
from fakes.texts.drawn_texts import at_stops, documents, tilings
from hypothesis import given
from hypothesis import strategies as st

from caesura.edges import is_tiling
from caesura.text.refine import refine

every_sizer = pytest.mark.parametrize("name", SIZERS)


@every_sizer
@law(cases=len(SIZERS))
@given(data=st.data(), text=documents, room=st.integers(0, 40))
def test_every_piece_fits_whole_and_trimmed_and_no_edge_is_lost(
    name: str, data: st.DataObject, text: str, room: int
) -> None:
    size, least = SIZERS[name]
    edges = data.draw(tilings(text))
    refined = refine(text, edges, size, least + room)
    assert is_tiling(refined, len(text))
    assert set(edges.tolist()) <= set(refined.tolist())
    for start, end in pairwise(refined.tolist()):
        assert size(text[start:end]) <= least + room
        assert size(text[start:end].strip()) <= least + room


@every_sizer
@law(cases=len(SIZERS))
@given(data=st.data(), text=documents, room=st.integers(0, 40))
def test_refining_twice_is_refining_once(name: str, data: st.DataObject, text: str, room: int) -> None:
    size, least = SIZERS[name]
    once = refine(text, data.draw(tilings(text)), size, least + room)
    assert refine(text, once, size, least + room).tolist() == once.tolist()


@every_sizer
@law(cases=len(SIZERS))
@given(data=st.data(), text=documents, room=st.integers(0, 10))
def test_no_string_is_measured_far_beyond_what_fits(name: str, data: st.DataObject, text: str, room: int) -> None:
    size, least = SIZERS[name]
    recorded = Recording(size)
    refine(text, data.draw(tilings(text)), recorded, least + room)
    longest = 0
    for measured, found in recorded.measured:
        assert len(measured) <= max(4 * (least + room), 2 * longest)
        if found <= least + room:
            longest = max(longest, len(measured))


@every_sizer
@law(cases=len(SIZERS))
@given(text=documents, room=st.integers(0, 40))
def test_a_piece_that_fits_is_left_whole(name: str, text: str, room: int) -> None:
    size, least = SIZERS[name]
    edges = at_stops(text)
    every = refine(text, edges, size, least + room).tolist()
    for start, end in pairwise(edges.tolist()):
        piece = text[start:end]
        if len(piece) <= 4 * (least + room) and max(size(piece), size(piece.strip())) <= least + room:
            assert not [at for at in every if start < at < end]
