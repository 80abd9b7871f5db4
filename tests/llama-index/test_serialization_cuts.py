"""A cut is filed by its name, a frozen dataclass with its settings; one without a name needs a tag."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from fakes.llama_index.llms import Plain
from fakes.llama_index.parsers import ONE_ARTICLE, cache_key, content, same
from fakes.splitters.own_cuts import Deep, Each, Worked, called, every_third, lengths_apart, nowhere, returning
from llama_index.core.ingestion import IngestionPipeline

from caesura import (
    Adjacent,
    Average,
    ClusterCut,
    Count,
    DoublePassCut,
    Elbow,
    NClusters,
    OptimalCut,
    Overlapping,
    PercentileCut,
    SettingError,
)
from llama_index.node_parser.caesura import OptimalSemanticSplitter, PropositionTransformer, SemanticSplitter

OURS: list[Any] = [
    DoublePassCut(),
    DoublePassCut(look_ahead=2),
    OptimalCut(),
    OptimalCut(n_chunks=30),
    ClusterCut(),
    ClusterCut(Average(), NClusters(3)),
    ClusterCut(stop=Elbow()),
    PercentileCut(),
    PercentileCut(gaps=Overlapping(2)),
    PercentileCut(threshold=Count(3)),
]
OTHERS: list[Any] = [
    every_third,
    nowhere,
    Each(2),
    Each(4),
    Deep(),
    Deep(least=0.4),
    Deep(note="0.5"),
    Deep(note="fakes.splitters.own_cuts:lengths_apart"),
    Deep(lengths_apart),
    Deep(Adjacent(4)),
]


def test_a_cut_is_filed_by_its_name_and_settings() -> None:
    filed = [
        SemanticSplitter(cut=cut).to_dict()["cut"]
        for cut in (every_third, Deep(lengths_apart), OptimalCut(penalty=0.9))
    ]
    assert filed == [
        "fakes.splitters.own_cuts:every_third",
        {
            "class": "fakes.splitters.own_cuts:Deep",
            "fields": {"gaps": {"function": "fakes.splitters.own_cuts:lengths_apart"}, "least": 0.5, "note": None},
        },
        {
            "class": "caesura:OptimalCut",
            "fields": {
                "confidence": 0.95,
                "penalty": 0.9,
                "n_chunks": None,
                "structure": 0.3,
                "half_weight": 0.25,
            },
        },
    ]


@pytest.mark.parametrize("cut", [*OURS, *OTHERS], ids=called)
def test_a_dict_and_json_bring_it_back(cut: Any) -> None:
    made = SemanticSplitter(cut=cut, chunk_size=60)
    data = made.to_dict()
    assert json.loads(json.dumps(data)) == data
    same(made, SemanticSplitter.from_dict(data, trusted=True))
    same(made, SemanticSplitter.from_json(made.to_json(), trusted=True))
    same(made, SemanticSplitter.from_dict({**data, "cut": None}, cut=cut))


@pytest.mark.parametrize("cut", OURS, ids=repr)
def test_the_cores_cuts_need_no_trust(cut: Any) -> None:
    assert SemanticSplitter.from_dict(SemanticSplitter(cut=cut).to_dict()).cut == cut


@pytest.mark.parametrize("cut", [every_third, Each(2), Deep(), PercentileCut(gaps=lengths_apart)], ids=called)
def test_what_is_not_the_cores_is_imported_by_those_who_trust_the_data(cut: Any) -> None:
    data = SemanticSplitter(cut=cut).to_dict()
    with pytest.raises(
        SettingError, match=r"import cut='fakes.splitters.own_cuts:.*from_dict\(data, cut=…\).*trusted=True"
    ):
        SemanticSplitter.from_dict(data)
    assert SemanticSplitter.from_dict(data, cut=cut).cut == cut


def test_every_cut_makes_another_key() -> None:
    keys = [cache_key(SemanticSplitter(cut=cut)) for cut in (*OURS, *OTHERS)]
    keys += [cache_key(SemanticSplitter(cut=returning(None), cache_tag=tag)) for tag in ("one", "two")]
    keys.append(cache_key(OptimalSemanticSplitter()))
    for one, other in combinations(keys, 2):
        assert one != other
    assert keys[: len(OURS)] == [cache_key(SemanticSplitter(cut=cut)) for cut in OURS]
    assert cache_key(SemanticSplitter(cut=Each(np.int64(2)))) == cache_key(SemanticSplitter(cut=Each(2)))


def test_the_core_may_move_a_cut_to_another_file(monkeypatch: pytest.MonkeyPatch) -> None:
    made = SemanticSplitter(cut=OptimalCut())
    data = made.to_dict()
    monkeypatch.setattr(OptimalCut, "__module__", "caesura.moved.here")
    assert made.to_dict() == data
    assert SemanticSplitter.from_dict(data).cut == made.cut


class Loose:
    def __call__(self, *given: Any) -> Any:
        return every_third(*given)


@dataclass
class Changing(Loose):
    count: int = 3


@dataclass(frozen=True)
class Holding(Loose):
    held: Any = None


@dataclass(frozen=True)
class Keyed(Loose):
    api_key: str = field(default="sk-topsecret", repr=False)


def local() -> Any:
    @dataclass(frozen=True)
    class Inner(Loose):
        count: int = 3

    return Inner()


UNNAMED = [
    lambda *given: every_third(*given),
    partial(every_third),
    Loose(),
    Loose().__call__,
    Changing(),
    Holding([1, 2]),
    Holding(np.array([1.0])),
    Holding(lambda: 3),
    Holding(Changing()),
    Keyed(),
    local(),
]


@pytest.mark.parametrize("cut", UNNAMED, ids=lambda cut: type(cut).__name__)
def test_a_cut_without_a_name_needs_a_cache_tag(cut: Any) -> None:
    made, tagged = SemanticSplitter(cut=cut), SemanticSplitter(cut=cut, cache_tag="v1")
    with pytest.raises(SettingError, match=r"cut.*=.* has no name to be filed under.*frozen dataclass.*cache_tag='…'"):
        made.to_dict()
    with pytest.raises(SettingError, match="cache_tag"):
        IngestionPipeline(transformations=[made]).run(documents=ONE_ARTICLE)
    nodes = IngestionPipeline(transformations=[made], disable_cache=True).run(documents=ONE_ARTICLE)
    assert content(nodes) == content(IngestionPipeline(transformations=[tagged]).run(documents=ONE_ARTICLE))
    assert tagged.to_dict()["cut"] == {"cache_tag": "v1"}
    with pytest.raises(SettingError, match=r"cannot make cut .*from_dict\(data, cut="):
        SemanticSplitter.from_dict(tagged.to_dict(), trusted=True)
    assert SemanticSplitter.from_dict(tagged.to_dict(), cut=cut).cut is cut


def test_a_field_that_follows_from_others_is_not_filed() -> None:
    made = SemanticSplitter(cut=Worked(4))
    assert made.to_dict()["cut"]["fields"] == {"count": 4}
    same(made, SemanticSplitter.from_dict(made.to_dict(), trusted=True))


@pytest.mark.parametrize(
    "cut",
    [
        {"class": "caesura:OptimalCut", "fields": {"gone": 1}},
        {"class": "caesura:OptimalCut", "fields": [1]},
        {"class": "caesura:Gone", "fields": {}},
        {"class": "builtins:list", "fields": {}},
        {"class": "caesura:SettingError", "fields": {}},
        {"class": "caesura:sentences", "fields": {"text": "one"}},
        {"class": "caesura:Limits", "fields": {}},
        {"class": "os:system", "fields": {"command": "true"}},
        {"class": "caesura:PercentileCut", "fields": {"gaps": {"function": "os:system"}}},
        {"class": "caesura:PercentileCut", "fields": {"gaps": {"class": "subprocess:Popen", "fields": {"args": "x"}}}},
        {"function": "builtins:eval"},
        "os:system",
        "builtins:list",
        {},
        3,
    ],
    ids=repr,
)
def test_a_dict_names_nothing_that_then_runs(cut: Any) -> None:
    data = {**SemanticSplitter(cut=OptimalCut()).to_dict(), "cut": cut}
    with pytest.raises(SettingError, match="cut"):
        SemanticSplitter.from_dict(data)


def test_what_asks_a_language_model_brings_its_splitter_back() -> None:
    made = PropositionTransformer(Plain(), splitter=SemanticSplitter(cut=OptimalCut(penalty=0.9)))
    assert PropositionTransformer.from_dict(made.to_dict(), llm=Plain()).splitter.cut == OptimalCut(penalty=0.9)
