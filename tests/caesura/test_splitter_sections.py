"""Long texts: each section is cut as a text of its own, so that an edit changes few chunks far from it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from fakes.embedders.rows_of_words import embed
from fakes.texts.hostile_atoms import hostile_text

from caesura import (
    ClusterCut,
    DoublePassCut,
    Limits,
    OptimalCut,
    PercentileCut,
    Splitter,
    joined,
    tokens,
)
from caesura.hierarchy import Hierarchy, by_sizes
from caesura.text.sections import section_edges
from caesura.types import Chunk, Cut

MOST = 700
"""Characters of a section here, so that texts need not be long."""
SENTENCES = "The cat sleeps.", "A tax is due.", "The dog barks at the cat!", "Judges read the law.", "Is the tax a law?"
TEXT = "\n\n".join(" ".join(SENTENCES[(at * step) % 5] for step in range(1, 7)) for at in range(40))
CODE = "\n".join(f"    value_{at} = call({at})" if at % 5 else f"def name_{at}(a):" for at in range(150))
TEXTS = [
    TEXT,
    CODE,
    TEXT.replace("\n\n", "\n"),
    f"{' ' * 900}\n\n{TEXT}\n\n{' ' * 900}",
    *(hostile_text(at, 4_000) for at in range(6)),
]
CUTS: list[Cut] = [DoublePassCut(), OptimalCut(), ClusterCut(), PercentileCut()]


@pytest.fixture(autouse=True)
def short_sections() -> Iterator[None]:
    with patch("caesura.batch.SECTION", MOST):
        yield


def sections(text: str) -> list[tuple[int, str]]:
    """The sections of a text, and where they begin."""
    return [(start, text[start:end]) for start, end in pairwise(section_edges(text, MOST).tolist())]


def moved(chunks: list[Chunk], start: int) -> list[Chunk]:
    return [Chunk(chunk.text, chunk.start + start, chunk.end + start) for chunk in chunks]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
@pytest.mark.parametrize("cut", CUTS, ids=lambda cut: type(cut).__name__)
def test_the_chunks_of_a_text_are_those_of_its_sections(cut: Cut, text: str) -> None:
    for limits in (Limits(60), Limits(90, 0, 50), Limits()):
        splitter = Splitter(limits=limits, cut=cut)
        found = splitter.split(text, embed)
        own = [moved(splitter.split(part, embed), start) for start, part in sections(text)]
        assert found == [chunk for each in own for chunk in each]
        assert limits.max_size is None or all(len(chunk.text) <= limits.max_size for chunk in found)


@pytest.mark.parametrize(
    "settings",
    [{"view": joined(1)}, {"size": tokens(str.split)}, {"trim": False}],
    ids=lambda settings: next(iter(settings)),
)
def test_so_they_are_with_other_settings(settings: dict[str, Any]) -> None:
    splitter = Splitter(limits=Limits(60), **settings)
    own = [moved(splitter.split(part, embed), start) for start, part in sections(TEXT)]
    assert splitter.split(TEXT, embed) == [chunk for each in own for chunk in each]


def test_each_level_of_a_hierarchy_is_that_of_its_sections() -> None:
    hierarchy = Hierarchy(by_sizes(300, 90))
    found = hierarchy.split(TEXT, embed)
    for level, chunks in enumerate(found.chunks()):
        own = [moved(hierarchy.split(part, embed).chunks()[level], start) for start, part in sections(TEXT)]
        assert chunks == [chunk for each in own for chunk in each]
    above, below = found.chunks()
    for chunk, parent in zip(below, found.parents()[1], strict=True):
        assert above[parent].start <= chunk.start <= chunk.end <= above[parent].end


def test_a_long_text_among_short_ones_is_cut_as_by_itself() -> None:
    splitter = Splitter(limits=Limits(60))
    texts = ["One cat.", TEXT, "", "A dog. A tax.", CODE]
    assert splitter.split_many(texts, embed) == [splitter.split(text, embed) for text in texts]


def test_a_segmentation_holds_the_whole_text() -> None:
    splitter = Splitter(limits=Limits(60), cut=PercentileCut())
    batch = splitter.prepare([TEXT])
    rows = np.asarray(embed(list(batch.texts)), np.float32)
    (found,) = splitter.finish(batch, rows)
    assert found.text == TEXT
    assert len(found.sizes) == len(found.units) - 1 == len(batch.texts)
    assert np.array_equal(found.rows, rows)
    starts = [start for start, _ in sections(TEXT)]
    assert found.units[[0, *found.sections]].tolist() == starts
    assert set(found.sections) <= set(found.breaks.tolist())
    assert found.gaps is not None
    assert len(found.gaps) == len(found.sizes) - 1
    assert np.isinf(found.gaps[np.array(found.sections) - 1]).all()


def test_an_overlap_reaches_over_the_start_of_a_section() -> None:
    splitter = Splitter(limits=Limits(60))
    batch = splitter.prepare([TEXT])
    (found,) = splitter.finish(batch, embed(list(batch.texts)))
    starts = {start for start, _ in sections(TEXT)[1:]}
    without = found.chunks()
    bound = [chunk for chunk, own in zip(found.chunks(overlap=30), without, strict=True) if own.start in starts]
    assert len(bound) == len(starts)
    assert all(chunk.start not in starts for chunk in bound)


def test_a_number_of_chunks_is_of_the_whole_text() -> None:
    for cut in (OptimalCut(n_chunks=5), PercentileCut.from_settings(number_of_chunks=5)[0]):
        assert len(Splitter(cut=cut).split(TEXT, embed)) == 5


def test_an_edit_leaves_the_chunks_of_other_sections() -> None:
    splitter = Splitter(limits=Limits(90))
    edited = f"{TEXT[:3_000]} Nobody came. {TEXT[3_000:]}"
    before, after = ({chunk.text for chunk in splitter.split(text, embed)} for text in (TEXT, edited))
    changed = [part for _, part in sections(edited) if part not in {part for _, part in sections(TEXT)}]
    assert len(changed) == 1
    assert all(text in changed[0] for text in after - before)
