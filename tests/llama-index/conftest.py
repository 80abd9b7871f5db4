"""LlamaIndex keeps its settings in one global: every test starts with its own. And a tracer."""

from __future__ import annotations

from collections.abc import Iterator

import llama_index.core
import pytest
from fakes.llama_index.spans import Spans
from llama_index.core import Settings
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.utils import get_tokenizer


@pytest.fixture(autouse=True)
def own_settings() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as kept:
        kept.setattr(llama_index.core, "global_tokenizer", get_tokenizer())
        for name in vars(Settings):
            kept.setattr(Settings, name, None)
        yield


@pytest.fixture
def tracer() -> Iterator[Spans]:
    root, spans = get_dispatcher(), Spans()
    root.add_span_handler(spans)
    yield spans
    root.span_handlers.remove(spans)
