"""The picture shows the scores, the threshold and the chunks; tuning chooses on one half and reports on the other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes.lab import ARTICLE, caesura

from caesura import SettingError
from caesura_lab import Interval, Question, plot, tune
from caesura_lab.embedders import embedder
from caesura_lab.sizing import Sizing
from caesura_lab.splitters.methods import make_method
from caesura_lab.tuning import describe_best, list_candidates, write_code

TEXT = ARTICLE.read_text("utf-8")
SENTENCES = [line.strip() for line in TEXT.replace("\n", ". ").split(". ") if 40 < len(line) < 160]
SMALL = {
    "bread": "rises because yeast makes gas in the dough",
    "tide": "turns because the moon pulls at the sea",
    "honey": "is sold at the market for nine pounds a jar",
    "mill": "wheels turn when the pond is let out at low water",
}
UNIQUE = [line for line in SENTENCES if TEXT.count(line) == 1]
QUESTIONS = [Question(line, "article", ((TEXT.index(line), TEXT.index(line) + len(line)),)) for line in UNIQUE[:40]]


@pytest.fixture(autouse=True)
def no_screen() -> Any:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def test_the_axes_hold_the_scores_the_threshold_and_a_shade_per_chunk() -> None:
    splitter = "percentile:target_size=none"
    axes = plot(ARTICLE, splitter, size=900)
    (cutting,) = make_method(splitter, Sizing(900))([TEXT], embedder())
    made = cutting.segmentation
    assert made is not None
    assert made.gaps is not None
    (curve,) = [line for line in axes.get_lines() if len(line.get_xdata()) > 2]
    lines = [line for line in axes.get_lines() if line is not curve]
    np.testing.assert_allclose(curve.get_ydata(), made.gaps[np.isfinite(made.gaps)])
    assert axes.get_title(loc="left") == f"{ARTICLE}: {splitter}, {len(cutting.spans)} chunks"
    assert len(axes.patches) == len(cutting.spans)
    assert len(lines) == len(cutting.spans)  # an edge per chunk but the first, and the threshold
    above, below = axes.figure.axes
    assert above is axes
    assert [bar.get_height() for bar in below.patches] == [end - start for start, end in cutting.spans]


def test_of_more_than_can_be_seen_the_median_and_the_range_are_drawn() -> None:
    text = " ".join(f"The tide turns at {n} o'clock. Yeast number {n} makes dough rise." for n in range(1_500))
    axes = plot({"long": text}, "percentile", size=200)
    assert (len(axes.patches), len(axes.collections)) == (0, 1)  # no shade per chunk, and the range as one shape
    (median,) = [line for line in axes.get_lines() if len(line.get_xdata()) > 2]
    assert len(median.get_xdata()) == 300
    assert "median and range" in axes.get_ylabel()
    below = axes.figure.axes[1]
    assert (len(below.patches), below.get_ylim()[0]) == (0, 0)
    assert [note.get_text() for note in below.texts] == ["limit\n200"]


def test_axes_of_ones_own_get_the_curve_alone() -> None:
    from matplotlib.figure import Figure

    own = Figure().subplots()
    assert plot({"$x^2$ \u2028": TEXT}, "recursive", axes=own) is own
    assert len(own.figure.axes) == 1
    with pytest.raises(SettingError, match="a picture shows one text, got 2: a, b"):
        plot({"a": "A.", "b": "B."})


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "begins"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_the_command_writes_the_same_picture_again(kind: str, begins: bytes, tmp_path: Path) -> None:
    for name in ("a", "b"):
        done = caesura("plot", ARTICLE, "-o", tmp_path / f"{name}.{kind}", "-s", "optimal")
        assert done.returncode == 0, done.stderr
    assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()
    assert (tmp_path / f"a.{kind}").read_bytes().startswith(begins)


@pytest.mark.thorough
def test_a_blank_text_is_a_picture_and_another_suffix_is_refused(tmp_path: Path) -> None:
    assert caesura("plot", "-", "-o", tmp_path / "a.png", given=b" ").returncode == 0
    done = caesura("plot", ARTICLE, "-o", tmp_path / "a.gif")
    assert (done.returncode, b"must be one of .png, .svg, .pdf, got 'a.gif'" in done.stderr) == (2, True)


def test_the_choice_is_made_on_one_half_and_measured_on_the_other() -> None:
    found = tune({"article": TEXT}, QUESTIONS, ["optimal:penalty=0.3", "optimal:n_chunks=1"], measure="iou", size=2000)
    assert found.best == "optimal:penalty=0.3"
    rows = {row["splitter"]: row for row in found.table}
    assert set(rows) == {"double-pass", "optimal:penalty=0.3", "optimal:n_chunks=1"}
    order = np.random.default_rng(0).permutation(len(QUESTIONS))
    from caesura_lab import evaluate_retrieval

    scores = evaluate_retrieval({"article": TEXT}, QUESTIONS, list(rows), size=2000)
    half, rest = order[:20], order[20:]
    for name, row in rows.items():
        assert row["iou_one_half"] == pytest.approx(scores[name].iou[half].mean())
    best, default = scores[found.best].iou[rest], scores["double-pass"].iou[rest]
    assert rows[found.best]["iou_other_half"] == pytest.approx(best.mean())
    assert rows["optimal:n_chunks=1"]["iou_other_half"] is None
    assert found.interval.difference == pytest.approx((best - default).mean())
    assert "points, 95 % from" in found.table.notes[0]


WORSE, BY_CHANCE, BETTER = "is worse, and double-pass stays", "may be chance, and double-pass stays", "more than chance"


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in (2, 3))])
def test_no_setting_is_recommended_whose_lead_is_not_clear(seed: int) -> None:
    tried = ["optimal:penalty=0.3", "cluster:target_size=none", "percentile", "optimal:target_size=200"]
    for asked in (QUESTIONS[:4], QUESTIONS[4:9], QUESTIONS[9:21], QUESTIONS):
        found = tune({"article": TEXT}, asked, tried, measure="recall_300", size=900, seed=seed, k=1)
        low, high = found.interval.low, found.interval.high
        is_clear = low > 0 and len(asked) >= 12
        assert (found.best != "double-pass") == is_clear
        assert ("DoublePassSemanticSplitter" in found.code) == (not is_clear)
        note = " ".join(found.table.notes)
        assert note.startswith("No setting is better than the default on your questions. ") == (not is_clear)
        verdict = BETTER if is_clear else WORSE if high < 0 else BY_CHANCE
        assert verdict in note or low == high == 0  # of the default against itself


def test_a_lead_that_is_none_is_said_plainly() -> None:
    plain = {
        Interval(-0.143, -0.3, 0.1): "its lead over double-pass is -14.3 points, 95 % from -30.0 to +10.0: that may be",
        Interval(-0.143, -0.3, -0.1): "it is worse, and double-pass stays",
        Interval(0.143, 0.1, 0.3): "more than chance",
    }
    for interval, said in plain.items():
        (note,) = describe_best("optimal", interval, 6, 6)
        assert said in note
    (note,) = describe_best("optimal", Interval(0.143, 0.1, 0.3), 5, 5)
    assert "of so few questions that may be chance, and double-pass stays. Ask 12 or more" in note


def test_nothing_to_change_is_said() -> None:
    found = tune({"article": TEXT}, QUESTIONS, ["double-pass"])
    assert (found.best, found.interval.difference) == ("double-pass", 0.0)
    assert "nothing to change" in found.table.notes[0]


def test_where_every_setting_finds_everything_the_default_stays() -> None:
    texts = {name: f"{name.title()} {what}. Nothing else of {name} is known." for name, what in SMALL.items()}
    asked = [Question(f"Which {name}?", name, ((0, text.index(".") + 1),)) for name, text in texts.items()]
    found = tune(texts, asked, ["optimal:penalty=0.3", "optimal:n_chunks=1"], measure="recall_9000", size=900)
    assert {row["recall_9000_one_half"] for row in found.table} == {1.0}
    assert (found.best, found.interval.difference) == ("double-pass", 0.0)
    assert "All have 100.0 % on 2 questions: recall_9000 decides nothing here" in found.table.notes[0]
    assert "DoublePassSemanticSplitter(chunk_size=900)" in found.code


def test_as_good_as_the_default_is_no_reason_to_leave_it() -> None:
    tried = ["optimal:n_chunks=1", "double-pass:look_ahead=1"]
    found = tune({"article": TEXT}, QUESTIONS, tried, measure="iou", size=900)
    assert (found.best, len({row["iou_one_half"] for row in found.table})) == ("double-pass", 2)
    assert "and no other has more: there is nothing to change" in found.table.notes[0]


def test_what_cannot_be_tuned_is_refused() -> None:
    with pytest.raises(SettingError, match="at least 4 questions, two for each half, got 3"):
        tune({"article": TEXT}, QUESTIONS[:3])
    with pytest.raises(SettingError, match="measure must be one of recall, precision"):
        tune({"article": TEXT}, QUESTIONS, measure="f1")
    with pytest.raises(SettingError, match="splitter must be one of ours to be tuned, double-pass"):
        tune({"article": TEXT}, QUESTIONS, ["recursive"])


@pytest.mark.thorough
@pytest.mark.parametrize("spec", [*list_candidates(800), "optimal:penalty=0.9,size=700,min_size=50,overlap=90"])
@pytest.mark.parametrize("unit", ["characters", "tokens"])
def test_the_code_that_is_printed_constructs_the_splitter_that_was_measured(spec: str, unit: str) -> None:
    from langchain_core.documents import Document

    from caesura_lab.sizing import make_sizer

    sizing = Sizing(900, sizer=make_sizer(unit))
    both = write_code(spec, sizing.size, unit).split("# LlamaIndex")
    assert len(both) == 2
    held: dict[str, Any] = {}
    exec(both[0], held)
    (cutting,) = make_method(spec, sizing)([TEXT], embedder())
    found = held["splitter"].split_documents([Document(TEXT)])
    assert [one.page_content for one in found] == cutting.chunks
    exec("#" + both[1], held)
    if unit == "characters" and "overlap" not in spec:
        from llama_index.core import Document as Page

        nodes = held["splitter"].get_nodes_from_documents([Page(text=TEXT)])
        assert [node.get_content() for node in nodes] == [one.page_content for one in found]


def test_the_code_names_an_embedder_that_is_not_the_default() -> None:
    said = write_code("cluster", 500, embedder="openai:text-embedding-3-small")
    assert 'ClusterSemanticSplitter(embedder("openai:text-embedding-3-small"), chunk_size=500)' in said
    assert 'ClusterSemanticSplitter(embed_model=embedder("openai:text-embedding-3-small"), chunk_size=500' in said
    assert said.count("from caesura_lab import embedder") == 2


def test_the_command_names_the_option_that_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(json.dumps({"question": UNIQUE[0], "answer": UNIQUE[0]}), encoding="utf-8")
    done = caesura("tune", ARTICLE, "--questions", path, "-s", "recursive", "-q")
    assert done.returncode == 2
    assert done.stderr.decode().startswith("error: splitter must be one of ours to be tuned, double-pass, optimal, ")


@pytest.mark.thorough
def test_the_command_prints_the_table_and_the_call(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(json.dumps({"question": line, "answer": line}) for line in UNIQUE[:8]), encoding="utf-8")
    done = caesura("tune", ARTICLE, "--questions", path, "--size", 900, "-s", "optimal", "-s", "cluster", "-q")
    assert done.returncode == 0, done.stderr
    said = done.stdout.decode()
    assert "Settings tried, by recall_4000" in said
    assert "SemanticSplitter(chunk_size=900" in said
