"""A server on this machine that speaks as OpenAI's does, for examples that run offline: chat completions, the Responses
API, both as a stream too, and embeddings.

    with served("gpt-4.1-mini") as model:
        llm = ChatOpenAI(model=model.model, base_url=model.url, api_key=model.key)

It is no model: replies are made by rule (`reply`), rows are those of the built-in model, a token is four characters.
Use it to see what goes where, and never to judge what a model would say.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import Any, NamedTuple

from caesura import SettingError
from caesura.text.sentences import sentences

DOCUMENT = re.compile(r"Document (\d+):\n(.*?)(?=\n\n+Document \d+:|\n\nQuestion:)", re.DOTALL)
LINE = re.compile(r"^\[(\d+)\] (.*(?:\n    .*)*)", re.MULTILINE)
TOPIC = re.compile(r"^Topic (\d+):\n((?:(?:    |\[\d+\] ).*\n?)*)", re.MULTILINE)
FOLLOW_UP = re.compile(r"Follow Up (?:Input: |Message>\n)(.*)\n\s*<?Standalone question")
PASSAGE = re.compile(r"^Passage (\d+).*:$", re.MULTILINE)
SOURCE = re.compile(r"(?:\A|(?<=\n\n))(?:\[([^\]\n]+)\]\s|Source (\d+):\n)")
"""What names a passage in front of it: a source in brackets, or the line of LlamaIndex's `CitationQueryEngine`."""
CONTEXT = re.compile(r"-{6,}\n(.*)\n-{6,}\n.*^Query: (.*)\n^Answer:", re.DOTALL | re.MULTILINE)
"""What LlamaIndex asks: passages between two lines, and a question."""


class Served(NamedTuple):
    """What a client of OpenAI's is made with: `model`, `url` and `key`."""

    model: str
    url: str
    key: str


