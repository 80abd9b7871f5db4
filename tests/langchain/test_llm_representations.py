"""Summaries, questions and descriptions: texts that lead to their chunk, also through the parent retriever."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_llm_fakes import BEES, FAST, TEA, Plain, documents, llm, made
from openai_server import OpenAIServer

from caesura.errors import SettingError
from caesura.llm.prompts import QUESTIONS, Prompt
from langchain_caesura import (
    DescriptionTransformer,
    DoublePassSemanticSplitter,
    ParentDocumentRetriever,
    PropositionTransformer,
    QuestionTransformer,
    SQLiteDocumentStore,
    StaticEmbeddings,
    SummaryTransformer,
)

HOWS = ("sync", "async", "lazy", "alazy")
TEXT = (
    "Zebras graze on the plain at dawn. Lions watch them from the shade of a tree.\n\n"
    "Copper conducts electricity well. Rubber does not, and so it covers the wire.\n\n"
    "Violins are made of spruce and maple. The varnish is a secret of the maker."
)


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize(
    ("kind", "view", "texts"),
    [
        (SummaryTransformer, "summary", ['In short: Anna keeps "dark" bees.', "In short: Tea is hot."]),
        (
            QuestionTransformer,
            "question",
            [
                *(f"What about {w}?" for w in ("Anna", "keeps", "dark")),
                *(f"What about {w}?" for w in ("cold", "Both", "sold")),
            ],
        ),
    ],
)
async def test_each_chunk_gets_texts_that_lead_to_it(kind: Any, view: str, texts: list[str], how: str) -> None:
    found = await made(kind(Plain()), documents(), how)
    assert [one.page_content for one in found] == texts
    first = found[0].metadata
    assert {key: first[key] for key in ("view", "parent_id", "start_index", "end_index", "kept", "source")} == {
        "view": view,
        "parent_id": "bees",
        "start_index": 0,
        "end_index": len(BEES),
        "kept": False,
        "source": "bees.md",
    }
    assert len({one.id for one in found}) == len(found)


async def test_so_many_questions_are_asked_for_and_the_number_is_in_the_ids() -> None:
    five = await made(QuestionTransformer(Plain(), n=5), documents()[:1], "sync")
    three = await made(QuestionTransformer(Plain(), n=3), documents()[:1], "sync")
    assert (len(five), len(three)) == (5, 3)
    assert {one.id for one in five}.isdisjoint(one.id for one in three)
    with pytest.raises(SettingError, match="n must be"):
        QuestionTransformer(Plain(), n=0)
    with pytest.raises(SettingError, match=r"must say \{n\}"):
        QuestionTransformer(Plain(), prompt=Prompt("mine", "1", "Ask."))


@pytest.mark.enable_socket
@pytest.mark.parametrize(
    ("kind", "own"),
    [(SummaryTransformer, [TEA]), (QuestionTransformer, ["Tea is hot.", "Ice is cold.", "Both are sold."])],
)
async def test_a_failed_chunk_is_found_by_its_own_words(kind: Any, own: list[str]) -> None:
    with OpenAIServer(plan=["refusal"]) as server:
        transformer = kind(llm(server), on_failure="keep", pace=FAST)
        found = await made(transformer, documents()[1:2], "sync")
    assert [one.page_content for one in found] == own
    assert all(one.metadata["kept"] for one in found)
    assert "refused" in transformer.report.failures[0].reason


TABLE = "| Bird | Pairs |\n|---|---|\n| Tern | 508 |\n| Eider | 118 |"
CODE = "```python\nimport this\n```"


@pytest.mark.parametrize("how", HOWS)
async def test_tables_and_code_are_described_and_prose_costs_nothing(how: str) -> None:
    model = Plain()
    given = [Document(TABLE, id="table"), *documents(), Document(f"As follows.\n\n{CODE}", id="code")]
    found = await made(DescriptionTransformer(model), given, how)
    assert [one.metadata["parent_id"] for one in found] == ["table", "code"]
    assert all(one.page_content.startswith("In short: ") for one in found)
    assert {one.metadata["view"] for one in found} == {"description"}
    assert model.calls == 1
    assert await made(DescriptionTransformer(model), documents(), how) == []
    assert model.calls == 1


# -- images ------------------------------------------------------------------------------------------------------------

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.enable_socket
@pytest.mark.parametrize("how", ["sync", "async"])
async def test_images_are_described_with_what_stands_around_them(how: str, tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8\xff")
    images: list[Any] = ["https://a.b/c.png", PNG, tmp_path / "photo.jpg", ["data:image/gif;base64,R0lG", PNG], None]
    given = [
        Document(f"Sales of {k}.", id=f"c{k}", metadata={"image": image, "page": k}) for k, image in enumerate(images)
    ]
    given.insert(2, Document("```\ncode\n```", id="code"))
    with OpenAIServer() as server:
        found = await made(DescriptionTransformer(llm(server)), given, how)
    pictures = [f"A picture ({1 + (k == 3)}) of Sales of {k}." for k in range(4)]
    assert [one.page_content for one in found] == [*pictures[:2], "In short: ``` code ```", *pictures[2:]]
    assert [one.metadata["parent_id"] for one in found] == ["c0", "c1", "code", "c2", "c3"]
    assert all("image" not in one.metadata for one in found)  # it is with the chunk
    contents = [body["messages"][1]["content"] for body in server.requests]
    parts = [part for content in contents if isinstance(content, list) for part in content[1:]]
    sent = sorted(part["image_url"]["url"] for part in parts)
    png = "data:image/png;base64,iVBORw0KGgo="
    assert sent == sorted(["https://a.b/c.png", png, "data:image/jpeg;base64,/9j/", "data:image/gif;base64,R0lG", png])


@pytest.mark.parametrize("wrong", ["iVBORw0KGgo=", 7, {"url": "x"}])
def test_what_is_no_image_is_refused_with_the_remedy(wrong: Any) -> None:
    with pytest.raises(SettingError, match="data:image/png;base64"):
        DescriptionTransformer(Plain()).transform_documents([Document("a", metadata={"image": wrong})])


# -- doors to a chunk --------------------------------------------------------------------------------------------------


@pytest.mark.enable_socket
@pytest.mark.parametrize("ids", [True, False])
@pytest.mark.parametrize("how", ["sync", "async"])
async def test_questions_summaries_and_propositions_are_doors_to_a_chunk(how: str, ids: bool, tmp_path: Path) -> None:
    chunks = DoublePassSemanticSplitter(chunk_size=100, add_start_index=True).split_documents(
        [Document(TEXT, id="doc", metadata={"source": "mixed.md"})]
    )
    if not ids:
        chunks = [Document(one.page_content, metadata=one.metadata) for one in chunks]
    store = InMemoryVectorStore(StaticEmbeddings())
    with OpenAIServer() as server, SQLiteDocumentStore(tmp_path / "chunks.db") as docstore:
        kinds: list[Any] = [QuestionTransformer, SummaryTransformer, PropositionTransformer]
        views = [one for kind in kinds for one in await made(kind(llm(server)), chunks, how)]
        retriever = ParentDocumentRetriever(vectorstore=store, docstore=docstore, k=1)
        if how == "sync":
            retriever.add_documents(chunks, views=views)
        else:
            await retriever.aadd_documents(chunks, views=views)
        (found,) = retriever.invoke("What about Copper?")
    assert "Copper conducts" in found.page_content
    assert found.metadata["source"] == "mixed.md"
    best = found.metadata["matches"][0]
    assert best["text"] == "What about Copper?"
    assert TEXT[best["start_index"] : best["end_index"]] == found.page_content
    assert len(store.store) == len(views)


async def test_views_find_equal_chunks_and_chunks_known_by_their_source() -> None:
    equal = [Document(TEA, metadata={"source": "a.md"}), Document(TEA, metadata={"source": "a.md"})]
    for source in (None, "source"):
        store = InMemoryVectorStore(StaticEmbeddings())
        retriever = ParentDocumentRetriever(vectorstore=store, docstore=InMemoryStore(), source_id_key=source, k=1)
        retriever.add_documents(equal, views=await made(SummaryTransformer(Plain()), equal, "sync"))
        assert [one.page_content for one in retriever.invoke("hot tea")] == [TEA]


def test_the_prompt_can_be_ones_own() -> None:
    model = Plain()
    own = Prompt("mine", "1", QUESTIONS.text.replace("different", "simple") + " In one line.")
    QuestionTransformer(model, prompt=own).transform_documents(documents()[:1])
    assert "Write 3 simple questions" in model.asked[0][0].content
