"""Late chunking with a real model of sentence-transformers: rows of its tokens, where they stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes.embedders.small_models import WINDOW, save_transformer

from caesura_retrieval.late_chunking import late_chunking

library = pytest.importorskip("sentence_transformers", reason="the session `models` installs it")
TEXT = "Прилив высок. Хлеб свеж.\n\n The tide rises."
SPANS = [(0, 13), (14, 24), (27, 42)]


def load(folder: Path, **settings: Any) -> tuple[Any, Any]:
    bert = save_transformer(folder)
    return bert, library.SentenceTransformer(str(folder), device="cpu", **settings)


def test_a_chunks_row_is_the_mean_of_what_the_transformer_makes_of_its_tokens_in_the_whole_text(tmp_path: Path) -> None:
    import torch

    bert, model = load(tmp_path)
    read = model.tokenizer(TEXT, return_offsets_mapping=True, return_tensors="pt")
    offsets = read.pop("offset_mapping")[0].tolist()
    with torch.no_grad():
        tokens = bert(**read).last_hidden_state[0].numpy()
    assert len(offsets) < WINDOW
    wanted = np.stack([tokens[[a < end <= b for _, end in offsets]].mean(axis=0) for a, b in SPANS])
    rows = late_chunking.of(model).embed_spans(TEXT, SPANS)
    np.testing.assert_allclose(rows, wanted / np.linalg.norm(wanted, axis=1, keepdims=True), atol=1e-5)


def test_a_longer_text_is_read_window_by_window_and_a_question_with_its_prompt(tmp_path: Path) -> None:
    _, model = load(tmp_path, prompts={"query": "query: ", "document": "passage: "})
    embed = late_chunking.of(model)
    assert embed.window == WINDOW - 2
    rows = embed.embed_document([TEXT] * 20)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    question = model.encode("query: Где хлеб?")
    np.testing.assert_allclose(embed.embed_query("Где хлеб?"), question / np.linalg.norm(question), atol=1e-5)
