"""A dict of settings names no function that then runs."""

from __future__ import annotations

import pytest

from caesura import SettingError
from llama_index.node_parser.caesura import DoublePassSemanticSplitter as Parser


@pytest.mark.parametrize(
    "name", ["os:system", "builtins:eval", "builtins:exec", "builtins:open", "subprocess:getoutput"]
)
@pytest.mark.parametrize("setting", ["tokenizer", "sentence_splitter", "id_func", "embed_model"])
def test_a_dict_names_no_function_that_then_runs(name: str, setting: str) -> None:
    data = {**Parser().to_dict(), setting: name}
    with pytest.raises(SettingError, match="trusted=True"):
        Parser.from_dict(data)


def test_a_dict_may_name_types_and_methods_that_are_built_in() -> None:
    data = {**Parser().to_dict(), "tokenizer": "builtins:list", "sentence_splitter": "builtins:str.splitlines"}
    assert Parser.from_dict(data).tokenizer is list
    assert Parser.from_dict(data).sentence_splitter is str.splitlines
