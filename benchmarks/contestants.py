"""An embedder -> what is timed: our splitters, as the core and as the plugins have them, and the peers', defaults all.

Each is made once, before it is timed, and takes a list of texts. Sizes: the core's are 2,000 characters at most, and a
plugin's own, with a target, for the rows that stand beside it; the peers' own.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import chonkie
import numpy as np
from embedders import ForChonkie, ForLangChain, ForLlamaIndex
from llama_index.core import Document
from llama_index.core.node_parser import SemanticDoubleMergingSplitterNodeParser, SemanticSplitterNodeParser
from llama_index.core.utils import get_tokenizer
from numpy.typing import NDArray
from ours import OURS
from peers import CHONKIE, DOUBLE_MERGING, LANGCHAIN, LLAMA_INDEX, SemanticChunker

from caesura import Limits, OptimalCut, Splitter, calibrate, tokens
from caesura.host.settings import CHARACTERS, TOKENS, chunk_limits

SKIPPING = f"{CHONKIE}, skip_window=1"
HOSTS = "LangChain", "LlamaIndex"
PLUGIN = "OptimalSemanticSplitter in {}"
EQUAL_CORE = "OptimalCut, {}'s settings"
"""What a plugin adds nothing to: the core with the plugin's own limits, measured as the plugin does."""
LISTS = ", rows as lists"
Split = Callable[[list[str]], object]


class NearFree:
    """An embedder that costs almost nothing: each text has one of 4,096 random rows, always the same in a process."""

    dimension = 384

    def __init__(self) -> None:
        self.rows = np.random.default_rng(0).normal(size=(4096, self.dimension)).astype(np.float32)

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.rows[np.fromiter((hash(text) & 4095 for text in texts), np.intp, len(texts))]


class Listed:
    """The rows of `NearFree` as lists of Python's numbers. They are made beforehand: that is no work of a splitter."""

    def __init__(self, embed: NearFree) -> None:
        self.dimension, self._lists = embed.dimension, embed.rows.tolist()

    def __call__(self, texts: Sequence[str]) -> Listed.Rows:
        return Listed.Rows(self._lists[hash(text) & 4095] for text in texts)

    class Rows(list[list[float]]):
        """What has a `tolist`, as an array has."""

        def tolist(self) -> list[list[float]]:
            return self[:]


class Counting:
    """An embedder that counts what it is given."""

    def __init__(self, embed: Any) -> None:
        self.embed, self.dimension = embed, embed.dimension
        self.calls = self.characters = 0

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        self.characters += sum(map(len, texts))
        return np.asarray(self.embed(texts), np.float32)


def core(embed: Any) -> dict[str, Split]:
    """The four cuts, by the core alone."""
    background = calibrate(embed)
    splitters = {
        name: Splitter(limits=Limits(2000), cut=each.default, background=background) for name, each in OURS.items()
    }
    return {name: partial(splitter.split_many, embed=embed) for name, splitter in splitters.items()}


def equal_cores(embed: Any) -> dict[str, Split]:
    """What each of `plugins` does, by the core alone: the same cut with the same limits and sizes."""
    background, sizes = calibrate(embed), ((CHARACTERS, len), (TOKENS, tokens(get_tokenizer())))
    splitters = [
        Splitter(limits=chunk_limits(usual=usual), size=size, cut=OptimalCut(), background=background)
        for usual, size in sizes
    ]
    names = map(EQUAL_CORE.format, HOSTS)
    return {name: partial(splitter.split_many, embed=embed) for name, splitter in zip(names, splitters, strict=True)}


def plugins(embed: Any, lists: bool = False) -> dict[str, Split]:
    """One splitter in each framework, with its records.

    lists: whether the embedder is one of the framework's own classes, whose rows are lists of Python's numbers; else it
    is a function, as each plugin takes it too. With lists, `embed` is a `NearFree`.
    """
    from langchain_caesura import OptimalSemanticSplitter as ForLC
    from llama_index.node_parser.caesura import OptimalSemanticSplitter as ForLI

    langchain = ForLC(ForLangChain(Listed(embed)) if lists else embed)
    llama_index = ForLI(embed_model=ForLlamaIndex(Listed(embed)) if lists else embed)
    splits: list[Split] = [
        langchain.create_documents,
        lambda texts: llama_index.get_nodes_from_documents(_documents(texts)),
    ]
    names = [PLUGIN.format(host) + (LISTS if lists else "") for host in HOSTS]
    return dict(zip(names, splits, strict=True))


def equal_core(name: str) -> str | None:
    """One of `plugins` -> what of `equal_cores` does the same; of another contestant None."""
    return next((EQUAL_CORE.format(host) for host in HOSTS if name.startswith(PLUGIN.format(host))), None)


def peers(embed: Any) -> dict[str, Split]:
    """The peers, each by its own interface."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        langchain = SemanticChunker(ForLangChain(embed))
        semantic = SemanticSplitterNodeParser.from_defaults(embed_model=ForLlamaIndex(embed))
        double = SemanticDoubleMergingSplitterNodeParser.from_defaults(embed_model=ForLlamaIndex(embed))
        plain = chonkie.SemanticChunker(embedding_model=ForChonkie(embed))
        skipping = chonkie.SemanticChunker(embedding_model=ForChonkie(embed), skip_window=1)
    return {
        LANGCHAIN.format("percentile"): langchain.create_documents,
        LLAMA_INDEX: lambda texts: semantic.get_nodes_from_documents(_documents(texts)),
        DOUBLE_MERGING: lambda texts: double.get_nodes_from_documents(_documents(texts)),
        CHONKIE: lambda texts: [plain.chunk(text) for text in texts],
        SKIPPING: lambda texts: [skipping.chunk(text) for text in texts],
    }


def _documents(texts: list[str]) -> list[Document]:
    return [Document(text=text) for text in texts]
