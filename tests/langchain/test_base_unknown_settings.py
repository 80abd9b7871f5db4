"""A setting that a splitter does not have is refused by the splitter's own name, with the one that is near."""

from __future__ import annotations

from inspect import signature
from typing import Any

import pytest
from fakes.langchain.splitters import Bag, every_splitter
from langchain_core.language_models import FakeListChatModel

from caesura import SettingError
from langchain_caesura import (
    AgenticSplitter,
    ClusterSemanticSplitter,
    DescriptionTransformer,
    DoublePassSemanticSplitter,
    OptimalSemanticSplitter,
    PropositionTransformer,
    SemanticHierarchySplitter,
    SemanticPercentileSplitter,
    SemanticSplitter,
    SummaryTransformer,
)
from langchain_caesura.base import SplitterSettings

NEAR: list[tuple[Any, dict[str, Any], str]] = [
    (DoublePassSemanticSplitter, {"merge_threshold": 0.5}, r"merge_threshold=0\.5: did you mean merging_threshold\?"),
    (DoublePassSemanticSplitter, {"cut": len}, "cut=<built-in function len>: it has add_start_index, "),
    (SemanticPercentileSplitter, {"breakpoint_type": "gradient"}, "did you mean breakpoint_threshold_type"),
    (OptimalSemanticSplitter, {"buffer_size": 1}, "buffer_size=1: SemanticPercentileSplitter has it$"),
    (OptimalSemanticSplitter, {"number_of_chunks": 2}, "SemanticPercentileSplitter has it, and Opt.* has n_chunks$"),
    (DoublePassSemanticSplitter, {"breakpoint_threshold_type": "gradient"}, "SemanticPercentileSplitter has it$"),
    (ClusterSemanticSplitter, {"breakpoint_threshold_amount": 9}, "SemanticPercentileSplitter has it$"),
    (
        SemanticPercentileSplitter,
        {"breakpoint_percentile_threshold": 95},
        r"=95: did you mean breakpoint_threshold_amount\?$",
    ),
    (DoublePassSemanticSplitter, {"merging_range": 1}, "merging_range=1: look_ahead is its name here$"),
    (OptimalSemanticSplitter, {"merging_range": 1}, "merging_range=1: it has add_start_index, "),
    (OptimalSemanticSplitter, {"target": 300}, "did you mean target_size"),
    (ClusterSemanticSplitter, {"clusters": 3}, "did you mean n_clusters"),
    (SemanticHierarchySplitter, {"chunk_size": 300}, "chunk_size=300: did you mean chunk_sizes"),
    (
        SemanticHierarchySplitter,
        {"min_units": 3},
        "min_units=3: it has background, batch_size, calibrated, ",
    ),
    (SemanticSplitter, {"cut": len, "chunksize": 3}, "did you mean chunk_size"),
]


@every_splitter
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"chunksize": 3}, r"no setting chunksize=3: did you mean chunk_size\?$"),
        ({"embedding": "x"}, r"no setting embedding='x': did you mean embeddings\?$"),
        (
            {"separators": ["\n"]},
            r"no setting separators=\['\\n'\]: sentence_splitter takes its place here: chunks end",
        ),
        ({"keep_separator": True}, "no setting keep_separator=True: strip_whitespace is the nearest setting: chunks"),
        ({"tokenizer": len}, "no setting tokenizer=<built-in function len>: length_function takes its place here"),
        ({"embed_model": "settings"}, "no setting embed_model='settings': embeddings is its name here$"),
        ({"max_chunk_size": 9}, "no setting max_chunk_size=9: chunk_size is its name here$"),
        ({"max_size": 9}, "no setting max_size=9: chunk_size is its name here$"),
        ({"min_size": 9}, "no setting min_size=9: (min_chunk_size is its name here$|it has .*chunk_sizes)"),
        (
            {"breakpoint_percentile_threshold": 95},
            r"no setting .*=95: (SemanticPercentileSplitter has it as |did you mean )breakpoint_threshold_amount\??$",
        ),
    ],
    ids=lambda case: next(iter(case)) if isinstance(case, dict) else "",
)
def test_a_setting_of_none_is_refused_with_the_one_that_is_near(cls: Any, settings: Any, message: str) -> None:
    with pytest.raises(SettingError, match=f"^{cls.__name__} has {message}".replace(".*embeddings.*chunk_size", "")):
        cls(**settings)


@pytest.mark.parametrize(("cls", "settings", "message"), NEAR, ids=lambda case: getattr(case, "__name__", ""))
def test_so_is_one_of_another_splitter(cls: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=f"^{cls.__name__} has no setting .*{message}"):
        cls(**settings)


@pytest.mark.parametrize("cls", [AgenticSplitter, SummaryTransformer, PropositionTransformer, DescriptionTransformer])
def test_so_is_one_of_what_asks_a_model(cls: Any) -> None:
    with pytest.raises(SettingError, match=rf"^{cls.__name__} has no setting max_concurency=3: did you mean max_c"):
        cls(FakeListChatModel(responses=[]), max_concurency=3)


def test_a_program_may_take_it_for_what_python_says_or_for_a_wrong_value() -> None:
    for kind in (TypeError, ValueError):
        with pytest.raises(kind, match="did you mean chunk_size"):
            DoublePassSemanticSplitter(chunksize=3)  # type: ignore[call-arg]


def test_what_it_is_said_to_have_it_has() -> None:
    with pytest.raises(SettingError) as told:
        OptimalSemanticSplitter(colour="red")  # type: ignore[call-arg]
    for name in str(told.value).partition(": it has ")[2].split(", "):
        assert name in signature(OptimalSemanticSplitter).parameters or name in SplitterSettings.__annotations__


def test_the_peers_names_are_checked_too() -> None:
    with pytest.raises(SettingError, match=r"^SemanticPercentileSplitter has no setting"):
        SemanticPercentileSplitter.like_semantic_chunker(Bag(), chunk_sise=3)


def test_a_subclass_has_its_own_settings_too() -> None:
    class Mine(DoublePassSemanticSplitter):
        def __init__(self, *, colour: str = "red", **settings: Any) -> None:
            super().__init__(**settings)
            self.colour = colour

    assert Mine(colour="blue", chunk_size=300).colour == "blue"
    with pytest.raises(SettingError, match=r"^Mine has no setting color='blue': did you mean colour\?"):
        Mine(color="blue")
    with pytest.raises(SettingError, match=r"^Mine has no setting look_ahed=2: did you mean look_ahead\?"):
        Mine(look_ahed=2)
