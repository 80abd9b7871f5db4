"""Contexts: documents and nodes come out as they were, with a line that embedders alone are shown; an index of ours
gives rows a share of that line's."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import pytest
from fakes.embedders.document_embedders import document_rows
from fakes.llama_index.embeddings import AsyncWords, Words
from fakes.llama_index.llms import Plain, hows, like, made
from fakes.llama_index.together import TogetherEmbedding
from fakes.servers.conversations import FAST
from fakes.servers.openai_server import OpenAIServer
from fakes.servers.prompt_cache import PromptCache
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import BaseNode, IndexNode, MetadataMode, NodeRelationship, TextNode, TransformComponent
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore

from caesura.errors import ReplyError, SettingError
from caesura_llm.prompts import Prompt
from caesura_retrieval.leaning import SHARE, lean
from llama_index.node_parser.caesura import (
    ContextTransformer,
    HierarchyIndex,
    OptimalSemanticSplitter,
    SemanticHierarchyParser,
    SQLiteDocumentStore,
    StaticEmbedding,
)
from llama_index.node_parser.caesura.nodes import document_id
from llama_index.node_parser.caesura.retrieval.leaf_words import open_leaf_words

pytestmark = pytest.mark.enable_socket
WHOLE = [f"Report {n} is of the harbour of Marseille." for n in range(9)]


def reports(count: int = 2, parts: int = 12) -> list[Document]:
    """Documents of about 200 tokens a part."""
    texts = [
        "\n\n".join(
            [
                WHOLE[n],
                *(f"Part {k} is of tides." + f" In year {k} the sea rose by {n} feet." * 20 for k in range(parts)),
            ]
        )
        for n in range(count)
    ]
    return [Document(text=text, id_=f"r{n}", metadata={"n": n}) for n, text in enumerate(texts)]


def nodes_of(documents: Sequence[Document]) -> list[BaseNode]:
    return OptimalSemanticSplitter(chunk_size=250).get_nodes_from_documents(documents)


def contexts(nodes: Sequence[BaseNode]) -> list[str]:
    return [node.metadata.get("document_context", "") for node in nodes]


def bare(nodes: Sequence[BaseNode]) -> list[dict[str, Any]]:
    """All that nodes have but their contexts."""
    plain = [copy.deepcopy(node.to_dict()) for node in nodes]
    for each in plain:
        each["metadata"].pop("document_context", None)
        each["excluded_llm_metadata_keys"] = [k for k in each["excluded_llm_metadata_keys"] if k != "document_context"]
    return plain


@hows
@pytest.mark.parametrize("make", [reports, lambda: nodes_of(reports())], ids=["documents", "nodes"])
def test_each_document_is_asked_about_once_and_nothing_else_changes(make: Any, how: str) -> None:
    given = make()
    before = bare(given)
    with OpenAIServer() as server:
        transformer = ContextTransformer(like(server))
        found = made(transformer, how, given)
        assert server.calls == 2
    assert contexts(found) == [WHOLE[0]] * (len(given) // 2) + [WHOLE[1]] * (len(given) // 2)
    assert bare(found) == bare(given) == before
    assert [type(node) for node in found] == [type(node) for node in given]
    for one, other in zip(found, given, strict=True):
        assert "document_context" not in other.metadata
        assert one.metadata is not other.metadata
        assert one.relationships is not other.relationships
        assert WHOLE[one.metadata["n"]] in one.get_content(MetadataMode.EMBED).partition("\n\n")[0]
        assert one.get_content(MetadataMode.LLM) == other.get_content(MetadataMode.LLM)


@pytest.mark.thorough
@hows
def test_each_node_is_asked_about_once_and_a_cache_serves_ninety_percent(how: str) -> None:
    given, cache = nodes_of(reports(3)), PromptCache()
    with OpenAIServer(cache=cache, latency=0.005) as server:
        transformer = ContextTransformer(like(server), scope="chunk", prices=(1.0, 4.0, 0.1), pace=FAST)
        found = made(transformer, how, given)
    report = transformer.report
    assert report is not None
    assert report.calls == server.calls == len(given) > 30
    counts = (report.input_tokens, report.output_tokens, report.cached_tokens)
    assert counts == (server.prompt_tokens, server.completion_tokens, server.cached_tokens)
    cost = server.prompt_tokens - 0.9 * server.cached_tokens + 4 * server.completion_tokens
    assert report.cost == pytest.approx(cost / 1e6)
    shares = sorted(cache.shares)
    assert (shares[2] < 0.2, shares[3] >= 0.9) == (True, True)
    assert bare(found) == bare(given)
    for node in found:
        first = node.get_content(MetadataMode.NONE).split(". ")[0].split(".\n")[0].rstrip(".")
        assert node.metadata["document_context"] == f"{WHOLE[node.metadata['n']]} Here: {first}."


def test_anthropic_is_told_what_to_keep_in_its_cache_and_no_one_else() -> None:
    class Recording(Plain):
        kind: str = "Anthropic_LLM"
        _asked: list[Any] = PrivateAttr(default_factory=list)

        def class_name(self) -> str:  # type: ignore[override]
            return self.kind

        def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
            self._asked.append(messages)
            return super().chat(messages, **kwargs)

    given = nodes_of(reports(1))
    marked, plain = Recording(), Recording(kind="plain")
    for scope in ("chunk", "document"):
        found = [ContextTransformer(llm, scope=scope, structured=False)(given) for llm in (marked, plain)]
        assert contexts(found[0]) == contexts(found[1])
    *each, whole = [[block.block_type for block in user.blocks] for _, user in marked._asked]
    assert each == [["text", "cache", "text"]] * len(given)
    assert whole == ["text"], "what is asked about once is not worth keeping"
    assert all(len(user.blocks) == 1 for _, user in plain._asked)
    ends = {user.blocks[0].text for _, user in marked._asked[:-1]}
    assert len(ends) == 1


@pytest.mark.thorough
def test_a_parser_after_it_copies_it_and_makes_room() -> None:
    documents = reports(1)
    placed = ContextTransformer(Plain())(documents)
    for parser in (OptimalSemanticSplitter(chunk_size=120), SentenceSplitter(chunk_size=120, chunk_overlap=0)):
        nodes = parser.get_nodes_from_documents(placed)
        assert set(contexts(nodes)) == {WHOLE[0]}
        assert all("document_context" in node.excluded_llm_metadata_keys for node in nodes)
        assert all("document_context" not in node.excluded_embed_metadata_keys for node in nodes)
    splitter = OptimalSemanticSplitter(chunk_size=120)
    size = splitter.compiled.size
    assert max(size(node.get_content(MetadataMode.EMBED)) for node in splitter(placed)) <= 120
    for node in splitter(placed):
        assert isinstance(node, TextNode)
        assert node.text == documents[0].text[node.start_char_idx : node.end_char_idx]


def test_of_a_hierarchy_leaves_alone_get_a_line_of_their_own() -> None:
    given = SemanticHierarchyParser(chunk_sizes=[400, 100]).get_nodes_from_documents(reports(1))
    reference = IndexNode(text="In short.", index_id=given[0].node_id)
    reference.relationships[NodeRelationship.SOURCE] = given[0].relationships[NodeRelationship.SOURCE]
    found = ContextTransformer(Plain(), scope="chunk")([*given, reference])
    assert [bool(context) for context in contexts(found)] == [not node.child_nodes for node in given] + [False]
    assert set(contexts(ContextTransformer(Plain())([*given, reference]))) == {WHOLE[0]}


def test_a_failed_item_has_none_and_is_in_the_report(tmp_path: Any) -> None:
    given = nodes_of(reports(1))
    settings: dict[str, Any] = {"scope": "chunk", "journal": str(tmp_path / "j.db"), "pace": FAST}
    with OpenAIServer(plan=["ok", "refusal"]) as server:
        transformer = ContextTransformer(like(server), on_failure="keep", **settings)
        found = transformer(given)
        assert transformer.report is not None
        (failure,) = transformer.report.failures
        assert failure.document_id == "r0"
        assert [not context for context in contexts(found)].index(True) == failure.item
        assert "document_context" not in found[failure.item].excluded_llm_metadata_keys
        calls = server.calls
        assert transformer.forget_failures() == 1
        assert all(contexts(transformer(given)))
        assert server.calls == calls + 1
        server.plan = iter(["refusal"])
        with pytest.raises(ReplyError, match="r0"):
            ContextTransformer(like(server), pace=FAST)(given)


def test_in_a_pipeline_a_second_run_asks_nothing() -> None:
    with OpenAIServer() as server:
        pipeline = IngestionPipeline(
            transformations=[
                ContextTransformer(like(server)),
                OptimalSemanticSplitter(chunk_size=200),
                StaticEmbedding(),
            ]
        )
        first = pipeline.run(documents=reports())
        assert server.calls == 2
        assert [node.text for node in pipeline.run(documents=reports())] == [node.text for node in first]
        assert server.calls == 2
    assert set(contexts(first)) == set(WHOLE[:2])
    plain = StaticEmbedding().get_text_embedding(first[3].get_content(MetadataMode.EMBED))
    assert first[3].embedding == plain
    index = VectorStoreIndex(first, embed_model=StaticEmbedding())
    (best,) = index.as_retriever(similarity_top_k=1).retrieve("Report 1 of Marseille: the sea in year 7")
    assert best.node.metadata["n"] == 1


def test_a_hierarchy_index_embeds_it_and_its_words_count_once(tmp_path: Any) -> None:
    with OpenAIServer() as server:
        store = SQLiteDocumentStore(tmp_path / "nodes.db")
        parsers = [ContextTransformer(like(server)), SemanticHierarchyParser(chunk_sizes=[400, 100])]
        index = HierarchyIndex(docstore=store, transformations=parsers, embed_model=StaticEmbedding())
        index.upsert(reports())
        index.upsert(reports())
        assert server.calls == 2
    leaves = [node for node in index.docstore.docs.values() if not node.child_nodes]
    assert set(contexts(leaves)) == set(WHOLE[:2])
    found = index.as_retriever(budget=300).retrieve("In which year did the sea rise in Report 1?")
    for one in found:
        text = reports()[one.node.metadata["n"]].text
        assert one.node.text == text[one.node.start_char_idx : one.node.end_char_idx]
        assert "document_context" not in one.node.get_content(MetadataMode.LLM)
    rows = {node.node_id: node for node in leaves}
    apart = [rows[key].start_char_idx for key in open_leaf_words(index.docstore).search("Marseille").scores]
    assert 0 < len(apart) < len(leaves) / 2, "the first of each document, and those around it"


def indexed(model: Any, share: float = 0.0, *steps: TransformComponent) -> HierarchyIndex:
    settings: dict[str, Any] = {"docstore": SimpleDocumentStore(), "vector_store": SimpleVectorStore()}
    parser = SemanticHierarchyParser(chunk_sizes=[400, 100])
    return HierarchyIndex(transformations=[parser, *steps], embed_model=model, context=share, **settings)


def vectors(index: HierarchyIndex) -> dict[str, list[np.ndarray[Any, Any]]]:
    """By document the rows of its leaves, in their order."""
    found: dict[str, list[np.ndarray[Any, Any]]] = {}
    for leaf in leaves(index):
        found.setdefault(document_id(leaf), []).append(np.array(index.vector_store.get(leaf.node_id)))  # type: ignore[attr-defined]
    return found


def leaves(index: HierarchyIndex) -> list[Any]:
    nodes = [node for node in index.docstore.docs.values() if not node.child_nodes]
    return sorted(nodes, key=lambda node: (document_id(node), node.start_char_idx))


def told(document: Document, context: str) -> Document:
    metadata = {**document.metadata, "document_context": context}
    return Document(text=document.text, id_=document.id_, metadata=metadata)


def shown(index: HierarchyIndex) -> dict[str, list[str]]:
    """By document what is embedded of its leaves beside their contexts, in their order."""
    found: dict[str, list[str]] = {}
    for leaf in leaves(index):
        own = f"n: {leaf.metadata['n']}\n\n{leaf.get_content(MetadataMode.NONE)}"
        found.setdefault(document_id(leaf), []).append(own)
    return found


def expected(rows: Any, context: Any, share: float) -> np.ndarray[Any, Any]:
    """By arithmetic."""
    own, whole = np.array(rows, np.float64), np.array(context, np.float64)
    lengths = np.linalg.norm(own, axis=1, keepdims=True)
    found = own / lengths + SHARE * whole / np.linalg.norm(whole)
    found *= lengths / np.linalg.norm(found, axis=1, keepdims=True)
    return lean(np.asarray(found, np.float32), share) if share else found


@pytest.mark.thorough
@pytest.mark.parametrize("share", [0.0, 0.4])
async def test_in_an_index_of_ours_a_row_has_a_share_of_the_contexts(share: float) -> None:
    """Nothing else is embedded of it; rows of the documents without one are the same to the bit."""
    model, waiting = Words(), AsyncWords()
    given = [told(document, WHOLE[0]) if document.id_ == "r0" else document for document in reports(3)]
    one, other, plain = indexed(model, share), indexed(waiting, share), indexed(Words(), share)
    one.upsert(given)
    await other.aupsert(given)
    plain.upsert(reports(3))
    assert [sorted(call) for call in model.calls] == [sorted({WHOLE[0], *chain(*shown(one).values())})]
    wanted = expected(model.rows(shown(one)["r0"]), model.row(WHOLE[0]), share)
    assert np.allclose(vectors(one)["r0"], wanted, atol=1e-5)
    for index in (one, other):
        for name in ("r1", "r2"):
            assert np.array_equal(vectors(index)[name], vectors(plain)[name])
    assert np.array_equal(vectors(one)["r0"], vectors(other)["r0"])


def test_what_is_given_again_costs_nothing_and_an_edit_the_text_that_changed() -> None:
    """The context of a document was embedded by this index before: its row is known by its text."""
    model = Words()
    one = indexed(model)
    given = [told(document, text) for document, text in zip(reports(), WHOLE, strict=False)]
    one.upsert(given)
    model.all_calls.clear()
    one.upsert([told(document, text) for document, text in zip(reports(), WHOLE, strict=False)])
    assert model.calls == []
    changed = told(given[0], WHOLE[0])
    changed.set_content(changed.text.replace("Part 3 is of tides.", "Part 3 is of ebbs."))
    one.upsert([changed, given[1]])
    assert [["of ebbs" in text for text in call] for call in model.calls] == [[True]]
    model.all_calls.clear()
    one.upsert([changed, told(reports()[1], "Of bees.")])
    fresh = indexed(Words())
    fresh.upsert([changed, told(reports()[1], "Of bees.")])
    assert "Of bees." in model.calls[0]
    for name in ("r0", "r1"):
        assert np.array_equal(vectors(one)[name], vectors(fresh)[name])


def test_a_context_of_the_users_own_and_one_that_is_not_to_be_embedded_have_no_share() -> None:
    model = Words()
    one = indexed(model)
    mine, kept = reports()
    mine.metadata["context"], kept.metadata["document_context"] = WHOLE[:2]
    kept.excluded_embed_metadata_keys = ["document_context"]
    one.upsert([mine, kept])
    assert len(model.calls) == 1
    wanted = [model.row(leaf.get_content(MetadataMode.EMBED)) for leaf in leaves(one)]
    assert np.allclose([row for own in vectors(one).values() for row in own], wanted)


@pytest.mark.thorough
@pytest.mark.parametrize("share", [0.0, 0.4])
async def test_rows_of_a_model_that_reads_the_whole_document_have_the_same_share(share: float) -> None:
    model, waiting = TogetherEmbedding(), TogetherEmbedding(awaited=True)
    given = [told(document, text) for document, text in zip(reports(), WHOLE, strict=False)]
    one, other = indexed(model, share), indexed(waiting, share)
    one.upsert(given)
    await other.aupsert(given)
    assert model.texts == waiting.texts == WHOLE[:2], "a text by itself"
    for name, context in zip(("r0", "r1"), WHOLE, strict=False):
        texts = shown(one)[name]
        assert texts in model.documents
        wanted = expected(document_rows(texts), document_rows([context])[0], share)
        assert np.allclose(vectors(one)[name], wanted, atol=1e-5)
        assert np.array_equal(vectors(one)[name], vectors(other)[name])


def test_settings_are_kept_and_refused() -> None:
    own = Prompt("mine", "1", 'Say what it is.\n{"contexts": [{"text": "..."}]}')
    transformer = ContextTransformer(Plain(), scope="chunk", prompt=own, budget=100)
    again = ContextTransformer.from_dict(transformer.to_dict(), llm=Plain())
    assert (again.scope, again.prompt, again.budget, again.splitter) == ("chunk", own, 100, None)
    assert again.to_dict() == transformer.to_dict()
    assert ContextTransformer.from_defaults(Plain()).scope == "document"
    for settings in ({"scope": "page"}, {"budget": 0}, {"splitter": SentenceSplitter()}):
        with pytest.raises(ValueError, match=r"scope|budget|splitter"):
            ContextTransformer(Plain(), **settings)  # type: ignore[arg-type]
    with pytest.raises(SettingError, match=r"'tea' has 'document_context' already, 'mine'.*own_document_context"):
        ContextTransformer(Plain())([Document(text="Tea.", id_="tea", metadata={"document_context": "mine"})])
    blank = [Document(text=" ", id_="b")]
    assert bare(ContextTransformer(Plain())(blank)) == bare(blank)
    assert ContextTransformer(Plain())([]) == []
