"""What the built-in model promises in both frameworks' forms, sync and async: the laws of `caesura_testing`."""

from __future__ import annotations

import pytest

from caesura_testing import acheck_embedder, check_embedder
from langchain_caesura import StaticEmbeddings
from llama_index.node_parser.caesura import StaticEmbedding

pytestmark = pytest.mark.filterwarnings("ignore:the built-in model knows English")


async def test_langchains_embeddings_keep_the_laws() -> None:
    embeddings = StaticEmbeddings()
    check_embedder(embeddings.embed_documents)
    await acheck_embedder(embeddings.aembed_documents)


async def test_llama_indexs_embedding_keeps_the_laws() -> None:
    embedding = StaticEmbedding()
    check_embedder(embedding.get_text_embedding_batch)
    await acheck_embedder(embedding.aget_text_embedding_batch)
