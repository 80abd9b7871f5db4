"""Main content of pages: what surrounds it is left out, nothing of it is, and pages without it are taken whole."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from fakes.documents.hostile_html import MARKUP
from fakes.growth import assert_time_grows
from hypothesis import given
from hypothesis import strategies as st

from caesura.errors import SettingError
from caesura_documents import main_content
from caesura_documents.html import html_text
from caesura_documents.main_content import find_main

BEFORE = (
    "<header><a href=/>The harbour</a><p>Your trusted source for boats since 1950, with news of each day.</header>"
    "<div class=sidebar><h3>Related articles</h3><ul><li>Boats of all kinds for sale<li>Nets and ropes</ul></div>"
)
MAIN = (
    "<main><h1>Tides</h1><p>May 2026<p>A port in a narrow bay has higher tides than one on an open coast, and later in "
    "the day.<table><tr><th>Port<th>Metres<tr><td>Brest<td>6.9</table><pre>tide(port='Brest')</pre><h2>Why</h2>"
    "<p>The moon pulls at the sea, and the water of the whole ocean follows it with a delay that coasts make longer."
    "<ul><li>spring tides come at the new moon and at the full moon of each month<li>neap tides</ul></main>"
)
AFTER = (
    "<footer>Copyright 2026 The harbour. All rights reserved, and nothing of it may be printed elsewhere.</footer>"
    "<div class=cookie-banner><p>We use cookies to give you the best experience on our website. Accept?</div>"
)
TEXT = html_text(MAIN)


def test_headers_side_bars_footers_and_banners_are_left_out_and_nothing_else() -> None:
    page = f"<html><body>{BEFORE}{MAIN}{AFTER}</body></html>"
    assert html_text(page, main=True).startswith("# Tides\n\nMay 2026\n\nA port")
    assert html_text(page, main=True) == TEXT
    assert html_text(page, main=None) == html_text(page, main=True)
    assert "cookies" in html_text(page)
    assert html_text(page) == html_text(page, main=False)


@pytest.mark.parametrize(
    "page",
    [
        "",
        "<p>Two a day.",
        "<nav>Home</nav><button>Go</button>",
        "<ul>" + "<li><a href=x>Boats</a>" * 50 + "</ul>",
        "<table><tr><th>Port<th>Metres<tr><td>Brest<td>6.9</table>",
        "<pre>tide(port='Brest')</pre>" * 5,
        "\ud800<p>x",
        "a\0b<p>c",
    ],
    ids=["nothing", "short", "no content", "links", "table", "code", "surrogate", "NUL"],
)
def test_a_page_in_which_no_content_is_found_is_taken_whole(page: str) -> None:
    assert html_text(page, main=True) == html_text(page)


def test_a_page_that_is_very_long_is_taken_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    page = f"<body>{BEFORE}{MAIN}{AFTER}"
    for most, is_whole in ((len(page), False), (len(page) - 1, True)):
        monkeypatch.setattr(main_content, "MOST", most)
        assert (html_text(page, main=True) == html_text(page)) is is_whole


def test_a_page_of_which_half_would_be_lost_is_taken_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = [("text", f"Paragraph {at} says that the ferry leaves at {at}, " * 3, False) for at in range(10)]
    for count, found in ((4, (0, 10)), (6, (0, 6))):
        chosen = "\n".join(text for _, text, _ in blocks[:count])
        monkeypatch.setattr("trafilatura.extract", lambda html, chosen=chosen, **_: chosen)
        assert find_main("<p>", blocks) == found


def test_a_title_that_menus_repeat_does_not_begin_the_content(monkeypatch: pytest.MonkeyPatch) -> None:
    title, text = "Tides and how to read them", "A port in a narrow bay has higher tides than one on an open coast."
    kinds = {"listitem": title, "text": "Next", "h1": title, "title": "Bays", "table": text}
    blocks = [(kind, own, False) for kind, own in kinds.items()]
    monkeypatch.setattr("trafilatura.extract", lambda html, **_: f"{title}\n{text}")
    assert find_main("<p>", [*blocks, ("listitem", "Next", False), ("listitem", title, False)]) == (2, 5)


@pytest.mark.parametrize("text", ["潮の満ち引きは月の引力による。" * 9, "ปลาอยู่ในทะเลลึกและเย็น" * 9])
def test_scripts_without_spaces_have_content_too(text: str) -> None:
    page = f"<body>{BEFORE}<main><h1>x</h1><p>{text}<p>{text}</main>{AFTER}</body>"
    assert html_text(page, main=True) == f"# x\n\n{text}\n\n{text}"


def test_without_the_library_the_page_is_taken_whole_or_the_remedy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caesura_documents.html.has_extractor", lambda: False)
    monkeypatch.setattr(main_content, "has_extractor", lambda: False)
    page = f"<body>{BEFORE}{MAIN}{AFTER}"
    assert html_text(page, main=None) == html_text(page)
    with pytest.raises(SettingError, match=r'pip install "caesura-documents\[html\]"'):
        html_text(page, main=True)


@given(st.lists(st.sampled_from([BEFORE, MAIN, AFTER, "<p>", "</div>", "<ul><li>x", "<h1>y", "&lt;", "<!--"])))
def test_what_is_left_is_a_part_of_the_whole_text(parts: list[str]) -> None:
    assert html_text("".join(parts), main=True) in html_text("".join(parts))


@pytest.mark.thorough
@pytest.mark.parametrize("make", MARKUP.values(), ids=MARKUP.keys())
def test_eight_times_as_much_html_takes_about_eight_times_as_long(make: Callable[[int], str]) -> None:
    def seconds(count: int) -> float:
        begun = time.process_time()
        html_text(f"<body>{MAIN}{make(count)}", main=True)
        return time.process_time() - begun

    assert_time_grows(seconds, 300, 2400, 24, 0.005)


@pytest.mark.parametrize("tag", ["main", "div role=main", "section class=x id='main-content'"])
def test_what_the_page_says_is_its_main_content_is_taken_as_it_is(tag: str) -> None:
    end = tag.split()[0]
    page = f"<body>{BEFORE}<{tag}><p>By Ann<{end}><p>Aside</{end}>{MAIN[6:-7]}<p>fin</{end}>{AFTER}"
    said = html_text(page, main=True)
    assert (said[:6], said[-3:]) == ("By Ann", "fin")
    assert TEXT in said


def test_content_begins_with_the_title_that_the_page_has(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "A port in a narrow bay has higher tides than one on an open coast, and they come later in the day."
    monkeypatch.setattr("trafilatura.extract", lambda html, **_: f"Home or index or modules\n{text}")
    logo, menu = ("h1", "Harbour 3.2 documentation", False), ("text", "Home | or index | or modules", False)
    named = [("text", "Tides", False), ("table", "| hours |", False), ("text", text, False)]
    assert find_main("<title>Tides: Harbour manual</title>", [("table", "| Top |", False), *named]) == (1, 4)
    blocks = [logo, menu, ("h1", "Tides", False), ("text", text, False)]
    assert find_main("<title>Tides | Harbour 3.2</title>", blocks) == (2, 4)
    assert find_main("<title>Other</title>", blocks) == (0, 4)
