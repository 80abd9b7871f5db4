"""LlamaIndex keeps its settings in one global: every test starts with its own."""

from __future__ import annotations

from collections.abc import Iterator

import llama_index.core
import pytest
from llama_index.core import Settings
from llama_index.core.utils import get_tokenizer


@pytest.fixture(autouse=True)
def own_settings() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as kept:
        kept.setattr(llama_index.core, "global_tokenizer", get_tokenizer())
        for name in vars(Settings):
            kept.setattr(Settings, name, None)
        yield
