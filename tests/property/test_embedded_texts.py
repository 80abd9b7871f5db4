"""What a splitter shows to the embedder, whatever the text, the limits and the sizer."""

from __future__ import annotations

import naive.chunks
from fakes.drawn_splitters import NAMES, every_sizer, splitters, texts
from fakes.embedders import Counting
from fakes.laws import law
from fakes.texts import documents, tilings
from hypothesis import given
from hypothesis import strategies as st

from caesura import joined
from caesura.sizers import without_surrogates


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


@law()
@given(data=st.data(), text=documents, buffer_size=st.integers(0, 4))
def test_the_joined_view_is_that_of_the_slow_twin(data: st.DataObject, text: str, buffer_size: int) -> None:
    edges = data.draw(tilings(text))
    assert joined(buffer_size)(text, edges) == naive.chunks.joined(text, edges.tolist(), buffer_size)
