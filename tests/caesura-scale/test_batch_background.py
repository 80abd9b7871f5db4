"""An embedder that brings no background is calibrated once, if it is to be at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from fakes.splitters.split_batch import BATCH, SPLITTER, documents, rows

from caesura import DoublePassCut, calibrate
from caesura_scale.batch import SplitBatch
from caesura_static import StaticEmbedder
from caesura_store.embedding_cache import cached


def test_an_embedder_is_calibrated_once_and_the_embedded_one_or_a_cache_of_it_brings_its_own(tmp_path: Any) -> None:
    calls: list[int] = []

    def embed(texts: Sequence[str]) -> Any:
        calls.append(len(texts))
        return StaticEmbedder()(texts)

    batch, given = SplitBatch(SPLITTER, lambda: embed), documents(10)
    assert rows(batch(given)) == rows(batch(given))
    assert calls[0] == 64
    assert len(calls) == 3
    own = SplitBatch(replace(SPLITTER, background=calibrate(embed)), lambda: embed)
    assert rows(own(given)) == rows(batch(given))
    kept = SplitBatch(SPLITTER, partial(cached, StaticEmbedder(), tmp_path / "rows.db", "static"))
    assert rows(kept(given)) == rows(BATCH(given))


def test_uncalibrated_is_the_splitter_without_a_background() -> None:
    given, splitter = documents(20), replace(SPLITTER, cut=DoublePassCut(confidence=None))
    made = SplitBatch(splitter, StaticEmbedder, calibrated=False)(given)
    wanted = [chunk.text for text in given["text"] for chunk in splitter.split(text, StaticEmbedder())]
    assert made["text"].tolist() == wanted
    assert wanted != SplitBatch(splitter, StaticEmbedder)(given)["text"].tolist()
