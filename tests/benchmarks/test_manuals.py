"""The manuals, a set for measuring retrieval: enough documents and questions, and each answer in one place."""

from __future__ import annotations

import json
from collections import Counter
from types import ModuleType

import pytest
from fakes.lab import measurement


@pytest.fixture(scope="module")
def corpora() -> ModuleType:
    return measurement("corpora")


def test_there_are_ten_questions_about_each_of_twelve_documents(corpora: ModuleType) -> None:
    data = corpora.asked("manuals")
    assert len(data.texts) == 12
    assert all(5_000 <= len(text) <= 9_000 for text in data.texts.values())
    assert len({question.question for question in data.questions}) == 120
    assert Counter(question.corpus for question in data.in_one_text()) == dict.fromkeys(data.texts, 10)
    assert data.budgets == (1_000, 4_000)


def test_each_answer_is_in_its_document_once_word_for_word(corpora: ModuleType) -> None:
    data = corpora.asked("manuals")
    lines = (corpora.MANUALS / "questions.jsonl").read_text("utf-8").splitlines()
    for line, question in zip(map(json.loads, lines), data.in_one_text(), strict=True):
        text = data.texts[question.corpus]
        assert [text[start:end] for start, end in question.spans] == line["answer"]
        assert [text.count(answer) for answer in line["answer"]] == [1] * len(line["answer"])
        assert 1 <= len(line["answer"]) <= 3


def test_no_setting_was_chosen_on_it(corpora: ModuleType) -> None:
    assert corpora.named("manuals") == "manuals (no setting was chosen on it)"
