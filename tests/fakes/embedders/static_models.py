"""Small models in model2vec's layout: a tokenizer made here, and random rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

WORDS = ("[UNK]", "the", "sea", "bread", "tide", "море", "хлеб", "##s", "rises")


def save_model(
    folder: Path,
    *,
    mapped: bool = False,
    weighted: bool = False,
    normalize: bool = True,
    seed: int = 0,
    words: Sequence[str] = WORDS,
) -> Path:
    """A folder -> the same, with a model of a few words; skips the test where the extra `models` is not installed."""
    library, numbers = pytest.importorskip("tokenizers"), np.random.default_rng(seed)
    save_file = pytest.importorskip("safetensors.numpy").save_file
    vocabulary = {word: number for number, word in enumerate(words)}
    made = library.Tokenizer(library.models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = library.normalizers.BertNormalizer()
    made.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()
    made.enable_truncation(4)
    made.enable_padding()
    folder.mkdir(parents=True)
    made.save(str(folder / "tokenizer.json"))
    tensors = {"embeddings": numbers.normal(size=(3 if mapped else len(words), 6)).astype(np.float32)}
    if mapped:
        tensors["mapping"] = numbers.integers(3, size=len(words))
    if weighted:
        tensors["weights"] = numbers.uniform(0.5, 2, len(words))
    save_file(tensors, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({"normalize": normalize}), "utf-8")
    return folder
