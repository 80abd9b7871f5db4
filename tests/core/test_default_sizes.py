"""What the plugins count where nothing is chosen."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("name", ["DoublePassSemanticSplitter", "SemanticPercentileSplitter"])
def test_langchains_plugin_counts_characters(name: str) -> None:
    splitter = getattr(pytest.importorskip("langchain_caesura"), name)()
    text = "The mill was gone. " * 400
    assert 1000 < max(map(len, splitter.split_text(text))) <= 2000


@pytest.mark.parametrize("name", ["DoublePassSemanticSplitter", "SemanticPercentileSplitter"])
def test_llama_indexs_plugin_counts_tokens_of_the_global_tokenizer(name: str) -> None:
    core = pytest.importorskip("llama_index.core")
    parser = getattr(pytest.importorskip("llama_index.node_parser.caesura"), name)
    count = pytest.importorskip("llama_index.core.utils").get_tokenizer()
    nodes = parser()([core.Document(text="The mill was gone. " * 400)])
    assert 256 < max(len(count(node.text)) for node in nodes) <= 512
