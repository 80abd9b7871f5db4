"""What a text's chunks do not depend on: the texts beside it, and how many go to the embedder at once."""

from __future__ import annotations

from fakes.embedders.rows_of_words import embed
from fakes.laws import law
from fakes.splitters.drawn_splitters import splitters, texts
from fakes.texts.drawn_texts import documents
from hypothesis import given
from hypothesis import strategies as st


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
