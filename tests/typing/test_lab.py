"""What a user of the lab writes: mypy and pyright check the types that come of it, pytest runs it."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import numpy as np
from numpy.typing import NDArray

from caesura_lab import (
    FoundChunk,
    FoundPassage,
    Interval,
    Page,
    PassageIndex,
    Question,
    Scores,
    Table,
    WrittenQuestions,
    ask,
    compare,
    evaluate,
    known_items,
    leads,
    paired_interval,
    pk,
    split,
    view,
    write_questions,
)
from caesura_llm.conversation import Reply, Request
from caesura_static import StaticEmbedder

TEXT = "Yeast makes bread dough rise. Flour and yeast make bread. The moon pulls at the sea. So the sea has tides."


def test_tables_and_pages(tmp_path: Path) -> None:
    table = compare({"note": TEXT}, ["double-pass", "fixed:size=60"], embedder=StaticEmbedder())
    assert_type(table, Table)
    assert_type(table.to_csv(), str)
    page = view(TEXT, ["double-pass"])
    assert_type(page, Page)
    assert_type(page.save(tmp_path / "page.html"), Path)


def test_questions_put_to_ones_own_retriever() -> None:
    questions = known_items({"note": TEXT})
    assert_type(questions, list[Question])
    assert_type(split(TEXT, "fixed:size=60"), Table)
    assert_type(ask(lambda question: question, [*questions, "What rises?"], {"note": TEXT}), Table)
    index = PassageIndex({"note": TEXT}, embedder=StaticEmbedder())
    found = index.find("What rises?", budget=60)
    assert_type(found, list[FoundPassage])
    assert_type(found[0].chunks, tuple[FoundChunk, ...])
    assert_type(found[0].headings, tuple[str, ...])
    assert_type(ask(lambda question: index.find(question)[0].text, questions, {"note": TEXT}), Table)
    assert_type(leads({"a": {"right": [0.5, 1]}, "b": {"right": np.ones(2)}}, by="right"), Table)


def test_questions_that_a_model_writes() -> None:
    def chat(request: Request) -> Reply:
        pairs = '{"question": "What rises?", "answer": "Yeast makes bread dough rise."}'
        return Reply(f'{{"passages": [{{"number": 1, "questions": [{pairs}]}}]}}')

    written = write_questions(TEXT, chat, 1, prices=(0.4, 1.6))
    assert_type(written, WrittenQuestions)
    assert_type(written.questions, list[Question])
    assert [one.question for one in written.questions] == ["What rises?"]


def test_measures() -> None:
    assert_type(pk([3, 7], [4, 7], 10), float)
    question = Question("What rises?", corpus="bread", spans=((10, 30),))
    chunks, rows = {"bread": [(0, 40), (40, 90)]}, {"bread": [[1.0, 0.0], [0.0, 1.0]]}
    scores = evaluate(chunks, rows, [question], [[1.0, 0.2]], k=1)
    assert_type(scores, Scores)
    assert_type(scores.recall, NDArray[np.float64])
    assert_type(scores.means(), dict[str, float])
    assert_type(paired_interval(scores.recall, scores.precision), Interval)


def test_rows_of_the_built_in_model() -> None:
    embed = StaticEmbedder()
    assert_type(embed([TEXT]), NDArray[np.float32])
    assert_type((embed.dimension, embed.version), tuple[int, str])