@contextmanager
def served(model: str, arguments: Sequence[str] | None = None) -> Iterator[Served]:
    """Gives what to ask until the end of the block: the stand-in, always where there are no arguments.

    arguments: those of a program, `sys.argv[1:]`, that is to have the option ``--openai [MODEL]``. With it a model is
    asked, one of OpenAI's or what serves at OPENAI_BASE_URL. Raises `SettingError` where OPENAI_API_KEY is not set.
    """
    options = list(arguments or ())
    if "--openai" in options:
        names = options[options.index("--openai") + 1 :]
        key = os.environ.get("OPENAI_API_KEY")
        if not key:
            raise SettingError("--openai needs OPENAI_API_KEY in the environment; a server without keys takes any word")
        yield Served(names[0] if names else model, os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1"), key)
        return
    print(f"A stand-in answers, by rule{'' if arguments is None else '; --openai asks a model'}.", file=sys.stderr)
    with stand_in() as url:
        yield Served(model, url, "none")


@contextmanager
def stand_in() -> Iterator[str]:
    """Gives the base URL of a server on 127.0.0.1 that runs until the end of the block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        responds = self.path.endswith("/responses")
        answer = _embed(body) if self.path.endswith("/embeddings") else (_respond if responds else _complete)(body)
        answer["model"] = body["model"]
        streams, kind, data = body.get("stream"), "application/json", json.dumps(answer)
        if streams:
            kind, data = "text/event-stream", "".join((_response_events if responds else _chunks)(answer, body))
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data.encode())))
        self.end_headers()
        self.wfile.write(data.encode())

    def log_message(self, format: str, *_: object) -> None:
        """Says nothing."""


def _embed(body: dict[str, Any]) -> dict[str, Any]:
    from caesura_static import StaticEmbedder

    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    rows = StaticEmbedder()(texts)
    packed = body.get("encoding_format") == "base64"
    encoded = [b64encode(row.tobytes()).decode() if packed else row.tolist() for row in rows]
    data = [{"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(encoded)]
    tokens = sum(map(len, texts)) // 4
    return {"object": "list", "data": data, "usage": {"prompt_tokens": tokens, "total_tokens": tokens}}


def _complete(body: dict[str, Any]) -> dict[str, Any]:
    prompts: dict[str, str] = {}
    for message in body["messages"]:
        said = [prompts.get(message["role"], ""), _join_content(message["content"])]
        prompts[message["role"]] = "\n".join(filter(None, said)) if message["role"] == "system" else said[1]
    has_called = body["messages"][-1]["role"] == "tool"  # an agent has asked its tool
    text = reply(prompts.get("system", ""), f"{prompts['tool']}\n{prompts['user']}" if has_called else prompts["user"])
    answer: dict[str, Any] = {"role": "assistant", "content": text}
    if body.get("tools") and not has_called:
        tool = body["tools"][0]["function"]
        wanted = next(iter(tool.get("parameters", {}).get("properties", ())), None)
        text = text if text.startswith('{"') or wanted is None else json.dumps({wanted: prompts["user"]})
        function = {"name": tool["name"], "arguments": text}
        answer |= {"content": None, "tool_calls": [{"id": "call", "type": "function", "function": function}]}
    into, out = len(json.dumps(body["messages"])) // 4, len(text) // 4
    usage = {"prompt_tokens": into, "completion_tokens": out, "total_tokens": into + out}
    choice = {"index": 0, "message": answer, "finish_reason": "stop"}
    return {"id": "1", "object": "chat.completion", "created": 1, "choices": [choice], "usage": usage}


def _chunks(completion: dict[str, Any], body: dict[str, Any]) -> Iterator[str]:
    """A completion -> the events of its stream; what it cost comes last, if that is asked."""
    usage, head = completion["usage"], {**completion, "object": "chat.completion.chunk", "usage": None}
    (choice,) = completion["choices"]
    delta = {**choice["message"], "content": None}
    if "tool_calls" in delta:
        delta["tool_calls"] = [{"index": 0, **delta["tool_calls"][0]}]
    deltas = [(delta, None), *(({"content": part}, None) for part in _parts(choice["message"]["content"]))]
    for delta, reason in [*deltas, ({}, choice["finish_reason"])]:
        yield _event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
    if (body.get("stream_options") or {}).get("include_usage"):
        yield _event({**head, "choices": [], "usage": usage})
    yield "data: [DONE]\n\n"


def _parts(text: str | None) -> list[str]:
    return re.findall(r"\s*\S+|\s+$", text or "")


def _event(value: dict[str, Any]) -> str:
    return f"data: {json.dumps(value)}\n\n"


def _respond(body: dict[str, Any]) -> dict[str, Any]:
    """A request of the Responses API -> its response: a message, or a call of the first of its tools."""
    given = body["input"] if isinstance(body["input"], list) else [{"role": "user", "content": body["input"]}]
    messages = [{"role": "system", "content": body.get("instructions") or ""}]
    messages += [{**one, "role": "system" if one["role"] == "developer" else one["role"]} for one in given]
    tools = [{"function": tool} for tool in body.get("tools") or ()]
    completion = _complete({"messages": messages, "tools": tools})
    message, usage = completion["choices"][0]["message"], completion["usage"]
    if "tool_calls" in message:
        item = {"type": "function_call", "id": "fc", "call_id": "call", **message["tool_calls"][0]["function"]}
    else:
        part = {"type": "output_text", "text": message["content"], "annotations": []}
        item = {"type": "message", "id": "msg", "role": "assistant", "content": [part]}
    spent = {
        "input_tokens": usage["prompt_tokens"],
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": usage["completion_tokens"],
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage["total_tokens"],
    }
    said = {"id": "1", "object": "response", "created_at": 1, "status": "completed", "usage": spent}
    plain: dict[str, Any] = {
        "error": None,
        "incomplete_details": None,
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
    }
    return {**said, **plain, "output": [{**item, "status": "completed"}]}


def _response_events(response: dict[str, Any], body: dict[str, Any]) -> Iterator[str]:
    """A response -> the events of its stream."""
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    (item,) = response["output"]
    at = {"item_id": item["id"], "output_index": 0}
    events: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    bare: dict[str, Any] = {"content": []} if "content" in item else {"arguments": ""}
    events.append({"type": "response.output_item.added", "output_index": 0, "item": {**item, **bare}})
    if "content" in item:
        (part,) = item["content"]
        at["content_index"] = 0
        events.append({"type": "response.content_part.added", **at, "part": {**part, "text": ""}})
        said = _parts(part["text"])
        events += [{"type": "response.output_text.delta", **at, "delta": word, "logprobs": []} for word in said]
        events.append({"type": "response.output_text.done", **at, "text": part["text"], "logprobs": []})
        events.append({"type": "response.content_part.done", **at, "part": part})
    else:
        name, arguments = "response.function_call_arguments", item["arguments"]
        events.append({"type": f"{name}.delta", **at, "delta": arguments})
        events.append({"type": f"{name}.done", **at, "name": item["name"], "arguments": arguments})
    events.append({"type": "response.output_item.done", "output_index": 0, "item": item})
    events.append({"type": "response.completed", "response": response})
    for number, event in enumerate(events):
        yield f"event: {event['type']}\n{_event({**event, 'sequence_number': number})}"


def _join_content(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content or ())


def reply(system: str, user: str) -> str:
    """A system message, which may be empty, and a user's -> the reply."""
    if '{"' in system:  # a prompt of Caesura shows the form of the reply that it wants
        return json.dumps(_fill_form(system, user))
    if follow_up := FOLLOW_UP.search(user):  # a prompt that wants it as a question by itself
        return follow_up[1].strip()
    both = f"{system}\n{user}"
    return judge(both) or _answer_question(user) or _answer_question(both).strip()


def _fill_form(system: str, user: str) -> dict[str, Any]:
    if '{"groups"' in system:
        return {"groups": group_propositions(user)}
    if '{"topics"' in system:
        return {"topics": title_topics(user)}
    if '{"contexts"' in system:
        return {"contexts": [{"text": _place(user)}]}
    marks = list(PASSAGE.finditer(user))
    ends = [*(mark.start() for mark in marks[1:]), len(user)]
    texts = [(int(mark[1]), user[mark.end() : end]) for mark, end in zip(marks, ends, strict=True)]
    if '"propositions"' in system:
        return {"passages": [{"number": n, "propositions": _copy_sentences(text)} for n, text in texts]}
    wanted = re.search(r"Write (\d+) different questions", system)
    if wanted and '"answer"' in system:
        return {"passages": [{"number": n, "questions": _quote_answers(text, int(wanted[1]))} for n, text in texts]}
    return {
        "passages": [
            {"number": n, "texts": _describe_passage(text, int(wanted[1]) if wanted else 0)} for n, text in texts
        ]
    }


def group_propositions(user: str) -> list[dict[str, Any]]:
    """Each proposition to the topic that it shares most words with; else to a new one, named by its commonest word."""
    head, _, tail = user.partition("Propositions:\n")
    topics = {int(number): set(longest_words(text)) for number, text in TOPIC.findall(head)}
    propositions = {int(number): text for number, text in LINE.findall(tail)}
    common = Counter(word for text in propositions.values() for word in longest_words(text))
    groups: dict[tuple[int, str], list[int]] = {}
    for number, text in propositions.items():
        own = longest_words(text) or ["other"]
        best = max(topics, key=lambda topic: len(topics[topic].intersection(own)), default=0)
        known = bool(best and topics[best].intersection(own))
        groups.setdefault((best, "") if known else (0, max(own, key=common.__getitem__)), []).append(number)
    return [
        {"topic": topic, "title": word.title(), "summary": f"About {word}." if word else "", "propositions": numbers}
        for (topic, word), numbers in groups.items()
    ]


def title_topics(user: str) -> list[dict[str, Any]]:
    """Each topic, by the two words that are commonest in it."""
    return [{"number": int(number), **_make_title(text)} for number, text in TOPIC.findall(user)]


def _make_title(text: str) -> dict[str, str]:
    common = Counter(word for _, line in LINE.findall(text) for word in longest_words(line)).most_common(2)
    title = " and ".join(word for word, _ in common) or "other"
    return {"title": title.title(), "summary": f"About {title}."}


def _copy_sentences(text: str) -> list[dict[str, Any]]:
    return [{"text": " ".join(line.split()), "sentences": [int(k)]} for k, line in LINE.findall(text)]


def _place(user: str) -> str:
    """The first sentences of a document and of the passage in it that is asked about, if there is one."""
    document, _, passage = user.partition("\n\nThe passage:\n")
    texts = [document.partition(":\n")[2].partition("\n\nWhat is it?")[0], passage]
    return " ".join(_describe_passage(text, 0)[0] for text in texts if text)


def _describe_passage(text: str, questions: int) -> list[str]:
    sentences = re.split(r"(?<=[.!?]) ", " ".join(text.split()))
    if not questions:
        return [sentences[0]]
    step = max(1, len(sentences) // questions)
    words = map(longest_words, sentences[::step][:questions])
    return [f"What about {', '.join(own[:4])}?" for own in words if own]


def _quote_answers(text: str, count: int) -> list[dict[str, str]]:
    """The longest words of sentences of a passage, asked about, and the sentences."""
    sentences = [one for one in re.split(r"(?<=[.!?]) ", " ".join(text.split())) if longest_words(one)]
    return [
        {"question": f"What about {', '.join(longest_words(one)[:4])}?", "answer": one} for one in sentences[:count]
    ]


def judge(prompt: str) -> str | None:
    """A judge's verdict, or None for any other prompt.

    Whether chunks support an answer, or fit the question, it always says YES.
    """
    if "## Generated Answer" in prompt:
        answers = prompt.rpartition("## Reference Answer")[2]
        reference, generated = (_word_set(text) for text in answers.split("## Generated Answer"))
        share = len(reference & generated) / max(len(reference), 1)
        return f"{1 + 4 * share:.1f}\nSo many of the words are there."
    if "relevance score" in prompt and "Let's try this now" in prompt:
        words = _word_set(prompt.rpartition("Question:")[2])
        documents = DOCUMENT.findall(prompt.rpartition("Let's try this now")[2])
        ranked = sorted(documents, key=lambda document: -len(_word_set(document[1]) & words))
        return "\n".join(f"Doc: {number}, Relevance: {max(9 - place, 1)}" for place, (number, _) in enumerate(ranked))
    if "YES" in prompt and "NO" in prompt:
        return "YES"
    if context := CONTEXT.search(prompt):
        return quote_nearest(context[2], context[1])
    return None


def _answer_question(user: str) -> str:
    *context, question = user.rstrip().splitlines()
    return quote_nearest(question, "\n".join(context))


def quote_nearest(question: str, text: str) -> str:
    """The sentence of a text that has most of a question's words, and in brackets what names its passage, if a source
    or a number stands in front of it. Text before the first of them is quoted only where no passage has as many."""
    before, *rest = SOURCE.split(text)
    quotes: dict[str, str] = {}
    for name, number, passage in [*zip(rest[::3], rest[1::3], rest[2::3], strict=True), (None, None, before)]:
        source = name or number
        for sentence in split_sentences(passage):
            quotes.setdefault(sentence, f"{sentence} [{source}]" if source else sentence)
    return quotes.get(nearest_text(question, quotes), "")


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, with a space for each of their line ends, which PDF has many of. None goes on over a
    line without letters, as prompts draw them."""
    parts = re.split(r"^[\W_]*$", text, flags=re.MULTILINE)
    return [" ".join(part[start:end].split()) for part in parts for start, end in pairwise(sentences(part))]


def nearest_text(question: str, texts: Iterable[str]) -> str:
    """The first of the texts that have most of a question's longest words, or nothing of none."""
    words = set(longest_words(question))
    return max(texts, key=lambda text: len(words.intersection(re.findall(r"\w+", text.casefold()))), default="")


def longest_words(text: str) -> list[str]:
    """The six longest words, in their order."""
    words = dict.fromkeys(re.findall(r"[^\W\d_]{4,}", text.casefold()))
    longest = sorted(words, key=len, reverse=True)[:6]
    return [word for word in words if word in longest]


def _word_set(text: str) -> set[str]:
    return {word.strip(".") for word in re.findall(r"[\w.]{4,}", text.casefold())}  # a time of day is one
