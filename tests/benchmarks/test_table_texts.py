"""The tables, a set for measuring retrieval: each in five forms, and the rows that questions are about."""

from __future__ import annotations

import json
from types import ModuleType

import pytest
from fakes.lab import measurement

FORMS = ("Markdown", "HTML", "values", "columns", "PDF")


@pytest.fixture(scope="module")
def texts() -> ModuleType:
    return measurement("table_texts")


def test_there_are_three_questions_about_each_of_twenty_tables(texts: ModuleType) -> None:
    tables = texts.read_tables()
    asked = [json.loads(line) for line in (texts.FOLDER / "questions.jsonl").read_text("utf-8").splitlines()]
    assert [each["table"] for each in asked] == [table.id for table in tables for _ in range(3)]
    assert len(tables) == 20
    assert len({each["question"] for each in asked}) == 60
    assert all(len(row) == len(table.head) for table in tables for row in table.rows)


@pytest.mark.parametrize("form", FORMS)
def test_each_question_is_about_rows_that_are_where_it_says(texts: ModuleType, form: str) -> None:
    asked = [json.loads(line) for line in (texts.FOLDER / "questions.jsonl").read_text("utf-8").splitlines()]
    rows = {own["question"]: own["row"] for own in asked}
    counted = 0
    for half in texts.HALVES:
        data = texts.asked_tables(form, half)
        counted += len(data.questions)
        for own in data.questions:
            found = [data.texts[name][start:end] for name, start, end in own.places]
            assert len(found) == 1 if rows[own.question] else len(found) > 10
            assert all(rows[own.question] in row and row.strip() == row for row in found)
    assert counted == 60
