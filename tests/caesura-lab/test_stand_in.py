"""The stand-in for a language model: it speaks as OpenAI's API does, to real clients, and answers by rule."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import openai
import pytest
from langchain_core.documents import Document
from langchain_openai import ChatOpenAI
from llama_index.core.query_engine.citation_query_engine import CITATION_QA_TEMPLATE, CITATION_REFINE_TEMPLATE

from caesura import SettingError
from caesura_lab import write_questions
from caesura_lab.stand_in import Served, judge, reply, served, stand_in
from caesura_llm.openai import openai_chat
from caesura_static import StaticEmbedder
from langchain_caesura import PropositionTransformer

pytestmark = [pytest.mark.thorough, pytest.mark.enable_socket]

PACKAGE = Path(__file__).parents[2] / "packages" / "caesura-lab" / "src" / "caesura_lab"


@pytest.fixture
def client() -> Iterator[openai.OpenAI]:
    with stand_in() as url, openai.OpenAI(base_url=url, api_key="none", max_retries=0) as made:
        yield made


def test_rows_are_the_built_in_models_as_numbers_and_packed(client: openai.OpenAI) -> None:
    texts = ["Yeast makes dough rise.", "The sea has tides."]
    packed = client.embeddings.create(model="m", input=texts)
    plain = client.embeddings.create(model="m", input=texts, encoding_format="float")
    for found in (packed, plain):
        np.testing.assert_allclose([row.embedding for row in found.data], StaticEmbedder()(texts), rtol=1e-6)
    assert packed.usage.prompt_tokens == sum(map(len, texts)) // 4
    single = client.embeddings.create(model="m", input=texts[0])
    assert single.data[0].embedding == packed.data[0].embedding


def test_a_question_is_answered_by_the_nearest_sentence_of_what_is_given(client: openai.OpenAI) -> None:
    said = "Yeast makes dough rise. The sea has tides.\nPuffins are counted by the burrow.\n\nHow are puffins counted?"
    made = client.chat.completions.create(model="m", messages=[{"role": "user", "content": said}])
    assert made.choices[0].message.content == "Puffins are counted by the burrow."
    assert made.usage is not None
    assert made.usage.prompt_tokens > made.usage.completion_tokens > 0


def test_an_answer_is_a_whole_sentence_whatever_lines_it_stands_on() -> None:
    printed = "Yeast makes\ndough rise. Puffins are\ncounted by Dr. Mills,\nby the burrow. The sea\nhas tides."
    answer = "Puffins are counted by Dr. Mills, by the burrow."
    assert reply("", f"{printed}\n\nHow are puffins counted?") == answer
    line = "-" * 21
    asked = f"Context is below.\n{line}\n{printed}\n{line}\nAnswer.\nQuery: How are puffins counted?\nAnswer: "
    assert judge(asked) == answer


def test_a_sentence_is_quoted_with_the_source_that_stands_before_its_passage() -> None:
    found = "[tides.pdf, p. 1] The sea has tides.\n\n"
    found += "[birds.pdf, p. 3] Winter\n\nPuffins are counted\nby the burrow [4]. Ice."
    asked = "How are puffins counted?"
    assert reply("Search. Name how puffins are counted.", f"{found}\n\n{asked}") == (
        "Puffins are counted by the burrow [4]. [birds.pdf, p. 3]"
    )
    numbered = "Say how puffins fly.\n\n[1] The sea has tides.\n\n[2] Puffins fly low.\n\nHow do puffins fly?"
    assert reply("", numbered) == "Puffins fly low. [2]"
    plain = "The sea has tides. [1] Puffins are counted by the burrow."
    assert reply("", f"{plain}\n\n{asked}") == "Puffins are counted by the burrow."


@pytest.mark.parametrize("template", [CITATION_QA_TEMPLATE, CITATION_REFINE_TEMPLATE])
def test_a_source_of_llama_indexs_citations_is_quoted_by_its_number_and_no_instruction(template: Any) -> None:
    context = "page_start: 4\n\nSource 1:\nThe sea has tides.\n\n\n"
    context += "page_start: 7\n\nSource 2:\nPuffins are counted\nby the burrow.\n"
    for question, answer in {
        "How are puffins counted?": "Puffins are counted by the burrow. [2]",
        "What has the answer based on sources?": "The sea has tides. [1]",
    }.items():
        said = {"context_str": context, "context_msg": context, "existing_answer": "None."}
        assert reply("", template.format(query_str=question, **said)) == answer


def test_a_chat_is_answered_from_the_context_in_its_system_message() -> None:
    system = "Use the context information below.\n----\n  The sea has tides. Puffins are counted by the burrow.\n----\n"
    assert reply(system, "How are puffins counted?") == "Puffins are counted by the burrow."
    asked = "Chat History:\nuser: Hello\n  Follow Up Input: And the tides?\n  Standalone question:"
    assert reply("", asked) == "And the tides?"


def test_a_context_is_the_first_sentence_of_a_document_and_that_of_a_passage() -> None:
    system, document = (
        'Reply with {"contexts": [{"text": "..."}]}',
        "Document of the title Log:\n    It rains. It blows.\n\n",
    )
    asked = {"What is it?": "It rains.", "The passage:\n    It blows. A lot.": "It rains. It blows."}
    for about, context in asked.items():
        assert json.loads(reply(system, document + about)) == {"contexts": [{"text": context}]}


def test_a_function_is_called_where_there_is_one(client: openai.OpenAI) -> None:
    tool = {"type": "function", "function": {"name": "say", "parameters": {"type": "object", "properties": {}}}}
    system = 'Reply with {"passages": [{"number": 1, "propositions": []}]}'
    made = client.chat.completions.create(
        model="m",
        messages=[{"role": "system", "content": system}, {"role": "user", "content": "Passage 1:\n[1] It rains.\n"}],
        tools=[tool],  # type: ignore[list-item]
    )
    (call,) = made.choices[0].message.tool_calls or ()
    assert call.type == "function"
    wanted = {"passages": [{"number": 1, "propositions": [{"text": "It rains.", "sentences": [1]}]}]}
    assert json.loads(call.function.arguments) == wanted


def test_topics_are_words_that_statements_share() -> None:
    said = "Topic 3:\n    Tides\n\nPropositions:\n[1] Yeast makes bread.\n[2] The tides turn.\n[3] Yeast needs flour.\n"
    found = json.loads(reply('{"groups": []}', said))["groups"]
    assert [(one["topic"], one["propositions"]) for one in found] == [(0, [1, 3]), (3, [2])]
    titled = json.loads(reply('{"topics": []}', "Topic 2:\n    Bread\n[1] Bread needs yeast.\n[2] Yeast rises.\n"))
    assert titled["topics"] == [{"number": 2, "title": "Yeast And Bread", "summary": "About yeast and bread."}]


def test_a_passage_has_as_many_questions_as_are_wanted_or_a_summary() -> None:
    said = "Passage 4:\nYeast makes bread. Tides turn twice.\n"
    (asked,) = json.loads(reply('Write 2 different questions {"passages": []}', said))["passages"]
    assert asked == {"number": 4, "texts": ["What about yeast, makes, bread?", "What about tides, turn, twice?"]}
    (told,) = json.loads(reply('{"passages": []}', said))["passages"]
    assert told == {"number": 4, "texts": ["Yeast makes bread."]}


def test_questions_about_passages_have_their_sentences_as_answers(client: openai.OpenAI) -> None:
    text = "Yeast makes dough rise. The sea has tides."
    found = write_questions(text, openai_chat(client, "m"), 2)
    assert [text[start:end] for one in found.questions for start, end in one.spans] == text.replace(". T", ".|T").split(
        "|"
    )


def test_a_judge_counts_words_ranks_by_them_and_says_yes() -> None:
    given = "## User Query\n?\n\n## Reference Answer\nyeast makes gas\n\n## Generated Answer\n"
    assert (judge(f"{given}yeast rises") or "").startswith("3.0\n")  # "gas" is too short to count
    assert (judge(f"{given}tides turn") or "").startswith("1.0\n")
    listed = (
        "A relevance score. Let's try this now: \n\nDocument 1:\nThe tides.\n\nDocument 2:\nBread.\n\nQuestion: Bread?"
    )
    assert judge(listed) == "Doc: 2, Relevance: 9\nDoc: 1, Relevance: 8"
    assert judge("Answer with YES or NO.") == "YES"
    assert judge("Who are you?") is None


def test_an_argument_asks_a_real_model_and_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(SettingError, match="--openai needs OPENAI_API_KEY"), served("m", ["--openai"]):
        raise AssertionError
    monkeypatch.setenv("OPENAI_API_KEY", "sk-any")
    with served("m", ["--openai"]) as model:
        assert model == Served("m", "https://api.openai.com/v1", "sk-any")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:11434/v1")
    with served("m", ["--openai", "qwen3:8b"]) as model:
        assert model == Served("qwen3:8b", "http://127.0.0.1:11434/v1", "sk-any")


def test_without_arguments_nothing_else_is_asked_whatever_the_command_line_of_the_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["program.py", "--openai", "qwen3:8b"])
    monkeypatch.setenv("OPENAI_API_KEY", "sk-any")
    with served("m") as model:
        assert (model.model, model.url.startswith("http://127.0.0.1:")) == ("m", True)
        assert capsys.readouterr().err == "A stand-in answers, by rule.\n"


def test_without_it_the_stand_in_says_that_it_is_one_and_is_gone_afterwards(capsys: pytest.CaptureFixture[str]) -> None:
    with served("m", []) as model:
        assert model.url.startswith("http://127.0.0.1:")
        assert capsys.readouterr().err == "A stand-in answers, by rule; --openai asks a model.\n"
    with openai.OpenAI(base_url=model.url, api_key="none", max_retries=0) as late, pytest.raises(openai.APIError):
        late.models.list()


def test_nothing_else_of_the_lab_asks_the_stand_in() -> None:
    others = [path for path in PACKAGE.rglob("*.py") if path.stem != "stand_in"]
    assert len(others) > 20
    assert not [path for path in others if "stand_in" in path.read_text("utf-8")]


TOLD = "Yeast makes dough rise. The sea  has tides.\nPuffins are counted by the burrow.\n\nHow are puffins counted?"
WANTED = "Puffins are counted by the burrow."


def test_a_stream_says_what_a_whole_reply_does_and_what_it_cost_where_that_is_asked(client: openai.OpenAI) -> None:
    asked: Any = {"model": "m", "messages": [{"role": "user", "content": TOLD}]}
    whole = client.chat.completions.create(**asked)
    chunks = list(client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True}))
    assert "".join(one.choices[0].delta.content or "" for one in chunks if one.choices) == WANTED
    assert [one.choices[0].finish_reason for one in chunks if one.choices][-2:] == [None, "stop"]
    assert chunks[-1].usage == whole.usage
    tool: Any = {"type": "function", "function": {"name": "say", "parameters": {"type": "object", "properties": {}}}}
    with client.chat.completions.stream(**asked, tools=[tool]) as stream:
        (call,) = stream.get_final_completion().choices[0].message.tool_calls or ()
    assert (call.function.name, call.function.arguments) == ("say", WANTED)


def test_it_speaks_the_responses_api_whole_as_a_stream_and_with_a_function(client: openai.OpenAI) -> None:
    made = client.responses.create(model="m", input=TOLD, instructions="Be brief.")
    assert (made.output_text, made.status) == (WANTED, "completed")
    assert made.usage is not None
    assert made.usage.input_tokens > made.usage.output_tokens > 0
    tool: Any = {"type": "function", "name": "say", "parameters": {"type": "object", "properties": {}}, "strict": False}
    with client.responses.stream(model="m", input=[{"role": "user", "content": TOLD}]) as stream:
        assert sum(event.type == "response.output_text.delta" for event in stream) == 6
        assert stream.get_final_response().output_text == WANTED
    with client.responses.stream(model="m", input=TOLD, tools=[tool]) as stream:
        (called,) = stream.get_final_response().output
    assert called.type == "function_call"
    assert (called.name, called.arguments) == ("say", WANTED)


def test_an_agent_asks_its_tool_once_and_answers_from_what_it_says(client: openai.OpenAI) -> None:
    parameters = {"type": "object", "properties": {"query": {"type": "string"}}}
    tool: Any = {"type": "function", "function": {"name": "search", "parameters": parameters}}
    messages: list[Any] = [{"role": "user", "content": "How are puffins counted?"}]
    asked = client.chat.completions.create(model="m", messages=messages, tools=[tool]).choices[0].message
    (call,) = asked.tool_calls or ()
    assert call.function.arguments == '{"query": "How are puffins counted?"}'
    found = f"[ice.md] Ice is cold.\n\n[birds.md] {WANTED}"
    messages += [asked.model_dump(), {"role": "tool", "tool_call_id": call.id, "content": found}]
    assert messages[1]["content"] is None
    answer = client.chat.completions.create(model="m", messages=messages, tools=[tool]).choices[0].message
    assert (answer.content, answer.tool_calls) == (f"{WANTED} [birds.md]", None)


@pytest.mark.parametrize("method", [None, "function_calling", False])
@pytest.mark.parametrize("settings", [{"streaming": True}, {"use_responses_api": True, "streaming": True}], ids=str)
def test_a_model_of_langchain_that_streams_is_answered(settings: dict[str, Any], method: Any) -> None:
    with stand_in() as url:
        llm = ChatOpenAI(model="gpt-4.1-mini", base_url=url, api_key="none", **settings)  # type: ignore[arg-type]
        transformer = PropositionTransformer(llm, structured=method)
        made = transformer.transform_documents([Document("Tea is hot. Ice is cold.")])
    assert [one.page_content for one in made] == ["Tea is hot.", "Ice is cold."]
    assert transformer.report.input_tokens > transformer.report.output_tokens > 0
