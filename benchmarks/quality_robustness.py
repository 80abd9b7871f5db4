"""Our cuts at their defaults -> a table of Pk over embedders of four kinds and documents in four languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
from choi import Document, Embedded, documents
from embedders import Memo, Rows, embedder
from languages import LANGUAGES, nowhere, spliced
from ours import OURS
from tables import Row, Table

from caesura import Background, calibrate
from caesura.vectors import normalize
from caesura_static.model import load

NOTES = """\
Pk in percent of the cuts at their defaults, the same for every embedder and language, no size limit; in brackets the \
mean number of segments. Choi's documents have 10 segments, the spliced ones too (`benchmarks/languages.py`).
uncentred: the same cut without the background, as the peers' thresholds are meant.
additive: word vectors that add up and have a large part in common, as averages of word vectors in spaCy do; made from \
the built-in model's. hashing: words hashed to 1,024 signed places: it knows which words are the same, and nothing else.
unrelated: the mean cosine of sentences of different documents, before and after centring on the background."""
EVERY = 8
PLACES = 1024


def additive(texts: Sequence[str]) -> Rows:
    """Texts -> the mean of their words' unit vectors, each with the same large part added."""
    model = load()
    words = normalize(model.steps.astype(np.float32))
    common = np.sqrt(2 / words.shape[1]) * np.ones(words.shape[1], np.float32)
    rows = [words[[*model.words.numbers(text)] or [model.silent]].mean(axis=0) + common for text in texts]
    return np.array(rows, np.float32)


def hashing(texts: Sequence[str]) -> Rows:
    """Texts -> how often each of their words occurs, at the place and with the sign of its hash."""
    rows = np.zeros((len(texts), PLACES), np.float32)
    for row, text in zip(rows, texts, strict=True):
        for word in re.findall(r"\w+", text.lower()):
            code = crc32(word.encode("utf-8", "surrogatepass"))
            row[code % PLACES] += 1 if code & 1 << 20 else -1
    return rows


def tables(names: Sequence[str], cache: Path | None, say: Callable[[str], None]) -> list[Table]:
    """The real embedders of these names and two simple ones -> the table, a row per embedder and kind of document."""
    shown = {"minilm": "MiniLM", "static": "built-in model"}
    embedders = {shown[name]: embedder(name, cache) for name in names}
    embedders |= {"additive": Memo(additive), "hashing": Memo(hashing)}
    kinds = {"Choi": documents()[::EVERY], **{language: spliced(language) for language in LANGUAGES}}
    made = Table("Robustness: one setting, four embedders, four languages", NOTES.split("\n"))
    for name, memo in embedders.items():
        background = calibrate(memo)
        for kind, chosen in kinds.items():
            made.rows.append({"embedder": name, "documents": kind, **_row(memo, background, chosen)})
            say(f"robustness, {name}, {kind}")
    return [made]


def _row(memo: Memo, background: Background, chosen: list[Document]) -> Row:
    own = [memo(document.sentences) for document in chosen]
    data, bare = Embedded.of(chosen, own, background), Embedded.of(chosen, own, None)
    row: Row = {"unrelated": f"{_unrelated(bare.rows):.2f} → {_unrelated(data.rows):.2f}", "no cut": data.pk(nowhere)}
    for name, ours in OURS.items():
        row[name] = f"{data.pk(ours.default):.1f} ({data.segments(ours.default):.0f})"
    for name in ("OptimalCut", "DoublePassCut"):
        row[f"{name}, uncentred"] = f"{bare.pk(OURS[name].default):.1f} ({bare.segments(OURS[name].default):.0f})"
    return row


def _unrelated(rows: list[Rows]) -> float:
    """The mean cosine of the first sentences of different documents."""
    first = np.array([one[0] for one in rows])
    return float((np.sum(first @ first.T) - np.sum(first * first)) / (len(first) * (len(first) - 1)))
