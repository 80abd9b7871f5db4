"""How do I cut and index with OpenAI's embeddings, within the API's limits, knowing what it costs?

python examples/openai_embeddings.py                    a stand-in for the API on this machine: no key, no network
python examples/openai_embeddings.py --openai [MODEL]   text-embedding-3-small, with the key in OPENAI_API_KEY

Needs caesura-llm[openai] and caesura-lab; a LangChain or LlamaIndex splitter takes `embed`, or the framework's own.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from openai import OpenAI

from caesura import Limits, Splitter, calibrate
from caesura_lab.stand_in import served
from caesura_llm.openai import openai_vectors
from caesura_llm.report import Prices
from caesura_store.embedding_cache import cached

QUESTION = "How are puffins counted?"


def main(client: OpenAI, model: str, folder: Path) -> None:
    """One pass: the sentences' rows cut the text, and their means are the chunks' vectors for the index."""
    text = (Path(__file__).parent / "article.md").read_text("utf-8")
    vectors = openai_vectors(client, model, prices=Prices(0.02))  # of a million tokens; full requests, retries
    with cached(vectors, folder / "rows.db", model) as embed:  # what was paid for is not asked again
        splitter = Splitter(Limits(800, target_size=400), background=calibrate(embed))
        batch = splitter.prepare([text])
        (made,) = splitter.finish(batch, embed(batch.texts))
        chunks, rows = made.chunks(), made.vectors()
        print(f"{len(chunks)} chunks: {vectors.report}")

        (asked,) = embed([QUESTION])
        cosines = rows @ asked / np.linalg.norm(rows, axis=1) / np.linalg.norm(asked)
        best = chunks[int(cosines.argmax())]
        print(f"{QUESTION} {cosines.max():.2f} at {best.start}-{best.end}: {' '.join(best.text.split())[:80]}")

        before = vectors.report.calls
        splitter.split(text, embed)
        print(f"again: {vectors.report.calls - before} calls")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary, served("text-embedding-3-small", sys.argv[1:]) as api:
        main(OpenAI(base_url=api.url, api_key=api.key), api.model, Path(temporary))
