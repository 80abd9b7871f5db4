"""Each chunk gets texts to find it by, all different; what fails keeps its own."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from fakes.servers.conversations import FAST, converse, in_turn, model, passages, said

from caesura.errors import ReplyError, SettingError
from caesura_llm.combined import Combined
from caesura_llm.conversation import Conversation, Image, Reply
from caesura_llm.driver import Driver
from caesura_llm.passages import Passage
from caesura_llm.prompts import DESCRIPTION, IMAGE, Prompt
from caesura_llm.propositions import Propositions
from caesura_llm.representations import ChunkResult, Representations, questions
from caesura_llm.topics import Topics

CHUNK = [Passage("Tea is hot. It is brewed.", "tea.txt")]


def texts(*listed: Any) -> Reply:
    return said({"passages": [{"number": 1, "texts": list(listed)}]})


def test_a_summary_each() -> None:
    results, asked = converse(Representations(passages(20), budget=10**6), model)
    assert [each.chunk for each in results] == list(range(20))
    assert [each.texts for each in results] == [
        (f"In short: Fact {k} of kind 0 is that tea is hot.",) for k in range(20)
    ]
    assert len(asked) == 1


def test_up_to_n_questions_no_two_alike() -> None:
    conversation = questions(CHUNK, 2)
    results, asked = converse(conversation, in_turn([texts("Is tea hot?", "is  tea HOT?", "", 5, "How?", "Why?")]))
    assert results == [ChunkResult(0, "tea.txt", ("Is tea hot?", "How?"))]
    assert conversation.tally.dropped == {"duplicate": 1, "empty": 2, "surplus": 1}
    assert "Write 2 different questions" in asked[0].messages[0].text


def test_a_prompt_of_your_own_takes_its_place() -> None:
    prompt = Prompt("short", "7", "In {n} words, as JSON.")
    assert questions(CHUNK, 4, prompt).pending()[0].messages[0].text == "In 4 words, as JSON."
    assert Representations(CHUNK, prompt=prompt).pending()[0].version == "short/7"
    with pytest.raises(SettingError, match=r"must say \{n\}"):
        questions(CHUNK, 4, Prompt("short", "7", "Ask."))
    with pytest.raises(SettingError, match="n must be"):
        questions(CHUNK, 0)


@pytest.mark.parametrize("make", [Representations, questions, Propositions, partial(Topics, vectors=[[1.0]])])
@pytest.mark.parametrize("prompt", ["Write {n} questions.", None, {"text": "Write."}, Prompt])
def test_what_is_no_prompt_is_refused_with_what_to_give(make: Any, prompt: Any) -> None:
    with pytest.raises(SettingError, match=r"prompt must be a Prompt, got .*: give Prompt\('mine', '1', text\)"):
        make(["Tea."] if isinstance(make, partial) else CHUNK, prompt=prompt)
    with pytest.raises(SettingError, match="titles must be a Prompt"):
        Topics(["Tea."], [[1.0]], titles=prompt)


@pytest.mark.parametrize(
    ("make", "own"),
    [(Representations, ("Tea is hot. It is brewed.",)), (questions, ("Tea is hot.", "It is brewed."))],
)
def test_where_it_fails_its_own_text_stands_in_and_is_marked(make: Any, own: tuple[str, ...]) -> None:
    replies = [texts(""), said("No.")]
    conversation = make(CHUNK, on_failure="keep")
    (found,), _ = converse(conversation, in_turn(replies))
    assert (found.texts, found.is_fallback) == (own, True)
    assert conversation.tally.failures == [found.failure]
    with pytest.raises(ReplyError, match=r"tea\.txt"):
        converse(make(CHUNK), in_turn(replies))


def test_a_chunk_that_answers_no_question_has_none_and_nothing_is_asked_again() -> None:
    chunks = [*CHUNK, Passage("Page 7 of 9", "tea.txt", 40)]
    listed = [{"number": 1, "texts": ["Is tea hot?"]}, {"number": 2, "texts": []}]
    conversation = questions(chunks)
    results, asked = converse(conversation, in_turn([said({"passages": listed})]))
    assert [(one.texts, one.is_fallback) for one in results] == [(("Is tea hot?",), False), ((), False)]
    assert len(asked) == 1
    assert "has an empty list" in asked[0].messages[0].text
    assert (conversation.tally.failures, conversation.tally.repairs) == ([], 0)


@pytest.mark.parametrize("empty", [None, "", [""], ["..."], {}])
def test_what_is_no_empty_list_of_questions_is_asked_for_again(empty: Any) -> None:
    replies = [said({"passages": [{"number": 1, "texts": empty}]}), texts("Is tea hot?")]
    (found,), asked = converse(questions(CHUNK), in_turn(replies))
    assert (found.texts, len(asked)) == (("Is tea hot?",), 2)


@pytest.mark.parametrize("make", [Representations, partial(Representations, prompt=DESCRIPTION)])
def test_an_empty_list_is_no_summary_and_no_description(make: Any) -> None:
    (found,), asked = converse(make(CHUNK), in_turn([texts(), texts("Of tea.")]))
    assert (found.texts, len(asked)) == (("Of tea.",), 2)
    with pytest.raises(ReplyError, match=r"tea\.txt"):
        converse(make(CHUNK), in_turn([texts(), texts()]))


def test_a_list_that_is_cut_off_empty_says_nothing_yet() -> None:
    replies = [Reply('{"passages": [{"number": 1, "texts": [', "length"), texts("Is tea hot?")]
    (found,), _ = converse(questions(CHUNK), in_turn(replies))
    assert found.texts == ("Is tea hot?",)


def test_an_image_is_sent_alone_and_needs_no_text() -> None:
    chunks = [Passage("a"), Passage("", images=(Image.of(b"1"),)), Passage("b"), Passage("c"), Passage(" ")]
    results, asked = converse(Representations(chunks, prompt=IMAGE), model)
    assert [len(request.messages[1].images) for request in asked] == [0, 1, 0]
    assert [bool(each.texts) for each in results] == [True, True, True, True, False]


def test_several_conversations_are_one() -> None:
    both: Combined[Any] = Combined([Propositions(passages(9), budget=1), Representations(CHUNK), Propositions([])])
    assert isinstance(both, Conversation)
    results, report = Driver(FAST).run(both, model)
    assert [each.passage for index, each in results if index == 0] == list(range(9))
    assert [each.texts for index, each in results if index == 1] == [("In short: Tea is hot.",)]
    assert (report.items, report.finished, report.calls) == (10, 10, 10)


def test_in_one_of_several_a_failure_is_its_own() -> None:
    held = [Representations(CHUNK, on_failure="keep"), Representations(passages(1), on_failure="keep")]
    both = Combined(held)
    first, second = both.pending()
    both.reject(second, ValueError("no"))
    both.accept(first, model(first))
    assert [(index, each.is_fallback) for index, each in both.finished()] == [(0, False), (1, True)]
    assert both.tally.failures == held[1].tally.failures


def test_what_no_conversation_of_several_has_asked_is_refused() -> None:
    both = Combined([Representations(CHUNK), Representations(passages(1))])
    first, _ = both.pending()
    both.accept(first, model(first))
    with pytest.raises(SettingError, match="is not pending"):
        both.accept(first, model(first))
    with pytest.raises(SettingError, match="is not pending"):
        both.reject(Representations(CHUNK).pending()[0], ValueError("no"))


def test_the_media_type_of_an_image_is_told_by_its_first_bytes_unless_it_is_said() -> None:
    heads = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"GIF89a": "gif", b"RIFF....WEBP": "webp", b"": "png"}
    for head, kind in heads.items():
        assert Image.of(head).url.startswith(f"data:image/{kind};base64,")
    assert Image.of(b"\xff\xd8", "image/avif").url.startswith("data:image/avif;base64,")
