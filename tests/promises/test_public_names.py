"""The public names: all there, all described, all picklable; settings cannot be changed and are equal by value."""

from __future__ import annotations

import copy
import importlib
import pickle
import tomllib
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace
from pathlib import Path

import pytest
from fakes.texts.drawn_texts import at_stops

import caesura
from caesura import (
    Adjacent,
    Average,
    Background,
    Batch,
    CaesuraError,
    Chunk,
    ClusterCut,
    Cohesion,
    Count,
    DistanceThreshold,
    DoublePassCut,
    Elbow,
    EmbeddingError,
    Gradient,
    Interquartile,
    Limits,
    NClusters,
    OptimalCut,
    Overlapping,
    Percentile,
    PercentileCut,
    Segmentation,
    SegmentError,
    SettingError,
    Silhouette,
    Span,
    Splitter,
    StandardDeviation,
    Ward,
    aligned,
    calibrate,
    joined,
    sentences,
    tokens,
    units,
    utf8_bytes,
    words,
)
from caesura.host.settings import CUTS

VALUES = {
    **{cut: cut() for cut in CUTS.values()},
    Adjacent: Adjacent(2),
    Average: Average(),
    Background: Background([1.0, 2.0], 5),
    Chunk: Chunk("a", 0, 1),
    ClusterCut: ClusterCut(Ward(), NClusters(3), 1.0),
    Cohesion: Cohesion(),
    Count: Count(3),
    DistanceThreshold: DistanceThreshold(0.5),
    DoublePassCut: DoublePassCut(0.1, 0.2, 0.3, 4, confidence=None, structure=0),
    Elbow: Elbow(),
    Gradient: Gradient(90),
    Interquartile: Interquartile(2),
    Limits: Limits(20, 10),
    NClusters: NClusters(3),
    OptimalCut: OptimalCut(penalty=2.0),
    Overlapping: Overlapping(2),
    Percentile: Percentile(90),
    PercentileCut: PercentileCut(Overlapping(3), Count(4)),
    Silhouette: Silhouette(),
    Span: Span(1, 2),
    Splitter: Splitter(Limits(20), utf8_bytes, at_stops, joined(2), PercentileCut(), Background([1.0]), False),
    StandardDeviation: StandardDeviation(2),
    Ward: Ward(),
    aligned: aligned(str.split),
    joined: joined(3),
    tokens: tokens(str.split),
}
FUNCTIONS = (calibrate, sentences, units, utf8_bytes, words)
ERRORS = (CaesuraError, EmbeddingError, SegmentError, SettingError)
WORK = (Batch, Segmentation)

every_value = pytest.mark.parametrize("value", VALUES.values(), ids=lambda value: type(value).__name__)


def test_every_public_name_is_in_this_file() -> None:
    here = {thing.__name__ for thing in (*VALUES, *FUNCTIONS, *ERRORS, *WORK)}
    assert here == set(caesura.__all__)
    assert len(caesura.__all__) == len(set(caesura.__all__))


ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", caesura.__all__)
def test_every_public_name_resolves_and_is_described(name: str) -> None:
    described = getattr(caesura, name).__doc__
    assert described
    assert not described.startswith(f"{name}(")


@every_value
def test_a_value_survives_pickling_and_copying(value: object) -> None:
    for twin in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value), copy.copy(value)):
        assert type(twin) is type(value)
        assert twin == value
        assert hash(twin) == hash(value)


@every_value
def test_a_value_cannot_be_changed(value: object) -> None:
    names = [field.name for field in fields(value)] if is_dataclass(value) else ["start"]
    for name in names:
        with pytest.raises((FrozenInstanceError, AttributeError)):
            setattr(value, name, getattr(value, name))
    assert not hasattr(value, "__dict__")


@pytest.mark.parametrize("function", [*FUNCTIONS, *ERRORS, *WORK, *VALUES], ids=lambda thing: thing.__name__)
def test_a_function_or_a_type_survives_pickling(function: object) -> None:
    assert pickle.loads(pickle.dumps(function)) is function


def test_values_differ_where_a_setting_differs() -> None:
    assert len({Splitter(), Splitter(), Splitter(trim=False), Splitter(Limits(3)), Splitter(size=words)}) == 4
    assert DoublePassCut() == DoublePassCut() != DoublePassCut(look_ahead=2)
    assert PercentileCut() == PercentileCut() != PercentileCut(threshold=Percentile(84))
    assert Percentile(50) != Gradient(50)


def test_settings_are_replaced_with_the_same_checks() -> None:
    assert replace(Splitter(), limits=Limits(9)).limits.max_size == 9
    with pytest.raises(SettingError):
        replace(Limits(9), max_size=0)


@pytest.mark.parametrize("path", sorted(ROOT.glob("*/*/pyproject.toml")), ids=lambda path: path.parent.name)
def test_each_package_says_its_version(path: Path) -> None:
    name = next((path.parent / "src").rglob("__init__.py")).relative_to(path.parent / "src").parent
    package = importlib.import_module(".".join(name.parts))
    assert package.__version__ == tomllib.loads(path.read_text("utf-8"))["project"]["version"]
