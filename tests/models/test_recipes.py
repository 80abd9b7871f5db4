"""The recipes of docs/custom.md for models of other people, with the real packages and models made here, offline."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes.embedders.small_models import WORDS, make_tokenizer, save_onnx, save_transformer
from fakes.pages import ROOT

PAGE = (ROOT / "docs" / "custom.md").read_text("utf-8")
_, TRANSFORMERS, FASTEMBED = re.findall(r"```py\n(.*?)```", PAGE, re.S)
TEXT = "Прилив высок. Хлеб свеж."
TEXTS = [TEXT, "Где хлеб?", "хлеб"]


@pytest.fixture(autouse=True)
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name of a model leads to a folder here, or nowhere."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def follow(recipe: str) -> dict[str, Any]:
    """A recipe -> what it defines."""
    scope: dict[str, Any] = {"__name__": "recipe"}
    exec(recipe, scope)
    return scope


def test_sentence_transformers_embeds_documents_and_questions_each_with_its_prompt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    library = pytest.importorskip("sentence_transformers", reason="the session `models` installs it")
    (name,) = re.findall(r'TransformerEmbeddings\("(.+)"\)', TRANSFORMERS)
    save_transformer(tmp_path / name)
    scope = follow(TRANSFORMERS)
    embeddings = scope["embeddings"]
    assert eval(capsys.readouterr().out.splitlines()[-1]) == [TEXT]
    encode = library.SentenceTransformer(name).encode
    documents, queries = np.array(embeddings.embed_documents(TEXTS)), np.array([*map(embeddings.embed_query, TEXTS)])
    np.testing.assert_allclose(documents, encode([f"passage: {text}" for text in TEXTS]), atol=1e-5)
    np.testing.assert_allclose(queries, encode([f"query: {text}" for text in TEXTS]), atol=1e-5)
    assert np.abs(documents - queries).max(axis=1).min() > 1e-3
    monkeypatch.setattr(embeddings.model, "encode_query", None)
    assert scope["OptimalSemanticSplitter"](embeddings).split_text(TEXTS[1]) == [TEXTS[1]]


def test_fastembed_embeds_documents_and_questions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    library = pytest.importorskip("fastembed", reason="the session `models` installs it")
    (name,) = re.findall(r'^name = "(.+)"', FASTEMBED, re.MULTILINE)
    known = {model["model"]: model["sources"]["hf"] for model in library.TextEmbedding.list_supported_models()}
    table = np.random.default_rng(0).normal(size=(len(WORDS), 8)).astype(np.float32)
    save_onnx(tmp_path / f"models--{known[name].replace('/', '--')}", table)
    model = follow(FASTEMBED)["embed_model"]
    assert eval(capsys.readouterr().out.splitlines()[-1]) == [TEXT]
    wanted = [table[encoded.ids].mean(axis=0) for encoded in make_tokenizer().encode_batch(TEXTS)]
    np.testing.assert_allclose(model.get_text_embedding_batch(TEXTS), wanted, atol=1e-6)
    np.testing.assert_allclose([model.get_query_embedding(text) for text in TEXTS], wanted, atol=1e-6)
