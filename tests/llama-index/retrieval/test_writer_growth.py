"""An edit of a document takes time that grows with its text, and no faster, in both document stores."""

from __future__ import annotations

import gc
import time
from pathlib import Path

import numpy as np
import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.indexes import index
from llama_index.core import Document
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore

from llama_index.node_parser.caesura import SQLiteDocumentStore

LINE = "The mill number {} stands at the river and grinds {} sacks of corn a day.\n"
SIZES = [250 << step for step in range(4)]


def seconds(store: SimpleDocumentStore | SQLiteDocumentStore, size: int) -> float:
    """The time of an edit in this process, which work of others does not lengthen."""
    splitter = SentenceSplitter(chunk_size=24, chunk_overlap=0)
    made = index(vector_store=SimpleVectorStore(), docstore=store, embed_model=Words(), transformations=[splitter])
    text = "".join(LINE.format(number, number * 7 % 101) for number in range(size))
    made.upsert([Document(text=text, id_=str(size))])
    gc.disable()
    begun = time.process_time()
    try:
        assert made.upsert([Document(text=f"A first line.\n{text}", id_=str(size))]).updated == 1
        return time.process_time() - begun
    finally:
        gc.enable()


@pytest.mark.thorough
@pytest.mark.parametrize("place", ["memory", "file"])
def test_an_edit_takes_time_that_grows_no_faster_than_the_document(place: str, tmp_path: Path) -> None:
    best = np.full(len(SIZES), np.inf)
    for number in range(5):
        for at, size in enumerate(SIZES):
            file = SQLiteDocumentStore(tmp_path / f"{number}-{size}.db") if place == "file" else None
            best[at] = min(best[at], seconds(file or SimpleDocumentStore(), size))
        exponent = float(np.polyfit(np.log(SIZES), np.log(best), 1)[0])
        if exponent <= 1.25:
            return
    raise AssertionError(f"an edit takes n ** {exponent:.2f}: {best}")
