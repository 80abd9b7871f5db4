"""A text, a Splitter that cuts it at every stop, and what a Splitter makes of a text: its chunks, its Segmentation."""

from __future__ import annotations

from collections.abc import Callable

from fakes.embedders.rows_of_words import embed
from fakes.texts.drawn_texts import at_stops

from caesura import DoublePassCut, Segmentation, Splitter

TEXT = "A cat sat. It purred.\n\nTaxes rose! Why? Nobody knew."
EVERY_STOP = Splitter(segment=at_stops, cut=DoublePassCut(1, 1, 1, confidence=None, structure=0))


def pieces(splitter: Splitter, text: str, embedder: Callable[..., object] = embed) -> list[str]:
    return [chunk.text for chunk in splitter.split(text, embedder)]


def segmented(splitter: Splitter, text: str, embedder: Callable[..., object] = embed) -> Segmentation:
    batch = splitter.prepare([text])
    (made,) = splitter.finish(batch, embedder(batch.texts))
    return made
