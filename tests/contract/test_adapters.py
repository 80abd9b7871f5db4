"""What every splitter of both plugins promises of the records it makes: the laws of `caesura.testing`."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_fakes import SPLITTERS
from llama_index.core import Document as LlamaDocument
from llama_index_fakes import PARSERS

from caesura.testing import Record, acheck_adapter, check_adapter, odd_texts

pytestmark = pytest.mark.filterwarnings("ignore:the embedded model knows English")

ODD = odd_texts(80)
HASHABLE = odd_texts(80, surrogates=False)
"""LlamaIndex cannot hash a document with a lone surrogate."""


def lists(count: int) -> list[list[Record]]:
    return [[] for _ in range(count)]


@pytest.mark.parametrize("cls", SPLITTERS)
async def test_langchains_documents_keep_the_laws(cls: Any) -> None:
    splitter = cls(chunk_size=60, add_start_index=True)

    def given(texts: list[str]) -> list[Document]:
        return [Document(text, id=str(number), metadata={"number": number}) for number, text in enumerate(texts)]

    def records(count: int, documents: list[Document]) -> list[list[Record]]:
        made = lists(count)
        for one in documents:
            start, text = one.metadata["start_index"], one.page_content
            made[one.metadata["number"]].append(Record(text, start, start + len(text), one.id))
        return made

    def split(texts: list[str]) -> list[list[Record]]:
        return records(len(texts), splitter.split_documents(given(texts)))

    async def asplit(texts: list[str]) -> list[list[Record]]:
        return records(len(texts), await splitter.asplit_documents(given(texts)))

    check_adapter(split, ODD, max_size=60)
    await acheck_adapter(asplit, ODD, sync=split, max_size=60)


@pytest.mark.parametrize("cls", PARSERS)
async def test_llama_indexs_nodes_keep_the_laws(cls: Any) -> None:
    parser = cls(chunk_size=60, tokenizer=list)

    def given(texts: list[str]) -> list[LlamaDocument]:
        return [LlamaDocument(text=text, id_=str(number)) for number, text in enumerate(texts)]

    def records(count: int, nodes: Any) -> list[list[Record]]:
        made = lists(count)
        for node in nodes:
            made[int(node.ref_doc_id)].append(Record(node.text, node.start_char_idx, node.end_char_idx, node.node_id))
        return made

    def split(texts: list[str]) -> list[list[Record]]:
        return records(len(texts), parser(given(texts)))

    async def asplit(texts: list[str]) -> list[list[Record]]:
        return records(len(texts), await parser.acall(given(texts)))

    check_adapter(split, HASHABLE, max_size=60)
    await acheck_adapter(asplit, HASHABLE, sync=split, max_size=60)
