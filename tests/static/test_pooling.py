"""A row is the same whatever is added up together, and whoever asks at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from fakes.static_texts import ODD, TEXTS

from caesura_static import StaticEmbedder, model, pooling
from caesura_static.pooling import Pool

EMBED = StaticEmbedder()


@pytest.mark.parametrize("size", [1, 2, 7, 4096])
@pytest.mark.parametrize("constant", ["SLAB", "TOGETHER", "WIDEST", "MOST_KEPT"])
def test_a_row_does_not_depend_on_what_is_added_up_together(
    constant: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    want = EMBED([*TEXTS, *ODD])
    monkeypatch.setattr(pooling, constant, size)
    loaded = model.load()
    fresh = Pool(loaded.steps, loaded.words, loaded.silent, loaded.broken)
    monkeypatch.setattr(model, "_loaded", replace(loaded, pool=fresh))
    for _ in range(2):
        np.testing.assert_array_equal(EMBED([*TEXTS, *ODD]), want)


def test_threads_that_meet_the_same_new_words_get_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"{word} word{number} {word}" for number, word in enumerate(TEXTS * 200)]
    want = EMBED(texts)
    monkeypatch.setattr(pooling, "MOST_KEPT", 500)
    loaded = model.load()
    fresh = Pool(loaded.steps, loaded.words, loaded.silent, loaded.broken)
    monkeypatch.setattr(model, "_loaded", replace(loaded, pool=fresh))
    with ThreadPoolExecutor(8) as threads:
        for rows in threads.map(EMBED, [texts] * 16):
            np.testing.assert_array_equal(rows, want)


def test_threads_read_the_file_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[int] = []
    read = model.read

    def counted() -> model.Model:
        reads.append(1)
        return read()

    monkeypatch.setattr(model, "_loaded", None)
    monkeypatch.setattr(model, "read", counted)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: EMBED(TEXTS), range(32)))
    assert len(reads) == 1
    for rows in found:
        np.testing.assert_array_equal(rows, found[0])
