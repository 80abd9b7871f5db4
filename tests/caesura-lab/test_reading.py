"""Chunks as a table, questions for who has none, and whether a retriever finds their answers."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from fakes.lab import ARTICLE, BREAD, TIDE, caesura
from rich.console import Console

from caesura import SettingError
from caesura_lab import (
    Question,
    Table,
    ask,
    evaluate_retrieval,
    known_items,
    leads,
    paired_interval,
    read_questions,
    read_texts,
    split,
)
from caesura_lab.reading import ReadingError

TEXTS = {"bread": BREAD, "tide": TIDE}


def drawn(table: Table, width: int = 80) -> str:
    console = Console(width=width, force_terminal=False)
    with console.capture() as captured:
        console.print(table)
    return captured.get()


def test_the_rows_of_split_are_the_lines_of_the_command() -> None:
    done = caesura("split", ARTICLE, "--size", 900, "--splitter", "optimal", "--overlap", 100)
    lines = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert list(split(ARTICLE, "optimal", size=900, overlap=100)) == lines
    assert len(lines) > 10


def test_split_says_how_many_chunks_each_text_has() -> None:
    table = split({**TEXTS, "blank": " \n"}, size=60)
    notes = dict(note.split(": ", 1) for note in table.notes)
    assert notes["blank"] == "2 characters in 0 chunks, the largest of 0."
    for name, text in TEXTS.items():
        own = [row for row in table if row["path"] == name]
        assert notes[name].startswith(f"{len(text)} characters in {len(own)} chunk")
        assert [text[int(row["start"] or 0) : int(row["end"] or 0)] for row in own] == [row["text"] for row in own]


def test_on_a_screen_a_chunk_is_a_line_that_fits() -> None:
    article = {"article.md": ARTICLE.read_text("utf-8")}
    said = drawn(split(article, size=900))
    assert max(map(len, said.splitlines())) <= 80
    assert said.count("│ article.md │") == len(split(article, size=900))
    assert said.count("…") > 5


def test_known_items_are_sentences_that_answer_themselves() -> None:
    texts = {"article.md": ARTICLE.read_text("utf-8"), **TEXTS}
    found = known_items(texts, 5)
    assert len(found) == 5 + len({*known_items({"bread": BREAD}, 5)}) + len({*known_items({"tide": TIDE}, 5)})
    for one in found:
        (span,) = one.spans
        assert " ".join(texts[one.corpus][slice(*span)].split()) == one.question
    assert len({one.question for one in found}) == len(found)
    scores = evaluate_retrieval(texts, found, ["double-pass"])["double-pass"]
    assert scores.recall.mean() > 0.8
    assert known_items({"blank": " \n"}) == []
    with pytest.raises(SettingError, match="each must be a whole number"):
        known_items(TEXTS, 0)


def test_a_retriever_is_right_where_every_span_of_the_answer_came_back() -> None:
    questions = [
        Question("What rises?", "bread", [(0, 29)]),
        Question("What rises, and of what?", "bread", [(0, 29), (63, 87)]),
        "Who asks?",
    ]
    table = ask(lambda _: BREAD[:62].replace(" ", "\n"), questions, TEXTS, "By hand")
    assert [row["right"] for row in table] == [True, False, None]
    assert table.notes == ("1 of 2 answers are in what was found.",)
    said = drawn(table)
    assert said.startswith("By hand\n")
    assert all(f"│ {word}" in said.replace("   ", " ") or f" {word} │" in said for word in ("yes", "no", "–"))
    assert ask(lambda _: "", ["Who asks?"], {}).notes == ()
    with pytest.raises(SettingError, match="texts must have 'bread'"):
        ask(lambda _: "", questions, {"tide": TIDE})


@pytest.mark.parametrize("filler", ["word ", "字"])
def test_what_stands_around_the_answer_is_shown(filler: str) -> None:
    text = filler * 300 + "The answer is 42." + filler * 300
    question = Question("What is it?", "text", [(text.index("The"), text.index("42.") + 3)])
    (row,) = ask(lambda _: text, [question], {"text": text})
    found = str(row["found"])
    assert "The answer is 42." in found
    assert found[0] == found[-1] == "…"
    assert len(found) <= 242


def test_files_are_read_by_their_paths(tmp_path: Path) -> None:
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for path, text in zip(paths, TEXTS.values(), strict=True):
        path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert read_texts(paths) == dict(zip(map(str, paths), TEXTS.values(), strict=True))
    assert read_texts([]) == {}
    with pytest.raises(ReadingError, match=r"none\.txt: No such file"):
        read_texts([tmp_path / "none.txt"])


def test_leads_are_taken_item_by_item_and_what_has_no_score_is_left_out() -> None:
    ours, theirs = [5.0, 4.0, 3.0, math.nan], [1.0, 4.0, 2.0, 5.0]
    table = leads({"theirs": {"right": theirs, "kind": theirs}, "ours": {"right": ours, "kind": theirs}}, by="right")
    first, second = table
    assert first == {"splitter": "theirs", "right": 3.0, "kind": 3.0, "lead_in_right": None, "from": None, "to": None}
    wanted = paired_interval(ours[:3], theirs[:3])
    assert (second["right"], second["lead_in_right"]) == (4.0, wanted.difference)
    assert (second["from"], second["to"]) == (wanted.low, wanted.high)
    assert table.notes[1] == "1 of the scores are missing, and left out."
    nothing = leads({"a": {"right": [math.nan]}, "b": {"right": [1.0]}}, by="right")
    assert [row["right"] for row in nothing] == [None, 1.0]
    assert json.loads(nothing.to_json())["rows"][1]["lead_in_right"] is None


def test_scores_that_cannot_be_compared_are_refused() -> None:
    with pytest.raises(SettingError, match="every splitter must have scores of 'right'"):
        leads({"a": {"right": [1]}, "b": {"kind": [1]}}, by="right")
    with pytest.raises(SettingError, match="every splitter must have scores of 'right'"):
        leads({}, by="right")
    for rows in ([1, 2], [[1]], 1):
        with pytest.raises(SettingError, match="one per item"):
            leads({"a": {"right": [1]}, "b": {"right": rows}}, by="right")


def test_a_table_of_leads_comes_from_what_retrieval_found() -> None:
    texts = {"article.md": ARTICLE.read_text("utf-8")}
    questions = read_questions(ARTICLE.parent / "questions.jsonl", texts)
    found = evaluate_retrieval(texts, questions, ["fixed:size=900", "optimal"])
    table = leads({name: {"recall": one.recall, "iou": one.iou} for name, one in found.items()}, by="recall")
    assert [row["splitter"] for row in table] == ["fixed:size=900", "optimal"]
    assert [row["recall"] for row in table] == [float(np.mean(one.recall)) for one in found.values()]


def test_a_message_has_all_the_room_that_its_own_part_has() -> None:
    numbers = {f"n{number}": 10**9 for number in range(4)}
    rows = ({"splitter": "a", **numbers, "error": "it failed " * 12},)
    said = drawn(Table(rows, parts=(tuple(numbers), ("error",)))).splitlines()
    assert max(map(len, said)) == 80
    assert len([line for line in said if "it failed" in line]) == 2
