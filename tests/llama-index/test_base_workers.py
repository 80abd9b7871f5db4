"""A splitter goes to other processes and makes the same nodes; what cannot be sent is refused, not dropped."""

from __future__ import annotations

import pickle
from importlib.metadata import version
from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import at_stops, content, documents, every_parser, letters, numbered
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.ingestion import IngestionPipeline
from packaging.version import Version

from caesura import SettingError
from llama_index.node_parser.caesura import (
    DoublePassSemanticSplitter,
    SemanticHierarchyParser,
    SemanticPercentileSplitter,
)

SENT = {"embed_model": Words(), "sentence_splitter": at_stops, "tokenizer": letters, "id_func": numbered}


@every_parser
def test_a_pickled_splitter_makes_the_same_nodes(parser: Any) -> None:
    made = parser(**SENT)
    before = made(documents())
    sent = pickle.loads(pickle.dumps(made))
    assert content(sent(documents())) == content(before)
    assert sent.to_dict() == made.to_dict()


@pytest.mark.thorough
@pytest.mark.parametrize(
    "parsers",
    [
        [DoublePassSemanticSplitter(chunk_size=60), SemanticPercentileSplitter(chunk_size=150, **SENT)],
        [SemanticHierarchyParser(chunk_sizes=[300, 100], **SENT)],
    ],
    ids=["splitters", "hierarchy"],
)
def test_two_workers_make_the_nodes_of_one_process(parsers: list[Any]) -> None:
    pipeline = IngestionPipeline(transformations=[*parsers, MockEmbedding(embed_dim=2)])
    serial = IngestionPipeline(transformations=pipeline.transformations, disable_cache=True).run(documents=documents())
    assert content(pipeline.run(documents=documents(), num_workers=2)) == content(serial)
    if Version(version("llama-index-core")) >= Version("0.14.22"):  # before, it drops what workers have cached
        assert pipeline.cache.cache.get_all(collection=pipeline.cache.collection)


def nested() -> Any:
    return lambda text: [text]


class Unpicklable(Words):
    """What cannot be sent anywhere."""

    def __getstate__(self) -> Any:
        raise TypeError("not to be pickled")


@every_parser
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sentence_splitter", lambda text: [text]),
        ("tokenizer", nested()),
        ("id_func", lambda i, doc: f"{doc.node_id}{i}"),
        ("embed_model", Unpicklable()),
    ],
)
def test_a_setting_that_cannot_be_sent_is_refused_and_not_dropped(parser: Any, name: str, value: Any) -> None:
    made = parser(**{name: value}, cache_tag="v1")
    with pytest.raises(SettingError, match=rf"(?s){name}=.*num_workers=None"):
        pickle.dumps(made)
    assert made(documents())


def test_workers_refuse_what_cannot_be_sent() -> None:
    made = DoublePassSemanticSplitter(tokenizer=nested(), cache_tag="v1")
    with pytest.raises(SettingError, match="tokenizer"):
        IngestionPipeline(transformations=[made]).run(documents=documents(), num_workers=2)
