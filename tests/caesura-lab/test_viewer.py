"""The page as data: places, sizes, scores and reasons are right, and no text can become markup."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from fakes.lab import ARTICLE, BREAD, TIDE, caesura

from caesura import PercentileCut, SettingError
from caesura_lab import compare, view
from caesura_lab.embedders import embedder
from caesura_lab.plotting import find_threshold
from caesura_lab.sizing import Sizing
from caesura_lab.splitters.methods import OURS, make_method

HOSTILE = (
    "</script><script>window.pwned=1</script> <!-- <script> --> ]]> <img src=x onerror=window.pwned=1> &lt;b&gt; "
    "\u2028\u2029 \x00 \ud83d \ude00 \U0001f600 e\u0301 \u202eabc\u202c \ufeff \ufffe \x1b[31m \\u003c"
    " 'quoted' \"twice\".\n"
)
CISTERN = "How many litres of rain does the cistern hold?"


def data(html: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_places_sizes_and_text_are_the_chunks() -> None:
    text = "🌊 " + ARTICLE.read_text("utf-8")
    html = view({"a": text}, ["double-pass", "recursive"], size=900, overlap=100, embedder="static").html
    (document,) = data(html)["documents"]
    assert document["text"] == text
    utf16 = text.encode("utf-16-le")
    for one, name in zip(document["views"], ("double-pass", "recursive"), strict=True):
        (cutting,) = make_method(name, Sizing(900, overlap=100))([text], embedder())
        assert one["splitter"] == name
        assert [tuple(chunk[2:4]) for chunk in one["chunks"]] == list(cutting.spans)
        for first, end, start, stop, size, tokens, score, why in one["chunks"]:
            assert utf16[2 * first : 2 * end].decode("utf-16-le") == text[start:stop]
            assert size == stop - start >= tokens > 0
            assert score is None or -0.001 <= score <= 2
            assert why.endswith(".")
    assert document["views"][0]["curve"] == document["views"][1]["curve"] == 0  # one curve for both


def test_a_percentile_cut_shows_its_own_scores_and_the_threshold_that_parts_them() -> None:
    html = view(ARTICLE, ["percentile:size=100000,target_size=none"]).html
    (document,) = data(html)["documents"]
    (curve,), (one,) = document["curves"], document["views"]
    assert curve["exact"]
    over = {place for place, score in zip(curve["places"], curve["scores"], strict=True) if score > curve["threshold"]}
    assert over == {chunk[0] for chunk in one["chunks"][1:]}
    assert all("over the threshold" in chunk[7] for chunk in one["chunks"][1:])


def test_a_threshold_that_is_no_line_between_scores_is_none() -> None:
    import numpy as np

    from caesura import Count, Gradient, Percentile

    scores = np.array([0.1, 0.9, 0.2, 0.5])
    assert find_threshold(PercentileCut(threshold=Percentile(50)), scores) == pytest.approx(0.35)
    assert find_threshold(PercentileCut(threshold=Count(1)), scores) is None
    assert find_threshold(PercentileCut(threshold=Gradient(10)), np.array([0.1, 0.2, 0.9, 0.3])) is None
    assert find_threshold(object(), scores) is None


@pytest.mark.parametrize(
    ("splitter", "said"),
    [
        ("double-pass:size=600", "over the limit of 600"),
        ("double-pass", "The target_size is 400. Their similarity is"),
        ("double-pass:target_size=none", "gains 1.19; with confidence=0.95 it must gain 0.64 at this place"),
        ("double-pass:target_size=none,confidence=none", "not over merging_threshold=0.3"),
        ("double-pass:target_size=none,confidence=none,merging_threshold=0.4", "not over merging_threshold=0.4"),
        ("optimal:target_size=none,confidence=0.9", "; with confidence=0.9 it must gain"),
        ("optimal:penalty=1.2", "with penalty=1.2 it must gain 0.60 at this place"),
        ("optimal:n_chunks=9,size=4000", "among the most for n_chunks=9"),
        ("cluster:target_size=none", "; with confidence=0.95 it must gain"),
        ("cluster:distance_threshold=1.2", "joining stopped at distance_threshold=1.2 before these two joined"),
        ("cluster:target_size=none,linkage=average", "joining stopped at distance_threshold=0.95 before"),
        ("cluster:n_clusters=20", "joining stopped at n_clusters=20 before"),
        ("cluster:stop=elbow", "joining stopped at stop=elbow before"),
        ("percentile", "The target_size is 400. Their similarity is"),
        ("percentile:target_size=none", "over the threshold of 0.956 (breakpoint_threshold_amount=85)"),
        ("percentile:breakpoint_threshold_amount=70", "(breakpoint_threshold_amount=70)"),
        ("percentile:number_of_chunks=20", "(number_of_chunks=20)"),
        (
            "percentile:breakpoint_threshold_type=interquartile,breakpoint_threshold_amount=0.5",
            "(breakpoint_threshold_type=interquartile, breakpoint_threshold_amount=0.5)",
        ),
        (
            "percentile:breakpoint_threshold_type=gradient",
            "to the chunk before is 0.06 (breakpoint_threshold_type=gradient, breakpoint_threshold_amount=95)",
        ),
        ("recursive:size=1200", "gives no reason; it begins"),
    ],
)
def test_every_chunk_says_why_it_begins(splitter: str, said: str) -> None:
    (document,) = data(view(ARTICLE, [splitter]).html)["documents"]
    reasons = [chunk[7] for chunk in document["views"][0]["chunks"]]
    assert reasons[0] == "The text begins here."
    assert any(said.lower() in reason.lower() for reason in reasons)
    assert any("before a heading" in reason for reason in reasons)


def test_what_is_in_a_text_or_a_name_never_is_markup() -> None:
    name = "</title><script>window.pwned=1</script>\0\ud800"
    page = view({name: HOSTILE * 3, "other": HOSTILE + BREAD}, ["double-pass", "fixed:size=40"])
    assert [document["text"] for document in data(page.html)["documents"]] == [HOSTILE * 3, HOSTILE + BREAD]
    assert len(re.findall("<script", page.html)) == len(re.findall("</script>", page.html)) == 2
    assert "<img" not in page.html
    assert "<!--" not in page.html
    assert "\0" not in page.html
    page.html.encode("utf-8")
    assert page.html.count("<title>") == page.html.count("</title>") == 1
    frame = page._repr_html_()
    assert frame.startswith('<iframe sandbox="allow-scripts"')
    assert frame.count("<") == 2


def test_the_page_forbids_every_request_and_has_no_address() -> None:
    page = view(BREAD).html
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'; img-src data:; script-src 'sha256-")
    assert "unsafe" not in policy
    assert re.findall(r"https?://[^\s\"']+", page) == ["http://www.w3.org/2000/svg"]


def test_blank_and_empty_texts_are_pages_too(tmp_path: Path) -> None:
    page = view({"empty": "", "blank": " \n"}, ["double-pass", "recursive", "fixed"])
    assert [[len(one["chunks"]) for one in document["views"]] for document in data(page.html)["documents"]] == [
        [0] * 3
    ] * 2
    assert page.save(tmp_path / "page.html").read_text("utf-8") == page.html


@pytest.mark.parametrize("splitter", ["double-pass", "fixed:size=400,overlap=120"])
def test_a_question_marks_the_passages_that_an_index_of_these_chunks_finds(splitter: str) -> None:
    texts = {"bread": BREAD, "article": ARTICLE.read_text("utf-8"), "blank": " "}
    page = data(view(texts, [splitter, "optimal"], question=CISTERN, budget=1500).html)
    assert page["question"] == CISTERN
    found: dict[int, tuple[str, int]] = {}
    for document in page["documents"]:
        own = document["views"][0]
        marked = {at for at, chunk in enumerate(own["chunks"]) if chunk[8] is not None}
        assert marked == {at for _, first, last, _ in own["found"] for at in range(first, last + 1)}
        for rank, first, last, best in own["found"]:
            assert first <= best <= last
            start, end = own["chunks"][first][2], own["chunks"][last][3]
            found[rank] = (document["text"][start:end], best)
            assert re.fullmatch(rf"Passage {rank} of \d+: vectors .*, document .*\.", own["chunks"][best][8])
    assert sorted(found) == list(range(1, len(found) + 1))
    assert "a cistern that holds 60,000 litres" in found[1][0]
    assert "litres, rain, cistern, hold" in str(page["documents"][1]["views"][0]["chunks"][found[1][1]][8])


def test_a_page_without_a_question_says_nothing_of_one() -> None:
    page = data(view(ARTICLE, ["double-pass"]).html)
    assert "question" not in page
    (one,) = page["documents"][0]["views"]
    assert one.keys() == {"splitter", "curve", "chunks"}
    assert {len(chunk) for chunk in one["chunks"]} == {8}


def test_a_question_is_text_on_the_page() -> None:
    page = view({"a": BREAD}, ["double-pass"], question=HOSTILE)
    assert data(page.html)["question"] == HOSTILE
    assert len(re.findall("<script", page.html)) == 2
    with pytest.raises(SettingError, match="a question must be a str that is not blank"):
        view({"a": BREAD}, ["double-pass"], question=" ")


@pytest.mark.thorough
def test_the_command_writes_one_page_for_all_files(tmp_path: Path) -> None:
    (tmp_path / "bread.txt").write_text(BREAD, encoding="utf-8")
    (tmp_path / "tide.txt").write_text(TIDE, encoding="utf-8")
    (tmp_path / "bad.txt").write_bytes(b"\xff")
    done = caesura("view", tmp_path, "-o", tmp_path / "page.html", "--size", 60)
    assert done.returncode == 1
    assert b"bad.txt: not utf-8, byte 0 is 0xff" in done.stderr
    documents = data((tmp_path / "page.html").read_text("utf-8"))["documents"]
    assert [document["text"] for document in documents] == [BREAD, TIDE]
    assert [one["splitter"] for one in documents[0]["views"]] == list(OURS)
    lost = caesura("view", tmp_path / "bread.txt", "-o", tmp_path / "none" / "page.html")
    assert (lost.returncode, b"there is no folder" in lost.stderr) == (2, True)


def test_compare_and_view_count_the_same_chunks() -> None:
    splitters = ["optimal:target_size=400", "percentile:target_size=none", "fixed"]
    table = compare(ARTICLE, splitters)
    (document,) = data(view(ARTICLE, splitters).html)["documents"]
    assert [len(one["chunks"]) for one in document["views"]] == [row["chunks"] for row in table]


def test_a_text_is_shown_with_its_title_if_it_has_one() -> None:
    documents = data(view({"tide.md": f"# Tides\n\n{TIDE}", "bread": BREAD}, ["double-pass"]).html)["documents"]
    assert [(each["name"], each["title"]) for each in documents] == [("tide.md", "Tides"), ("bread", "")]
