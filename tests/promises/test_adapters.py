"""What every door promises of the records it makes, plugins, tables and streams: the laws of `caesura_testing`."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.splitters import SPLITTERS
from fakes.llama_index.parsers import PARSERS
from langchain_core.documents import Document
from llama_index.core import Document as LlamaDocument

from caesura import Limits, OptimalCut, Segmentation, Splitter, calibrate
from caesura_scale.batch import SplitBatch
from caesura_scale.stream import asplit_stream, split_stream
from caesura_static import StaticEmbedder
from caesura_testing import Record, acheck_adapter, check_adapter, odd_texts

pytestmark = pytest.mark.filterwarnings("ignore:the built-in model knows English")

ODD = odd_texts(50)
HASHABLE = odd_texts(50, surrogates=False)
"""LlamaIndex cannot hash a document with a lone surrogate."""


def one_in_quick(classes: list[Any]) -> list[Any]:
    """The first, which is the default, in every run; the others in a thorough one."""
    return [classes[0], *(pytest.param(cls, marks=pytest.mark.thorough) for cls in classes[1:])]


def lists(count: int) -> list[list[Record]]:
    return [[] for _ in range(count)]


@pytest.mark.parametrize("cls", one_in_quick(SPLITTERS))
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


@pytest.mark.parametrize("cls", one_in_quick(PARSERS))
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


def test_rows_of_a_table_keep_the_laws() -> None:
    cut = SplitBatch(Splitter(Limits(60), cut=OptimalCut()), StaticEmbedder)

    def split(texts: list[str]) -> list[list[Record]]:
        if not texts:
            return []
        made = lists(len(texts))
        found = cut({"id": [str(number) for number in range(len(texts))], "text": texts})
        for own, *record in zip(*(found[name] for name in ("id", "text", "start", "end", "chunk_id")), strict=True):
            made[int(own)].append(Record(*record))
        return made

    check_adapter(split, ODD, max_size=60)


@pytest.mark.thorough
@pytest.mark.parametrize("overlap", [0, 20])
async def test_a_stream_keeps_the_laws(overlap: int) -> None:
    embed = StaticEmbedder()
    splitter = Splitter(Limits(40), cut=OptimalCut(), background=calibrate(embed))

    async def aembed(texts: list[str]) -> Any:
        return embed(texts)

    def records(made: Segmentation) -> list[Record]:
        return [Record(one.text, one.start, one.end) for one in made.chunks(overlap)]

    def split(texts: list[str]) -> list[list[Record]]:
        return [records(made) for made in split_stream(splitter, texts, embed, window=200)]

    async def asplit(texts: list[str]) -> list[list[Record]]:
        return [records(made) async for made in asplit_stream(splitter, texts, aembed, window=200)]

    limits: dict[str, Any] = {"max_size": 40 + overlap, "overlap": overlap > 0}
    check_adapter(split, ODD, **limits)
    await acheck_adapter(asplit, ODD, sync=split, **limits)
