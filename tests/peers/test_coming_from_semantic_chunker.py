"""What docs/coming-from-semantic-chunker.md says, beside what test_semantic_chunker.py holds."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from fakes.langchain.splitters import AsyncBag, Bag, scattered
from fakes.pages import ROOT, blocks, missing, printed
from fakes.splitters.semantic_chunkers import SemanticChunker, like
from fakes.texts.articles import article
from langchain_classic.retrievers import ParentDocumentRetriever
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_caesura import SemanticPercentileSplitter, StaticEmbeddings

pytestmark = pytest.mark.peers

TEXTS = [article(30, seed) for seed in (1, 2, 3)]


def test_the_first_two_blocks_print_the_same(tmp_path: Path) -> None:
    before, after, ours = blocks(ROOT / "docs" / "coming-from-semantic-chunker.md")
    assert missing(before) == []
    assert printed(before, tmp_path) == printed(after, tmp_path) != printed(ours, tmp_path)


@pytest.mark.parametrize(
    "kind", [("percentile", 95), ("standard_deviation", 3), ("interquartile", 1.5), ("gradient", 95)]
)
def test_the_settings_that_the_table_names_are_those_of_the_constructor(kind: tuple[str, float]) -> None:
    name, amount = kind
    spelt = SemanticPercentileSplitter(
        Bag(scattered),
        window="joined",
        buffer_size=1,
        breakpoint_threshold_type=name,  # type: ignore[arg-type]
        breakpoint_threshold_amount=amount,
        chunk_size=None,
        calibrated=False,
    )
    for text in TEXTS:
        chunks = like(Bag(scattered), breakpoint_threshold_type=name).split_text(text)
        assert spelt.split_text(text) == chunks
        assert len(chunks) == len(SemanticChunker(Bag(scattered), breakpoint_threshold_type=name).split_text(text))


@pytest.mark.parametrize(("sentences", "chunks"), [(2, 1), (21, 2), (100, 6)])
def test_a_percentile_of_95_gives_the_same_number_of_chunks_with_any_window_and_any_text(
    sentences: int, chunks: int
) -> None:
    for text in (article(sentences), " ".join(f"The cat has {number} claws." for number in range(sentences))):
        assert len(SemanticChunker(Bag(scattered)).split_text(text)) == chunks
        for window in ("joined", "overlapping", "adjacent"):
            ours = SemanticPercentileSplitter(
                Bag(scattered),
                window=window,  # type: ignore[arg-type]
                breakpoint_threshold_amount=95,
                chunk_size=None,
                calibrated=False,
            )
            assert len(ours.split_text(text)) == chunks


def test_documents_are_embedded_in_one_call_where_theirs_takes_one_each() -> None:
    ours, theirs = Bag(scattered), Bag(scattered)
    like(ours).create_documents(TEXTS)
    SemanticChunker(theirs).create_documents(TEXTS)
    assert (len(ours.calls), len(theirs.calls)) == (1, len(TEXTS))
    assert sorted(ours.texts) == sorted(theirs.texts)


def test_a_sentence_is_embedded_once_by_our_own_defaults_and_three_times_like_theirs() -> None:
    text, own, same = article(100), Bag(scattered), Bag(scattered)
    SemanticPercentileSplitter(own, calibrated=False).split_text(text)
    like(same).split_text(text)
    assert sum(map(len, own.texts)) <= len(text)
    assert 2.9 < sum(map(len, same.texts)) / len(text) < 3.1


def test_async_awaits_the_embeddings_where_theirs_calls_them_in_a_thread() -> None:
    documents = [Document(text) for text in TEXTS]
    assert len(asyncio.run(like(AsyncBag(scattered)).atransform_documents(documents))) > 3
    with pytest.raises(AssertionError, match="the async path called embed_documents"):
        asyncio.run(SemanticChunker(AsyncBag(scattered)).atransform_documents(documents))


def test_places_are_right_where_theirs_are_wrong_from_the_second_chunk_on() -> None:
    text = TEXTS[0]
    ours = like(Bag(scattered), add_start_index=True).create_documents([text])
    theirs = SemanticChunker(Bag(scattered), add_start_index=True).create_documents([text])
    assert all(text.startswith(one.page_content, one.metadata["start_index"]) for one in ours)
    right = [text.startswith(one.page_content, one.metadata["start_index"]) for one in theirs]
    assert right == [True] + [False] * (len(right) - 1)
    assert all(one.id for one in ours)
    assert not any(one.id for one in theirs)


def test_it_goes_into_langchain_classics_parent_retriever_which_refuses_theirs() -> None:
    stores = {"vectorstore": InMemoryVectorStore(StaticEmbeddings()), "docstore": InMemoryStore()}
    ParentDocumentRetriever(**stores, child_splitter=like()).add_documents([Document(TEXTS[0])])
    with pytest.raises(ValueError, match="TextSplitter"):
        ParentDocumentRetriever(**stores, child_splitter=SemanticChunker(Bag()))  # type: ignore[arg-type]


def test_langchain_core_and_its_text_splitters_are_all_that_is_imported() -> None:
    look = (
        "import sys, {}; print(sorted({{name.split('.')[0] for name in sys.modules if name.startswith('langchain')}}))"
    )
    found = [
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", look.format(name)], capture_output=True, text=True, check=True
        ).stdout
        for name in ("langchain_caesura", "langchain_experimental.text_splitter")
    ]
    assert found[0] == "['langchain_caesura', 'langchain_core', 'langchain_text_splitters']\n"
    assert "langchain_community" in found[1]
