"""Whatever can change what language-model work makes changes its cache key."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.llama_index.llms import OwnWay, Plain, told
from fakes.llama_index.parsers import numbered
from llama_index.core import Settings

from caesura_llm.prompts import Prompt
from llama_index.node_parser.caesura import (
    DoublePassSemanticSplitter,
    HierarchyIndex,
    PropositionTransformer,
    StaticEmbedding,
    SummaryTransformer,
)


@pytest.mark.parametrize(
    "other",
    [
        {"prompt": Prompt("propositions", "1", "Other words.")},
        {"prompt": Prompt("propositions", "2", "Break.")},
        {"llm": Plain(temperature=0.5)},
        {"llm": OwnWay()},
        {"on_failure": "keep"},
        {"splitter": DoublePassSemanticSplitter(chunk_size=99)},
        {"splitter": None},
        {"budget": 99},
        {"structured": True},
        {"title_key": None},
        {"include_passages": True},
        {"id_func": numbered},
    ],
)
def test_what_changes_what_comes_out_changes_the_key(other: dict[str, Any]) -> None:
    base = PropositionTransformer(llm=Plain())
    assert PropositionTransformer(llm=Plain()).to_dict() == base.to_dict()
    assert PropositionTransformer(**{"llm": Plain(), **other}).to_dict() != base.to_dict()


def test_the_llm_of_the_settings_is_in_the_key() -> None:
    Settings.llm = Plain()
    before = SummaryTransformer().to_dict()
    Settings.llm = Plain(temperature=1.0)
    assert SummaryTransformer().to_dict() != before


def test_a_new_version_of_caesura_makes_no_document_of_an_index_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    index = HierarchyIndex(transformations=[SummaryTransformer(Plain())], embed_model=StaticEmbedding())
    index.upsert(told(1))
    before = index.transformations[0].to_dict()
    monkeypatch.setattr("caesura.__version__", "9.9")
    assert index.transformations[0].to_dict() != before
    assert index.upsert(told(1)).unchanged == 1
