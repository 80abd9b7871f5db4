"""`StaticEmbedder.load` beside model2vec itself: folders that it saved, rows that it gives."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caesura_static import StaticEmbedder

StaticModel = pytest.importorskip("model2vec").StaticModel
library = pytest.importorskip("tokenizers")
LATER = pytest.mark.skipif(version("model2vec").startswith("0.9."), reason="it counts padding, and unknown unigrams")
WORDS = ("[UNK]", "the", "sea", "bread", "tide", "море", "хлеб", "##s", "rises", "▁the", "▁sea", "▁море", "s")
TEXTS = [
    "The sea rises.",
    "bread, bread and seas",
    "море хлеб",
    "",
    " \n",
    "nothing known",
    "sea " * 400 + "bread море seas " * 600,
]


def word_pieces() -> Any:
    made = library.Tokenizer(library.models.WordPiece({w: n for n, w in enumerate(WORDS)}, unk_token="[UNK]"))
    made.normalizer = library.normalizers.BertNormalizer()
    made.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()
    return made


def unigrams() -> Any:
    made = library.Tokenizer(library.models.Unigram([(word, -float(n)) for n, word in enumerate(WORDS)], unk_id=0))
    made.normalizer = library.normalizers.Lowercase()
    made.pre_tokenizer = library.pre_tokenizers.Metaspace()
    return made


def words() -> Any:
    made = library.Tokenizer(library.models.WordLevel({w: n for n, w in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = library.pre_tokenizers.Whitespace()
    made.enable_padding(pad_id=1, pad_token="the", length=8)
    return made


def save(folder: Path, tokenizer: Any, *, dtype: str = "float32", mapped: bool = False, normalize: bool = True) -> Any:
    """A folder -> the model that model2vec saved there, as `read` reads it."""
    numbers = np.random.default_rng(0)
    model = StaticModel(
        (numbers.normal(size=(3 if mapped else len(WORDS), 6)) * (20 if dtype == "int8" else 1)).astype(dtype),
        tokenizer,
        normalize=normalize,
        weights=numbers.uniform(0.5, 2, len(WORDS)) if mapped else None,
        token_mapping=numbers.integers(3, size=len(WORDS)) if mapped else None,
    )
    model.save_pretrained(folder)
    return read(folder)


def read(folder: Path) -> Any:
    """A folder -> model2vec's model of it, which adds in 64 bits."""
    return StaticModel.from_pretrained(folder, quantize_to="float64")


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("mapped", [True, False])
@pytest.mark.parametrize("tokenizer", [word_pieces, *(pytest.param(kind, marks=LATER) for kind in (unigrams, words))])
def test_a_row_is_that_of_model2vec(
    tmp_path: Path, tokenizer: Callable[[], Any], mapped: bool, normalize: bool
) -> None:
    model = save(tmp_path, tokenizer(), mapped=mapped, normalize=normalize)
    rows = StaticEmbedder.load(tmp_path)(TEXTS)
    np.testing.assert_allclose(rows, model.encode(TEXTS, max_length=None), atol=1e-6)
    cut = model.encode(TEXTS[-1:], max_length=512)
    assert np.abs(rows[-1:] - cut).max() > 1e-3  # its default leaves out the rest, we do not


@pytest.mark.parametrize("dtype", ["int8", "float16", "float64"])
@pytest.mark.parametrize("mapped", [True, False])
def test_a_model_of_other_numbers_gives_the_same_rows(tmp_path: Path, mapped: bool, dtype: str) -> None:
    model = save(tmp_path, word_pieces(), dtype=dtype, mapped=mapped, normalize=False)
    rows = StaticEmbedder.load(tmp_path)(TEXTS)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(rows, model.encode(TEXTS, max_length=None), rtol=1e-6, atol=1e-6)


def test_a_vocabulary_that_model2vec_quantized_gives_the_same_rows(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="the session `models` installs it")
    save(tmp_path / "whole", word_pieces())
    StaticModel.from_pretrained(tmp_path / "whole", vocabulary_quantization=4).save_pretrained(tmp_path / "small")
    model, embed = read(tmp_path / "small"), StaticEmbedder.load(tmp_path / "small")
    assert model.embedding.shape == (4, 6)
    np.testing.assert_allclose(embed(TEXTS), model.encode(TEXTS, max_length=None), atol=1e-6)
