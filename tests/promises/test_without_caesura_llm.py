"""A plugin without its extra `llm` splits; what asks a language model says what to install."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.thorough

LANGCHAIN = """
import sys
sys.modules["caesura_llm"] = None
import langchain_caesura as plugin
assert plugin.DoublePassSemanticSplitter().split_text("Tea is hot.") == ["Tea is hot."]
from langchain_caesura import *
assert ParentDocumentRetriever is plugin.ParentDocumentRetriever
assert "PropositionTransformer" not in globals()
assert "PropositionTransformer" in dir(plugin)
plugin.PropositionTransformer
"""
LLAMA_INDEX = """
import sys
sys.modules["caesura_llm"] = None
import llama_index.node_parser.caesura as plugin
from llama_index.core import Document
nodes = plugin.DoublePassSemanticSplitter()([Document(text="Tea is hot.")])
assert [node.text for node in nodes] == ["Tea is hot."]
from llama_index.node_parser.caesura import *
assert HierarchyIndex is plugin.HierarchyIndex
assert "PropositionTransformer" not in globals()
assert "PropositionTransformer" in dir(plugin)
plugin.PropositionTransformer
"""


@pytest.mark.parametrize(
    ("program", "package"),
    [(LANGCHAIN, "langchain-caesura"), (LLAMA_INDEX, "llama-index-node-parser-caesura")],
    ids=["langchain", "llama-index"],
)
def test_a_plugin_splits_and_names_what_to_install(program: str, package: str) -> None:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    remedy = f'pip install "{package}[llm]"'
    assert done.stderr.splitlines()[-1] == f"ImportError: a transformer needs caesura-llm: {remedy}"
