"""`StaticEmbedder.load`: models in model2vec's layout give its rows, and are known by what they are."""

from __future__ import annotations

import copy
import pickle
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes.embedders.static_models import WORDS, save_model
from llama_index.core import Document

from caesura import Splitter
from caesura_static import LoadedEmbedder, StaticEmbedder
from caesura_testing import check_embedder
from langchain_caesura import DoublePassSemanticSplitter as LangChainSplitter
from langchain_caesura import StaticEmbeddings
from llama_index.node_parser.caesura import DoublePassSemanticSplitter, StaticEmbedding

TEXTS = ["The sea rises.", "bread, bread and seas", "море хлеб", "", "nothing known", "the \ud800 tide " * 9]


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("mapped", [True, False])
def test_a_row_is_the_mean_of_the_weighted_vectors_of_the_known_tokens(
    tmp_path: Path, mapped: bool, weighted: bool, normalize: bool
) -> None:
    folder = save_model(tmp_path / "model", mapped=mapped, weighted=weighted, normalize=normalize)
    stored = pytest.importorskip("safetensors.numpy").load_file(folder / "model.safetensors")
    token_words = [
        ["the", "sea", "rises"],
        ["bread", "bread", "sea", "##s"],
        ["море", "хлеб"],
        [],
        [],
        ["the", "tide"] * 9,
    ]
    rows = StaticEmbedder.load(folder)(TEXTS)
    assert rows.dtype == np.float32
    for row, words in zip(rows, token_words, strict=True):
        numbers = np.array([WORDS.index(word) for word in words], np.intp)
        vectors = stored["embeddings"][stored["mapping"][numbers] if mapped else numbers]
        wanted = ((stored["weights"][numbers, None] if weighted else 1) * vectors).sum(axis=0) / max(len(words), 1)
        wanted = wanted / (np.linalg.norm(wanted) or 1) if normalize else wanted
        np.testing.assert_allclose(row, wanted, atol=1e-6)


def test_it_keeps_the_laws_of_an_embedder(tmp_path: Path) -> None:
    embed = StaticEmbedder.load(
        save_model(
            tmp_path / "model", words=[*WORDS, *map(chr, range(97, 123)), *(f"##{chr(c)}" for c in range(97, 123))]
        )
    )
    check_embedder(embed, ["the sea", "bread", "tide rises", "море", "a b c"])
    assert embed([]).shape == (0, embed.dimension) == (0, 6)
    with pytest.raises(TypeError, match=r"\[text\]"):
        embed("the sea")


def test_it_is_known_by_what_it_is_and_not_by_its_path(tmp_path: Path) -> None:
    embed = StaticEmbedder.load(save_model(tmp_path / "one"))
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    assert StaticEmbedder.load(tmp_path / "two") == embed
    other = StaticEmbedder.load(save_model(tmp_path / "three", seed=1))
    assert other != embed
    assert other.version != embed.version
    assert pickle.loads(pickle.dumps(embed)) == copy.deepcopy(embed) == embed
    kept = pickle.dumps(embed)
    assert len(kept) < 1000
    shutil.rmtree(tmp_path / "one")
    shutil.copytree(tmp_path / "three", tmp_path / "one")
    with pytest.raises(ValueError, match="another model than before"):
        pickle.loads(kept)


def test_what_is_missing_or_does_not_fit_is_told_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = save_model(tmp_path / "model")
    (folder / "config.json").unlink()
    with pytest.raises(FileNotFoundError, match=r"has no config\.json; download"):
        StaticEmbedder.load(folder)
    (folder / "config.json").write_text("{}")
    pytest.importorskip("safetensors.numpy").save_file(
        {"embeddings": np.zeros((2, 3), np.float32)}, folder / "model.safetensors"
    )
    with pytest.raises(ValueError, match="needs 9 vectors, and has 2"):
        StaticEmbedder.load(folder)


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
@pytest.mark.parametrize("content", [b"", b"version https://git-lfs.github.com/spec/v1\n", b"[1]", b"\xff" * 99])
def test_a_file_that_is_no_such_file_is_told_by_its_name(tmp_path: Path, name: str, content: bytes) -> None:
    folder = save_model(tmp_path / "model")
    (folder / name).write_bytes(content)
    with pytest.raises(ValueError, match=f"{name} cannot be read: .*download it anew"):
        StaticEmbedder.load(folder)


