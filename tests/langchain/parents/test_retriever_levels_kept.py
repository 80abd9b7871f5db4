"""What lies between parents and children is kept as places alone, is no parent, and goes with its document."""

from __future__ import annotations

from itertools import pairwise

from fakes.langchain.levels import DOCUMENTS, SHIPS, TAXES, between, levels, merging
from fakes.langchain.retrievers import kept, parts, retriever, rows, sound
from fakes.langchain.splitters import contents
from fakes.texts.articles import article
from langchain_core.documents import Document

from langchain_caesura.parents.hits import parent_spans, range_span


def test_what_lies_between_is_no_parent_and_goes_with_its_document() -> None:
    made = merging(0.5, 4)
    assert contents(made.get(["ships"])) == ["\n".join(SHIPS)]
    made.add_documents([Document("\n".join(SHIPS[:2] + TAXES[2:]), id="ships")])
    assert len(between(made)) == 4
    made.delete(["ships"])
    assert len(between(made)) == 2
    made.delete(["taxes"])
    assert not made.docstore.store


def test_a_parent_that_is_all_of_its_document_has_its_place_too() -> None:
    made = retriever(child_splitter=levels(100, 20))
    made.add_documents([Document("A ship.", id="a")])
    (found,) = [*made.invoke("ship"), *made.invoke("ship", budget=9)][:1]
    assert found.metadata == {"start_index": 0, "end_index": 7}
    assert contents(made.get(["a"])) == ["A ship."]


def test_other_levels_leave_no_row_and_no_chunk_of_the_old_ones() -> None:
    made, fresh = merging(0.5, 4), merging(0.5, 4, 100, 20)
    other = made.model_copy(update={"child_splitter": levels(100, 20)})
    other.add_documents(DOCUMENTS)
    assert rows(made) == rows(fresh)
    assert not between(made)
    made.add_documents(DOCUMENTS)
    assert rows(made) == rows(merging(0.5, 4))
    assert sound(made)


def test_no_text_is_kept_but_the_documents_and_no_chunk_that_is_its_only_child() -> None:
    made = retriever(child_splitter=levels(2048, 512, 128))
    documents = [Document(article(30, seed), id=str(seed)) for seed in range(3)] + [Document("Short.", id="s")]
    made.add_documents(documents)
    assert sorted(contents(list(kept(made).values()))) == sorted(contents(documents))
    children = {row["text"] for row in rows(made).values()}
    assert between(made)
    assert children.isdisjoint(between(made))
    for part in parts(made):
        for start, end in zip(part.starts, part.ends, strict=True):
            line = parent_spans(part, range_span(part, start, end))
            assert line
            assert all(outer.start <= inner.start and inner.end <= outer.end for inner, outer in pairwise(line))
