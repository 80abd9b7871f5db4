"""What `Code()` gains over our rules, on source code and on pages with code in them, in both frameworks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from corpora import asked, named
from embedders import Memo
from quality_retrieval import WEIGHED, add_gain
from retrievers import Find, ours_langchain, ours_llama_index
from tables import Table

from caesura_documents.source_code import Code
from langchain_caesura import DoublePassSemanticSplitter


def tables(shown: str, memo: Memo, say: Callable[[str], None]) -> list[Table]:
    """One table per set: our retrievers without `Code` and with it, with words and without."""
    made = []
    for name in ("code", "handbook"):
        data = asked(name)
        table = Table(f"Source code by grammar, {shown}, {named(name, WEIGHED)}: percent")
        options: tuple[dict[str, Any], ...] = ({}, {"words": 0.0})
        for words in options:

            def langchain(folder: Path, on: bool, words: Any = words, data: Any = data) -> Find:
                child = {"child_splitter": DoublePassSemanticSplitter(sentence_splitter=Code())} if on else {}
                return ours_langchain(data, memo, folder, **child, **words)

            def llama_index(folder: Path, on: bool, words: Any = words, data: Any = data) -> Find:
                return ours_llama_index(data, memo, folder, sentence_splitter=Code() if on else None, **words)

            for framework, make in (("LangChain", langchain), ("LlamaIndex", llama_index)):
                add_gain(table, data, f"{framework}{', words=0' * bool(words)}", "Code()", make, say)
        made.append(table)
    return made
