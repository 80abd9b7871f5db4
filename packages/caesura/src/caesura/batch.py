"""Documents -> units, none over the limit, their sizes and the texts to embed: what comes before the embedder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Protocol

import numpy as np

from caesura.checks import check_size
from caesura.edges import is_tiling
from caesura.errors import SegmentError, SettingError
from caesura.segmentation import shown_span
from caesura.sizers import tokens, without_hyphenation, without_surrogates
from caesura.types import Edges, Limits, Segmenter, Sizer, Sizes, View

SECTION = 400_000
"""A longer text is cut in sections of at most so many characters, see `caesura.text.sections.section_edges`."""


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Documents that are cut into units and wait for one vector per text.

    documents: their texts. units: the edges of each document's units. limits: of each document. sizes: of the units of
    each document.
    """

    documents: tuple[str, ...]
    units: tuple[Edges, ...]
    texts: tuple[str, ...]
    """What is to be embedded: one text for each unit that is not blank, over all documents in order."""
    limits: tuple[Limits, ...]
    sizes: tuple[Sizes, ...]
    is_code: tuple[bool, ...] = ()
    """For each document, whether its segmenter says that its units are lines of code."""
    sections: tuple[tuple[int, ...], ...] = ()
    """Of each document, the units that its sections begin with, the first not among them."""


class SplitSettings(Protocol):
    """The settings of a `Splitter` that say what its units are, and how slices are measured and trimmed."""

    @property
    def segment(self) -> Segmenter: ...
    @property
    def size(self) -> Sizer: ...
    @property
    def view(self) -> View | None: ...
    @property
    def trim(self) -> bool: ...


def prepare_batch(
    settings: SplitSettings, documents: Sequence[str], limits: Sequence[Limits], segmenters: Sequence[Segmenter]
) -> Batch:
    """Cuts documents into units and measures them. limits, segmenters: of each document.

    Raises `SegmentError` where the segmenter does not tile a document, `SettingError` where the sizer returns no size
    or the view not one text per unit.
    """
    measure = _sizer_of(settings.size)
    units: list[Edges] = []
    sizes: list[Sizes] = []
    texts: list[str] = []
    codes: list[bool] = []
    begun: list[tuple[int, ...]] = []
    for text, own, segment in zip(documents, limits, segmenters, strict=True):
        codes.append(bool(getattr(segment, "is_code", False)))  # isinstance() of a protocol takes 15 µs
        sections = (text,) if len(text) <= SECTION else _sections(text)
        known: dict[str, int] = {}
        found = [_bounded_units(segment, codes[-1], part, own, measure, known) for part in sections]
        measured = [
            _measure_units(settings, codes[-1], *each, measure, texts, known)
            for each in zip(sections, found, strict=True)
        ]
        units.append(found[0] if len(found) == 1 else _joined(found))
        sizes.append(measured[0] if len(found) == 1 else np.concatenate(measured))
        begun.append(tuple(accumulate(map(len, measured[:-1]))))
    return Batch(tuple(documents), tuple(units), tuple(texts), tuple(limits), tuple(sizes), tuple(codes), tuple(begun))


def _sections(text: str) -> tuple[str, ...]:
    """A long text -> its sections."""
    from caesura.text.sections import section_edges  # most texts are not long

    return tuple(text[start:end] for start, end in pairwise(section_edges(text, SECTION).tolist()))


def _joined(units: Sequence[Edges]) -> Edges:
    """The units of each section -> those of the text."""
    ends = accumulate((int(edges[-1]) for edges in units), initial=0)
    return np.concatenate([units[0][:1], *(edges[1:] + start for edges, start in zip(units, ends, strict=False))])


def _bounded_units(
    segment: Segmenter, is_code: bool, text: str, limits: Limits, measure: Sizer, known: dict[str, int]
) -> Edges:
    """Returns a document's units, none over the limit; without a limit, none over twice the target.

    known: what slices measure, which are not measured again.
    """
    edges = segment(text)
    if not is_tiling(edges, len(text)):
        raise SegmentError(
            f"segment() must return edges that rise from 0 to len(text) = {len(text)}, got {edges!r:.200}; "
            f"wrap a splitter that returns strings in aligned(…)"
        )
    target = limits.target_size
    largest = limits.max_size if limits.max_size is not None or target is None else 2 * target
    if largest is None:
        return edges
    from caesura.text.refine import refine  # needed only where there is a limit

    parts = getattr(segment, "block_parts", None)
    fits = measure.fitting_units(text, edges.tolist(), largest, known) if isinstance(measure, tokens) else ()
    return refine(text, edges, measure, largest, target, is_code, parts, fits)


def _measure_units(
    settings: SplitSettings,
    is_code: bool,
    text: str,
    units: Edges,
    measure: Sizer,
    texts: list[str],
    known: dict[str, int],
) -> Sizes:
    """Returns the size of each unit with the whitespace before it, 0 if it is blank. Appends the texts to embed.

    There is one text for each unit that is not blank. A word that is hyphenated at a line's end is embedded whole.
    """
    view, trim, first = settings.view, settings.trim, len(texts)
    shown = None if view is None else view(text, units)
    if shown is not None and len(shown) != len(units) - 1:
        raise SettingError(f"view() must return one text per unit: expected {len(units) - 1}, got {len(shown)}")
    sizes: list[int] = []
    slices: list[str] = []
    before: int | None = None
    for number, (start, end) in enumerate(pairwise(units.tolist())):
        piece = text[start:end]
        bare = piece.strip()
        if not bare:
            sizes.append(0)
            continue
        texts.append((bare if trim else piece) if shown is None else shown[number])
        if trim:
            end = start + len(piece.rstrip() if text[start].isspace() else bare)
        if before is None:
            before = shown_span(text, start, end, is_code).start if trim and piece[0].isspace() else start
        sizes.append(end - before)
        if measure is not len:
            slices.append(text[before:end])
        before = end
    if "-\n" in text:
        texts[first:] = [without_hyphenation(text) if "-\n" in text else text for text in texts[first:]]
    if not text.isascii() and (shown is not None or without_surrogates(text) is not text):
        texts[first:] = map(without_surrogates, texts[first:])
    own = np.array(sizes, np.intp)
    if measure is not len:
        if new := [each for each in slices if each not in known]:
            known.update(zip(new, measure.each(new) if isinstance(measure, tokens) else map(measure, new), strict=True))
        own[own > 0] = np.maximum([*map(known.__getitem__, slices)], 1)
    return own


def _sizer_of(size: Sizer) -> Sizer:
    """Returns a sizer that raises `SettingError` if it returns no size. `len` and `tokens` always return one."""
    if size is len or isinstance(size, tokens):
        return size
    return lambda text: check_size("the sizer", text, size(text))
