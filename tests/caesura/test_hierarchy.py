"""Levels of one text: nested, within their sizes, every unit embedded once."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from fakes.embedders.rows_of_words import Counting, embed
from fakes.splitters.every_stop import segmented
from fakes.texts.drawn_texts import at_stops

from caesura import (
    Background,
    ClusterCut,
    DistanceThreshold,
    DoublePassCut,
    Limits,
    OptimalCut,
    PercentileCut,
    Splitter,
    words,
)
from caesura.hierarchy import Hierarchy, by_sizes
from caesura.types import Cut
from caesura.vectors import normalize

SUBJECTS = ("tide", "dough", "lamp", "ledger", "rope")
TEXT = "\n\n".join(
    " ".join(f"The {subject} {number} is {'very ' * (number % 4)}old." for number in range(9)) for subject in SUBJECTS
)
every_cut = pytest.mark.parametrize(
    "cut", [None, DoublePassCut(), PercentileCut(), ClusterCut(), OptimalCut()], ids=lambda cut: type(cut).__name__
)


@every_cut
def test_each_level_lies_within_the_one_before(cut: Cut | None) -> None:
    made = Hierarchy(by_sizes(400, 120, 40, cut=cut)).split(TEXT, embed)
    levels, parents = made.chunks(), made.parents()
    assert parents[0] == []
    assert len(levels) == 3
    for level, size in zip(levels, (400, 120, 40), strict=True):
        assert all(chunk.text == TEXT[chunk.start : chunk.end] and len(chunk.text) <= size for chunk in level)
        assert "".join("".join(chunk.text.split()) for chunk in level) == "".join(TEXT.split())
    for above, level, places in zip(levels[:-1], levels[1:], parents[1:], strict=True):
        assert len(places) == len(level) >= len(above)
        assert sorted(set(places)) == list(range(len(above)))
        for chunk, place in zip(level, places, strict=True):
            assert above[place].start <= chunk.start < chunk.end <= above[place].end


def test_every_unit_is_embedded_once_for_all_levels() -> None:
    counting = Counting()
    Hierarchy(by_sizes(400, 120, 60), segment=at_stops).split(TEXT, counting)
    assert counting.texts == [TEXT[a:b].strip() for a, b in pairwise(at_stops(TEXT))]


def test_one_level_is_what_the_splitter_makes() -> None:
    for cut in (DoublePassCut(), PercentileCut(), OptimalCut()):
        settings = {"size": words, "segment": at_stops, "background": Background(embed(["The lamp."])[0])}
        one = Hierarchy(((Limits(30), cut),), **settings).split(TEXT, embed)
        splitter = Splitter(Limits(30), cut=cut, **settings)
        assert one.chunks() == [splitter.split(TEXT, embed)]
        plain = segmented(splitter, TEXT)
        assert (one.levels[0].gaps is None) == (plain.gaps is None)
        assert plain.gaps is None or np.array_equal(one.levels[0].gaps, plain.gaps)


def test_scores_are_those_within_the_parent_and_infinite_between_parents() -> None:
    made = Hierarchy(by_sizes(200, 60, cut=PercentileCut()), segment=at_stops).split(TEXT, embed)
    coarse, fine = made.levels
    assert coarse.gaps is not None
    assert fine.gaps is not None
    assert set(np.flatnonzero(np.isinf(fine.gaps)) + 1) == set(coarse.breaks.tolist())
    assert not np.isinf(coarse.gaps).any()


def test_levels_at_falling_distances_are_cuts_of_one_merge_tree() -> None:
    """Cut at falling distances, each within the one before: what one tree gives, cut at those heights."""
    distances = (2.0, 1.0, 0.3)
    made = Hierarchy(
        tuple((Limits(), ClusterCut(stop=DistanceThreshold(distance))) for distance in distances), segment=at_stops
    ).split(TEXT, embed)
    level = made.levels[0]
    rows = normalize(segmented(Splitter(segment=at_stops), TEXT).rows)
    tree = ClusterCut().tree(rows, level.sizes)
    expected = np.sort(tree.order[tree.heights > distances[0]])
    assert level.breaks.tolist() == expected.tolist()
    assert set(made.levels[0].breaks) <= set(made.levels[1].breaks) <= set(made.levels[2].breaks)


def test_what_metadata_takes_is_taken_at_every_level() -> None:
    hierarchy = Hierarchy(by_sizes(300, 100))
    batch = hierarchy.prepare([TEXT, TEXT], [Limits(100), Limits(60)])
    full, less = hierarchy.finish(batch, embed(batch.texts))
    assert max(len(chunk.text) for chunk in less.chunks()[0]) <= 260
    assert max(len(chunk.text) for chunk in less.chunks()[1]) <= 60
    assert max(len(chunk.text) for chunk in full.chunks()[0]) <= 300


def test_a_hierarchy_survives_pickling() -> None:
    made = Hierarchy(by_sizes(100, 30))
    again = pickle.loads(pickle.dumps(made))
    assert again == made
    assert hash(again) == hash(made)
    assert again.split(TEXT, embed).chunks() == made.split(TEXT, embed).chunks()
