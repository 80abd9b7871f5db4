"""Limits, stages and documents that are refused at the door, each with what was needed and what came."""

from __future__ import annotations

import pytest
from fakes.embedders.rows_of_words import embed
from fakes.splitters.every_stop import EVERY_STOP, TEXT, segmented

from caesura import ClusterCut, Count, Limits, NClusters, OptimalCut, PercentileCut, SettingError, Splitter
from caesura.hierarchy import Hierarchy
from caesura.types import Cut


@pytest.mark.parametrize("value", [0, -5, True, 10.0, "10", float("nan")])
def test_a_max_size_that_is_no_whole_number_over_0_is_refused(value: object) -> None:
    with pytest.raises(SettingError, match=rf"^max_size must be a whole number of at least 1, got {value!r}$"):
        Limits(max_size=value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [-1, True, 1.5, None])
def test_a_min_size_that_is_no_whole_number_is_refused(value: object) -> None:
    with pytest.raises(SettingError, match=rf"^min_size must be a whole number of at least 0, got {value!r}$"):
        Limits(min_size=value)  # type: ignore[arg-type]


def test_a_min_size_over_the_max_size_is_refused() -> None:
    assert Limits(10, 10) == Limits(max_size=10, min_size=10)
    with pytest.raises(SettingError, match=r"^min_size=11 must not be over max_size=10$"):
        Limits(10, 11)


@pytest.mark.parametrize(
    "cut", [OptimalCut(n_chunks=3), ClusterCut(stop=NClusters(3)), PercentileCut(threshold=Count(3))]
)
def test_a_number_of_chunks_and_a_target_exclude_one_another(cut: Cut) -> None:
    said = r"^a number of chunks, 3, and target_size=80 exclude one another: leave one of them out$"
    with pytest.raises(SettingError, match=said):
        Splitter(Limits(target_size=80), cut=cut)
    with pytest.raises(SettingError, match=said):
        Hierarchy(((Limits(200, 0, 80), cut),))
    with pytest.raises(SettingError, match=said):
        Splitter(cut=cut).prepare(["a", "b"], [Limits(), Limits(target_size=80)])
    assert len(Splitter(cut=cut).split(TEXT, embed)) == 3


@pytest.mark.parametrize(("document", "kind"), [(None, "NoneType"), (b"bytes", "bytes"), (3, "int"), (["a"], "list")])
def test_a_document_that_is_no_str_is_named_by_its_place(document: object, kind: str) -> None:
    with pytest.raises(SettingError, match=rf"^a document must be a str, got {kind} at position 1$"):
        Splitter().split_many(["a", document], embed)  # type: ignore[list-item]
    with pytest.raises(SettingError, match=rf"got {kind} at position 0$"):
        Splitter().split(document, embed)  # type: ignore[arg-type]


def test_one_str_in_place_of_documents_is_refused() -> None:
    with pytest.raises(SettingError, match=r"^texts must be a sequence of str, got one str: pass \[text\]$"):
        Splitter().prepare("text")


@pytest.mark.parametrize("name", ["size", "segment", "cut", "view"])
@pytest.mark.parametrize("value", [3, "joined"])
def test_a_stage_that_is_not_callable_is_refused(name: str, value: object) -> None:
    with pytest.raises(SettingError, match=rf"^{name} must be callable.*, got {value!r}$"):
        Splitter(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [1200, None, (1200, 0)])
def test_limits_that_are_no_limits_are_refused(value: object) -> None:
    with pytest.raises(SettingError) as caught:
        Splitter(limits=value)  # type: ignore[arg-type]
    assert str(caught.value) == f"limits must be Limits(max_size=…, min_size=…), got {value!r}"
    with pytest.raises(SettingError) as caught:
        Splitter().prepare(["a", "b"], [Limits(), value])  # type: ignore[list-item]
    assert str(caught.value) == f"limits must be Limits(max_size=…, min_size=…), got {value!r}"


def test_a_background_that_is_no_background_is_refused() -> None:
    with pytest.raises(
        SettingError, match=r"^background must be a Background, such as calibrate\(embed\), got \[1.0\]$"
    ):
        Splitter(background=[1.0])  # type: ignore[arg-type]


def test_limits_of_another_number_are_refused() -> None:
    with pytest.raises(SettingError, match=r"^limits must be one per text: expected 2, got 1$"):
        Splitter().prepare(["a", "b"], [Limits()])


@pytest.mark.parametrize("overlap", [-1, 1.5, True])
def test_an_overlap_that_is_no_whole_number_is_refused(overlap: object) -> None:
    with pytest.raises(SettingError, match="overlap"):
        segmented(EVERY_STOP, TEXT).chunks(overlap)  # type: ignore[arg-type]


@pytest.mark.parametrize("limits", [Limits(), Limits(max_size=40)])
@pytest.mark.parametrize("faulty", [None, "12", float("nan"), -1, float("inf"), [1, 2], True])
def test_a_sizer_that_returns_no_size_in_the_middle_of_a_text_is_told_with_the_text(
    faulty: object, limits: Limits
) -> None:
    def size(text: str) -> object:
        return faulty if "moon" in text else len(text)

    text = "Tea is hot. The moon is far. Tea is brewed."
    with pytest.raises(SettingError, match=r"the sizer must return a whole number, .*moon.* it returned "):
        Splitter(limits, size=size).split(text, lambda texts: [[1.0, 0.0]] * len(texts))  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="the sizer must return a whole number"):
        Hierarchy(((limits, OptimalCut()),), size=size).split(text, lambda texts: [[1.0, 0.0]] * len(texts))  # type: ignore[arg-type]


@pytest.mark.parametrize("faulty", [None, "12", float("nan")])
def test_a_sizer_that_returns_no_size_of_a_chunk_is_told_with_the_chunk(faulty: object) -> None:
    def size(text: str) -> object:
        return faulty if broken and text.count(".") > 1 else len(text)

    def rows(texts: list[str]) -> list[list[float]]:
        return [[1.0, 0.0]] * len(texts)

    broken, text = True, "Tea is hot. The moon is far. Tea is brewed."
    with pytest.raises(SettingError, match=r"the sizer must return a whole number, .*'Tea is hot. The moon.* returned"):
        Splitter(Limits(30), size=size, cut=OptimalCut()).split(text, rows)  # type: ignore[arg-type]
    broken = False
    splitter = Splitter(Limits(30), size=size)  # type: ignore[arg-type]
    batch = splitter.prepare([text])
    made = splitter.finish(batch, rows(list(batch.texts)))[0]
    broken = True
    with pytest.raises(SettingError, match=r"the sizer must return a whole number, .*'The moon is far. Tea"):
        made.chunks(overlap=18)
