"""A function as `embed_model` is in the key and filed by its name; without a name it needs a cache tag."""

from __future__ import annotations

import json
import pickle
from copy import deepcopy
from functools import partial
from typing import Any

import pytest
from fakes.embedders.rows_of_words import Counting, embed, telling
from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import ARTICLE, cache_key, content, parsers
from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline

from caesura import SettingError
from caesura_static import StaticEmbedder
from llama_index.node_parser.caesura import DoublePassSemanticSplitter, OptimalSemanticSplitter

DOCUMENTS = [Document(text=ARTICLE, id_="a", metadata={"k": "v"}), Document(text=ARTICLE * 2, id_="b")]


@parsers
def test_a_function_with_a_name_is_filed_by_it_and_found_again(parser: Any) -> None:
    data = parser(embed_model=embed).to_dict()
    assert data["embed_model"] == "fakes.embedders.rows_of_words:embed"
    assert json.loads(json.dumps(data)) == data
    with pytest.raises(SettingError, match="trusted=True"):
        parser.from_dict(data)
    back = parser.from_dict(data, trusted=True)
    assert back.embed_model is embed
    assert back.to_dict() == data
    assert content(back(DOCUMENTS)) == content(parser(embed_model=embed)(DOCUMENTS))


def test_an_embedder_that_is_a_frozen_dataclass_is_filed_by_its_class_fields_and_version() -> None:
    data = OptimalSemanticSplitter(embed_model=StaticEmbedder()).to_dict()
    assert data["embed_model"] == {"class": "caesura_static.embedder:StaticEmbedder", "fields": {}}
    assert data["resolved"]["static"] == StaticEmbedder().version
    assert OptimalSemanticSplitter.from_dict(data, trusted=True).embed_model == StaticEmbedder()


@parsers
@pytest.mark.parametrize("function", [partial(embed), Counting(), lambda texts: embed(texts)])
def test_a_function_without_a_name_needs_a_cache_tag(parser: Any, function: Any) -> None:
    with pytest.raises(SettingError, match=r"embed_model=.*cache_tag"):
        parser(embed_model=function).to_dict()
    with pytest.raises(SettingError, match="cache_tag"):
        IngestionPipeline(transformations=[parser(embed_model=function)]).run(documents=DOCUMENTS)
    tagged = parser(embed_model=function, cache_tag="v1")
    assert tagged.to_dict()["embed_model"] == {"cache_tag": "v1"}
    nodes = IngestionPipeline(transformations=[tagged]).run(documents=DOCUMENTS)
    assert content(nodes) == content(parser(embed_model=function)(DOCUMENTS))
    with pytest.raises(SettingError, match=r"from_dict\(data, embed_model="):
        parser.from_dict(tagged.to_dict())
    assert content(parser.from_dict(tagged.to_dict(), embed_model=function)(DOCUMENTS)) == content(nodes)


@parsers
def test_a_function_that_is_gone_has_to_be_passed(parser: Any) -> None:
    data = {**parser().to_dict(), "embed_model": "fakes.embedders.rows_of_words:gone"}
    with pytest.raises(SettingError, match=r"gone.*from_dict\(data, embed_model="):
        parser.from_dict(data)


@parsers
def test_the_function_is_in_the_key(parser: Any) -> None:
    settings: list[dict[str, Any]] = [{}, {"embed_model": embed}, {"embed_model": telling}, {"embed_model": Words()}]
    settings += [{"embed_model": partial(embed), "cache_tag": tag} for tag in ("one", "two")]
    settings += [{"embed_model": Counting(), "cache_tag": "one"}, {"cache_tag": "one"}]
    keys = [cache_key(parser(**each)) for each in settings]
    assert len(set(keys)) == len(keys)


@parsers
def test_it_pickles_and_copies_or_says_what_does_not(parser: Any) -> None:
    made = parser(embed_model=Counting())
    expected = content(made(DOCUMENTS))
    for twin in (pickle.loads(pickle.dumps(made)), deepcopy(made)):
        assert content(twin(DOCUMENTS)) == expected
    with pytest.raises(SettingError, match=r"(?s)embed_model=.*another process.*num_workers=None"):
        pickle.dumps(parser(embed_model=lambda texts: embed(texts)))


@pytest.mark.thorough
def test_workers_give_the_same() -> None:
    made = DoublePassSemanticSplitter(embed_model=embed)
    pipeline = IngestionPipeline(transformations=[made], disable_cache=True)
    assert content(pipeline.run(documents=DOCUMENTS, num_workers=2)) == content(made(DOCUMENTS))
