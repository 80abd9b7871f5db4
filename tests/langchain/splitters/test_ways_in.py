"""Every way into a splitter gives the same chunks, and changes nothing it was given."""

from __future__ import annotations

from typing import Any

from articles import article
from langchain_core.documents import Document
from langchain_fakes import Bag, contents, every_splitter

TEXTS = [article(seed=seed) for seed in range(3)]


def documents() -> list[Document]:
    return [
        Document(id=f"doc-{i}", page_content=text, metadata={"source": f"{i}.md", "tags": ["a", {"b": i}]})
        for i, text in enumerate(TEXTS)
    ]


@every_splitter
async def test_every_way_in_gives_the_same_chunks(cls: Any) -> None:
    splitter = cls(Bag(), chunk_size=300, add_start_index=True)
    made = splitter.split_documents(documents())
    assert len(made) > 3 * len(TEXTS)
    assert splitter.transform_documents(documents()) == made
    assert splitter.split_documents(iter(documents())) == made
    assert await splitter.atransform_documents(documents()) == made
    assert await splitter.asplit_documents(iter(documents())) == made
    bare = splitter.create_documents(TEXTS, [document.metadata for document in documents()])
    assert await splitter.acreate_documents(TEXTS, [document.metadata for document in documents()]) == bare
    assert [(one.page_content, one.metadata) for one in bare] == [(one.page_content, one.metadata) for one in made]
    assert [chunk for text in TEXTS for chunk in splitter.split_text(text)] == contents(made)
    assert [chunk for text in TEXTS for chunk in await splitter.asplit_text(text)] == contents(made)


@every_splitter
def test_documents_are_cut_together_as_each_alone(cls: Any) -> None:
    splitter = cls(Bag(), chunk_size=300)
    alone = [chunk for document in documents() for chunk in splitter.split_documents([document])]
    assert splitter.split_documents(documents()) == alone


@every_splitter
def test_another_call_gives_the_same_again(cls: Any) -> None:
    splitter = cls(Bag(), chunk_size=300)
    assert splitter.split_documents(documents()) == splitter.split_documents(documents())
    assert splitter.split_documents(documents()) == cls(Bag(), chunk_size=300).split_documents(documents())


@every_splitter
def test_documents_given_are_not_changed(cls: Any) -> None:
    given = documents()
    made = cls(Bag(), chunk_size=300, add_start_index=True).split_documents(given)
    for one in made:
        one.metadata["tags"][1]["b"] = "changed"
        one.metadata["tags"].append("more")
    assert given == documents()
