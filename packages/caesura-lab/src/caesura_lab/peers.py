"""The frameworks' splitters by name -> text in, strings out, each by its own interface and measured by the same sizer.

Nothing here is imported before its splitter is asked for; what is not installed is a `SettingError` with the remedy.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, TypeAlias

from caesura import CaesuraError, SettingError
from caesura.errors import whole
from caesura.types import Embed, Sizer
from caesura.vectors import own_rows

Pieces: TypeAlias = Callable[[str], "list[str]"]
Settings: TypeAlias = dict[str, Any]
UNLIMITED = 1_000_000_000


class SplitterError(CaesuraError):
    """A splitter of another package failed on a text."""


@dataclass(frozen=True, slots=True)
class Sizing:
    """What a chunk may measure, how much of it may be overlap, and the sizer that measures.

    Raises `SettingError` for sizes that are no whole numbers, or a size under 1.
    """

    size: int | None
    min_size: int = 0
    overlap: int = 0
    sizer: Sizer = field(default=len, repr=False)

    def __post_init__(self) -> None:
        if self.size is not None:
            whole("size", self.size, 1)
        whole("min_size", self.min_size, 0)
        whole("overlap", self.overlap, 0)

    @property
    def most(self) -> int:
        """The size, or a number that no chunk comes to."""
        return UNLIMITED if self.size is None else self.size


@dataclass(frozen=True, slots=True)
class Peer:
    """A splitter of another package.

    make: (its own settings, sizing, embedder) -> str -> pieces. needs: the modules, and the distributions that have
    them. semantic: whether it embeds. limited: whether it keeps to a size.
    """

    make: Callable[[Settings, Sizing, Embed], Pieces]
    needs: tuple[tuple[str, str], ...]
    semantic: bool = False
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


def _recursive(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    from langchain_text_splitters import RecursiveCharacterTextSplitter as Splitter

    sizes: Settings = {"chunk_size": sizing.most, "chunk_overlap": sizing.overlap}
    return Splitter(length_function=sizing.sizer, **sizes, **settings).split_text


def _markdown(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    from langchain_text_splitters import MarkdownTextSplitter as Splitter

    sizes: Settings = {"chunk_size": sizing.most, "chunk_overlap": sizing.overlap}
    return Splitter(length_function=sizing.sizer, **sizes, **settings).split_text


def _token(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    from llama_index.core.node_parser import TokenTextSplitter as Splitter

    sizes: Settings = {"chunk_size": sizing.most, "chunk_overlap": sizing.overlap}
    return Splitter(tokenizer=_counted(sizing), **sizes, **settings).split_text


def _sentence(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    from llama_index.core.node_parser import SentenceSplitter as Splitter

    sizes: Settings = {"chunk_size": sizing.most, "chunk_overlap": sizing.overlap}
    return Splitter(tokenizer=_counted(sizing), **sizes, **settings).split_text


def _semantic_chunker(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # langchain-experimental announces its end when imported
        from langchain_experimental.text_splitter import SemanticChunker

    split: Pieces = SemanticChunker(_for_langchain(embed), **settings).split_text
    return split


def _semantic_splitter(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    from llama_index.core.node_parser import SemanticSplitterNodeParser

    return contents(SemanticSplitterNodeParser.from_defaults(embed_model=_for_llama_index(embed), **settings))


def _double_merging(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    from llama_index.core.node_parser import SemanticDoubleMergingSplitterNodeParser as Splitter

    settings = {"max_chunk_size": sizing.most, **settings}
    return contents(Splitter.from_defaults(embed_model=_for_llama_index(embed), **settings))


def _fixed(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
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
    "recursive": Peer(_recursive, LANGCHAIN),
    "markdown": Peer(_markdown, LANGCHAIN),
    "token": Peer(_token, LLAMA_INDEX),
    "sentence": Peer(_sentence, LLAMA_INDEX),
    "semantic-chunker": Peer(_semantic_chunker, EXPERIMENTAL, semantic=True, limited=False),
    "semantic-splitter": Peer(_semantic_splitter, LLAMA_INDEX, semantic=True, limited=False),
    "double-merging": Peer(_double_merging, LLAMA_INDEX, semantic=True),
    "fixed": Peer(_fixed, ()),
}
"""LangChain's recursive and Markdown splitters and SemanticChunker, LlamaIndex's token and sentence splitters,
SemanticSplitter and double merging, and a cut after every so many characters."""


def contents(parser: Any) -> Pieces:
    """A LlamaIndex node parser -> text in, the contents of its nodes out; nothing where there is only whitespace."""
    from llama_index.core import Document

    def split(text: str) -> list[str]:
        if not text.strip():  # which some of them cannot take
            return []
        return [node.get_content() for node in parser.get_nodes_from_documents([Document(text=text)])]

    return split


def _counted(sizing: Sizing) -> Callable[[str], Sequence[int]]:
    """A sizer as a tokenizer, of which LlamaIndex wants the length alone."""
    return lambda text: range(sizing.sizer(text))


def _for_langchain(embed: Embed) -> Any:
    from langchain_core.embeddings import Embeddings

    class Bridge(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return own_rows(embed(texts), len(texts)).tolist()  # type: ignore[no-any-return]

        def embed_query(self, text: str) -> list[float]:
            return self.embed_documents([text])[0]

    return Bridge()


def _for_llama_index(embed: Embed) -> Any:
    from llama_index.core.base.embeddings.base import BaseEmbedding

    class Bridge(BaseEmbedding):
        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return own_rows(embed(texts), len(texts)).tolist()  # type: ignore[no-any-return]

        def _get_text_embedding(self, text: str) -> list[float]:
            return self._get_text_embeddings([text])[0]

        def _get_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

    return Bridge(model_name="lab", embed_batch_size=2048)


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it is missing
        return False
