"""Every splitter is in both plugins, in what LlamaIndex's `from_dict` knows, in the lab, and a cut for levels."""

from __future__ import annotations

import pytest
from llama_index.core import Document
from llama_index.node_parser import caesura as llama_index_caesura

import langchain_caesura
from caesura.plugin.settings import LEVEL_CUTS
from caesura_lab.splitters.methods import OURS
from langchain_caesura.base import BaseSemanticSplitter
from llama_index.node_parser.caesura.splitters import splitter_from_dict

OTHERWISE = {"SemanticSplitter", "SemanticHierarchySplitter"}
"""The one that takes a cut of one's own, and the one that LlamaIndex has as `SemanticHierarchyParser`."""
CLASSES = sorted(
    {
        name
        for name, found in vars(langchain_caesura).items()
        if isinstance(found, type) and issubclass(found, BaseSemanticSplitter)
    }
    - OTHERWISE
)


def test_there_are_four() -> None:
    assert len(CLASSES) >= 4
    assert len(OURS) == len(LEVEL_CUTS) == len(CLASSES)


@pytest.mark.parametrize("name", CLASSES)
def test_a_splitter_is_in_both_plugins_and_in_the_lab(name: str) -> None:
    kind = getattr(llama_index_caesura, name)
    parser = kind(chunk_size=77)
    again = splitter_from_dict(parser.to_dict(), trusted=False)
    assert type(again) is kind
    assert again.chunk_size == 77
    assert again([Document(text="One. Two.", id_="a")]) == parser([Document(text="One. Two.", id_="a")])
    (method,) = (method for method, ours in OURS.items() if ours.class_name == name)
    assert method.replace("-", "_") in LEVEL_CUTS
