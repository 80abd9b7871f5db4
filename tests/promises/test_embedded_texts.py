"""What a splitter shows to the embedder, whatever the text, the limits and the sizer."""

from __future__ import annotations

import naive.chunks
import naive.pages
import numpy as np
from fakes.embedders.rows_of_words import Counting
from fakes.laws import law
from fakes.splitters.drawn_splitters import NAMES, every_sizer, splitters, texts
from fakes.texts.drawn_texts import documents, tilings
from hypothesis import given
from hypothesis import strategies as st

from caesura import Splitter, joined
from caesura.sizers import without_hyphenation, without_surrogates
from caesura_retrieval.words import terms


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
    wanted = [without_surrogates(naive.pages.whole_words(piece)).strip() for piece in pieces]
    assert [shown.strip() for shown in batch.texts] == wanted
    shown = "".join("".join(piece.split()) for piece in pieces)
    assert shown == "".join(text.split())


@law()
@given(data=st.data(), text=documents, buffer_size=st.integers(0, 4))
def test_the_joined_view_is_that_of_the_slow_twin(data: st.DataObject, text: str, buffer_size: int) -> None:
    edges = data.draw(tilings(text))
    assert joined(buffer_size)(text, edges) == naive.chunks.joined(text, edges.tolist(), buffer_size)


@law()
@given(text=st.text(st.sampled_from("aB-\n \té1"), max_size=20))
def test_a_word_over_a_line_end_is_embedded_and_found_whole(text: str) -> None:
    whole = naive.pages.whole_words(text)
    assert without_hyphenation(text) == whole
    assert terms(text) == terms(whole.replace("-\n", "- "))
    shown = Splitter(segment=lambda given: np.array(sorted({0, len(given)}))).prepare([text]).texts
    assert list(shown) == [piece for piece in [naive.pages.whole_words(text.strip())] if piece]


@law()
@given(data=st.data(), text=documents)
def test_chunks_are_slices_of_the_text_with_its_hyphens(data: st.DataObject, text: str) -> None:
    text = f"{text} exam-\nple {text}"
    for chunk in data.draw(splitters("len")).split(text, Counting()):
        assert chunk.text == text[chunk.start : chunk.end]
