"""Splitters of other libraries, each as text -> pieces, and texts of several kinds to split."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from typing import Any

import pytest

TEXTS = {
    "prose": (
        "Mr. Hale went down to the bridge at 5 a.m.  Was it still there? It was! “We were lucky,” he said.\n\n"
        "The water fell, e.g. by 3.42 m.\nThe mill did not stand; the horse did. The water fell. The water fell.\n"
    ),
    "Python": (
        '"""Reads gauges. Slowly."""\n\nfrom sea import tide\n\n\nclass Gauge:\n    """One gauge."""\n\n'
        "    def read(self, at: float = .5) -> str:\n        if at > 1.0:\n            return f'{at:.2f}. Done.'\n"
        "        return {'a': [1, (2, 3)]}['a']\n\n\ndef mean(xs):\n\treturn sum(xs) / len(xs)\n"
    ),
    "Markdown": (
        "# Tides\n\nThe *sea* rose. It fell.\n\n## Parts\n\n| part | cost |\n|------|-----:|\n| pen  | 3.50 |\n\n"
        "- rope,\n  wet\n- nails\n\n```python\nfor x in sea:\n    print(x)\n```\n\n> It never failed.\n\n***\n\nBye.\n"
    ),
    "HTML": "<html><body>\n<h1>Tides</h1>\n<p>The sea rose. It fell.</p>\n<ul>\n <li>rope</li>\n</ul>\n</body></html>",
    "Chinese": (
        "今天海水很高。真的吗？真的！他说：“走吧。”然后走了……\n\n"
        "第二天，海水退了，桥还在，磨坊不在了。\n海水退了。海水退了。\n"
    ),
}
every_text = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)


def langchain(language: str | None = None, **settings: Any) -> Callable[[str], list[str]]:
    splitters = pytest.importorskip("langchain_text_splitters")
    settings = {"chunk_size": 40, "chunk_overlap": 0, **settings}
    made = splitters.RecursiveCharacterTextSplitter
    return (made(**settings) if language is None else made.from_language(language, **settings)).split_text


def llama_index(**settings: Any) -> Callable[[str], list[str]]:
    parsers = pytest.importorskip("llama_index.core.node_parser")
    return parsers.SentenceSplitter(**{"chunk_size": 16, "chunk_overlap": 0, **settings}).split_text


def code() -> Callable[[str], list[str]]:
    tree_sitter, grammar = pytest.importorskip("tree_sitter"), pytest.importorskip("tree_sitter_python")
    parsers = pytest.importorskip("llama_index.core.node_parser")
    parser = tree_sitter.Parser(tree_sitter.Language(grammar.language()))
    splitter = parsers.CodeSplitter(language="python", parser=parser, max_chars=60)

    def split(text: str) -> list[str]:
        try:
            return splitter.split_text(text)
        except ValueError:
            pytest.skip("no Python")

    return split


def punkt() -> Callable[[str], list[str]]:
    return pytest.importorskip("nltk.tokenize.punkt").PunktSentenceTokenizer().tokenize


SPLITTERS: dict[str, Callable[[], Callable[[str], Any]]] = {
    "LangChain, recursive": langchain,
    "LangChain, recursive, at Chinese stops": lambda: langchain(
        separators=["\n\n", "。", "，", ""], keep_separator="end"
    ),
    "LangChain, Python": lambda: langchain("python"),
    "LangChain, Markdown": lambda: langchain("markdown"),
    "LangChain, HTML": lambda: langchain("html"),
    "LlamaIndex, sentences": llama_index,
    "LlamaIndex, code": code,
    "nltk, Punkt": punkt,
    "a pattern": lambda: re.compile(r"(?<=[.?!。？！])\s*").split,
    "lines": lambda: str.splitlines,
    "wrapped": lambda: lambda text: textwrap.wrap(text, 30),
    "words": lambda: str.split,
}
every_splitter = pytest.mark.parametrize("make", SPLITTERS.values(), ids=SPLITTERS)


def bare(text: str) -> str:
    return "".join(text.split())
