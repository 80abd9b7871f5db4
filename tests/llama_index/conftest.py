"""LlamaIndex keeps its settings in one global: every test starts with its own."""

from __future__ import annotations

from collections.abc import Iterator

import llama_index.core
import pytest
from llama_index.core import Settings
from llama_index.core.utils import get_tokenizer

KEPT = ("_embed_model", "_node_parser", "_transformations", "_tokenizer", "_callback_manager", "_llm", "_prompt_helper")


@pytest.fixture(autouse=True)
def own_settings() -> Iterator[None]:
    get_tokenizer()
    kept = {name: getattr(Settings, name) for name in KEPT}
    tokenizer = llama_index.core.global_tokenizer
    for name in KEPT:
        setattr(Settings, name, None)
    yield
    for name, value in kept.items():
        setattr(Settings, name, value)
    llama_index.core.global_tokenizer = tokenizer
