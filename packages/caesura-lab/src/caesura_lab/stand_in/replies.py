"""A prompt -> what the stand-in says: JSON where a prompt of Caesura asks, a judge's score, or one of its sentences.

Its rules: every sentence is a proposition, a topic is a word that propositions share, a summary is the first sentence,
a question asks about the longest words, and is answered by the sentence that has most of its words.
"""

from __future__ import annotations

import json
import re
from typing import Any

from caesura_lab.stand_in.judging import judged
from caesura_lab.stand_in.topics import LINE, groups, titles
from caesura_lab.stand_in.words import longest, nearest

PASSAGE = re.compile(r"^Passage (\d+).*:$", re.MULTILINE)


def reply(system: str, user: str) -> str:
    """A system message, which may be empty, and a user's -> the reply."""
    if '{"' in system:  # a prompt of Caesura shows the form of the reply that it wants
        return json.dumps(_answer(system, user))
    return judged(f"{system}\n{user}") or _sentence(user)


def _sentence(user: str) -> str:
    *given, question = user.rstrip().splitlines()
    return nearest(question, re.split(r"(?<=[.!?])\s+|\n+", "\n".join(given)))


def _answer(system: str, user: str) -> dict[str, Any]:
    if '{"groups"' in system:
        return {"groups": groups(user)}
    if '{"topics"' in system:
        return {"topics": titles(user)}
    marks = list(PASSAGE.finditer(user))
    ends = [*(mark.start() for mark in marks[1:]), len(user)]
    texts = [(int(mark[1]), user[mark.end() : end]) for mark, end in zip(marks, ends, strict=True)]
    if '"propositions"' in system:
        return {"passages": [{"number": n, "propositions": _propositions(text)} for n, text in texts]}
    wanted = re.search(r"Write (\d+) different questions", system)
    return {"passages": [{"number": n, "texts": _about(text, int(wanted[1]) if wanted else 0)} for n, text in texts]}


def _propositions(text: str) -> list[dict[str, Any]]:
    return [{"text": " ".join(line.split()), "sentences": [int(k)]} for k, line in LINE.findall(text)]


def _about(text: str, questions: int) -> list[str]:
    sentences = re.split(r"(?<=[.!?]) ", " ".join(text.split()))
    if not questions:
        return [sentences[0]]
    step = max(1, len(sentences) // questions)
    return [f"What about {', '.join(longest(one)[:4])}?" for one in sentences[::step][:questions] if longest(one)]
