"""Context: one request a document or a chunk, all of a document alike at their beginning, the first one alone."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from fakes.servers.conversations import FAST, async_chat, chat, converse, in_turn, model, said
from fakes.servers.openai_server import OpenAIServer
from fakes.servers.prompt_cache import PromptCache

from caesura.errors import ReplyError, SettingError
from caesura.types import Span
from caesura_llm.combined import Combined
from caesura_llm.contexts import LONGEST, Contexts, ContextSource, continues, join_slices, sections, shorten_context
from caesura_llm.conversation import Conversation, Message, Reply, Request
from caesura_llm.driver import Driver
from caesura_llm.journal import Journal
from caesura_llm.passages import approximate_tokens
from caesura_llm.report import Prices
from caesura_llm.retries import Pace

CHUNKS = 12


def source(number: int = 0, chunks: int = CHUNKS) -> ContextSource:
    """A document of chunks of about 200 tokens."""
    head = f"Report {number} of the harbour of Marseille."
    parts = [
        f"{head} Part {k} tells of tides. " + f"In year {k} the sea rose by {number} feet. " * 20 for k in range(chunks)
    ]
    text, spans = join_slices([(part.strip(), None) for part in parts])
    return ContextSource(text, f"report-{number}", f"Report {number}", tuple(spans))


def contexts(*texts: Any) -> Reply:
    return said({"contexts": [{"text": text} for text in texts]})


def test_a_document_gets_one_text_by_one_request() -> None:
    results, asked = converse(Contexts([source(0), source(1)]), model)
    assert [each.text for each in results] == [f"Report {k} of the harbour of Marseille." for k in (0, 1)]
    assert [each.document_id for each in results] == ["report-0", "report-1"]
    assert len(asked) == 2
    assert asked[0].messages[1].text.startswith("Document of the title Report 0:\n    Report 0 of")
    assert [request.messages[1].shared for request in asked] == [0, 0]


def test_a_chunk_gets_one_text_each_and_the_document_comes_first() -> None:
    document = source()
    results, asked = converse(Contexts([document], "chunk"), model)
    assert [each.item for each in results] == list(range(CHUNKS))
    assert len(asked) == CHUNKS
    texts = [request.messages[1].text for request in asked]
    shared = asked[0].messages[1].shared
    assert len({text[:shared] for text in texts}) == 1
    assert {request.messages[1].shared for request in asked} == {shared}
    assert {request.messages[0] for request in asked} == {asked[0].messages[0]}
    starts = [document.text[start:end].splitlines()[0] for start, end in document.chunks]
    assert all(
        text[shared:].startswith(f"The passage:\n    {start}") for text, start in zip(texts, starts, strict=True)
    )


def test_the_others_wait_for_the_first_reply_and_for_no_more() -> None:
    conversation = Contexts([source(0), source(1)], "chunk", ahead=2)
    first, second = conversation.pending()
    conversation.accept(second, contexts("x"))
    assert conversation.pending()[0].number == first.number
    assert len(conversation.pending()) == 1 + CHUNKS - 1
    conversation.accept(first, said("No JSON."))
    assert len(conversation.pending()) == 2 * (CHUNKS - 1) + 1, "what was read is in the cache, answered well or not"


def test_after_one_that_no_server_read_the_next_goes_alone() -> None:
    conversation = Contexts([source()], "chunk", on_failure="keep")
    (first,) = conversation.pending()
    conversation.reject(first, TimeoutError("no reply"))
    (second,) = conversation.pending()
    conversation.accept(second, contexts("x"))
    assert len(conversation.pending()) == CHUNKS - 2


def test_documents_are_read_as_requests_are_answered() -> None:
    read: list[int] = []

    def sources() -> Any:
        for number in range(100):
            read.append(number)
            yield source(number, 3)

    conversation = Contexts(sources(), "chunk", ahead=4)
    conversation.pending()
    assert len(read) == 4
    results, _ = converse(conversation, model)
    assert len(results) == 300


def test_what_is_shared_is_no_part_of_what_is_asked() -> None:
    assert Request((Message("user", "a", (), 1),)).key == Request((Message("user", "a"),)).key


def test_a_large_document_is_shown_by_sections_that_end_with_paragraphs() -> None:
    document = source(0, 30)
    budget = approximate_tokens(document.text) // 3
    results, asked = converse(Contexts([document], "chunk", budget=budget), model)
    assert [each.item for each in results] == list(range(30))
    assert all(each.text for each in results)
    shown = list(dict.fromkeys(request.messages[1].text[: request.messages[1].shared] for request in asked))
    assert 3 <= len(shown) <= 4
    assert all(approximate_tokens(each) <= 1.2 * budget for each in shown)
    assert all(each.startswith("Document of the title Report 0:\n    Report 0 of the harbour") for each in shown)
    for request in asked:
        text, shared = request.messages[1].text, request.messages[1].shared
        assert text[shared:].removeprefix("The passage:\n").strip() in text[:shared], "it is in its section"
    (_, (only,)) = converse(Contexts([document], budget=budget), model)
    assert 0.8 * budget < approximate_tokens(only.messages[1].text) < 1.1 * budget
    whole = ContextSource(document.text, chunks=(Span(0, len(document.text)),))
    (_, (one,)) = converse(Contexts([whole], "chunk", budget=budget), model)
    assert approximate_tokens(one.messages[1].text) < 2.4 * budget, "a chunk over the budget is shown by its beginning"


def test_sections_tile_a_text_and_keep_to_the_budget() -> None:
    text = source(0, 30).text
    for budget in (8, 100, 1000, 5000):
        edges = sections(text, budget, approximate_tokens)
        assert (edges[0], edges[-1]) == (0, len(text))
        sizes = [approximate_tokens(text[a:b]) for a, b in pairwise(edges)]
        assert max(sizes) <= budget
        assert min(sizes) > 0
    assert sections("", 8, approximate_tokens) == [0, 0]


def test_a_blank_item_is_not_asked_about() -> None:
    results, asked = converse(Contexts([ContextSource(" \n"), ContextSource("Tea.", "b"), ContextSource("")]), model)
    assert [each.text for each in results] == ["", "Tea.", ""]
    assert len(asked) == 1
    text = "Tea.\n\n  \n\nPot."
    results, asked = converse(
        Contexts([ContextSource(text, chunks=(Span(0, 4), Span(6, 8), Span(10, 14)))], "chunk"), model
    )
    assert [bool(each.text) for each in results] == [True, False, True]


@pytest.mark.parametrize("bad", [said("No."), contexts(), contexts(""), contexts("..."), contexts(5), said([1])])
def test_a_reply_that_says_nothing_is_asked_for_once_more_and_then_fails(bad: Reply) -> None:
    tea = [ContextSource("Tea is hot.", "tea.txt")]
    (found,), asked = converse(Contexts(tea), in_turn([bad, contexts("On tea.")]))
    assert found.text == "On tea."
    assert asked[1].repair
    assert asked[1].messages[1].text.startswith(asked[0].messages[1].text)
    conversation = Contexts(tea, on_failure="keep")
    (found,), _ = converse(conversation, in_turn([bad, bad]))
    assert found.text == ""
    assert conversation.tally.failures == [found.failure]
    with pytest.raises(ReplyError, match=r"tea\.txt"):
        converse(Contexts(tea), in_turn([bad, bad]))


def test_a_text_is_one_line_and_not_long() -> None:
    wordy = "It is on tea. " * 60
    conversation = Contexts([ContextSource("Tea.")])
    (found,), _ = converse(conversation, in_turn([contexts(f" One\n line. {wordy}", "more")]))
    assert found.text.startswith("One line. It is on tea.")
    assert found.text.endswith("tea.")
    assert LONGEST - 14 < len(found.text) <= LONGEST
    assert conversation.tally.dropped["surplus"] == 2
    assert len(shorten_context("word " * 500)) <= LONGEST
    assert len(shorten_context("w" * 5000)) == LONGEST


def test_slices_are_put_together_as_they_stand() -> None:
    text = "Tea is hot. It is brewed. Cold tea is not."
    assert join_slices([(text[:25], 0), (text[12:], 12)]) == (text, [Span(0, 25), Span(12, 42)])
    parents = [(text[:25], 0), (text[:11], 0), (text[12:25], 12), (text[26:], 26)]
    joined, places = join_slices(parents)
    assert joined == text[:25] + "\n\n" + text[26:]
    assert [joined[start:end] for start, end in places] == [part for part, _ in parents]
    pages = [("Page one.", 0), ("It goes.", 10), ("Page two.", 0), ("Without.", None), ("Page two.", 0)]
    joined, places = join_slices(pages)
    assert [joined[start:end] for start, end in places] == [part for part, _ in pages]
    assert joined == "Page one.\n\nIt goes.\n\nPage two.\n\nWithout.", "nothing is said twice"
    levels = [(text[:25], 0), (text[26:], 26), (text[:11], 0), (text[12:25], 12), (text[26:], 26)]
    joined, places = join_slices(levels)
    assert joined == text[:25] + "\n\n" + text[26:], "what a smaller level says is not said again"
    assert [joined[start:end] for start, end in places] == [part for part, _ in levels]
    assert join_slices([]) == ("", [])


def test_chunks_of_one_document_go_on_from_each_other() -> None:
    assert continues(("Tea is hot.", 0), ("is hot. It", 4))
    assert continues(("Tea is hot.", 0), ("Tea", 0))
    assert continues(("Tea is hot.", 0), ("Further on.", 40))
    assert not continues(("Tea is hot.", 0), ("Coffee.", 0))
    assert not continues(("Tea is hot.", 30), ("Coffee.", 0))
    assert not continues(("Tea is hot.", 0), ("Coffee.", 4))
    assert not continues(("Tea is hot.", None), ("Coffee.", 4))


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(SettingError, match="scope must be"):
        Contexts([], "page")  # type: ignore[arg-type]
    for settings in ({"budget": 1}, {"ahead": 0}, {"max_tokens": 0}, {"size": 3}):
        with pytest.raises(SettingError):
            Contexts([], **settings)  # type: ignore[arg-type]


@pytest.mark.thorough
@pytest.mark.enable_socket
@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_prefix_cache_serves_ninety_percent_and_the_report_says_what_the_server_counted(asynchronous: bool) -> None:
    sources, prices = [source(0, 10), source(1, 14), source(2, 30)], (1.0, 4.0, 0.1)
    cache = PromptCache()
    with OpenAIServer(latency=0.01, cache=cache) as server:
        driver, conversation = Driver(FAST, prices), Contexts(sources, "chunk")
        if asynchronous:
            results, report = asyncio.run(driver.arun(conversation, async_chat(server)))
        else:
            results, report = driver.run(conversation, chat(server))
    assert len(results) == report.calls == server.calls == 54
    assert report.input_tokens == server.prompt_tokens
    assert report.output_tokens == server.completion_tokens
    assert report.cached_tokens == server.cached_tokens > 0.85 * server.prompt_tokens
    assert report.cost == pytest.approx(
        ((server.prompt_tokens - server.cached_tokens) + 4 * server.completion_tokens + 0.1 * server.cached_tokens)
        / 1e6
    )
    assert f"({report.cached_tokens} from the provider's cache)" in str(report)
    cold = sorted(cache.shares)[:3]
    assert all(share < 0.2 for share in cold), "the first of each document"
    assert min(sorted(cache.shares)[3:]) >= 0.9


def test_tokens_from_a_cache_cost_the_price_of_others_unless_they_have_one() -> None:
    def ask(_: Request) -> Reply:
        return Reply('{"contexts": [{"text": "On tea."}]}', "stop", 1000, 10, 900)

    for prices, cost in (((2.0, 1.0), 2010e-6), ((2.0, 1.0, 0.5), 660e-6), (Prices(2.0, cached=0.0), 200e-6)):
        _, report = Driver(FAST, prices).run(Contexts([ContextSource("Tea.")]), ask)
        assert report.cost == pytest.approx(cost)
    with pytest.raises(SettingError, match="prices"):
        Driver(prices=(1.0, 2.0, 3.0, 4.0))


def test_the_journal_keeps_what_a_cache_served(tmp_path: Path) -> None:
    request = Request((Message("user", "a"),))
    with Journal(tmp_path / "replies.db") as journal:
        journal.put("m", request, Reply("x", "stop", 5, 3, 4))
        assert journal.get("m", request) == Reply("x", "stop", 5, 3, 4)


@pytest.mark.enable_socket
def test_a_run_that_was_stopped_goes_on_and_pays_nothing_twice(tmp_path: Path) -> None:
    path = tmp_path / "replies.db"
    with OpenAIServer(cache=PromptCache()) as server, Journal(path) as journal:
        stream = Driver(Pace(max_concurrency=3)).stream(Contexts([source()], "chunk"), chat(server), journal=journal)
        early = [next(stream).text for _ in range(5)]
        stream.close()
    with OpenAIServer() as server, Journal(path) as journal:
        results, report = Driver(FAST).run(Contexts([source()], "chunk"), chat(server), journal=journal)
        assert server.calls == report.calls == CHUNKS - report.journalled <= CHUNKS - 5
        assert [each.text for each in results[:5]] == early
        results_again, report = Driver(FAST).run(Contexts([source()], "chunk"), chat(server), journal=journal)
        assert (report.calls, results_again) == (0, results)


def test_it_is_a_conversation_among_others() -> None:
    both: Combined[Any] = Combined([Contexts([source(0)], "chunk"), Contexts([source(1)])])
    assert isinstance(both, Conversation)
    results, report = Driver(FAST).run(both, model)
    assert len(results) == report.calls == CHUNKS + 1
    assert json.dumps([each.text for _, each in results])
