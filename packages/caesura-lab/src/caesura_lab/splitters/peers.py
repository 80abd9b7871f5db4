"""Splitters of other packages: text in, strings out, by their own interface and measured by our sizer."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, TypeAlias

from caesura import CaesuraError, SettingError
from caesura.types import Embed
from caesura.vectors import as_rows
from caesura_lab.sizing import Sizing

Pieces: TypeAlias = Callable[[str], "list[str]"]
Settings: TypeAlias = dict[str, Any]
MakePieces: TypeAlias = Callable[[Settings, Sizing, Embed], Pieces]


class SplitterError(CaesuraError):
    """A splitter of another package failed on a text."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A splitter of another package.

    make: (its own settings, sizing, embedder) -> str -> pieces. needs: the modules, and the distributions that have
    them. limited: whether it keeps to a size.
    """

    make: MakePieces
    needs: tuple[tuple[str, str], ...]
    limited: bool = True

    @property
    def missing(self) -> str | None:
        """The distributions that are not installed, as pip takes them, or None."""
        return " ".join(name for module, name in self.needs if not _is_installed(module)) or None

    def pieces(self, name: str, settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
        """Raises `SettingError` where something is not installed, or the splitter does not take a setting; what it
        raises when it cuts is a `SplitterError`."""
        if self.missing:
            raise SettingError(
                f"splitter {name!r} needs what is not installed: pip install {self.missing}, or all that is compared: "
                f'pip install "caesura-lab[frameworks]"'
            )
        try:
            split = self.make(settings, sizing, embed)
        except (TypeError, ValueError) as error:
            given = settings or f"size={sizing.max_size} and overlap={sizing.overlap}"
            raise SettingError(f"splitter {name!r} does not take {given}: {error}") from error

        def pieces(text: str) -> list[str]:
            try:
                return split(text)
            except CaesuraError:
                raise
            except Exception as error:  # such as of a setting that it takes and cannot use
                raise SplitterError(f"splitter {name!r} failed: {type(error).__name__}: {error}") from error

        return pieces


def langchain_splitter(class_name: str) -> MakePieces:
    """The name of a text splitter of LangChain's that keeps to a size -> how it is made."""

    def make(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
        import langchain_text_splitters

        sizes = {"chunk_size": sizing.max_size, "chunk_overlap": sizing.overlap, "length_function": sizing.sizer}
        split: Pieces = getattr(langchain_text_splitters, class_name)(**sizes, **settings).split_text
        return split

    return make


def llama_index_splitter(class_name: str) -> MakePieces:
    """The name of a text splitter of LlamaIndex's that keeps to a size -> how it is made."""

    def make(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
        from llama_index.core import node_parser

        def tokenizer(text: str) -> range:  # of whose tokens it wants the number alone
            return range(sizing.sizer(text))

        sizes = {"chunk_size": sizing.max_size, "chunk_overlap": sizing.overlap, "tokenizer": tokenizer}
        split: Pieces = getattr(node_parser, class_name)(**sizes, **settings).split_text
        return split

    return make


def semantic_chunker(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    """LangChain's, by percentiles; it knows no size."""
    from langchain_core.embeddings import Embeddings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # langchain-experimental announces its end when imported
        from langchain_experimental.text_splitter import SemanticChunker

    class LangChainEmbeddings(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return _embed_lists(embed, texts)

        def embed_query(self, text: str) -> list[float]:
            return self.embed_documents([text])[0]

    split: Pieces = SemanticChunker(LangChainEmbeddings(), **settings).split_text
    return split


def semantic_splitter(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    """LlamaIndex's, by percentiles; it knows no size."""
    from llama_index.core.node_parser import SemanticSplitterNodeParser

    return node_contents(SemanticSplitterNodeParser.from_defaults(embed_model=_embed_model(embed), **settings))


def double_merging_splitter(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    """LlamaIndex's; sentences grow into chunks, and chunks merge."""
    from llama_index.core.node_parser import SemanticDoubleMergingSplitterNodeParser as Splitter

    settings = {"max_chunk_size": sizing.max_size, **settings}
    return node_contents(Splitter.from_defaults(embed_model=_embed_model(embed), **settings))


def fixed_size_splitter(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    """After every so many characters, wherever that is."""
    if settings:
        raise ValueError("it has no settings")
    size, step = sizing.max_size, sizing.max_size - sizing.overlap
    if sizing.sizer is not len or step < 1:
        raise ValueError("it counts characters, and the overlap must be under the size")
    return lambda text: [text[at : at + size] for at in range(0, max(len(text) - sizing.overlap, 1), step)]


LANGCHAIN = (("langchain_text_splitters", "langchain-text-splitters"),)
LLAMA_INDEX = (("llama_index.core", "llama-index-core"),)
EXPERIMENTAL = (("langchain_experimental", "langchain-experimental"),)
PEERS: dict[str, Peer] = {
    "recursive": Peer(langchain_splitter("RecursiveCharacterTextSplitter"), LANGCHAIN),
    "markdown": Peer(langchain_splitter("MarkdownTextSplitter"), LANGCHAIN),
    "token": Peer(llama_index_splitter("TokenTextSplitter"), LLAMA_INDEX),
    "sentence": Peer(llama_index_splitter("SentenceSplitter"), LLAMA_INDEX),
    "semantic-chunker": Peer(semantic_chunker, EXPERIMENTAL, limited=False),
    "semantic-splitter": Peer(semantic_splitter, LLAMA_INDEX, limited=False),
    "double-merging": Peer(double_merging_splitter, LLAMA_INDEX),
    "fixed": Peer(fixed_size_splitter, ()),
}


def node_contents(parser: Any) -> Pieces:
    """A LlamaIndex node parser -> text in, the contents of its nodes out; nothing where there is only whitespace."""
    from llama_index.core import Document

    def split(text: str) -> list[str]:
        if not text.strip():  # which some of them cannot take
            return []
        return [node.get_content() for node in parser.get_nodes_from_documents([Document(text=text)])]

    return split


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it is missing
        return False


def _embed_model(embed: Embed) -> Any:
    from llama_index.core.base.embeddings.base import BaseEmbedding

    class LlamaIndexEmbedding(BaseEmbedding):
        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return _embed_lists(embed, texts)

        def _get_text_embedding(self, text: str) -> list[float]:
            return self._get_text_embeddings([text])[0]

        def _get_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

    return LlamaIndexEmbedding(model_name="lab", embed_batch_size=2048)


def _embed_lists(embed: Embed, texts: Sequence[str]) -> list[list[float]]:
    rows: list[list[float]] = as_rows(embed(list(texts)), len(texts)).tolist()
    return rows
