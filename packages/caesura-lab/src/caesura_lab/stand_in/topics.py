"""Caesura's prompts about topics -> the groups and titles that the stand-in makes: a topic is a word that is shared."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from caesura_lab.stand_in.words import longest

LINE = re.compile(r"^\[(\d+)\] (.*(?:\n    .*)*)", re.MULTILINE)
TOPIC = re.compile(r"^Topic (\d+):\n((?:(?:    |\[\d+\] ).*\n?)*)", re.MULTILINE)


def groups(user: str) -> list[dict[str, Any]]:
    """Each proposition to the topic that it shares most words with; else to a new one, named by its commonest word."""
    head, _, tail = user.partition("Propositions:\n")
    topics = {int(number): set(longest(text)) for number, text in TOPIC.findall(head)}
    said = {int(number): text for number, text in LINE.findall(tail)}
    common = Counter(word for text in said.values() for word in longest(text))
    found: dict[tuple[int, str], list[int]] = {}
    for number, text in said.items():
        own = longest(text) or ["other"]
        best = max(topics, key=lambda topic: len(topics[topic].intersection(own)), default=0)
        known = bool(best and topics[best].intersection(own))
        found.setdefault((best, "") if known else (0, max(own, key=common.__getitem__)), []).append(number)
    return [
        {"topic": topic, "title": word.title(), "summary": f"About {word}." if word else "", "propositions": numbers}
        for (topic, word), numbers in found.items()
    ]


def titles(user: str) -> list[dict[str, Any]]:
    """Each topic, by the two words that are commonest in it."""
    return [{"number": int(number), **_titled(text)} for number, text in TOPIC.findall(user)]


def _titled(text: str) -> dict[str, str]:
    common = Counter(word for _, line in LINE.findall(text) for word in longest(line)).most_common(2)
    title = " and ".join(word for word, _ in common) or "other"
    return {"title": title.title(), "summary": f"About {title}."}
