"""What the page of `serve` is told: passages as the library finds them, sections that tile a document, pages."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from fakes.documents.pdf import print_lines, printed_pdf
from fakes.lab import ARTICLE, BREAD, TIDE

from caesura import SettingError
from caesura_lab import PassageIndex
from caesura_lab.question_site import MOST_BUDGET, SECTION, QuestionSite, cut_sections, show_text
from caesura_lab.reading import read_source

CISTERN = "How many litres of rain does the cistern hold?"


@pytest.fixture(scope="module")
def site() -> QuestionSite:
    return QuestionSite({"bread.md": BREAD, "tide.txt": TIDE, "article.md": ARTICLE.read_text("utf-8")})


@pytest.mark.parametrize(("budget", "most"), [(300, 10), (4000, 10), (4000, 2)])
def test_passages_are_those_of_the_librarys_own_call(site: QuestionSite, budget: int, most: int) -> None:
    texts = {source.path: source.text for source in site.sources}
    own = PassageIndex(texts).find(CISTERN, budget=budget)
    answer = site.search(CISTERN, budget, most)
    assert answer["found"] == len(own)
    assert len(answer["passages"]) == min(most, len(own)) > 0
    for passage, shown in zip(own, answer["passages"], strict=False):
        assert site.sources[shown["document"]].path == passage.path
        for name in ("start", "end", "text", "place", "pages", "score"):
            assert shown[name] == getattr(passage, name)
        assert shown["headings"] == list(passage.headings)
        assert [(one["start"], one["end"], one["vectors"], one["words"], one["found"]) for one in shown["chunks"]] == [
            (one.start, one.end, one.evidence.vectors, one.evidence.words, one.evidence.found) for one in passage.chunks
        ]


def test_the_words_of_the_question_are_marked_where_they_stand(site: QuestionSite) -> None:
    first = site.search(CISTERN, 500)["passages"][0]
    text = site.sources[first["document"]].text
    assert {text[start:end] for start, end in first["words"]} == {"cistern", "holds", "litre", "litres", "rain"}
    assert all(first["start"] <= start < end <= first["end"] for start, end in first["words"])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"question": " "}, "not blank"),
        ({"question": "x" * 10_001}, "at most 10000 characters, got 10001"),
        ({"question": "x", "budget": 0}, "budget must be"),
        ({"question": "x", "budget": MOST_BUDGET + 1}, "at most 200000 characters and 100 passages"),
        ({"question": "x", "most": 0}, "most must be"),
        ({"question": "x", "most": 101}, "at most 200000 characters and 100 passages"),
    ],
)
def test_settings_out_of_range_are_refused(site: QuestionSite, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingError, match=said):
        site.search(**settings)


@pytest.mark.parametrize("text", ["", "\n" * 9000, "word " * 4000, "x" * 9001, "line\r\n" * 3000, f"{BREAD}\n" * 300])
def test_sections_tile_a_text_and_end_after_a_line_or_a_space(text: str) -> None:
    edges = cut_sections(text)
    assert (edges[0], edges[-1]) == (0, len(text))
    assert all(0 < after - before <= SECTION for before, after in pairwise(edges))
    if set(text) - {"x"}:
        assert all(text[edge - 1].isspace() for edge in edges[1:-1])


def test_sections_of_a_document_are_its_text(site: QuestionSite) -> None:
    text = site.sources[2].text
    answer = site.document(2)
    parts = [site.section(2, number)["text"] for number in range(len(answer["edges"]) - 1)]
    assert "".join(parts) == text
    assert sum(answer["lines"]) == text.count("\n")
    assert answer["pages"] == 0


@pytest.mark.parametrize(("number", "section"), [(3, 0), (-1, 0), (0, 1), (0, -1)])
def test_what_is_not_there_is_no_section(site: QuestionSite, number: int, section: int) -> None:
    with pytest.raises(LookupError, match="there is no section"):
        site.section(number, section)
    with pytest.raises(LookupError, match="there is no document 3"):
        site.document(3)


def test_control_characters_are_shown_as_pictures_of_the_same_length() -> None:
    assert show_text("a\x1b[2J\0\x7f\ud800\tb\r\n") == "a␛[2J␀␡\ufffd\tb\r\n"
    assert show_text("שלום\u202e北京 🌍") == "שלום\u202e北京 🌍"


def test_no_text_of_a_document_gets_into_the_markup_of_the_page() -> None:
    evil = "</script><script>alert(1)</script>"
    html = QuestionSite({f"{evil}.md": f"# {evil}\n\n{BREAD}"}).html()
    assert html.count("</script>") == 2
    assert "connect-src 'self'" in html
    assert "default-src 'none'" in html
    assert "http" not in html.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")


def test_texts_without_anything_to_find_are_answered() -> None:
    blank = QuestionSite({"blank.txt": " \n"})
    assert blank.search("What rises?")["passages"] == []
    assert blank.document(0)["edges"] == [0, 2]


def test_of_a_passage_over_two_pages_the_best_chunk_is_known(tmp_path: Any) -> None:
    path = tmp_path / "two.pdf"
    path.write_bytes(printed_pdf([print_lines(6 * BREAD.split(". ")), print_lines(6 * TIDE.split(". "))]))
    (passage, *_) = QuestionSite([read_source(str(path))]).search("Why has the sea tides?", 4000)["passages"]
    assert passage["pages"] == (1, 2)
    assert passage["best"][0] in passage["boxes"]
    assert {box[0] for box in passage["best"]} == {2}


def test_pages_of_a_pdf_are_drawn_once_with_boxes_of_what_was_found(tmp_path: Any, monkeypatch: Any) -> None:
    path = tmp_path / "two.pdf"
    path.write_bytes(printed_pdf([print_lines(BREAD.split(". ")), print_lines(TIDE.split(". "))]))
    own = QuestionSite([read_source(str(path))])
    assert own.document(0)["pages"] == 2
    (first, *_) = own.search("Why are there tides?", 90)["passages"]
    assert first["pages"] == (2, 2)
    assert {box[0] for box in first["boxes"]} == {2}
    sheet = own.sheet(0, 2)
    assert sheet["image"].startswith("data:image/webp;base64,")
    assert sheet["width"] > 0 < sheet["height"]
    monkeypatch.setattr("caesura_lab.question_site.draw_pages", lambda *_: pytest.fail("drawn again"))
    assert own.sheet(0, 2) is sheet
    for page in (0, 3):
        with pytest.raises(LookupError, match=f"there is no page {page} of document 0"):
            own.sheet(0, page)
