"""A prompt of LlamaIndex's query engine, reranker or evaluators -> a reply by the words that texts have in common."""

from __future__ import annotations

import re

from caesura_lab.stand_in.words import nearest

DOCUMENT = re.compile(r"Document (\d+):\n(.*?)(?=\n\n+Document \d+:|\n\nQuestion:)", re.DOTALL)


def judged(said: str) -> str | None:
    """Returns None for any other prompt. Whether chunks support an answer, or fit the question, it always says YES."""
    if "## Generated Answer" in said:
        given = said.rpartition("## Reference Answer")[2]
        wanted, made = (_words(text) for text in given.split("## Generated Answer"))
        return f"{1 + 4 * len(wanted & made) / max(len(wanted), 1):.1f}\nSo many of the words are there."
    if "relevance score" in said and "Let's try this now" in said:
        asked = _words(said.rpartition("Question:")[2])
        found = DOCUMENT.findall(said.rpartition("Let's try this now")[2])
        ranked = sorted(found, key=lambda document: -len(_words(document[1]) & asked))
        return "\n".join(f"Doc: {number}, Relevance: {max(9 - place, 1)}" for place, (number, _) in enumerate(ranked))
    if "YES" in said and "NO" in said:
        return "YES"
    if context := re.search(r"-{21}\n(.*)\n-{21}\n.*^Query: (.*)\n^Answer:", said, re.DOTALL | re.MULTILINE):
        return nearest(context[2], re.split(r"(?<=[.!?])\s+|\n+", context[1]))
    return None


def _words(text: str) -> set[str]:
    return {word.strip(".") for word in re.findall(r"[\w.]{4,}", text.casefold())}  # a time of day is one
