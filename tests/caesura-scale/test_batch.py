"""SplitBatch on plain columns: the chunks of each document, whatever the batch and the window."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from fakes.splitters.split_batch import BATCH, READY, SPLITTER, Poisoned, documents, rows

from caesura import Limits
from caesura.ids import chunk_ids
from caesura_scale.batch import SplitBatch
from caesura_static import StaticEmbedder


def test_rows_are_the_chunks_that_the_splitter_makes_of_each_document() -> None:
    given = documents(30)
    made = rows(BATCH(given))
    wanted = [
        (id, number, chunk.start, chunk.end, chunk.text, name, page)
        for id, text, page in rows(given)
        for chunks in [READY.split(text, StaticEmbedder())]
        for number, (chunk, name) in enumerate(
            zip(chunks, chunk_ids((id, 0, chunk.text) for chunk in chunks), strict=True)
        )
    ]
    assert made == wanted
    assert len(made) > 60
    assert list(BATCH(given)) == ["id", "chunk", "start", "end", "text", "chunk_id", "page"]


def test_vectors_are_those_of_the_chunks() -> None:
    given = documents(5)
    made = SplitBatch(SPLITTER, StaticEmbedder, vectors=True)(given)
    batch = READY.prepare(given["text"].tolist())
    wanted = [one.vectors() for one in READY.finish(batch, StaticEmbedder()(batch.texts))]
    assert made["vector"].dtype == np.float32
    np.testing.assert_array_equal(made["vector"], np.concatenate([part for part in wanted if len(part)]))


@pytest.mark.parametrize("size", [1, 7, 40])
@pytest.mark.parametrize("window", [1, 1000])
def test_batch_window_and_order_change_nothing(size: int, window: int) -> None:
    given = documents(40)
    whole = set(rows(BATCH(given)))
    order = random.Random(size).sample(range(40), 40)
    batch = SplitBatch(SPLITTER, StaticEmbedder, window=window, batch_size=3)
    parts = [{name: column[order[at : at + size]] for name, column in given.items()} for at in range(0, 40, size)]
    found = [row for part in batch.stream(parts) for row in rows(part)]
    assert len(found) == len(whole)
    assert set(found) == whole


def test_a_window_is_embedded_in_one_call_across_documents() -> None:
    embed = Poisoned()
    SplitBatch(READY, lambda: embed)(documents(40))
    assert len(embed.calls) == 1


def test_overlap_repeats_whole_units_of_the_chunk_before() -> None:
    splitter = replace(READY, limits=Limits(120))
    text = documents(1)["text"][0]
    made = SplitBatch(splitter, StaticEmbedder, overlap=60)({"id": ["a"], "text": [text]})
    places = list(zip(made["start"].tolist(), made["end"].tolist(), strict=True))
    batch = splitter.prepare([text])
    wanted = splitter.finish(batch, StaticEmbedder()(batch.texts))[0].chunks(60)
    assert places == [(chunk.start, chunk.end) for chunk in wanted]
    assert any(start < end for (_, end), (start, _) in pairwise(places))
