"""Every splitter is in both plugins, in what LlamaIndex's `from_dict` knows, in the lab, a cut for levels, tried."""

from __future__ import annotations

from typing import get_args

import pytest
from fakes.langchain.splitters import SPLITTERS as TRIED_IN_LANGCHAIN
from fakes.llama_index.parsers import PARSERS as TRIED_IN_LLAMA_INDEX
from llama_index.core import Document
from llama_index.node_parser import caesura as llama_index_caesura

import langchain_caesura
from caesura.host.settings import LEVEL_CUTS, LevelCut
from caesura_lab.splitters.methods import OURS
from langchain_caesura.base import BaseSemanticSplitter
from llama_index.node_parser.caesura.splitters import SPLITTERS, splitter_from_dict

OTHERWISE = {"SemanticSplitter", "SemanticHierarchySplitter"}
"""The one that takes a cut of one's own, and the one that LlamaIndex has as `SemanticHierarchyParser`."""
CLASSES = sorted(
    {
        name
        for name, found in vars(langchain_caesura).items()
        if isinstance(found, type) and issubclass(found, BaseSemanticSplitter)
    }
    - OTHERWISE
    | {each.class_name for each in OURS.values()}
)
LISTS = {
    "__all__ in langchain_caesura/__init__.py": set(langchain_caesura.__all__),
    "__all__ in llama_index/node_parser/caesura/__init__.py": set(llama_index_caesura.__all__),
    "SPLITTERS in llama_index/node_parser/caesura/splitters.py": {each.__name__ for each in SPLITTERS},
    "OURS in caesura_lab/splitters/methods.py": {each.class_name for each in OURS.values()},
    "SPLITTERS in tests/fakes/langchain/splitters.py": {each.__name__ for each in TRIED_IN_LANGCHAIN},
    "PARSERS in tests/fakes/llama_index/parsers.py": {each.__name__ for each in TRIED_IN_LLAMA_INDEX},
}


def test_every_splitter_is_in_each_list() -> None:
    assert len(CLASSES) >= 4
    missing = {where: set(CLASSES) - names for where, names in LISTS.items()}
    assert {where: names for where, names in missing.items() if names} == {}


def test_every_splitter_of_the_lab_is_a_cut_for_levels() -> None:
    names = {name.replace("-", "_") for name in OURS}
    assert names == set(LEVEL_CUTS), "LEVEL_CUTS in caesura/host/settings.py"
    assert names == set(get_args(LevelCut)), "LevelCut in caesura/host/settings.py"


@pytest.mark.parametrize("name", CLASSES)
def test_a_splitter_comes_back_from_its_dict(name: str) -> None:
    kind = getattr(llama_index_caesura, name)
    parser = kind(chunk_size=77)
    again = splitter_from_dict(parser.to_dict(), trusted=False)
    assert type(again) is kind
    assert again.chunk_size == 77
    assert again([Document(text="One. Two.", id_="a")]) == parser([Document(text="One. Two.", id_="a")])
