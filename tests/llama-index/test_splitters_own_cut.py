"""`SemanticSplitter(cut=…)`: a cut of one's own, or the core's, in a LlamaIndex parser; what is no cut is refused."""

from __future__ import annotations

import pickle
from copy import deepcopy
from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import ARTICLE, ONE_ARTICLE, content, documents, linked, parsers, sizes, slices, spans
from fakes.splitters.own_cuts import Deep, Each, every_third, lengths_apart, nowhere, returning
from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import NodeParser

from caesura import OptimalCut, SettingError, units
from llama_index.node_parser.caesura import (
    SemanticSplitter,
)

CUTS = [every_third, Each(2), Deep(), Deep(lengths_apart, 0.3), OptimalCut()]
own_cuts = pytest.mark.parametrize("cut", CUTS, ids=["function", "dataclass", "scored", "nested", "core"])


def test_nodes_begin_where_the_cut_says() -> None:
    edges = units(ARTICLE)
    nodes = SemanticSplitter(cut=every_third, chunk_size=None)(ONE_ARTICLE)
    assert [node.start_char_idx for node in nodes] == edges[:-1:3].tolist()
    assert isinstance(SemanticSplitter.from_defaults(cut=every_third), NodeParser)


@own_cuts
async def test_called_awaited_and_sent_it_makes_the_same_nodes(cut: Any) -> None:
    parser = SemanticSplitter(cut=cut, chunk_size=40)
    nodes = parser(documents())
    assert content(await parser.acall(documents())) == content(nodes)
    assert content(pickle.loads(pickle.dumps(parser))(documents())) == content(nodes)
    assert content(deepcopy(parser)(documents())) == content(nodes)
    linked(parser(ONE_ARTICLE))
    for document in documents():
        slices(document, [node for node in nodes if node.ref_doc_id == document.node_id])


@pytest.mark.parametrize("cut", [nowhere, Each(50)], ids=["nowhere", "long"])
def test_the_size_holds_though_the_cut_looks_at_no_limit(cut: Any) -> None:
    given = [Document(text=ARTICLE, metadata={"author": "a keeper of lamps"})]
    nodes = SemanticSplitter(cut=cut, chunk_size=60, tokenizer=str.split)(given)
    assert len(nodes) > 1
    assert max(sizes(nodes, str.split)) <= 60
    (whole,) = SemanticSplitter(cut=nowhere, chunk_size=None)(given)
    assert whole.text == ARTICLE.strip()


async def test_a_pipeline_cuts_once_for_each_cut() -> None:
    model = Words()
    pipeline = IngestionPipeline(transformations=[SemanticSplitter(cut=Each(2), embed_model=model)])
    first = pipeline.run(documents=documents())
    asked = len(model.all_calls)
    pipeline.transformations = [SemanticSplitter(cut=Each(2), embed_model=model)]
    assert content(pipeline.run(documents=documents())) == content(first)
    assert content(await pipeline.arun(documents=documents())) == content(first)
    assert len(model.all_calls) == asked
    pipeline.transformations = [SemanticSplitter(cut=Each(3), embed_model=model)]
    assert spans(pipeline.run(documents=documents())) != spans(first)
    assert len(model.all_calls) > asked


@pytest.mark.thorough
def test_a_pipeline_of_several_processes_takes_it() -> None:
    parser = SemanticSplitter(cut=Each(2), chunk_size=60)
    pipeline = IngestionPipeline(transformations=[parser], disable_cache=True)
    assert content(pipeline.run(documents=documents(), num_workers=2)) == content(parser(documents()))
    with pytest.raises(SettingError, match=r"cut=.*cannot be sent to another process"):
        pickle.dumps(SemanticSplitter(cut=returning(None)))


@parsers
def test_the_named_splitters_have_their_own(parser: Any) -> None:
    with pytest.raises(ValueError, match=r"has no setting cut=<function every_third.*: it has .*background, "):
        parser(cut=every_third)
