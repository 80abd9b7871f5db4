"""What the model behind `openai_server.py` says: it reads the prompts of `caesura_llm`, by their text alone.

Its rules are plain so that a test can say what must come: a sentence is a proposition, a topic is a word.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from fakes.servers.framework_prompts import answer_framework

_LINE = re.compile(r"^\[(\d+)\] (.*(?:\n    .*)*)", re.MULTILINE)
_PASSAGE = re.compile(r"^Passage (\d+)(?: of [^\n]*?)??(?: \(only what follows sentence (\d+)\))?:$", re.MULTILINE)
_TOPIC = re.compile(r"^Topic (\d+):\n((?:    .*\n?)*)((?:\[\d+\] .*\n?(?:    .*\n?)*)*)", re.MULTILINE)
_WORD = re.compile(r"\w{4,}")


def tokens(text: str) -> int:
    """A token is four characters."""
    return (len(text) + 3) // 4


def answer(messages: list[dict[str, Any]]) -> str:
    """The messages of a request -> the reply that a perfect model would give, as JSON."""
    system, user, images = "", "", 0
    for message in messages:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        text = "\n".join(part["text"] for part in parts if part["type"] == "text")
        images += sum(part["type"] == "image_url" for part in parts)
        system, user = (system + text, user) if message["role"] == "system" else (system, user + text)
    if "Action Input:" in system:
        return answer_framework(system, user)
    if '{"groups"' in system:
        found: dict[str, Any] = {"groups": _groups(user)}
    elif '{"topics"' in system:
        found = {"topics": _titles(user)}
    elif '{"contexts"' in system:
        found = {"contexts": [{"text": _context(user)}]}
    elif '"propositions"' in system:
        found = {"passages": [_propositions(*one) for one in _passages(user)]}
    elif '"answer"' in system:
        found = {"passages": [_quoted(number, text, system) for number, _, text in _passages(user)]}
    elif _passages(user) or '{"' in system or not user.strip():
        found = {"passages": [_texts(number, text, system, images) for number, _, text in _passages(user)]}
    else:
        return answer_framework(system, user)
    return json.dumps(found, ensure_ascii=False)


def lines(text: str) -> list[tuple[int, str]]:
    """Numbered lines, as `shown` writes them -> (number, text)."""
    return [(int(number), line.replace("\n    ", "\n")) for number, line in _LINE.findall(text)]


def _passages(user: str) -> list[tuple[int, int, str]]:
    """(number, the sentence after which to begin, text) of each passage."""
    marks = list(_PASSAGE.finditer(user))
    ends = [*(mark.start() for mark in marks[1:]), len(user)][: len(marks)]
    return [(int(m[1]), int(m[2] or 0), user[m.end() : end].strip("\n")) for m, end in zip(marks, ends, strict=True)]


def _propositions(number: int, after: int, text: str) -> dict[str, Any]:
    said = [{"text": " ".join(line.split()), "sentences": [k]} for k, line in lines(text) if k > after]
    return {"number": number, "propositions": said}


def _texts(number: int, text: str, system: str, images: int) -> dict[str, Any]:
    plain = " ".join(re.sub(r"^    ", "", text, flags=re.MULTILINE).split())
    first = re.split(r"(?<=[.!?]) ", plain)[0]
    wanted = re.search(r"Write (\d+) different questions", system)
    if wanted:
        texts = [f"What about {word}?" for word in _WORD.findall(plain)[: int(wanted[1])]]
    elif "the image" in system:
        texts = [f"A picture ({images}) of {plain}"]
    else:
        texts = [f"In short: {first}"]
    return {"number": number, "texts": texts}


def _quoted(number: int, text: str, system: str) -> dict[str, Any]:
    """A question about the longest word of each of the first sentences, which are the answers."""
    sentences = re.split(r"(?<=[.!?]) ", " ".join(text.split()))
    wanted = re.search(r"Write (\d+) different questions", system)
    pairs = [
        {"question": f"What about {max(_WORD.findall(one), key=len)}?", "answer": one}
        for one in sentences
        if _WORD.search(one)
    ]
    return {"number": number, "questions": pairs[: int(wanted[1]) if wanted else 1]}


def _context(user: str) -> str:
    """The document's first sentence; and the passage's, where one is asked about."""
    document, _, passage = user.partition("\n\nThe passage:\n")
    sentences = [
        re.split(r"(?<=[.!?]) ", " ".join(text.split()))[0] for text in (document.partition(":\n")[2], passage)
    ]
    return f"{sentences[0]} Here: {sentences[1]}" if passage else sentences[0]


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _groups(user: str) -> list[dict[str, Any]]:
    """Each proposition to the listed topic that has most of its words; else to a new one, named by its first word."""
    listed = {int(number): set(_words(text)) for number, text, _ in _TOPIC.findall(user)}
    groups: dict[tuple[int, str], list[int]] = {}
    for number, text in lines(user.split("Propositions:\n", 1)[1]):
        own = set(_words(text))
        best = max(listed, key=lambda k: (len(listed[k] & own), -k), default=0)
        if best and listed[best] & own:
            groups.setdefault((best, ""), []).append(number)
        else:
            groups.setdefault((0, (_words(text) or ["other"])[0]), []).append(number)
    return [
        {
            "topic": topic,
            "title": title.title(),
            "summary": f"What is said of {title}." if title else "",
            "propositions": numbers,
        }
        for (topic, title), numbers in groups.items()
    ]


def _titles(user: str) -> list[dict[str, Any]]:
    found = []
    for number, _, statements in _TOPIC.findall(user):
        common = [word for word, _ in Counter(_words(" ".join(text for _, text in lines(statements)))).most_common(2)]
        title = " and ".join(common) or "other"
        found.append({"number": int(number), "title": title.title(), "summary": f"What is said of {title}."})
    return found


# -- replies that are not what was asked for ---------------------------------------------------------------------------

MALFORMED = {
    "fenced": lambda text: f"Here you are [as asked]:\n```json\n{text}\n```\nAnything else?",
    "wrapped": lambda text: f'{{"result": {text}}}',
    "commas": lambda text: text.replace("}]", "},]").replace("]}", "],}"),
    "single quotes": lambda text: repr(json.loads(text)),
    "unescaped": lambda text: text.replace(r"\"", '"'),
    "lines": lambda text: "\n".join(json.dumps(one) for one in next(iter(json.loads(text).values()))),
    "truncated": lambda text: text[: len(text) * 2 // 3],
    "prose": lambda text: "The passages say a number of things, which I am happy to explain.",
}
"""Eight ways in which models write JSON, each of a good reply -> a reply."""


def wrong_numbers(text: str) -> str:
    """The same reply, resting on sentences that there are none of."""
    return re.sub(r'"sentences": \[(\d+)\]', r'"sentences": [\g<1>00]', text)
