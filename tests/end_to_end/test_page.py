"""The page of `view` in a real browser: hover, click, tap, keys, switch, both schemes, hostile text, a megabyte."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fakes.documents.pdf import print_lines, printed_pdf
from fakes.lab import ARTICLE, BREAD, TIDE

from caesura_lab import view
from caesura_lab.reading import Source

HOSTILE = (
    "</script><script>window.pwned=1</script> <!-- <script> --> ]]> <img src=x onerror=window.pwned=2> "
    "<style>*{display:none}</style> <base href=http://example.invalid/> &lt;b&gt; \u2028\u2029 \x00 \ud83d "
    "\U0001f600 e\u0301 \u202eabc\u202c \ufeff \x1b[31m.\n"
)
SPLITTERS = [
    "double-pass:size=900",
    "percentile:size=900,target_size=none",
    "fixed:size=700,overlap=200",
    "optimal:n_chunks=7",
]


@pytest.fixture(scope="module")
def article(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return view(ARTICLE, SPLITTERS).save(tmp_path_factory.mktemp("page") / "article.html")


def test_the_text_stands_there_whole_in_chunks(article: Path, opened: Any) -> None:
    one = opened(article)
    assert one.text() == ARTICLE.read_text("utf-8")
    count = one.page.locator(".tag").count()
    assert count > 10
    assert one.page.text_content("#sum").startswith(f"{count} chunks, ")
    assert one.shown() == f"Chunk 1 of {count}"
    assert one.page.text_content("#why") == "The text begins here."


def test_hover_shows_a_chunk_and_leaving_shows_the_chosen_one_again(article: Path, opened: Any) -> None:
    one = opened(article)
    one.page.hover(".s[data-c='2']")
    assert one.shown().startswith("Chunk 3 of")
    facts = one.page.text_content("#facts")
    assert all(name in facts for name in ("size", "characters", "tokens", "place", "gap before it"))
    assert one.page.locator(".s.on").first.get_attribute("data-c") == "2"
    one.page.hover("#name")
    assert one.shown().startswith("Chunk 1 of")


def test_chunks_of_a_pdf_name_their_pages(tmp_path: Path, opened: Any) -> None:
    layout = [{"start": 0, "page": 1}, {"start": len(BREAD) + 1, "page": 2}]
    source = Source("tides.pdf", f"{BREAD}\n{TIDE}", layout)
    one = opened(view([source], ["fixed:size=60"]).save(tmp_path / "page.html"))
    said = []
    for _ in range(3):
        said.append(one.page.locator("#facts div", has_text="page").text_content())
        one.page.keyboard.press("ArrowRight")
    assert said == ["page1", "page1 \u2013 2", "page2"]


def test_a_chunk_of_a_pdf_is_marked_on_the_picture_of_its_page(tmp_path: Path, opened: Any) -> None:
    path = tmp_path / "tides.pdf"
    path.write_bytes(printed_pdf([print_lines([TIDE[:60], TIDE[60:]]), print_lines([BREAD[:60]])]))
    one = opened(view(path, ["fixed:size=60"], question="Why does the sea have tides?").save(tmp_path / "page.html"))
    one.page.wait_for_function("document.querySelector('.frame img').naturalWidth > 500")
    frame, mark = (one.page.locator(name).first.bounding_box() for name in (".frame", ".frame rect"))
    assert frame["x"] < mark["x"] < mark["x"] + mark["width"] <= frame["x"] + frame["width"] + 1
    assert frame["y"] < mark["y"] < frame["y"] + frame["height"] / 3
    assert one.page.text_content(".sheet figcaption") in ("Page 1", "Page 2")


def test_click_and_tap_choose_a_chunk(article: Path, opened: Any) -> None:
    one = opened(article)
    one.page.click(".s[data-c='1']")
    one.page.hover("#name")
    assert one.shown().startswith("Chunk 2 of")
    phone = opened(article, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    phone.page.tap(".s[data-c='1']")
    assert phone.shown().startswith("Chunk 2 of")
    assert phone.page.text_content("#said").startswith("Chunk 2 of")
    assert phone.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_keys_go_from_chunk_to_chunk_and_switch_the_splitter(article: Path, opened: Any) -> None:
    one = opened(article)
    for key in ("ArrowRight", "n", "j", "ArrowLeft"):
        one.page.keyboard.press(key)
    assert one.shown().startswith("Chunk 3 of")
    assert one.page.evaluate("document.activeElement.dataset.c") == "2"
    box = one.page.locator(".tag[data-c='2']").bounding_box()
    assert one.page.locator(".top").bounding_box()["height"] <= box["y"] < 900  # not under the head of the page
    one.page.keyboard.press("4")
    assert one.page.locator(".tag").count() == 7
    assert one.page.locator("input:checked + span").text_content() == "optimal:n_chunks=7"
    one.page.keyboard.press("Shift+Tab")  # the text has one stop, so the next is before it
    assert one.page.evaluate("document.activeElement.tagName") == "INPUT"
    one.page.keyboard.press("ArrowLeft")
    assert one.page.locator("input:checked + span").text_content() == SPLITTERS[2]


def test_the_switch_changes_chunks_curve_and_threshold(article: Path, opened: Any) -> None:
    one = opened(article)
    assert "three sentences" in one.page.text_content("#key")
    assert one.page.locator("#curve .limit").count() == 0
    one.page.click("label:has-text('percentile')")
    assert "threshold 0." in one.page.text_content("#key")
    assert one.page.locator("#curve .limit").count() == 1
    assert one.page.locator("#curve rect").count() == one.page.locator(".tag").count() + 1
    one.page.click("#curve", position={"x": 1000, "y": 20})
    chosen = int(one.page.evaluate("document.activeElement.dataset.c"))
    assert chosen > one.page.locator(".tag").count() / 2


def test_what_two_chunks_share_is_seen_and_told(article: Path, opened: Any) -> None:
    one = opened(article)
    assert one.page.locator(".o").count() == 0
    one.page.keyboard.press("3")
    shared = one.page.locator(".s.o[data-c='1']").first
    assert "repeating-linear-gradient" in shared.evaluate("node => getComputedStyle(node).backgroundImage")
    assert "underline" in shared.evaluate("node => getComputedStyle(node).textDecorationLine")
    shared.click()
    assert "200 with 1" in one.page.text_content("#facts")
    assert one.text() == ARTICLE.read_text("utf-8")  # the shared text stands there once


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", ["article", "asked"])
def test_both_schemes_can_be_read_and_switched(
    page: str, opened: Any, scheme: str, request: pytest.FixtureRequest
) -> None:
    one = opened(request.getfixturevalue(page), color_scheme=scheme)
    contrast = """() => {
        const light = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map((v) => v / 255)
            .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
            .reduce((sum, v, place) => sum + v * [0.2126, 0.7152, 0.0722][place], 0);
        const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        return [...document.querySelectorAll(".s, .tag, .why, dt, .sum, .key, .found, .found b")].map((node) => {
            let behind = node;
            while (getComputedStyle(behind).backgroundColor === "rgba(0, 0, 0, 0)") behind = behind.parentElement;
            return ratio(light(getComputedStyle(node).color), light(getComputedStyle(behind).backgroundColor));
        }).reduce((a, b) => Math.min(a, b));
    }"""
    assert one.page.evaluate(contrast) >= 4.5
    before = one.page.evaluate("getComputedStyle(document.body).backgroundColor")
    one.page.click("#theme")
    assert one.page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    assert one.page.evaluate(contrast) >= 4.5


def test_hostile_text_is_text(tmp_path: Path, opened: Any) -> None:
    name = "</title><script>window.pwned=3</script>"
    page = view({name: HOSTILE * 4, "<b>other</b>": BREAD + HOSTILE}, ["double-pass", "fixed:size=50,overlap=9"])
    one = opened(page.save(tmp_path / "hostile.html"))
    assert one.page.text_content("#name") == name
    assert one.page.evaluate("window.pwned") is None
    same = "(text) => [...document.querySelectorAll('#text .block')].length > 0 && doc.text === text"
    assert one.page.evaluate(same, (HOSTILE * 4).replace("\ud83d", "\ufffd")) is False  # a lone surrogate is kept
    assert one.page.evaluate("doc.text.replace(/\\ud83d(?![\\udc00-\\udfff])/g, '\\ufffd')") == (HOSTILE * 4).replace(
        "\ud83d", "\ufffd"
    )
    for key in ("2", "1", "ArrowRight"):
        one.page.keyboard.press(key)
    one.page.select_option("#documents", index=1)
    assert one.page.text_content("#name") == "<b>other</b>"
    assert one.page.locator("#text img, #text script, #text style, h1 b").count() == 0
    assert one.page.locator("#text").is_visible()
    assert one.page.evaluate("window.pwned") is None


def test_a_document_without_chunks_shows_none_of_another(tmp_path: Path, opened: Any) -> None:
    one = opened(
        view({"a": f"{BREAD} {TIDE}", "blank": " \n"}, ["double-pass:target_size=none"]).save(tmp_path / "two.html")
    )
    one.page.keyboard.press("ArrowRight")
    one.page.select_option("#documents", index=1)
    assert one.shown() == "No chunks"
    assert one.page.text_content("#facts") == one.page.text_content("#why") == ""
    assert one.page.text_content("#said") == "No chunks"
    one.page.keyboard.press("ArrowRight")
    one.page.select_option("#documents", index=0)
    assert one.shown() == "Chunk 1 of 2"


CISTERN = "How many litres of rain does the cistern hold?"


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = {"bread": f"{BREAD} {TIDE}", "article": ARTICLE.read_text("utf-8")}
    page = view(texts, SPLITTERS, question=CISTERN, budget=1500)
    return page.save(tmp_path_factory.mktemp("page") / "asked.html")


def test_a_question_opens_the_page_at_the_best_passage(asked: Path, opened: Any) -> None:
    one = opened(asked)
    assert one.page.text_content("#found b") == CISTERN
    assert one.page.input_value("#documents") == "1"
    assert one.page.locator("#documents option").nth(1).text_content().startswith("article (")
    assert "60,000 litres" in "".join(one.page.locator(".s.on").all_text_contents())
    assert one.page.locator(".s.on").first.bounding_box()["y"] < 900
    assert one.page.text_content("#because").startswith("Passage 1 of ")
    assert one.page.text_content("#because") in one.page.text_content("#said")


def test_what_was_found_stands_out_and_its_buttons_lead_there(asked: Path, opened: Any) -> None:
    one = opened(asked)
    passed_over = one.page.locator(".s.not")
    clear = "node => getComputedStyle(node).backgroundColor"
    assert passed_over.first.evaluate(clear) == "rgba(0, 0, 0, 0)"
    assert one.page.locator(".s:not(.not)").first.evaluate(clear) != "rgba(0, 0, 0, 0)"
    buttons = one.page.locator("#found button")
    assert buttons.count() > 1
    buttons.last.click()
    assert one.page.text_content("#because").startswith("Passage ")
    first, last = (int(each) for each in (buttons.last.text_content().split("\u2013") * 2)[:2])
    assert first <= int(one.page.evaluate("document.activeElement.dataset.c")) + 1 <= last
    passed_over.last.click()
    assert one.page.text_content("#because") == "Not found for the question."
    assert one.text() == ARTICLE.read_text("utf-8")


def test_each_splitter_and_text_has_passages_of_its_own(asked: Path, opened: Any) -> None:
    one = opened(asked)
    before = one.page.locator("#found button").all_text_contents()
    one.page.keyboard.press("3")
    assert one.page.locator("#found button").all_text_contents() != before
    assert one.page.text_content("#because").startswith("Passage 1 of ")
    one.page.select_option("#documents", index=0)
    shown = one.page.locator("#found button").count()
    assert (shown > 0) == ("found in" in one.page.text_content("#found"))


def test_a_page_without_a_question_has_no_word_of_one(article: Path, opened: Any) -> None:
    one = opened(article)
    assert not one.page.locator("#found").is_visible()
    assert not one.page.locator("#because").is_visible()
    assert one.page.locator(".not").count() == 0


def test_a_question_fits_a_phone(asked: Path, opened: Any) -> None:
    phone = opened(asked, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    assert phone.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    button = phone.page.locator("#found button").first.bounding_box()
    assert button["x"] + button["width"] <= 390
    above, below = (phone.page.locator(name).bounding_box()["height"] for name in (".top", ".side"))
    assert 844 - above - below >= 300


def test_lines_from_right_to_left_begin_at_the_right(tmp_path: Path, opened: Any) -> None:
    text = "השמש זורחת מעל הים.\nThe moon pulls at the sea.\n"
    one = opened(view({"a": text}, ["fixed"]).save(tmp_path / "two.html"))
    edges = """() => {
        const node = document.querySelector("#text .s").firstChild, whole = document.querySelector("#text .block");
        const box = (from, to) => {
            const range = document.createRange();
            range.setStart(node, from);
            range.setEnd(node, to);
            return range.getBoundingClientRect();
        };
        const held = whole.getBoundingClientRect(), line = node.data.indexOf("\\n");
        return [held.right - box(0, 1).right, box(line + 1, line + 2).left - held.left];
    }"""
    first, second = one.page.evaluate(edges)
    assert first < 60  # the number of the chunk is there as well
    assert second < 10


def test_on_a_phone_nearly_half_of_the_window_is_left_to_the_text(article: Path, opened: Any) -> None:
    phone = opened(article, viewport={"width": 390, "height": 760})
    phone.page.keyboard.press("1")
    for _ in range(5):
        phone.page.click("#after")
    assert phone.shown().startswith("Chunk 6 of")
    above, below = (phone.page.locator(name).bounding_box()["height"] for name in (".top", ".side"))
    assert 760 - above - below >= 350
    facts = phone.page.locator("#facts dt, #facts dd")
    tops = [facts.nth(number).bounding_box()["y"] for number in range(facts.count())]
    assert tops[::2] == tops[1::2]  # each value stands beside its name
    assert phone.page.locator("#after").get_attribute("aria-label") == "The chunk after"


def test_on_a_phone_the_chosen_splitters_name_is_in_sight(article: Path, opened: Any) -> None:
    phone = opened(article, viewport={"width": 390, "height": 844})
    for key, number in (("4", 3), ("1", 0)):
        phone.page.keyboard.press(key)
        box = phone.page.locator(".pick").nth(number).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390


def test_a_policy_stops_what_would_slip_through(article: Path, opened: Any) -> None:
    one = opened(article)
    one.page.evaluate("""() => {
        const script = document.createElement("script");
        script.textContent = "window.pwned = 4";
        document.body.append(script);
        const image = new Image();
        image.src = "http://127.0.0.1:9/image.png";
        document.body.append(image);
    }""")
    one.page.wait_for_timeout(50)
    assert one.page.evaluate("window.pwned") is None
    assert len(one.faults) == 2
    assert all("Content Security Policy" in fault for fault in one.faults)
    one.faults.clear()
    one.requests.clear()  # what was blocked is counted as asked for by some versions


def test_a_megabyte_is_there_at_once_and_only_what_is_seen_is_laid_out(tmp_path: Path, opened: Any) -> None:
    text = ARTICLE.read_text("utf-8")
    text = "".join(text.replace("Ternholm", f"Ternholm {number}") for number in range(100))[:1_000_000]
    page = view({"big": text, "line": " ".join(text.split())}, ["double-pass:size=1200", "recursive:size=900"])
    one = opened(page.save(tmp_path / "big.html"))
    assert one.text() == text
    assert one.page.locator(".block").count() > 500
    skipped = """() => [...document.querySelectorAll(".block")]
        .filter((block) => !block.firstElementChild.checkVisibility({ contentVisibilityAuto: true })).length"""
    assert one.page.evaluate(skipped) > 450
    assert one.page.locator("#curve path.curve").get_attribute("d").count("L") < 2000
    assert one.page.locator("#near").is_visible()
    for _ in range(3):
        one.page.keyboard.press("ArrowRight")
    one.page.click("#curve", position={"x": 900, "y": 20})
    chosen = one.page.evaluate("Number(document.activeElement.dataset.c)")
    assert chosen > 800
    box = one.page.locator(f".tag[data-c='{chosen}']").bounding_box()
    assert 0 < box["y"] < 900
    one.page.select_option("#documents", index=1)  # a megabyte without a line end
    assert one.text() == " ".join(text.split())
    assert one.page.locator(".block").count() > 100


def test_a_notebook_shows_the_page_in_a_frame(tmp_path: Path, opened: Any) -> None:
    page = view({"<i>": f"{BREAD} {TIDE} {HOSTILE}"}, ["double-pass"])
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!doctype html><meta charset=utf-8>{page._repr_html_()}", encoding="utf-8")
    one = opened(notebook)
    frame = one.page.frames[1]
    frame.wait_for_selector(".tag")
    assert frame.text_content("#which").startswith("Chunk 1 of")
    assert one.page.evaluate("window.pwned") is None
