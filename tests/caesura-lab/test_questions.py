"""Questions from JSON lines: what is read, and the error that names file, line and remedy."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura import CaesuraError, SettingError, Span
from caesura_lab import Question, QuestionsError, read_questions

GOOD = {"question": "Who?", "corpus": "a", "spans": [[0, 3], [5, 9]]}


def written(folder: Path, *lines: str) -> Path:
    path = folder / "questions.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_questions_come_in_the_files_order(tmp_path: Path) -> None:
    other = {**GOOD, "question": "Wo\u2028? 漢", "extra": 1}
    path = written(tmp_path, json.dumps(GOOD), "", json.dumps(other, ensure_ascii=False), "")
    found = read_questions(path, {"a": "x" * 9})
    assert found == [
        Question("Who?", "a", (Span(0, 3), Span(5, 9))),
        Question("Wo\u2028? 漢", "a", (Span(0, 3), Span(5, 9))),
    ]
    assert read_questions(str(path)) == found


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 2: "),
        ("[]", "line 2: a question must be an object with question, corpus and spans"),
        (json.dumps({"question": "?", "corpus": "a"}), "line 2: a question must be an object"),
        (json.dumps({**GOOD, "spans": []}), "line 2: a question needs a span"),
        (json.dumps({**GOOD, "spans": [[3]]}), r"line 2: spans must be pairs \(start, end\)"),
        (json.dumps({**GOOD, "spans": 3}), r"line 2: spans must be pairs \(start, end\)"),
        (
            json.dumps({**GOOD, "spans": [[3, 3]]}),
            r"line 2: a span must be whole numbers 0 <= start < end, got \(3, 3\)",
        ),
        (json.dumps({**GOOD, "spans": [[-1, 3]]}), "line 2: a span must be"),
        (json.dumps({**GOOD, "spans": [[0.0, 3]]}), "line 2: a span must be"),
        (json.dumps({**GOOD, "question": 7}), "line 2: question and corpus must be str"),
        (json.dumps({**GOOD, "corpus": "b"}), "line 2: there is no text named 'b', only a"),
        (json.dumps({**GOOD, "spans": [[0, 11]]}), "line 2: a span ends at 11, but the text 'a' has 10 characters"),
    ],
)
def test_a_line_that_is_no_question_is_named(tmp_path: Path, line: str, said: str) -> None:
    path = written(tmp_path, json.dumps(GOOD), line)
    with pytest.raises(QuestionsError, match=said) as error:
        read_questions(path, {"a": "x" * 10})
    assert str(path) in str(error.value)
    assert isinstance(error.value, CaesuraError)


@given(st.lists(st.sampled_from([GOOD, {**GOOD, "question": "Wo\u2028?"}]), min_size=1), st.sampled_from([None, 1]))
def test_an_array_holds_the_same_questions_as_lines(rows: list[Any], indent: int | None) -> None:
    with TemporaryDirectory() as folder:
        lines = written(Path(folder), *map(json.dumps, rows))
        found = read_questions(lines, {"a": "x" * 9})
        assert read_questions(written(Path(folder), json.dumps(rows, indent=indent)), {"a": "x" * 9}) == found
        assert len(found) == len(rows)


@pytest.mark.parametrize("is_array", [True, False])
def test_all_that_is_wrong_with_a_file_is_said_at_once(tmp_path: Path, is_array: bool) -> None:
    rows: list[Any] = [GOOD, {**GOOD, "spans": []}, GOOD, {**GOOD, "question": 7}, *[[]] * 30]
    path = written(tmp_path, json.dumps(rows, indent=1)) if is_array else written(tmp_path, *map(json.dumps, rows))
    with pytest.raises(QuestionsError) as error:
        read_questions(path)
    first, *named, last = str(error.value).split("\n  ")
    assert (first, last) == (f"{path} has 32 faults:", "and 12 more")
    lines = json.dumps(rows, indent=1).split("\n")
    begins = [number for number, line in enumerate(lines, 1) if line[1:2] in ("{", "[")]
    second, fourth, fifth = (f"line {begins[n - 1]}, question {n}" if is_array else f"line {n}" for n in (2, 4, 5))
    assert named[:3] == [
        f"{second}: a question needs a span that answers it, got none for 'Who?'",
        f"{fourth}: question and corpus must be str, got 7 and 'a'",
        f"{fifth}: a question must be an object with question, corpus and spans, or question and answer, got []",
    ]
    assert len(named) == 20


def test_an_array_that_is_none_says_where(tmp_path: Path) -> None:
    with pytest.raises(QuestionsError, match=r"line 3: no JSON array: Expecting value: line 3 column 1"):
        read_questions(written(tmp_path, "[", json.dumps(GOOD) + ",", "]"))
    with pytest.raises(QuestionsError, match=r"has no questions: .* or an array of them"):
        read_questions(written(tmp_path, "[]"))


def test_an_answer_is_found_where_a_pdf_parts_its_words(tmp_path: Path) -> None:
    text = "The cis-\ntern has 60,000 li\u00adtres,\nwell-known as a land-\n  mark."
    for answer in ("cistern has 60,000 litres", "cis- tern has", "well-known as a landmark", "a land- mark."):
        (found,) = read_questions(written(tmp_path, json.dumps({"question": "?", "answer": answer})), {"a.pdf": text})
        assert text[slice(*found.spans[0])].replace("-\n", "").split()[0] in ("cistern", "well-known", "a")
    with pytest.raises(QuestionsError, match="word for word"):
        read_questions(written(tmp_path, json.dumps({"question": "?", "answer": "wellknown"})), {"a.pdf": text})


def test_a_file_that_is_missing_empty_or_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(QuestionsError, match="cannot read questions from"):
        read_questions(tmp_path / "none.jsonl")
    with pytest.raises(QuestionsError, match="has no questions"):
        read_questions(written(tmp_path, "", " "))
    (tmp_path / "latin").write_bytes(b"\xff\xfe")
    with pytest.raises(QuestionsError, match="cannot read questions from"):
        read_questions(tmp_path / "latin")


def test_a_question_checks_itself() -> None:
    with pytest.raises(SettingError, match="a span must be"):
        Question("?", "a", (Span(4, 2),))
