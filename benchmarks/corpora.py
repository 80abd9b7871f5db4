"""The measuring data beside Choi's: sets of texts with questions, and documents with their true boundaries.

`CHOSEN` names what defaults were chosen on; the others were looked at when all was decided. The manuals are ours: of
the machines, sites, services and policies of an invented ferry line, whose sections share their headings.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from choi import DATA, Document, documents

from caesura import units
from caesura_lab import Question, read_questions
from caesura_lab.retrieval import count_covered, count_in_ranges

LANGUAGES = ("en", "de", "zh", "ru", "ar")
CHOSEN = {
    *("papers", "corpora", "meetings", "en", "de"),
    *("Choi, every 4th", "meetings, turns", "splices, en", "splices, de", "splices, zh"),
}
SPLICES = 400
LONG_ANSWERS = (4_000, 16_000)
MANUALS = Path(__file__).parent / "manuals"
REPORTS = ("corpora/finance.md", "corpora/pubmed.md")
SECTION = 50
"""So many characters of a section of the handbook have to be there."""
CHATTY = (
    """\
You are a careful analyst at an investment bank, and your readers decide about large sums. Use only the documents that \
were uploaded, never what you remember, and say that you do not know where they do not tell. Give amounts in millions, \
rounded to one decimal place. Here is the question: {}""",
    """\
{} Please answer in two or three sentences, as you would explain it to a colleague who is new to the team. Name the \
table or the paragraph that your answer comes from, and list every assumption that you had to make.""",
    """\
I am preparing slides for a meeting of the board tomorrow morning and need some help with one point. Have a look at \
the material that we have and tell me: {} If there are several figures, take the most recent one, and write it with \
its unit. Thanks a lot!""",
    """\
Task: answer a question by looking at the attached sources. Step 1: find the passages that matter. Step 2: check that \
they are about the right period. Step 3: write a short answer in plain English, without bullet points. Question: {} \
Answer:""",
    """\
Assume that you have the knowledge of a chartered accountant, and that you may use nothing except what is shown in the \
statements. {} If a calculation is needed, show each of its steps and state the final result in a line of its own. \
Respond in the same language as the question.""",
)
"""How people wrap a question for a model, which is what their retriever is asked then too."""


@dataclass(frozen=True, slots=True)
class Sought:
    """A question and the places that answer it: the name of a text, start and end."""

    question: str
    places: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """Texts by the path that a loader would give, questions about them, and the budgets in characters.

    least: None where the share of the answer's characters counts; else what counts is the share of its places of which
    at least so many characters are found.
    """

    texts: dict[str, str]
    questions: list[Sought]
    budgets: tuple[int, int] = (1_000, 4_000)
    language: str = "en"
    least: int | None = None

    def in_one_text(self) -> list[Question]:
        """The questions for what can only measure those whose answer is in one text."""
        made = []
        for own in self.questions:
            (name,) = {text for text, _, _ in own.places}
            made.append(Question(own.question, name, [(start, end) for _, start, end in own.places]))
        return made

    def found(self, question: Sought, ranges: Iterable[tuple[str, int, int]]) -> float:
        """The share of a question's answer in ranges of texts."""
        by_text: dict[str, list[tuple[int, int]]] = {}
        for text, start, end in ranges:
            by_text.setdefault(text, []).append((start, end))
        if self.least is None:
            answers: dict[str, list[tuple[int, int]]] = {}
            for text, start, end in question.places:
                answers.setdefault(text, []).append((start, end))
            there = sum(count_covered(own, by_text.get(text, [])) for text, own in answers.items())
            return there / sum(map(count_in_ranges, answers.values()))
        counts = [count_covered([(start, end)], by_text.get(text, [])) for text, start, end in question.places]
        return sum(count >= self.least for count in counts) / len(counts)


def asked(name: str) -> Asked:
    """The name of a set, a key of `MAKERS` or a language -> its texts and questions."""
    return MAKERS[name]() if name in MAKERS else _articles(name)


def named(name: str, chosen: Collection[str] = CHOSEN) -> str:
    """A set's name as tables show it. chosen: the sets that settings were chosen on."""
    return f"{name} ({'settings were chosen on it' if name in chosen else 'no setting was chosen on it'})"


def _lines(path: str | Path) -> list[Any]:
    return [json.loads(line) for line in (DATA / path).read_text(encoding="utf-8").splitlines()]


