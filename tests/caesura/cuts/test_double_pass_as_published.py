"""What the authors of double-pass merging show, on texts of our own, with the built-in model at default settings.

Three short subjects of unequal length become three chunks; a passage on an algorithm, with pseudocode, formulas and a
quotation, stays one chunk where percentile cutting tears it. `benchmarks/published.py` prints the same with MiniLM.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from caesura import Adjacent, Background, Chunk, Limits, Percentile, PercentileCut, Splitter, joined
from caesura.types import Cut
from caesura_static import StaticEmbedder

TEXTS = Path(__file__).parents[2] / "golden" / "published"
LIMITS = Limits(max_size=2000)
EMBED = StaticEmbedder()
BACKGROUND = Background(EMBED.background)
TOO_MANY = {
    "three_5": "the third subject falls in two, and its beginning joins the second",
}
"""Texts that are not cut as wanted at the defaults -> what happens."""


def named(pattern: str) -> list[object]:
    """The texts of a kind; those known to be cut otherwise are expected to fail, and to be taken off the list."""
    return [
        pytest.param(
            path,
            id=path.stem,
            marks=[pytest.mark.xfail(strict=True, reason=TOO_MANY[path.stem])] if path.stem in TOO_MANY else [],
        )
        for path in sorted(TEXTS.glob(pattern))
    ]


def split(text: str, cut: Cut | None = None) -> list[Chunk]:
    splitter = Splitter(limits=LIMITS, background=BACKGROUND)
    return (splitter if cut is None else Splitter(limits=LIMITS, background=BACKGROUND, cut=cut)).split(text, EMBED)


def subjects(path: Path) -> list[str]:
    return path.read_text("utf-8").split("=====\n")


@pytest.mark.parametrize("path", named("three_*.txt"))
def test_three_subjects_of_unequal_length_become_three_chunks(path: Path) -> None:
    parts = subjects(path)
    assert [chunk.text for chunk in split("\n".join(parts))] == [part.strip() for part in parts]


@pytest.mark.parametrize("path", named("passage_*.txt"))
def test_a_passage_on_an_algorithm_stays_one_chunk(path: Path) -> None:
    text = path.read_text("utf-8")
    assert [chunk.text for chunk in split(text)] == [text.strip()]


@pytest.mark.parametrize("path", sorted(TEXTS.glob("passage_*.txt")), ids=lambda path: path.stem)
def test_percentiles_tear_the_passage(path: Path) -> None:
    text = path.read_text("utf-8")
    published = Splitter(view=joined(1), cut=PercentileCut(Adjacent(1), Percentile(95)))
    assert len(split(text, PercentileCut())) > 1
    assert len(published.split(text, EMBED)) > 1


def test_the_texts_are_what_they_are_said_to_be() -> None:
    three = [subjects(path) for path in TEXTS.glob("three_*.txt")]
    assert len(three) >= 4
    assert all(len(parts) == 3 and max(map(len, parts)) > 1.5 * min(map(len, parts)) for parts in three)
    passages = [path.read_text("utf-8") for path in TEXTS.glob("passage_*.txt")]
    assert len(passages) >= 3
    assert all("$$" in text and ('"' in text or "\n> " in text) for text in passages)
