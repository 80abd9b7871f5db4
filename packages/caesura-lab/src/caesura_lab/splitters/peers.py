"""A splitter of another package -> text in, strings out, by its own interface and measured by our sizer."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, TypeAlias

from caesura import CaesuraError, SettingError
from caesura.types import Embed
from caesura.vectors import as_rows
from caesura_lab.sizing import Sizing

Pieces: TypeAlias = Callable[[str], "list[str]"]
Settings: TypeAlias = dict[str, Any]


class SplitterError(CaesuraError):
    """A splitter of another package failed on a text."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A splitter of another package.

    make: (its own settings, sizing, embedder) -> str -> pieces. needs: the modules, and the distributions that have
    them. limited: whether it keeps to a size.
    """

    make: Callable[[Settings, Sizing, Embed], Pieces]
    needs: tuple[tuple[str, str], ...]
    limited: bool = True

    @property
    def missing(self) -> str | None:
        """The distributions that are not installed, as pip takes them, or None."""
        return " ".join(name for module, name in self.needs if not _installed(module)) or None

    def pieces(self, name: str, settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
        """Raises `SettingError` where something is not installed, or the splitter does not take a setting; what it
        raises when it cuts is a `SplitterError`."""
        if self.missing:
            raise SettingError(f"splitter {name!r} needs what is not installed: pip install {self.missing}")
        try:
            split = self.make(settings, sizing, embed)
        except (TypeError, ValueError) as error:
            raise SettingError(f"splitter {name!r} does not take {settings or sizing}: {error}") from error

        def pieces(text: str) -> list[str]:
            try:
                return split(text)
            except CaesuraError:
                raise
            except Exception as error:  # such as of a setting that it takes and cannot use
                raise SplitterError(f"splitter {name!r} failed: {type(error).__name__}: {error}") from error

        return pieces


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it is missing
        return False


def recursive(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    """At the first of several separators that gives pieces small enough."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter as Splitter

    return Splitter(**_sizes(sizing), **settings).split_text


def markdown(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    """The same, at Markdown's separators."""
    from langchain_text_splitters import MarkdownTextSplitter as Splitter

    return Splitter(**_sizes(sizing), **settings).split_text


def semantic_chunker(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    """By percentiles; it knows no size."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # langchain-experimental announces its end when imported
        from langchain_experimental.text_splitter import SemanticChunker

    split: Pieces = SemanticChunker(_embeddings(embed), **settings).split_text
    return split


def _sizes(sizing: Sizing) -> Settings:
    return {"chunk_size": sizing.most, "chunk_overlap": sizing.overlap, "length_function": sizing.sizer}


def _embeddings(embed: Embed) -> Any:
    from langchain_core.embeddings import Embeddings

    class Bridge(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return as_rows(embed(texts), len(texts)).tolist()  # type: ignore[no-any-return]

        def embed_query(self, text: str) -> list[float]:
            return self.embed_documents([text])[0]

    return Bridge()


def token(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    """After every so many tokens, at a separator."""
    from llama_index.core.node_parser import TokenTextSplitter as Splitter

    return Splitter(**_token_sizes(sizing), **settings).split_text


def sentence(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    """Whole sentences, as many as there is room for."""
    from llama_index.core.node_parser import SentenceSplitter as Splitter

    return Splitter(**_token_sizes(sizing), **settings).split_text


def semantic_splitter(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    """By percentiles; it knows no size."""
    from llama_index.core.node_parser import SemanticSplitterNodeParser

    return contents(SemanticSplitterNodeParser.from_defaults(embed_model=_embed_model(embed), **settings))


def double_merging(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    """Sentences grow into chunks, and chunks merge."""
    from llama_index.core.node_parser import SemanticDoubleMergingSplitterNodeParser as Splitter

    settings = {"max_chunk_size": sizing.most, **settings}
    return contents(Splitter.from_defaults(embed_model=_embed_model(embed), **settings))


def contents(parser: Any) -> Pieces:
    """A LlamaIndex node parser -> text in, the contents of its nodes out; nothing where there is only whitespace."""
    from llama_index.core import Document

    def split(text: str) -> list[str]:
        if not text.strip():  # which some of them cannot take
            return []
        return [node.get_content() for node in parser.get_nodes_from_documents([Document(text=text)])]

    return split


def _token_sizes(sizing: Sizing) -> Settings:
    """A sizer as a tokenizer, of which LlamaIndex wants the length alone."""
    counted = {"tokenizer": lambda text: range(sizing.sizer(text))}
    return {"chunk_size": sizing.most, "chunk_overlap": sizing.overlap, **counted}


def _embed_model(embed: Embed) -> Any:
    from llama_index.core.base.embeddings.base import BaseEmbedding

    class Bridge(BaseEmbedding):
        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return as_rows(embed(texts), len(texts)).tolist()  # type: ignore[no-any-return]

        def _get_text_embedding(self, text: str) -> list[float]:
            return self._get_text_embeddings([text])[0]

        def _get_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

    return Bridge(model_name="lab", embed_batch_size=2048)


def fixed(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    """After every so many characters, wherever that is."""
    if settings:
        raise ValueError("it has no settings")
    step = sizing.most - sizing.overlap
    if sizing.sizer is not len or step < 1:
        raise ValueError("it counts characters, and the overlap must be under the size")
    return lambda text: [text[at : at + sizing.most] for at in range(0, max(len(text) - sizing.overlap, 1), step)]


LANGCHAIN = (("langchain_text_splitters", "langchain-text-splitters"),)
LLAMA_INDEX = (("llama_index.core", "llama-index-core"),)
EXPERIMENTAL = (("langchain_experimental", "langchain-experimental"),)
PEERS: dict[str, Peer] = {
    "recursive": Peer(recursive, LANGCHAIN),
    "markdown": Peer(markdown, LANGCHAIN),
    "token": Peer(token, LLAMA_INDEX),
    "sentence": Peer(sentence, LLAMA_INDEX),
    "semantic-chunker": Peer(semantic_chunker, EXPERIMENTAL, limited=False),
    "semantic-splitter": Peer(semantic_splitter, LLAMA_INDEX, limited=False),
    "double-merging": Peer(double_merging, LLAMA_INDEX),
    "fixed": Peer(fixed, ()),
}