def _papers() -> Asked:
    texts = {f"papers/{each['id']}.txt": each["text"] for each in _lines("papers/documents.jsonl")}
    given = _lines("papers/questions.jsonl")
    return Asked(texts, [_sought(each["question"], f"papers/{each['document']}.txt", each["spans"]) for each in given])


def _corpora() -> Asked:
    folder = DATA / "retrieval"
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))}
    questions = [
        _sought(own.question, f"corpora/{own.corpus}.md", own.spans)
        for own in read_questions(folder / "questions.jsonl", texts)
    ]
    return Asked({f"corpora/{name}.md": text for name, text in texts.items()}, questions)


def _reports(*about: str) -> Asked:
    """Annual reports and papers as text, with their tables. about: which of the two the questions are about."""
    data = _corpora()
    questions = [own for own in data.questions if own.places[0][0] in about]
    return Asked({name: data.texts[name] for name in REPORTS}, questions)


def _chatty() -> Asked:
    data = _reports(REPORTS[0])
    wrapped = [
        replace(own, question=CHATTY[number % len(CHATTY)].format(own.question))
        for number, own in enumerate(data.questions)
    ]
    return replace(data, questions=wrapped)


def _meetings() -> Asked:
    texts, questions = {}, []
    for each in _lines("meetings/meetings.jsonl"):
        name, turns = f"meetings/{each['id']}.txt", each["turns"]
        starts = _starts(turns)
        texts[name] = "\n".join(turns)
        for question in each["questions"]:
            spans = [(starts[first], starts[min(end, len(turns))] - 1) for first, end in question["turns"]]
            questions.append(_sought(question["question"], name, spans))
    return Asked(texts, questions, LONG_ANSWERS)


def _code() -> Asked:
    given = _lines("code/documents.jsonl")
    paths = {each["id"]: each["path"] for each in given}
    questions = [
        Sought(each["question"], tuple((paths[name], start, end) for name, start, end in each["spans"]))
        for each in _lines("code/questions.jsonl")
    ]
    return Asked({each["path"]: each["text"] for each in given}, questions)


def pieces() -> dict[str, list[tuple[int, int]]]:
    """The files of `code` -> the starts and ends of the pieces that the publisher made of them."""
    return {each["path"]: [(start, end) for start, end in each["chunks"]] for each in _lines("code/documents.jsonl")}


def _handbook() -> Asked:
    texts = {_page(each["id"]): each["text"] for each in _lines("handbook/documents.jsonl")}
    questions = [
        Sought(each["question"], tuple((_page(name), start, end) for name, start, end in each["sections"]))
        for each in _lines("handbook/questions.jsonl")
    ]
    return Asked(texts, questions, least=SECTION)


def _page(name: str) -> str:
    return f"{name}index.md" if name.endswith("/") else f"{name}.md"


def _manuals() -> Asked:
    """Raises `SettingError` where an answer is not in its document, or is there twice."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(MANUALS.glob("*.md"))}
    given = read_questions(MANUALS / "questions.jsonl", texts)
    return Asked(texts, [_sought(each.question, each.corpus, each.spans) for each in given])


def _articles(language: str) -> Asked:
    texts, questions = {}, []
    for each in _lines(f"languages/{language}.jsonl"):
        name, paragraphs = f"articles/{each['article']}.txt", [paragraph["text"] for paragraph in each["paragraphs"]]
        texts[name] = "\n\n".join(paragraphs)
        for at, paragraph in zip(_starts(paragraphs, 2), each["paragraphs"], strict=False):
            for question in paragraph["questions"]:
                start = at + question["start"]
                questions.append(_sought(question["question"], name, [(start, start + len(question["answer"]))]))
    return Asked(texts, questions, language=language)


def _sought(question: str, name: str, spans: Iterable[tuple[int, int]]) -> Sought:
    return Sought(question, tuple((name, start, end) for start, end in spans))


MAKERS: dict[str, Callable[[], Asked]] = {
    "papers": _papers,
    "corpora": _corpora,
    "reports": partial(_reports, *REPORTS),
    "finance": partial(_reports, REPORTS[0]),
    "chatty": _chatty,
    "meetings": _meetings,
    "code": _code,
    "handbook": _handbook,
    "manuals": _manuals,
}
"""Sets by their names, beside articles in a language."""


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
