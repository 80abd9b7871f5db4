"""The measuring data beside Choi's: sets of texts with questions, and documents with their true boundaries.

`CHOSEN` names what defaults were chosen on; the others were looked at when all was decided. The handbook is ours:
manuals, sites, services and policies of an invented ferry line, whose sections share their headings.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from choi import DATA, Document, documents

from caesura import units
from caesura_lab import Question, read_questions
from caesura_lab.questions import find_answer

LANGUAGES = ("en", "de", "zh", "ru", "ar")
CHOSEN = {
    *("papers", "corpora", "meetings", "en", "de"),
    *("Choi, every 4th", "meetings, turns", "splices, en", "splices, de", "splices, zh"),
}
SPLICES = 400
LONG_ANSWERS = (4_000, 16_000)
HANDBOOK = Path(__file__).parent / "handbook"


@dataclass(frozen=True, slots=True)
class Asked:
    """Texts by name, questions about them, and the budgets in characters in which answers are looked for."""

    texts: dict[str, str]
    questions: list[Question]
    budgets: tuple[int, int] = (1_000, 4_000)


def asked(name: str) -> Asked:
    """`papers`, `corpora`, `meetings`, `handbook` or a language -> its texts and questions."""
    makers = {"papers": _papers, "corpora": _corpora, "meetings": _meetings, "handbook": _handbook}
    return makers[name]() if name in makers else _articles(name)


def named(name: str, chosen: Collection[str] = CHOSEN) -> str:
    """A set's name as tables show it. chosen: the sets that settings were chosen on."""
    return f"{name} ({'settings were chosen on it' if name in chosen else 'no setting was chosen on it'})"


def _lines(path: str | Path) -> list[Any]:
    return [json.loads(line) for line in (DATA / path).read_text(encoding="utf-8").splitlines()]


def _papers() -> Asked:
    texts = {str(each["id"]): each["text"] for each in _lines("papers/documents.jsonl")}
    given = _lines("papers/questions.jsonl")
    return Asked(texts, [Question(each["question"], str(each["document"]), each["spans"]) for each in given])


def _corpora() -> Asked:
    folder = DATA / "retrieval"
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))}
    return Asked(texts, read_questions(folder / "questions.jsonl", texts))


def _meetings() -> Asked:
    texts, questions = {}, []
    for each in _lines("meetings/meetings.jsonl"):
        name, turns = str(each["id"]), each["turns"]
        starts = _starts(turns)
        texts[name] = "\n".join(turns)
        for question in each["questions"]:
            spans = [(starts[first], starts[min(end, len(turns))] - 1) for first, end in question["turns"]]
            questions.append(Question(question["question"], name, spans))
    return Asked(texts, questions, LONG_ANSWERS)


def _handbook() -> Asked:
    """Raises `SettingError` where an answer is not in its document, or is there twice."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(HANDBOOK.glob("*.md"))}
    given = _lines(HANDBOOK / "questions.jsonl")
    return Asked(
        texts,
        [Question(each["question"], *find_answer(each["answers"], each["document"], texts)) for each in given],
    )


def _articles(language: str) -> Asked:
    texts, questions = {}, []
    for each in _lines(f"languages/{language}.jsonl"):
        name, paragraphs = str(each["article"]), [paragraph["text"] for paragraph in each["paragraphs"]]
        texts[name] = "\n\n".join(paragraphs)
        for at, paragraph in zip(_starts(paragraphs, 2), each["paragraphs"], strict=False):
            for question in paragraph["questions"]:
                start = at + question["start"]
                questions.append(Question(question["question"], name, [(start, start + len(question["answer"]))]))
    return Asked(texts, questions)


def _starts(parts: Iterable[str], between: int = 1) -> list[int]:
    """Where each part starts once they are joined, and where one more would."""
    return list(accumulate((len(part) + between for part in parts), initial=0))


def segmented() -> dict[str, list[Document]]:
    """All documents with known boundaries, by the kind of document."""
    every = documents()
    meetings = _lines("meetings/meetings.jsonl")
    talks = [Document(str(each["id"]), each["turns"], _inner(each["topic_starts"], each["turns"])) for each in meetings]
    found = {
        "Choi, every 4th": every[::4],
        "Choi, the others": [each for at, each in enumerate(every) if at % 4],
        "meetings, turns": talks,
    }
    return found | {f"splices, {language}": spliced(language) for language in LANGUAGES}


def shuffled(given: list[Document], seed: int = 0) -> list[Document]:
    """The same sentences in any order, and no boundary."""
    random = np.random.default_rng(seed)
    mixed = [[each.sentences[at] for at in random.permutation(len(each.sentences))] for each in given]
    return [Document(each.name, own, np.zeros(0, np.intp)) for each, own in zip(given, mixed, strict=True)]


def spliced(language: str, count: int = SPLICES, seed: int = 5) -> list[Document]:
    """Documents of 4 to 9 articles, 1 to 3 paragraphs of each, joined by a space; their units are ours."""
    articles = _lines(f"languages/{language}.jsonl")
    random, made = np.random.default_rng(seed), []
    for number in range(count):
        parts = []
        for at in random.permutation(len(articles))[: int(random.integers(4, 10))]:
            own = articles[at]["paragraphs"]
            some = int(random.integers(1, 4))
            first = int(random.integers(0, len(own) - some + 1))
            parts.append(" ".join(each["text"].strip() for each in own[first : first + some]))
        text = " ".join(parts)
        edges = units(text)
        nearest = [int(np.argmin(np.abs(edges - start))) for start in _starts(parts)[1:-1]]
        pieces = [text[start:end].strip() for start, end in pairwise(edges.tolist())]
        made.append(Document(f"{language}/{number}", pieces, _inner(nearest, pieces)))
    return made


def _inner(breaks: Iterable[int], parts: list[str]) -> Any:
    return np.array(sorted({at for at in breaks if 0 < at < len(parts)}), np.intp)
