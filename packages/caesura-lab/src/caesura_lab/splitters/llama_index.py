"""LlamaIndex's splitters: settings, a `Sizing` and an embedder -> text in, strings out. Imported when made."""

from __future__ import annotations

from typing import Any

from caesura.types import Embed
from caesura.vectors import own_rows
from caesura_lab.sizing import Sizing
from caesura_lab.splitters.peer import Pieces, Settings


def token(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    """After every so many tokens, at a separator."""
    from llama_index.core.node_parser import TokenTextSplitter as Splitter

    return Splitter(**_sizes(sizing), **settings).split_text


def sentence(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    """Whole sentences, as many as there is room for."""
    from llama_index.core.node_parser import SentenceSplitter as Splitter

    return Splitter(**_sizes(sizing), **settings).split_text


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


def _sizes(sizing: Sizing) -> Settings:
    """A sizer as a tokenizer, of which LlamaIndex wants the length alone."""
    counted = {"tokenizer": lambda text: range(sizing.sizer(text))}
    return {"chunk_size": sizing.most, "chunk_overlap": sizing.overlap, **counted}


def _embed_model(embed: Embed) -> Any:
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
