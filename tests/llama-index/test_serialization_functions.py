"""A function among the settings is filed by its name; one without a name needs a cache tag, and to be passed."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import pytest
from fakes.llama_index.parsers import ARTICLE, at_lines, content, letters, numbered, parsers, same
from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline

from caesura import SettingError
from llama_index.node_parser.caesura import DoublePassSemanticSplitter


@parsers
def test_functions_are_filed_by_their_name(parser: Any) -> None:
    data = parser(sentence_splitter=at_lines, tokenizer=list, id_func=numbered).to_dict()
    assert data["sentence_splitter"] == "fakes.llama_index.parsers:at_lines"
    assert data["tokenizer"] == "builtins:list"
    assert data["id_func"] == "fakes.llama_index.parsers:numbered"


@parsers
def test_a_method_of_a_builtin_type_has_a_name(parser: Any) -> None:
    data = parser(tokenizer=str.split).to_dict()
    assert data["tokenizer"] == "builtins:str.split"
    assert parser.from_dict(data).tokenizer is str.split


def closure(n: int) -> Any:
    def inner(text: str) -> list[str]:
        return [text[i : i + n] for i in range(0, len(text), n)]

    return inner


UNNAMED = [lambda text: [text], closure(9), partial(at_lines), partial(str.splitlines, keepends=True), letters.__call__]


@parsers
@pytest.mark.parametrize(
    ("name", "function"),
    [*product(["sentence_splitter", "tokenizer"], UNNAMED), ("id_func", lambda i, doc: f"{doc.node_id}{i}")],
)
def test_a_function_without_a_name_needs_a_cache_tag(parser: Any, name: str, function: Any) -> None:
    document = Document(text=ARTICLE, id_="a")
    made, tagged = parser(**{name: function}), parser(**{name: function}, cache_tag="v1")
    with pytest.raises(SettingError, match=rf"{name}.*cache_tag"):
        made.to_dict()
    with pytest.raises(SettingError, match="cache_tag"):
        IngestionPipeline(transformations=[made]).run(documents=[document])
    nodes = IngestionPipeline(transformations=[made], disable_cache=True).run(documents=[document])
    assert content(nodes) == content(IngestionPipeline(transformations=[tagged]).run(documents=[document]))
    with pytest.raises(SettingError, match=rf"from_dict\(data, {name}="):
        parser.from_dict(tagged.to_dict())
    same(tagged, parser.from_dict(tagged.to_dict(), **{name: function}))


def test_a_function_that_is_gone_has_to_be_passed() -> None:
    data = {**DoublePassSemanticSplitter().to_dict(), "tokenizer": "fakes.llama_index.parsers:gone"}
    with pytest.raises(SettingError, match=r"gone.*from_dict\(data, tokenizer="):
        DoublePassSemanticSplitter.from_dict(data, trusted=True)