@pytest.mark.parametrize(
    ("name", "tensor", "told"),
    [
        ("embeddings", np.full((9, 6), np.nan, np.float16), "embeddings that are infinite or no numbers"),
        ("weights", np.full(9, -np.inf), "weights that are infinite or no numbers"),
        ("mapping", np.array([0, 1, 2, -1, 0, 0, 0, 0, 0]), "whole numbers from 0 on: got int64, the least -1"),
        ("mapping", np.full(9, 1.5), "whole numbers from 0 on: got float64"),
    ],
)
def test_tensors_that_would_give_wrong_rows_are_refused(
    tmp_path: Path, name: str, tensor: np.ndarray[Any, Any], told: str
) -> None:
    file = save_model(tmp_path / "model", mapped=True, weighted=True) / "model.safetensors"
    library = pytest.importorskip("safetensors.numpy")
    library.save_file(library.load_file(file) | {name: tensor}, file)
    with pytest.raises(ValueError, match=told):
        StaticEmbedder.load(file.parent)


def test_a_long_text_loses_no_digits(tmp_path: Path) -> None:
    embed = StaticEmbedder.load(save_model(tmp_path / "model"))
    short, long = embed(["the sea", "the sea " * 60_000])
    np.testing.assert_allclose(long, short, atol=1e-6)


def test_without_the_extra_the_error_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(ImportError, match=r"pip install 'caesura-static\[models\]'"):
        StaticEmbedder.load(tmp_path)


def test_both_plugins_and_the_core_take_it(tmp_path: Path) -> None:
    embed: LoadedEmbedder = StaticEmbedder.load(save_model(tmp_path / "model"))
    text = "The sea rises. The tide rises. Bread, bread. Хлеб."
    assert Splitter().split(text, embed)
    langchain = StaticEmbeddings(embed)
    assert langchain.embed_query("the sea") == embed(["the sea"])[0].tolist()
    assert LangChainSplitter(langchain).split_text(text)
    assert pickle.loads(pickle.dumps(langchain)).embedder == embed
    llama_index = StaticEmbedding(embed)
    assert llama_index.get_query_embedding("the sea") == embed(["the sea"])[0].tolist()
    assert pickle.loads(pickle.dumps(llama_index)).embedder == embed
    assert DoublePassSemanticSplitter(embed_model=llama_index)([Document(text=text)])


def test_a_parser_is_filed_by_the_content_of_its_model(tmp_path: Path) -> None:
    folder = save_model(tmp_path / "model")
    parser = DoublePassSemanticSplitter(embed_model=StaticEmbedding(StaticEmbedder.load(folder)))
    filed = parser.to_dict()
    assert filed["embed_model"]["model_version"] == StaticEmbedder.load(folder).version
    again = DoublePassSemanticSplitter.from_dict(filed)
    assert again.to_dict() == filed
    shutil.rmtree(folder)
    save_model(folder, seed=1)
    assert DoublePassSemanticSplitter(embed_model=StaticEmbedding(StaticEmbedder.load(folder))).to_dict() != filed
    with pytest.raises(ValueError, match="another model than before"):
        DoublePassSemanticSplitter.from_dict(filed)


def test_a_copy_of_a_model_is_the_same_model_and_keeps_its_own_folder(tmp_path: Path) -> None:
    first = StaticEmbedder.load(save_model(tmp_path / "model"))
    second = StaticEmbedder.load(shutil.copytree(tmp_path / "model", tmp_path / "copy"))
    assert first == second
    assert second.path == (tmp_path / "copy").resolve()
    shutil.rmtree(tmp_path / "model")
    assert pickle.loads(pickle.dumps(second)) == second


def test_normalize_has_to_be_true_or_false(tmp_path: Path) -> None:
    folder = save_model(tmp_path / "model")
    (folder / "config.json").write_text('{"normalize": "false"}')
    with pytest.raises(ValueError, match="has 'false' as `normalize`; write true or false, without quotes"):
        StaticEmbedder.load(folder)
