"""The LlamaIndex plugin on spaCy's sentences and vectors: nodes, async, cache, workers."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

pytest.importorskip("spacy.language")

from fakes.embedders.spacy_pipelines import ARTICLE, PARTS, starts, with_vectors
from fakes.llama_index.parsers import PARSERS, content, slices
from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline

from caesura import SettingError, calibrate
from caesura_documents.spacy import spacy_sentences, spacy_vectors
from llama_index.node_parser.caesura import DoublePassSemanticSplitter, SemanticPercentileSplitter

pytestmark = pytest.mark.thorough

NLP = with_vectors()
EMBED, SEGMENT = spacy_vectors(NLP), spacy_sentences(NLP)
DOCUMENTS = [Document(text=ARTICLE, id_="a", metadata={"k": "v"}), Document(text="\n\n".join(PARTS[::-1]), id_="b")]
parsers = pytest.mark.parametrize("parser", PARSERS)


def texts(nodes: Any) -> list[str]:
    return [node.text for node in nodes]


def test_nodes_are_the_subjects_of_each_document() -> None:
    made = DoublePassSemanticSplitter(embed_model=EMBED, sentence_splitter=SEGMENT, target_size=None)
    assert texts(made(DOCUMENTS)) == PARTS + PARTS[::-1]
    assert texts(DoublePassSemanticSplitter(embed_model=EMBED, target_size=None)(DOCUMENTS)) == PARTS + PARTS[::-1]


def test_the_published_form_is_uncentred_and_takes_the_same_two() -> None:
    high = {"initial_threshold": 0.9, "appending_threshold": 0.9, "merging_threshold": 0.9}
    made = DoublePassSemanticSplitter.like_double_merging(EMBED, sentence_splitter=SEGMENT, **high)
    assert texts(made(DOCUMENTS)) == PARTS + PARTS[::-1]
    low = {"initial_threshold": 0.4, "appending_threshold": 0.5, "merging_threshold": 0.5, "max_chunk_size": 5000}
    made = DoublePassSemanticSplitter.like_double_merging(EMBED, sentence_splitter=SEGMENT, **low)
    assert len(made(DOCUMENTS)) == 2


@parsers
def test_nodes_end_where_spacys_sentences_end(parser: Any) -> None:
    nodes = parser(embed_model=EMBED, sentence_splitter=SEGMENT, target_size=None)(DOCUMENTS[:1])
    slices(DOCUMENTS[0], nodes)
    assert len(nodes) > 1
    places = {start + len(ARTICLE[start:]) - len(ARTICLE[start:].lstrip()) for start in starts(NLP, ARTICLE)}
    assert {node.start_char_idx for node in nodes} <= places


@parsers
def test_percentiles_on_joined_text_and_a_given_background_work_too(parser: Any) -> None:
    background = calibrate(EMBED).mean.tolist()
    made = parser(embed_model=EMBED, sentence_splitter=SEGMENT)
    given = parser(embed_model=EMBED, sentence_splitter=SEGMENT, background=background)
    assert content(given(DOCUMENTS)) == content(made(DOCUMENTS))
    joined = SemanticPercentileSplitter.like_semantic_splitter(EMBED, sentence_splitter=SEGMENT)
    assert len(joined(DOCUMENTS)) > 2


@parsers
async def test_async_gives_the_same(parser: Any) -> None:
    made = parser(embed_model=EMBED, sentence_splitter=SEGMENT)
    assert content(await made.acall(DOCUMENTS)) == content(made(DOCUMENTS))


@parsers
def test_a_cache_needs_a_tag_and_then_works(parser: Any) -> None:
    for settings in ({"embed_model": EMBED}, {"sentence_splitter": SEGMENT}):
        name = next(iter(settings))
        with pytest.raises(SettingError, match=rf"^{name}\b.*spacy.*cache_tag='…'"):
            parser(**settings).to_dict()
        with pytest.raises(SettingError, match="cache_tag"):
            IngestionPipeline(transformations=[parser(**settings)]).run(documents=DOCUMENTS)
    made = parser(embed_model=EMBED, sentence_splitter=SEGMENT, cache_tag="en_core_web_md 3.8")
    pipeline = IngestionPipeline(transformations=[made])
    assert content(pipeline.run(documents=DOCUMENTS)) == content(made(DOCUMENTS))
    data = made.to_dict()
    assert data["embed_model"] == data["sentence_splitter"] == {"cache_tag": "en_core_web_md 3.8"}
    assert data["resolved"]["embed_model"] == "caesura_documents:spacy_vectors"
    with pytest.raises(SettingError, match=r"from_dict\(data, embed_model=…\)"):
        parser.from_dict(data, sentence_splitter=SEGMENT)
    back = parser.from_dict(data, sentence_splitter=SEGMENT, embed_model=EMBED)
    assert content(back(DOCUMENTS)) == content(made(DOCUMENTS))


@parsers
def test_a_pickle_holds_the_pipeline_once(parser: Any) -> None:
    made = parser(embed_model=EMBED, sentence_splitter=SEGMENT)
    expected = content(made(DOCUMENTS))
    twin = pickle.loads(pickle.dumps(made))
    assert twin.embed_model.nlp is twin.sentence_splitter.nlp
    assert content(twin(DOCUMENTS)) == expected


def test_workers_give_the_same() -> None:
    made = DoublePassSemanticSplitter(embed_model=EMBED, sentence_splitter=SEGMENT, cache_tag="t")
    pipeline = IngestionPipeline(transformations=[made], disable_cache=True)
    assert content(pipeline.run(documents=DOCUMENTS, num_workers=2)) == content(made(DOCUMENTS))
