"""An index answers and chats as LlamaIndex's own do, within its budget, and follows a whole collection."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.llama_index.embeddings import AsyncWords, Words
from fakes.llama_index.indexes import BREAD, documents, index, rows, whole
from llama_index.core import Document, Settings
from llama_index.core.chat_engine import (
    CondensePlusContextChatEngine,
    CondenseQuestionChatEngine,
    ContextChatEngine,
    SimpleChatEngine,
)
from llama_index.core.chat_engine.types import ChatMode
from llama_index.core.llms import MockLLM
from llama_index.core.schema import MetadataMode
from llama_index.core.utils import get_tokenizer
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters

from caesura import SettingError
from llama_index.node_parser.caesura import HierarchyIndex


@pytest.fixture
def made() -> HierarchyIndex:
    made = index(embed_model=Words())
    made.upsert(documents())
    return made


def measured(found: Any) -> int:
    return sum(len(get_tokenizer()(each.node.get_content(MetadataMode.LLM))) for each in found)


async def test_a_query_engine_answers_from_what_fits_its_budget(made: HierarchyIndex) -> None:
    engine = made.as_query_engine(MockLLM(), budget=40, response_mode="compact")
    for answer in (engine.query(BREAD), await engine.aquery(BREAD)):
        assert 0 < measured(answer.source_nodes) <= 40
        assert "dough" in answer.source_nodes[0].text
        assert all(each.text in str(answer) for each in answer.source_nodes), "it repeats what it is asked"
    filters = MetadataFilters(filters=[MetadataFilter(key="kind", value="talk")])
    found = made.as_query_engine(MockLLM(), words=0, similarity_top_k=1, filters=filters).query(BREAD).source_nodes
    assert [each.node.ref_doc_id for each in found] == ["b"]


@pytest.mark.parametrize("budget", [200, None])
async def test_nothing_is_found_if_no_text_is_as_near_as_the_cutoff(made: HierarchyIndex, budget: int | None) -> None:
    (best,) = made.as_retriever(budget=None, similarity_top_k=1, merge_ratio=1).retrieve(BREAD)
    for cutoff, some in ((best.get_score() - 0.01, True), (best.get_score() + 0.01, False)):
        retriever = made.as_retriever(budget=budget, similarity_cutoff=cutoff)
        assert bool(retriever.retrieve(BREAD)) is bool(await retriever.aretrieve(BREAD)) is some
        answer = made.as_query_engine(MockLLM(), budget=budget, similarity_cutoff=cutoff).query(BREAD)
        assert bool(answer.source_nodes) is some
    plain, low = made.as_retriever(budget=budget), made.as_retriever(budget=budget, similarity_cutoff=-1)
    assert plain.retrieve(BREAD) == low.retrieve(BREAD)


def test_the_llm_of_the_settings_answers_where_none_is_given(made: HierarchyIndex) -> None:
    Settings.llm = MockLLM(max_tokens=2)
    assert str(made.as_query_engine().query(BREAD)) == "text text"


KINDS = {
    ChatMode.BEST: CondensePlusContextChatEngine,
    ChatMode.CONDENSE_PLUS_CONTEXT: CondensePlusContextChatEngine,
    ChatMode.CONTEXT: ContextChatEngine,
    ChatMode.CONDENSE_QUESTION: CondenseQuestionChatEngine,
    ChatMode.SIMPLE: SimpleChatEngine,
}


@pytest.mark.parametrize("mode", KINDS)
def test_a_chat_engine_is_that_of_its_mode_and_keeps_to_the_budget(made: HierarchyIndex, mode: ChatMode) -> None:
    engine = made.as_chat_engine(mode, MockLLM(), budget=40)
    assert type(engine) is KINDS[mode]
    answer = engine.chat(BREAD)
    if mode != ChatMode.SIMPLE:
        assert 0 < measured(answer.source_nodes) <= 40
        assert "dough" in answer.source_nodes[0].text


def test_a_chat_engine_takes_the_settings_of_its_own(made: HierarchyIndex) -> None:
    engine = made.as_chat_engine("context", MockLLM(), budget=40, system_prompt="You are a baker.")
    assert "You are a baker." in str(engine.chat(BREAD))


@pytest.mark.parametrize("kind", ["query", "chat"])
def test_an_option_that_would_be_ignored_is_refused(made: HierarchyIndex, kind: str) -> None:
    make: Any = made.as_query_engine if kind == "query" else made.as_chat_engine
    with pytest.raises(SettingError, match="no option budjet: is budget meant"):
        make(llm=MockLLM(), budjet=3)


@pytest.mark.parametrize("name", ["k", "top_k"])
def test_other_names_of_the_number_of_passages_are_known(made: HierarchyIndex, name: str) -> None:
    with pytest.raises(SettingError, match=rf"no option {name}: is similarity_top_k meant\?"):
        made.as_retriever(**{name: 3})  # type: ignore[arg-type]


async def test_sync_forgets_what_is_not_among_the_documents(made: HierarchyIndex) -> None:
    a, b, _ = documents()
    changed = Document(text=f"Snow falls. {b.text}", id_="b")
    assert made.mirror([changed, Document(text="Bees make honey.", id_="c")]) == (1, 1, 0, 2)
    whole(made, [changed, Document(text="Bees make honey.", id_="c")])
    made.embed_model = AsyncWords(model_name="another")
    assert await made.amirror([a]) == (1, 0, 0, 2)
    for empty in (made, index()):
        if empty is made:
            with pytest.raises(SettingError, match=r"given no documents, .* all 1 that .* such as \['a'\]"):
                empty.mirror([])
            with pytest.raises(SettingError, match="given no documents"):
                await empty.amirror([])
            whole(made, [a])
            made.delete_ref_doc("a")
        assert empty.mirror([]) == await empty.amirror([]) == (0, 0, 0, 0)
    assert rows(made) == set()
    assert made.docstore.docs == {}


def test_a_sync_of_what_cannot_be_kept_forgets_nothing(made: HierarchyIndex) -> None:
    before = rows(made)
    with pytest.raises(SettingError, match="2 documents have the id"):
        made.mirror([Document(text="One.", id_="x"), Document(text="Two.", id_="x")])
    assert rows(made) == before
