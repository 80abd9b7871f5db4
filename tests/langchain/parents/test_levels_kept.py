"""What lies between parents and children is kept once, is no parent, and goes with its document."""

from __future__ import annotations

from fakes.articles import article
from fakes.langchain.levels import DOCUMENTS, SHIPS, TAXES, between, levels, merging
from fakes.langchain.retrievers import kept, retriever, rows, sound
from fakes.langchain.splitters import contents
from langchain_core.documents import Document

from langchain_caesura.parents.children import ANCESTORS


def test_what_lies_between_is_no_parent_and_goes_with_its_document() -> None:
    made = merging(0.5, 4)
    assert contents(made.get(["ships"])) == ["\n".join(SHIPS)]
    made.add_documents([Document("\n".join(SHIPS[:2] + TAXES[2:]), id="ships")])
    assert len(between(made)) == 4
    made.delete(["ships"])
    assert len(between(made)) == 2
    made.delete(["taxes"])
    assert not made.docstore.store


def test_other_levels_leave_no_row_that_counts_by_the_old_ones() -> None:
    made, fresh = merging(0.5, 4), merging(0.5, 4, 100, 20)
    other = made.model_copy(update={"child_splitter": levels(100, 20)})
    other.add_documents(DOCUMENTS)
    assert rows(made) == rows(fresh)
    assert not between(made)
    made.add_documents(DOCUMENTS)
    assert rows(made) == rows(merging(0.5, 4))
    assert sound(made)


def test_no_text_is_kept_between_that_is_a_parents_or_a_childs() -> None:
    made = retriever(child_splitter=levels(2048, 512, 128))
    made.add_documents([Document(article(30, seed), id=str(seed)) for seed in range(3)] + [Document("Short.", id="s")])
    texts = {one.page_content for one in kept(made).values()} | {row["text"] for row in rows(made).values()}
    assert between(made)
    assert any(ANCESTORS in row["metadata"] for row in rows(made).values())
    assert texts.isdisjoint(contents(list(between(made).values())))
    for row in rows(made).values():
        line = row["metadata"].get(ANCESTORS, "").split()[::2]
        assert all(row["text"] in made.docstore.store[key].page_content for key in line)
