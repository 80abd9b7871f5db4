"""Passages for a question: exact slices within the budget, with lines, pages, headings, and why each was found."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes.lab import ARTICLE, BREAD, TIDE

from caesura import EmbeddingError, SettingError
from caesura_lab import PassageIndex
from caesura_lab.reading import Source

CISTERN = "How many litres of rain does the cistern hold?"
HOSTILE = [
    "' OR 1=1 --",
    '"unclosed AND (NEAR',
    "text:* -title^9 [a TO b] ~2 \\",
    "?!…",
    "\0 \ud83d \u202e",
    "北京市 ก",
    "word " * 20_000,
    "x" * 100_000,
]


@pytest.fixture(scope="module")
def article() -> PassageIndex:
    return PassageIndex(ARTICLE)


@pytest.mark.parametrize("budget", [300, 1000, 4000])
def test_passages_are_slices_with_their_place_and_fit_the_budget(article: PassageIndex, budget: int) -> None:
    text, found = ARTICLE.read_text("utf-8"), article.find(CISTERN, budget=budget)
    assert found
    assert 0 < sum(len(passage.text) for passage in found) <= budget
    lines = text.split("\n")
    for passage in found:
        assert passage.path == str(ARTICLE)
        assert passage.text == text[passage.start : passage.end]
        first, last = passage.lines
        assert passage.text in "\n".join(lines[first - 1 : last])
        assert passage.headings[:1] == ("A Year on Ternholm",)
        assert passage.pages is None
        assert passage.chunks
        scores = [chunk.evidence.score for chunk in passage.chunks]
        assert passage.score == scores[0] == max(scores)
    assert [passage.score for passage in found] == sorted((passage.score for passage in found), reverse=True)
    spans = sorted((passage.start, passage.end) for passage in found)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert "60,000 litres" in " ".join(passage.text for passage in found)


def test_lines_end_as_they_do_in_any_file() -> None:
    (found,) = PassageIndex({"a": "One.\r\nTwo.\rThree.\nThe ferry leaves at nine.\n"}).find("ferry")
    assert found.lines == (1, 4)


def test_a_passage_of_a_pdf_says_its_pages() -> None:
    long = f"{BREAD}\n" * 12
    starts = (0, len(long), len(long) + len(TIDE) + 1)
    layout = [{"start": start, "page": page} for page, start in enumerate(starts, 1)]
    source = Source("tides.pdf", f"{long}{TIDE}\n{TIDE}", layout)
    index = PassageIndex([source])
    assert index.find("Why does the sea have tides?", budget=200)[0].pages == (2, 3)
    assert index.find("Why does the sea have tides?", budget=len(TIDE))[0].pages in ((2, 2), (3, 3))


@pytest.mark.parametrize("budget", [800, 4000])
def test_it_finds_what_the_retrievers_find_by_default(budget: int) -> None:
    pytest.importorskip("langchain_core")
    from langchain_core.documents import Document
    from langchain_core.stores import InMemoryStore
    from langchain_core.vectorstores import InMemoryVectorStore

    from langchain_caesura import ParentDocumentRetriever, StaticEmbeddings

    texts = {"article.md": ARTICLE.read_text("utf-8"), "bread.md": f"# Bread\n\n{BREAD}", "tide.txt": TIDE}
    vectors = InMemoryVectorStore(StaticEmbeddings())
    retriever = ParentDocumentRetriever(vectorstore=vectors, docstore=InMemoryStore(), budget=budget)
    retriever.add_documents([Document(text, metadata={"source": name}) for name, text in texts.items()])
    index = PassageIndex(texts)
    for question in (CISTERN, "Why is the plain average of wind bearings wrong?", "What makes dough rise?"):
        passages, documents = index.find(question, budget=budget), retriever.invoke(question)
        found = [(passage.path, passage.text, pytest.approx(passage.score, abs=1e-5)) for passage in passages]
        assert found == [(each.metadata["source"], each.page_content, each.score) for each in documents]


def test_a_question_finds_the_text_that_answers_it() -> None:
    index = PassageIndex({"bread.md": BREAD, "tide.md": TIDE})
    for words in (0, 1):
        assert index.find("What makes dough rise?", budget=100, words=words)[0].path == "bread.md"
        assert index.find("Why are there tides?", budget=100, words=words)[0].path == "tide.md"


def test_texts_are_embedded_once_and_each_question_once() -> None:
    calls: list[list[str]] = []

    def embed(texts: Sequence[str]) -> Any:
        calls.append(list(texts))
        return np.ones((len(texts), 3))

    index = PassageIndex({"a": BREAD, "b": TIDE}, embedder=embed)
    calls.clear()
    index.find("What rises?")
    index.find("What turns?")
    assert calls == [["What rises?"], ["What turns?"]]


def test_headings_are_embedded_with_what_stands_below_them() -> None:
    seen: list[str] = []

    def embed(texts: Sequence[str]) -> Any:
        seen.extend(texts)
        return np.ones((len(texts), 3))

    PassageIndex({"a": f"# Tides\n\n{TIDE}\n\n## Bread\n\n{BREAD * 12}"}, embedder=embed)
    assert any(text.startswith("Tides > Bread\n") for text in seen)


def test_each_chunk_says_why_it_was_found(article: PassageIndex) -> None:
    first, *others = (chunk for passage in article.find(CISTERN, budget=3000) for chunk in passage.chunks)
    assert first.evidence.found == {"text": ("litres", "rain", "cistern", "hold"), "headings": ("cistern",)}
    assert (first.evidence.vectors, first.evidence.words) == (1, 1)
    assert first.why().startswith(
        "vectors 1.00, words 1.00 (litres, rain, cistern, hold; cistern in the headings), document "
    )
    near = next(chunk for chunk in others if "cistern" not in chunk.evidence.found.get("text", ()))
    assert near.evidence.words < 1
    for chunk in others:
        own = chunk.evidence.found
        assert all(own.values())


def test_words_are_found_in_each_field_and_said_as_the_question_has_them() -> None:
    boat, bread = f"# Summer\n\n{'The boat is to leave at nine. ' * 13}", f"# Bread\n\n{BREAD * 4}"
    index = PassageIndex({"ferries/times.md": f"{boat}\n\n{bread}"})
    passage = index.find("When do ferries leave in summers, on yeast?", budget=420)[0]
    assert passage.chunks[0].evidence.found["text"] == ("leave", "summers")
    assert passage.chunks[0].evidence.found["headings"] == ("summers",)
    assert passage.chunks[0].evidence.found["title"] == ("ferries",)
    assert "yeast" not in str(passage.chunks[0].evidence.found)


def test_without_words_vectors_alone_count(article: PassageIndex) -> None:
    found = [chunk for passage in article.find(CISTERN, words=0) for chunk in passage.chunks]
    assert {chunk.evidence.words for chunk in found} == {0}
    heard = [chunk for passage in article.find("Xyzzy?", budget=500) for chunk in passage.chunks]
    assert all(chunk.evidence.found == {} for chunk in heard)
    assert all("words 0.00 (none)" in chunk.why() for chunk in heard)


@pytest.mark.parametrize("texts", [{"a": ""}, {"a": " \n\t", "b": ""}])
def test_blank_texts_have_no_passages(texts: dict[str, str]) -> None:
    assert PassageIndex(texts).find("What rises?") == []


def test_a_blank_text_among_others_does_no_harm() -> None:
    found = PassageIndex({"empty": "", "tide": TIDE, "blank": "\n"}).find("Why are there tides?")
    assert [passage.path for passage in found] == ["tide"]


def test_nothing_is_returned_where_nothing_fits(article: PassageIndex) -> None:
    assert article.find(CISTERN, budget=3) == []


@pytest.mark.parametrize("question", HOSTILE, ids=range(len(HOSTILE)))
def test_a_question_is_text_whatever_is_in_it(article: PassageIndex, question: str) -> None:
    found = article.find(question, budget=900)
    assert sum(len(passage.text) for passage in found) <= 900
    assert all(np.isfinite(passage.score) for passage in found)


@pytest.mark.parametrize("question", ["", " \n", None, 3, ["What rises?"]])
def test_a_question_must_be_a_text(article: PassageIndex, question: Any) -> None:
    with pytest.raises(SettingError, match="a question must be a str that is not blank, got"):
        article.find(question)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"budget": 0}, "budget must be a whole number of at least 1, got 0"),
        ({"budget": 2.5}, "budget must be a whole number"),
        ({"words": -1}, "words must be a finite number of at least 0, got -1"),
        ({"words": float("nan")}, "words must be a finite number"),
    ],
)
def test_a_setting_out_of_range_is_named(article: PassageIndex, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingError, match=said):
        article.find(CISTERN, **settings)


def test_an_embedder_that_fails_says_so() -> None:
    with pytest.raises(EmbeddingError):
        PassageIndex({"a": TIDE}, embedder=lambda texts: [[1.0]])


def test_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "tide.md").write_text(f"# Tides\n\n{TIDE}", encoding="utf-8")
    (found,) = PassageIndex(tmp_path / "tide.md").find("Why are there tides?")
    assert (found.path, found.lines, found.headings) == (str(tmp_path / "tide.md"), (1, 3), ("Tides",))


def test_a_passage_says_the_title_of_its_text_which_finds_it_once(tmp_path: Path) -> None:
    page = "<title>Zanzibar - Isles</title><h1>Zanzibar</h1><p>The ferry leaves at nine.<h2>Fares</h2><p>Two coins."
    (tmp_path / "isle.html").write_text(page)
    (tmp_path / "pemba.md").write_text("# Pemba\n\nThe boat leaves at ten.")
    index = PassageIndex(sorted(tmp_path.iterdir()))
    (fares, *_) = index.find("What are the fares to Zanzibar?")
    assert (fares.title, fares.headings[0]) == ("Zanzibar", "Zanzibar")
    found = fares.chunks[0].evidence.found
    assert "Zanzibar" in found["title"]
    assert "Zanzibar" not in found.get("headings", ())
    (pemba, *_) = index.find("When does the boat leave for Pemba?")
    assert pemba.title == "Pemba"


def test_headings_of_a_pdf_are_those_that_its_reader_found() -> None:
    chapter, jobs, next_chapter = "Watches\n\n", "# ask for weekly reports 0 17 * * fri echo\n\n", "Bread\n\n"
    text = chapter + jobs + f"{TIDE}\n\n" * 9 + next_chapter + f"{BREAD}\n\n" * 9
    layout = [
        {"start": 0, "page": 1, "headings": ["Watches"], "heading_levels": [1]},
        {"start": text.index(next_chapter), "page": 2, "headings": ["Bread"], "heading_levels": [1]},
    ]
    index = PassageIndex([Source("book.pdf", text, layout=layout)])
    for question, title, page in (("Why do tides rise?", "Watches", 1), ("What does yeast make?", "Bread", 2)):
        first = index.find(question, budget=200)[0]
        assert (first.headings, first.pages) == ((title,), (page, page))
