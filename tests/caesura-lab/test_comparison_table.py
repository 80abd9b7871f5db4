"""`compare`, `evaluate_retrieval`, `evaluate_segmentation` and their command: figures that can be checked by hand."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
from fakes.lab import ARTICLE, BREAD, TIDE, caesura
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from caesura import SettingError
from caesura_lab import (
    Question,
    compare,
    evaluate_retrieval,
    evaluate_segmentation,
    pk,
    read_questions,
    split,
    view,
    window_diff,
)
from caesura_lab.cli import app
from caesura_lab.sizing import Sizing
from caesura_lab.splitters.methods import OURS, list_available

TEXTS = {"bread": BREAD, "tide": TIDE}
QUESTIONS = [
    Question("What makes dough rise?", "bread", ((0, 29),)),
    Question("Why has the sea tides?", "tide", ((0, 46),)),
]


def words(texts: Any) -> list[list[float]]:
    """Vectors that say bread or tide."""
    return [[float("dough" in text.lower()), float("sea" in text.lower()), 0.1] for text in texts]


def test_sizes_and_costs_are_those_of_the_chunks_and_of_what_was_embedded() -> None:
    table = compare(TEXTS, ["fixed:size=40", "double-pass"], embedder=words, price=2.0, tokenizer="wordpiece")
    fixed, ours = table.rows
    pieces = [text[at : at + 40].strip() for text in TEXTS.values() for at in range(0, len(text), 40)]
    assert fixed["chunks"] == len(pieces)
    assert fixed["mean_characters"] == pytest.approx(sum(map(len, pieces)) / len(pieces))
    assert fixed["largest_characters"] == max(map(len, pieces))
    assert (fixed["embedded_share"], fixed["embedded_tokens"], fixed["embedding_calls"]) == (0.0, 0, 0)
    assert fixed["cost"] == pytest.approx(fixed["total_tokens"] * 2.0 / 1e6)  # type: ignore[operator]
    assert ours["embedding_calls"] == 1  # all sentences of all texts together, each once
    held = sum(len(sentence) for text in TEXTS.values() for sentence in text.replace(". ", ".|").split("|"))
    assert ours["embedded_share"] == pytest.approx(held / sum(map(len, TEXTS.values())))
    assert "cost" not in compare(TEXTS, ["fixed"], embedder=words).columns


@given(
    st.sampled_from([None, 60, 900]),
    st.lists(st.sampled_from([*OURS, "optimal:target_size=45"]), min_size=1, max_size=2, unique=True),
    st.lists(st.sampled_from(["recursive", "semantic-splitter", "fixed"]), max_size=2, unique=True),
)
@settings(max_examples=8)
def test_a_splitter_cuts_alike_in_compare_view_and_split_whatever_stands_beside_it(
    size: int | None, ours: list[str], peers: list[str]
) -> None:
    table = compare(TEXTS, [*ours, *peers], size=size)
    counts = {row["splitter"]: row["chunks"] for row in table}
    page = view(TEXTS, ours, size=size).html
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    for number, name in enumerate(ours):
        shown = [chunk[:4] for document in data["documents"] for chunk in document["views"][number]["chunks"]]
        rows = list(split(TEXTS, name, size=size))
        assert [chunk[2:] for chunk in shown] == [[row["start"], row["end"]] for row in rows]
        assert counts[name] == len(rows)
    assert any("by default half of it" in note for note in table.notes) == bool(peers)


def test_retrieval_is_that_of_the_low_level_function() -> None:
    table = compare(TEXTS, {"whole": lambda text: [text]}, QUESTIONS, embedder=words, k=1, budgets=(50,))
    (row,) = table.rows
    assert row["recall"] == 1.0
    assert row["precision"] == pytest.approx((29 / len(BREAD) + 46 / len(TIDE)) / 2)
    assert row["iou"] == row["precision"] == row["precision_omega"]
    assert row["recall_50"] == 1.0
    scores = evaluate_retrieval(TEXTS, QUESTIONS, {"whole": lambda text: [text]}, embedder=words, k=1, budgets=(50,))
    assert scores["whole"].recall.tolist() == [1.0, 1.0]
    assert scores["whole"].means()["precision"] == row["precision"]


def test_chunks_of_another_text_are_counted_where_there_are_several() -> None:
    asked = [
        *QUESTIONS,
        Question("What is said of dough?", "tide", ((0, 46),)),
    ]  # which the bread's chunk comes first for
    table = compare(TEXTS, {"whole": lambda text: [text]}, asked, embedder=words, k=2)
    (row,) = table.rows
    assert (row["wrong_first"], row["wrong_top"]) == (pytest.approx(1 / 3), 0.5)
    assert table.format_value("wrong_first", row["wrong_first"]) == "33.3 %"
    assert "how often the first chunk, and the top 2, are of another text" in " ".join(table.notes)
    alone = compare({"bread": BREAD}, ["fixed"], QUESTIONS[:1], embedder=words)
    assert "wrong_first" not in alone.columns
    assert "another text" not in " ".join(alone.notes)


def test_a_splitter_that_fails_has_its_row_and_all_failing_is_an_error() -> None:
    def broken(text: str) -> list[str]:
        raise RuntimeError(f"no luck with {len(text)}")

    def rewrites(text: str) -> list[str]:
        return ["Yeast makes", "something else"]

    table = compare(TEXTS, {"broken": broken, "rewrites": rewrites, "fixed": "fixed"}, embedder=words)
    first, second, third = table.rows
    assert first["error"] == f"RuntimeError: no luck with {len(BREAD)}"
    assert first["chunks"] is None
    assert second["error"] == "3 of its chunks are not in the text"
    assert third["error"] is None
    with pytest.raises(RuntimeError, match="no luck"):
        compare(TEXTS, {"broken": broken}, embedder=words)


def test_a_table_is_shown_and_written_in_every_form() -> None:
    table = compare({"a": BREAD}, {"<b>odd</b>": lambda text: [text]}, embedder=words)
    (row,) = csv.DictReader(io.StringIO(table.to_csv()))
    assert row["splitter"] == "<b>odd</b>"
    assert json.loads(table.to_json())["rows"] == list(table)
    page = table.to_html()
    assert "<b>odd" not in page
    assert "&lt;b&gt;odd&lt;/b&gt;" in table._repr_html_()
    assert "Content-Security-Policy" in page
    assert "http:" not in page + "https:".replace("https:", "")
    from rich.console import Console

    console = Console(width=200, file=io.StringIO())
    console.print(table)
    assert "<b>odd</b>" in console.file.getvalue()  # type: ignore[attr-defined]
    frame = table.to_pandas()
    assert list(frame.columns) == table.columns
    assert frame.loc[0, "chunks"] == 1


def test_what_is_no_text_or_price_is_refused() -> None:
    with pytest.raises(SettingError, match="texts must be str by name"):
        compare({"a": 3}, ["fixed"])  # type: ignore[dict-item]
    with pytest.raises(SettingError, match="price must be"):
        compare(BREAD, ["fixed"], price=-1)
    with pytest.raises(SettingError, match="unit must be characters or tokens"):
        compare(BREAD, ["fixed"], unit="words")


def test_true_breaks_have_no_error_and_others_that_of_pk_and_window_diff_over_words() -> None:
    text = f"{BREAD} {TIDE}"
    place = len(BREAD) + 1
    splitters: dict[str, Any] = {
        "right": lambda text: [text[:place], text[place:]],
        "nowhere": lambda text: [text],
        "words": str.split,
    }
    right, nowhere, every = evaluate_segmentation(text, [place], splitters).rows
    count, true = len(text.split()), [len(BREAD.split())]
    assert (right["pk"], right["window_diff"], right["chunks"]) == (0.0, 0.0, 2)
    assert nowhere["pk"] == pk(true, [], count) > 0
    assert every["window_diff"] == window_diff(true, range(1, count), count) > 0
    with pytest.raises(SettingError, match="breaks must be given for each text by its name, none for tide"):
        evaluate_segmentation(TEXTS, {"bread": [30]}, ["fixed"])
    with pytest.raises(SettingError, match="breaks of 'text' must be whole numbers in 1"):
        evaluate_segmentation(text, [0], ["fixed"])


def test_pk_and_window_diff_are_nltks_on_random_input() -> None:
    nltk = pytest.importorskip("nltk.metrics.segmentation")
    chance = random.Random(8)
    for _ in range(300):
        units = chance.randrange(6, 60)
        true, found = (sorted(chance.sample(range(1, units), chance.randrange(1, units // 2))) for _ in range(2))
        k = chance.randrange(2, units // 2)
        # nltk takes a string with a mark per gap, 1 where a segment ends
        one, other = ("".join("01"[unit + 1 in set(each)] for unit in range(units)) for each in (true, found))
        ours = pk(true, found, units, k)
        theirs = nltk.pk(one[:-1], other[:-1], k=k)
        assert ours == pytest.approx(theirs)
        assert window_diff(true, found, units, k) == pytest.approx(nltk.windowdiff(one[:-1], other[:-1], k))


def written(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "questions.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def test_the_words_of_an_answer_are_found_in_their_text(tmp_path: Path) -> None:
    texts = {"docs/bread.md": BREAD, "docs/tide.md": TIDE.replace("So the sea", "So  the\nsea")}
    path = written(
        tmp_path,
        {"question": "1", "answer": "bread dough\nrise."},
        {"question": "2", "answer": ["So the sea", "with the moon"], "corpus": "tide"},
        {"question": "3", "spans": [[0, 3]], "corpus": "bread.md"},
    )
    found = read_questions(path, texts)
    assert [question.corpus for question in found] == ["docs/bread.md", "docs/tide.md", "docs/bread.md"]
    assert [[texts[one.corpus][a:b] for a, b in one.spans] for one in found] == [
        ["bread dough rise."],
        ["So  the\nsea", "with the moon"],
        ["Yea"],
    ]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"question": "?", "answer": "cheese"}, "line 1: the answer is not in bread, tide, word for word: 'cheese'"),
        ({"question": "?", "answer": "flour", "corpus": "tide"}, "the answer is not in tide"),
        (
            {"question": "?", "answer": "bread", "corpus": "bread"},
            "the answer 'bread' is in bread at 12, 56: quote more",
        ),
        ({"question": "?", "answer": "a"}, "the answer is in bread, tide: name its text as corpus"),
        ({"question": "?", "answer": " "}, "answer must be a str or a list of str, none of them blank"),
        ({"question": "?", "answer": "x", "spans": [[0, 1]]}, "a question must be an object with"),
        ({"question": "?", "spans": [[0, 1]]}, "corpus must be the name of a text"),
        ({"question": "?", "spans": [[0, 1]], "corpus": "cheese"}, "there is no text named 'cheese', only bread, tide"),
    ],
)
def test_an_answer_that_is_not_one_place_is_told(row: dict[str, Any], said: str, tmp_path: Path) -> None:
    from caesura_lab import QuestionsError

    with pytest.raises(QuestionsError, match=said):
        read_questions(written(tmp_path, row), TEXTS)


def test_the_command_prints_a_table_and_writes_files(tmp_path: Path) -> None:
    answer = "a cistern that holds 60,000 litres"
    path = written(tmp_path, {"question": "How many litres does the cistern hold?", "answer": answer})
    names = ["-s", "optimal", "-s", "fixed:size=800"]
    files = [part for kind in ("json", "html", "csv") for part in (f"--{kind}", tmp_path / f"t.{kind}")]
    done = caesura("compare", ARTICLE, *names, "--questions", path, "--price", 0.02, *files)
    assert done.returncode == 0, done.stderr
    said = done.stdout.decode()
    assert "optimal" in said
    assert "omega" in said
    rows = json.loads((tmp_path / "t.json").read_text("utf-8"))["rows"]
    assert [row["splitter"] for row in rows] == ["optimal", "fixed:size=800"]
    assert all(0 < row["recall"] <= 1 for row in rows)
    assert (tmp_path / "t.csv").read_text("utf-8").count("\n") == 3
    assert "optimal" in (tmp_path / "t.html").read_text("utf-8")
    alone = CliRunner().invoke(app, ["compare", str(ARTICLE), *names, "--csv", "-"])
    assert alone.stdout.startswith("splitter,seconds,chunks,")


@pytest.mark.thorough
def test_the_command_runs_every_splitter_that_is_installed() -> None:
    done = CliRunner().invoke(app, ["compare", str(ARTICLE), "--size", "900", "--json", "-"])
    assert done.exit_code == 0, done.output
    names, remedies = list_available(Sizing(900))
    assert [row["splitter"] for row in json.loads(done.stdout)["rows"]] == names
    assert all(line in done.stderr for line in remedies)
    tokens = CliRunner().invoke(app, ["compare", str(ARTICLE), "--unit", "tokens", "--size", "200", "--json", "-"])
    assert [row["splitter"] for row in json.loads(tokens.stdout)["rows"]] == [name for name in names if name != "fixed"]
    assert "fixed is left out: it counts characters" in tokens.stderr


def test_a_fault_of_a_file_or_of_the_questions_is_an_exit_code(tmp_path: Path) -> None:
    run = CliRunner().invoke
    assert run(app, ["compare", str(tmp_path / "none"), "-s", "fixed"]).exit_code == 1
    assert run(app, ["compare", str(tmp_path), "-s", "fixed"]).exit_code == 2
    done = run(app, ["compare", str(ARTICLE), "-s", "fixed", "--questions", str(tmp_path / "none")])
    assert (done.exit_code, "cannot read questions from" in done.stderr) == (2, True)
    path = written(tmp_path, {"question": "?", "answer": "no such words"})
    done = run(app, ["compare", str(ARTICLE), "-s", "fixed", "--questions", str(path)])
    assert (done.exit_code, "line 1: the answer is not in" in done.stderr) == (2, True)
