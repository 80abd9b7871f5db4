"""Source code, Markdown, Chinese and a chat in; where each is cut at the default settings out. No key, no network.

python examples/kinds.py              the documents in examples/kinds
python examples/kinds.py FILE...      your own

The built-in model knows English, and warns that one of the documents is Chinese: that one wants another embedder.
"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

from langchain_core.documents import Document

from langchain_caesura import DoublePassSemanticSplitter

KINDS = Path(__file__).parent / "kinds"


def chunks_of(paths: list[Path]) -> list[Document]:
    """Files -> their chunks: nothing is said of what kind a file is, and all are embedded in one call."""
    documents = [Document(path.read_text(encoding="utf-8"), metadata={"source": path.name}) for path in paths]
    return DoublePassSemanticSplitter(add_start_index=True).split_documents(documents)


def main() -> None:
    """Prints each chunk's place, size and first line."""
    paths = [Path(name) for name in sys.argv[1:]] or sorted(path for path in KINDS.iterdir() if path.is_file())
    for source, chunks in groupby(chunks_of(paths), key=lambda chunk: chunk.metadata["source"]):
        print(f"\n{source}\n   #   start     end   size  first line")
        for number, chunk in enumerate(chunks, 1):
            start, size = chunk.metadata["start_index"], len(chunk.page_content)
            first = chunk.page_content.splitlines()[0]
            print(f"{number:4} {start:7,} {start + size:7,} {size:6,}  {first[:70]}{'…' * (len(first) > 70)}")


if __name__ == "__main__":
    main()
