"""Texts and an embedder -> the table of scraps, and of chunks that begin inside what would have fitted whole."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from choi import DATA
from corpora import asked
from embedders import Memo
from numpy.typing import NDArray
from ours import OURS
from peers import RECURSIVE, chonkie_semantic, located, recursive
from quality_splitters import Split, spans
from tables import Row, Table

from caesura import Background, Splitter
from caesura.host.settings import chunk_limits

SCRAP = 100
CHAT = Path(__file__).parents[1] / "examples" / "kinds" / "chat.txt"
BLANK = re.compile(r"\n\s*\n")
NOTES = f"""\
Ours as the plugins have them: chunk_size 800, target_size 400; the others with a limit of 800.
scraps: chunks under {SCRAP} characters, in percent. inside: chunks that begin in a paragraph, between blank lines, or \
in the chat's message, that has no more than 800 characters and would have fitted whole, in percent."""


def table(shown: str, memo: Memo, background: Background, say: Callable[[str], None]) -> Table:
    """A row per set of texts and splitter."""
    limits = chunk_limits()
    most = limits.max_size or 0
    splitters: dict[str, Split] = {
        name: partial(spans, Splitter(limits=limits, cut=ours.default, background=background), memo)
        for name, ours in OURS.items()
    }
    splitters |= {RECURSIVE: partial(recursive, size=most)}
    splitters |= {"Chonkie SemanticChunker": partial(chonkie_semantic, size=most, memo=memo)}
    essays = [path.read_text(encoding="utf-8", errors="replace") for path in sorted((DATA / "essays").glob("*.txt"))]
    kinds = {"the chat example": [CHAT.read_text(encoding="utf-8")], "essays": essays}
    kinds |= {name: list(asked(name).texts.values()) for name in ("corpora", "papers")}
    made = Table(f"Scraps and torn paragraphs, {shown}", NOTES.split("\n"))
    for kind, texts in kinds.items():
        parts = [_paragraphs(text, "\n" if kind == "the chat example" else BLANK) for text in texts]
        for name, split in splitters.items():
            ranges = [_ranges(text, split) for text in texts]
            sizes = np.concatenate([own[:, 1] - own[:, 0] for own in ranges])
            inside = sum(_inside(own[:, 0], paragraphs, most) for own, paragraphs in zip(ranges, parts, strict=True))
            row: Row = {"texts": kind, "splitter": name, "chunks": len(sizes), "mean": round(sizes.mean())}
            row |= {"scraps": 100 * float((sizes < SCRAP).mean()), "inside": 100 * inside / len(sizes)}
            made.rows.append(row)
        say(f"scraps, {kind}")
    return made


def _ranges(text: str, split: Split) -> NDArray[np.intp]:
    made = split(text)
    return made if isinstance(made, np.ndarray) else located(text, made)[0]


def _paragraphs(text: str, between: str | re.Pattern[str]) -> NDArray[np.intp]:
    """The (m, 2) ranges of the paragraphs, without the whitespace around them."""
    edges = [0, *(end for match in re.finditer(between, text) for end in match.span()), len(text)]
    pairs = [(start, end, text[start:end]) for start, end in zip(edges[::2], edges[1::2], strict=True)]
    bare = [(end - len(part.lstrip()), start + len(part.rstrip())) for start, end, part in pairs if part.strip()]
    return np.array(bare, np.intp).reshape(-1, 2)


def _inside(starts: NDArray[np.intp], paragraphs: NDArray[np.intp], most: int) -> int:
    """How many chunks start inside a paragraph of at most so many characters."""
    own = paragraphs[np.maximum(np.searchsorted(paragraphs[:, 0], starts, side="right") - 1, 0)]
    return int(((starts > own[:, 0]) & (starts < own[:, 1]) & (own[:, 1] - own[:, 0] <= most)).sum())
