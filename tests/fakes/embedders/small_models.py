"""Small models of random numbers, as sentence-transformers and fastembed keep them; the session `models` has both."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LETTERS = [*map(chr, (*range(ord("a"), ord("z") + 1), *range(ord("а"), ord("я") + 1))), *".,:?"]
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *LETTERS, *(f"##{letter}" for letter in LETTERS)]
WINDOW = 64


def make_tokenizer() -> Any:
    """It spells a word by its letters, and puts a token before and behind each text."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    numbers = {word: number for number, word in enumerate(WORDS)}
    made = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(strip_accents=False)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", numbers["[SEP]"]), ("[CLS]", numbers["[CLS]"]))
    return made


def save_transformer(folder: Path) -> Any:
    """Saves a BERT of one layer, which reads WINDOW tokens, as sentence-transformers does; returns the BERT."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    torch.manual_seed(0)
    small = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    bert = BertModel(BertConfig(vocab_size=len(WORDS), max_position_embeddings=WINDOW, **small)).eval()
    bert.save_pretrained(folder / "bert")
    special = {f"{word[1:-1].lower()}_token": word for word in WORDS[:4]}
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=make_tokenizer(), model_max_length=WINDOW, **special)
    tokenizer.save_pretrained(folder / "bert")
    SentenceTransformer(modules=[Transformer(str(folder / "bert")), Pooling(16)], device="cpu").save(str(folder))
    return bert


def save_onnx(folder: Path, table: Any) -> None:
    """Saves a model whose token rows are those of a table, as Hugging Face's cache does after a download."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, "nt") for name in ("input_ids", "attention_mask")]
    rows = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["n", "t", table.shape[1]])
    node = helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    graph = helper.make_graph([node], "rows", inputs, [rows], [numpy_helper.from_array(table, "table")])
    snapshot = folder / "snapshots" / "1"
    snapshot.mkdir(parents=True)
    made = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 17)])
    onnx.save(made, snapshot / "model_optimized.onnx")
    make_tokenizer().save(str(snapshot / "tokenizer.json"))
    (snapshot / "tokenizer_config.json").write_text(json.dumps({"model_max_length": WINDOW, "pad_token": "[PAD]"}))
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("1")
