"""Every way into a splitter gives the same chunks, and what comes by default."""

from __future__ import annotations

from typing import Any

from fakes.langchain.splitters import Bag, contents, every_splitter
from fakes.texts.articles import SUBJECTS, article
from langchain_core.documents import Document
from langchain_core.load import dumps

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
def test_a_chunk_is_the_document_that_langchain_would_make(cls: Any) -> None:
    chunks = cls(Bag(), chunk_size=300).split_documents(documents())
    for chunk in chunks:
        made = Document(id=chunk.id, page_content=chunk.page_content, metadata=chunk.metadata)
        assert (type(chunk), chunk, chunk.model_fields_set) == (Document, made, made.model_fields_set)
        assert dumps(chunk) == dumps(made)
    chunks[0].metadata["tags"][1]["b"] = "changed"
    assert [chunk.metadata["tags"][1]["b"] for chunk in chunks[1:3]] == [0, 0]


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


@every_splitter
def test_the_default_chunk_is_near_four_hundred_characters_and_without_a_target_fits_two_thousand(cls: Any) -> None:
    settings: dict[str, Any] = {"embeddings": Bag(lambda texts: [[1.0]] * len(texts)), "calibrated": False}
    text = article(400)
    sizes = list(map(len, cls(**settings).split_text(text)))
    assert max(sizes) <= 800
    assert 360 < len(text) / len(sizes) < 440
    assert 1000 < max(map(len, cls(target_size=None, **settings).split_text(text))) <= 2000


@every_splitter
def test_metadata_is_copied_for_every_chunk_and_not_shared(cls: Any) -> None:
    metadata = {"source": "s", "nested": {"list": [1]}}
    first, second, *_ = cls(Bag(), chunk_size=200).create_documents([TEXTS[0]], [metadata])
    first.metadata["nested"]["list"].append(2)
    assert second.metadata == metadata == {"source": "s", "nested": {"list": [1]}}


@every_splitter
def test_no_metadata_is_added_unless_asked_for(cls: Any) -> None:
    assert all(one.metadata == {} for one in cls().create_documents(TEXTS))
    assert all(one.metadata == {"a": 1} for one in cls().create_documents(TEXTS, [{"a": 1}] * 3))


@every_splitter
def test_chunks_follow_the_subject(cls: Any) -> None:
    blocks = [" ".join(f"The {' '.join(words[i : i + 8])}." for i in (0, 2, 4, 1, 3)) for words in SUBJECTS.values()]
    chunks = cls(Bag()).split_text(" ".join(blocks))
    assert 2 <= len(chunks) <= 8
    assert sum(chunk in block for chunk in chunks for block in blocks) >= len(chunks) - 1


@every_splitter
def test_nothing_in_nothing_out(cls: Any) -> None:
    assert cls().split_documents([]) == cls().create_documents([]) == []
