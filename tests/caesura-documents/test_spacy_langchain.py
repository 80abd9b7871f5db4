"""The LangChain plugin on spaCy's sentences and vectors: documents, async, positions."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

pytest.importorskip("spacy.language")

from fakes.embedders.spacy_pipelines import ARTICLE, PARTS, starts, with_vectors
from fakes.langchain.splitters import contents, every_splitter, places
from langchain_core.documents import Document

from caesura_documents.spacy import spacy_sentences, spacy_vectors
from langchain_caesura import DoublePassSemanticSplitter, SemanticPercentileSplitter

pytestmark = pytest.mark.thorough

NLP = with_vectors()
EMBED, SEGMENT = spacy_vectors(NLP), spacy_sentences(NLP)
DOCUMENTS = [Document(ARTICLE, metadata={"source": "a"}), Document("\n\n".join(PARTS[::-1]))]


def test_chunks_are_the_subjects_of_each_document() -> None:
    made = DoublePassSemanticSplitter(EMBED, sentence_splitter=SEGMENT)
    assert contents(made.split_documents(DOCUMENTS)) == PARTS + PARTS[::-1]
    assert contents(DoublePassSemanticSplitter(EMBED).split_documents(DOCUMENTS)) == PARTS + PARTS[::-1]


@every_splitter
async def test_every_way_in_gives_the_same_chunks_in_their_places(cls: Any) -> None:
    splitter = cls(EMBED, sentence_splitter=SEGMENT, add_start_index=True)
    made = splitter.split_documents(DOCUMENTS)
    assert await splitter.atransform_documents(DOCUMENTS) == made
    assert [ARTICLE[start:end] for start, end in places(splitter.split_documents(DOCUMENTS[:1]))] == [
        document.page_content for document in made if document.metadata.get("source") == "a"
    ]
    bare = cls(EMBED, sentence_splitter=SEGMENT, strip_whitespace=False, add_start_index=True)
    found = [start for start, _ in places(bare.split_documents(DOCUMENTS[:1]))]
    assert len(found) > 1
    assert set(found) <= set(starts(NLP, ARTICLE))


@every_splitter
def test_batches_and_overlap_work_too(cls: Any) -> None:
    whole = cls(EMBED, sentence_splitter=SEGMENT, chunk_size=120, chunk_overlap=40)
    parts = cls(EMBED, sentence_splitter=SEGMENT, chunk_size=120, chunk_overlap=40, batch_size=2)
    assert parts.split_text(ARTICLE) == whole.split_text(ARTICLE)
    assert max(map(len, whole.split_text(ARTICLE))) <= 120


def test_percentiles_on_joined_text_work_too() -> None:
    splitter = SemanticPercentileSplitter.like_semantic_chunker(EMBED, breakpoint_threshold_amount=80)
    assert len(splitter.split_text(ARTICLE)) > 1


@every_splitter
def test_a_splitter_pickles_with_its_pipeline(cls: Any) -> None:
    splitter = cls(EMBED, sentence_splitter=SEGMENT)
    expected = splitter.create_documents([ARTICLE])
    assert pickle.loads(pickle.dumps(splitter)).create_documents([ARTICLE]) == expected
