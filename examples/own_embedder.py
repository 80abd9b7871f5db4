"""How do I bring my own embedder, and have documents embedded in one call, sync or async?

An embedder is any function: a list of texts in, one row per text out. sentence-transformers' `model.encode` is one,
LangChain's `embeddings.embed_documents` is one, and so is the function below, which counts words: no model, no network.
Needs caesura alone.
"""

import asyncio
from collections.abc import Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from caesura import Limits, OptimalCut, Splitter, calibrate
from caesura_testing import check_embedder

BREAD = "Bread dough rises because yeast makes gas. Warm dough rises fast. Salt slows the yeast in the dough."
TIDES = "The moon pulls the sea and the tide rises. At high tide the sea covers sand. The tide turns with the moon."


def embed(texts: Sequence[str]) -> NDArray[np.float32]:
    """Which of 512 kinds of words a text holds; words of up to three letters say little."""
    rows = np.zeros((len(texts), 512), np.float32)
    for row, text in zip(rows, texts, strict=True):
        for word in text.lower().replace(".", " ").split():
            row[crc32(word.encode()) % 512] += len(word) > 3
    return rows


async def aembed(texts: Sequence[str]) -> NDArray[np.float32]:
    """The same where it has to be awaited, as a client over the network has to be."""
    return await asyncio.to_thread(embed, texts)


async def main() -> None:
    """One call for all documents; then the same by `prepare` and `finish`, between which you call what you like."""
    check_embedder(embed)  # raises an AssertionError that says what is wrong, if something is
    background = calibrate(embed)  # so that thresholds mean the same for every embedder
    splitter = Splitter(Limits(400), cut=OptimalCut(n_chunks=2), background=background)

    documents = [f"{BREAD} {TIDES}", f"{TIDES} {BREAD}"]
    for chunks in splitter.split_many(documents, embed):
        print([chunk.text[:19] for chunk in chunks])

    batch = splitter.prepare(documents)
    made = splitter.finish(batch, await aembed(batch.texts))
    print(f"{len(batch.texts)} sentences embedded; a vector for each chunk comes free: {made[0].vectors().shape}")


if __name__ == "__main__":
    asyncio.run(main())
