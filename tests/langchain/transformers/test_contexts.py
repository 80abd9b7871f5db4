"""Contexts: documents and chunks come out as they were, with a line in their metadata, at a call each."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from fakes.langchain.llms import FAST, Plain, every_how, llm, made, sync_and_async
from fakes.servers.openai_server import OpenAIServer
from fakes.servers.prompt_cache import PromptCache
from langchain_core.documents import Document
from langchain_text_splitters import RecursiveCharacterTextSplitter

from caesura.errors import ReplyError, SettingError
from caesura_llm.prompts import Prompt
from langchain_caesura import ContextTransformer, OptimalSemanticSplitter, SemanticHierarchySplitter
from langchain_caesura.transformers.llm_transformer import WINDOW


def report(number: int, parts: int = 12) -> str:
    """A document of about 200 tokens a part."""
    head = f"Report {number} is of the harbour of Marseille."
    said = (f"Part {k} is of tides. " + f"In year {k} the sea rose by {number} feet. " * 20 for k in range(parts))
    return "\n\n".join([head, *(part.strip() for part in said)])


def reports(count: int = 2, **metadata: Any) -> list[Document]:
    return [Document(report(n), metadata={"source": f"{n}.md", "tags": ["a"], **metadata}) for n in range(count)]


def chunks(documents: Sequence[Document]) -> list[Document]:
    """Chunks that say where they start."""
    return OptimalSemanticSplitter(chunk_size=850, add_start_index=True).split_documents(documents)


def bare(documents: Sequence[Document]) -> list[dict[str, Any]]:
    """All that documents have but their contexts."""
    plain = [copy.deepcopy(each.model_dump()) for each in documents]
    for each in plain:
        each["metadata"].pop("document_context", None)
    return plain


def contexts(documents: Sequence[Document]) -> list[str]:
    return [each.metadata.get("document_context", "") for each in documents]


WHOLE = [f"Report {n} is of the harbour of Marseille." for n in range(9)]


@every_how
@pytest.mark.parametrize("make", [reports, lambda: chunks(reports())], ids=["whole", "chunks"])
async def test_each_document_is_asked_about_once_and_nothing_else_changes(make: Any, how: str) -> None:
    given, model = make(), Plain()
    before = copy.deepcopy(given)
    found = await made(ContextTransformer(model), given, how)
    assert model.calls == 2
    assert contexts(found) == [WHOLE[0]] * (len(given) // 2) + [WHOLE[1]] * (len(given) // 2)
    assert given == before
    assert bare(found) == bare(given)
    assert all(one is not other for one, other in zip(found, given, strict=True))
    assert all(one.metadata["tags"] is not other.metadata["tags"] for one, other in zip(found, given, strict=True))


@every_how
async def test_each_chunk_is_asked_about_once_and_its_document_comes_first(how: str) -> None:
    given, model = chunks(reports()), Plain()
    found = await made(ContextTransformer(model, "chunk"), given, how)
    assert model.calls == len(given) > 20
    assert bare(found) == bare(given)
    for one in found:
        number = int(one.metadata["source"][0])
        first = one.page_content.split(". ")[0].split(".\n")[0]
        assert one.metadata["document_context"] == f"{WHOLE[number]} Here: {first}."
    for number in (0, 1):
        prompts = [asked[1].content for asked in model.asked if WHOLE[number] in asked[1].content]
        ends = {prompt.index("The passage:\n") for prompt in prompts}
        assert len(ends) == 1, "the document is whole, and the same in each"
        assert len({prompt[: ends.copy().pop()] for prompt in prompts}) == 1


@pytest.mark.thorough
@pytest.mark.enable_socket
@sync_and_async
async def test_a_cache_serves_ninety_percent_and_the_report_says_what_the_server_counted(how: str) -> None:
    given = chunks(reports(3))
    prices, cache = (1.0, 4.0, 0.1), PromptCache()
    with OpenAIServer(cache=cache, latency=0.005) as server:
        transformer = ContextTransformer(llm(server), "chunk", prices=prices, pace=FAST)
        await made(transformer, given, how)
    counted = transformer.report
    assert counted.calls == server.calls == len(given)
    assert (counted.input_tokens, counted.output_tokens) == (server.prompt_tokens, server.completion_tokens)
    assert counted.cached_tokens == server.cached_tokens
    cost = server.prompt_tokens - 0.9 * server.cached_tokens + 4 * server.completion_tokens
    assert counted.cost == pytest.approx(cost / 1e6)
    shares = sorted(cache.shares)
    assert (shares[2] < 0.2, shares[3] >= 0.9) == (True, True)


@pytest.mark.enable_socket
async def test_the_journal_is_asked_first_and_a_failure_is_asked_again(tmp_path: Path) -> None:
    given = chunks(reports(1))
    settings: dict[str, Any] = {"journal": tmp_path / "replies.db", "pace": FAST, "on_failure": "keep"}
    with OpenAIServer(plan=["ok", "refusal"]) as server:
        transformer = ContextTransformer(llm(server), "chunk", **settings)
        found = transformer.transform_documents(given)
        assert sorted(map(bool, contexts(found)))[:2] == [False, True]
        (failure,) = transformer.report.failures
        assert (failure.document_id, "refused" in failure.reason) == ("0.md", True)
        assert "document_context" not in found[failure.item].metadata
        assert transformer.forget_failures() == 1
        calls = server.calls
        assert all(contexts(transformer.transform_documents(given)))
        assert server.calls == calls + 1
        server.plan = iter(["refusal"])
        with pytest.raises(ReplyError, match=r"0\.md"):
            ContextTransformer(llm(server), pace=FAST).transform_documents(given)


def test_texts_of_one_source_are_one_document_and_others_by_their_places() -> None:
    """A page is read on where the page before it ends; without a source, a new start begins a document."""
    model = Plain()
    pages = [Document(f"Page {n} is short.", metadata={"source": "a.pdf", "page": n}) for n in range(3)]
    assert contexts(ContextTransformer(model).transform_documents(pages)) == ["Page 0 is short."] * 3
    assert "Page 0 is short.\n    \n    Page 1 is short." in model.asked[0][1].content
    apart = ContextTransformer(model, source_id_key=None).transform_documents(pages)
    assert contexts(apart) == [f"Page {n} is short." for n in range(3)]
    files = [Document(report(n)) for n in range(3)]
    for splitter in (
        OptimalSemanticSplitter(chunk_size=850, add_start_index=True),
        RecursiveCharacterTextSplitter(chunk_size=850, chunk_overlap=200, add_start_index=True),
        SemanticHierarchySplitter(),
    ):
        model = Plain()
        given = splitter.split_documents(files)
        found = ContextTransformer(model).transform_documents(given)
        assert model.calls == 3, type(splitter)
        assert sorted(set(contexts(found))) == WHOLE[:3]
    same = [Document("Tea is hot."), Document("Tea is hot."), Document("Ice is cold.")]
    assert contexts(ContextTransformer(Plain()).transform_documents(same)) == [
        "Tea is hot.",
        "Tea is hot.",
        "Ice is cold.",
    ]


@pytest.mark.parametrize("how", ["lazy", "alazy"])
async def test_a_document_is_not_parted_where_many_are_read_some_at_a_time(how: str) -> None:
    given = [
        Document(f"Fact {n} of {d} is that tea is hot.", metadata={"source": str(d)})
        for d, size in enumerate((WINDOW - 5, 20, 7))
        for n in range(size)
    ]
    model = Plain()
    found = await made(ContextTransformer(model), given, how)
    assert model.calls == 3
    assert len(found) == len(given)


def test_a_context_of_ones_own_is_not_taken_away() -> None:
    given = [Document("Tea.", metadata={"document_context": "mine"}, id="tea")]
    model = Plain()
    with pytest.raises(SettingError, match=r"'tea' has 'document_context' already, 'mine'.*own_document_context"):
        ContextTransformer(model).transform_documents(given)
    assert model.calls == 0


def test_blank_documents_and_none_come_out_as_they_are() -> None:
    model = Plain()
    given = [Document(" \n", metadata={"source": "a"}), Document("")]
    assert ContextTransformer(model).transform_documents(given) == given
    assert ContextTransformer(model, "chunk").transform_documents(given) == given
    assert ContextTransformer(model).transform_documents([]) == []
    assert model.calls == 0


def test_the_prompt_title_and_budget_are_the_users() -> None:
    model = Plain()
    own = Prompt("mine", "1", 'Say what it is.\n{"contexts": [{"text": "..."}]}')
    transformer = ContextTransformer(model, prompt=own, budget=100, title_key="name")
    transformer.transform_documents(reports(1, name="On tides"))
    system, user = model.asked[0]
    assert system.content == own.text
    assert user.content.startswith("Document of the title On tides:\n")
    assert len(user.content) < 600
    for settings in ({"scope": "page"}, {"budget": 0}, {"splitter": None}):
        with pytest.raises((SettingError, TypeError)):
            ContextTransformer(model, **settings)


async def test_anthropic_is_told_what_to_keep_in_its_cache_and_no_one_else() -> None:
    class Marked(Plain):
        """A model of the kind that langchain-anthropic's is."""

        @property
        def _llm_type(self) -> str:
            return "anthropic-chat"

        def _generate(self, messages: list[Any], *arguments: Any, **options: Any) -> Any:
            texts = [one if isinstance(one.content, str) else _joined(one) for one in messages]
            found = super()._generate(texts, *arguments, **options)
            self._asked[-1] = messages
            return found

    plain, marked, given = Plain(), Marked(), chunks(reports(1))
    wanted = await made(ContextTransformer(plain, "chunk"), given, "sync")
    for how in ("sync", "async"):
        assert await made(ContextTransformer(marked, "chunk", max_concurrency=1), given, how) == wanted
    for asked in marked.asked:
        shared, rest = asked[1].content
        assert (shared["cache_control"], "cache_control" in rest) == ({"type": "ephemeral"}, False)
        assert rest["text"].startswith("The passage:\n")
    assert all(isinstance(asked[1].content, str) for asked in plain.asked)
    lone = Marked()
    ContextTransformer(lone).transform_documents(given)
    assert isinstance(lone.asked[0][1].content, str), "what is asked about once is not worth keeping"


def _joined(message: Any) -> Any:
    return message.model_copy(update={"content": "".join(part["text"] for part in message.content)})
