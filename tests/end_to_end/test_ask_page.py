"""The page of `serve` in a real browser: passages in their documents, keys, a phone, hostile text, five megabytes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fakes.documents.pdf import print_lines, printed_pdf
from fakes.lab import ARTICLE, BREAD, TIDE
from playwright.sync_api import expect

from caesura_lab.question_server import QuestionServer
from caesura_lab.question_site import QuestionSite

pytestmark = pytest.mark.enable_socket
CISTERN = "How many litres of rain does the cistern hold?"
EVIL = (
    "</script><script>window.pwned=1</script> <img src=x onerror=window.pwned=2> <style>*{display:none}</style> "
    "Yeast &lt;b&gt; \x00 \x1b[31m \U0001f600 \u202eabc\u202c is evil. \U0001f600 Yeast again.\n"
)
HIDDEN = "The zebra keeper of Quxham drinks 77 teapots of vermilion tea."
Ask = Callable[..., Any]


@pytest.fixture
def ask(browser: Any) -> Iterator[Ask]:
    """(texts, question, window) -> the page with the answer; at the end there was no fault, and none else was asked."""
    servers, faults, requests = list[QuestionServer](), list[str](), list[str]()

    def open_page(texts: Any, question: str, budget: int = 900, **window: Any) -> Any:
        server = QuestionServer(QuestionSite(texts))
        servers.append(server)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        page = browser.new_page(viewport=window.pop("viewport", {"width": 1280, "height": 800}), **window)
        page.on("console", lambda message: faults.append(message.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(server.url)
        page.fill("#budget", str(budget))
        page.fill("#question", question)
        page.keyboard.press("Enter")
        page.locator("#found .rank").first.wait_for()
        return page

    yield open_page
    assert faults == []
    own = ("data:", *(server.url for server in servers))
    assert [url for url in requests if not url.startswith(own)] == []
    for server in servers:
        server.shutdown()
        server.server_close()


def see(page: Any, mark: str = "mark.on") -> None:
    """Waits until a mark is on the screen."""
    expect(page.locator(mark).first).to_be_in_viewport()


def shown_text(page: Any) -> str:
    """The document as far as it was loaded."""
    return str(page.evaluate("[...document.querySelectorAll('.part')].map((part) => part.textContent).join('')"))


def test_the_best_passage_is_marked_in_its_document_and_says_why(ask: Ask) -> None:
    page = ask({"article.md": ARTICLE.read_text("utf-8"), "bread.md": BREAD}, CISTERN)
    see(page)
    marked = "".join(page.locator("mark.on").all_text_contents())
    assert "a cistern that holds 60,000 litres" in marked
    assert {"cistern", "litres"} <= {*page.locator("mark.on b").all_text_contents()}
    card = page.locator(".card").first.text_content()
    assert "A Year on Ternholm › Kitchen and cistern" in card
    assert "vectors1.00" in card
    assert "litres, rain, cistern, hold; cistern in the headings" in card
    assert "question=How+many" in page.url
    page.reload()
    see(page)


def test_a_document_is_shown_whole_as_it_is(ask: Ask) -> None:
    text = ARTICLE.read_text("utf-8")
    page = ask({"article.md": text}, CISTERN)
    for _ in range(20):
        page.evaluate("document.querySelector('#scroll').scrollBy(0, 900)")
        page.wait_for_timeout(30)
    page.wait_for_load_state("networkidle")
    assert shown_text(page) == text


def test_keys_lead_from_passage_to_passage_into_the_document_and_back(ask: Ask) -> None:
    page = ask({"article.md": ARTICLE.read_text("utf-8"), "bread.md": BREAD, "tide.md": TIDE}, CISTERN)
    current = page.locator(".card[aria-current=true] .rank")
    page.keyboard.press("ArrowDown")
    assert current.text_content() == "2"
    page.keyboard.press("Enter")
    expect(page.locator("#scroll")).to_be_focused()
    page.keyboard.press("j")
    assert current.text_content() == "3"
    see(page)
    page.keyboard.press("Escape")
    expect(page.locator(".card[aria-current=true]")).to_be_focused()
    page.keyboard.press("/")
    expect(page.locator("#question")).to_be_focused()


def test_on_a_phone_the_document_takes_the_place_of_the_list(ask: Ask) -> None:
    phone = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "color_scheme": "dark"}
    page = ask({"article.md": ARTICLE.read_text("utf-8")}, CISTERN, **phone)
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert not page.is_visible("#reader")
    page.tap(".card")
    see(page)
    assert not page.is_visible("#list")
    page.tap("#back")
    assert page.is_visible("#list")


def test_text_is_text_whatever_is_in_it(ask: Ask) -> None:
    page = ask({"<img src=x onerror=window.pwned=3>.md": EVIL}, "Where is yeast?")
    see(page)
    assert page.evaluate("window.pwned") is None
    assert shown_text(page) == EVIL.replace("\x00", "␀").replace("\x1b", "␛")
    assert page.locator("mark.on b").all_text_contents() == ["Yeast", "Yeast"]
    assert page.locator(".file").first.text_content() == "<img src=x onerror=window.pwned=3>.md"


def test_a_passage_of_a_pdf_is_marked_on_its_page_and_in_its_text(ask: Ask, tmp_path: Any) -> None:
    path = tmp_path / "tides.pdf"
    pages = [
        [BREAD[:60], BREAD[60:]],
        *[
            [
                "The baker in the village weighed the flour, the salt and the water,",
                "and waited for an hour and a half until the dough was ready.",
            ]
        ]
        * 6,
        [TIDE[:60], TIDE[60:]],
    ]
    path.write_bytes(printed_pdf([print_lines(lines) for lines in pages]))
    page = ask([path], "Why does the sea have tides?", budget=90)
    expect(page.locator("figure").nth(7).locator("img")).to_be_visible()
    see(page, "rect.on")
    assert page.locator("figure").nth(1).locator("img").count() == 0
    page.click("#mode")
    see(page)
    assert page.text_content("#mode") == "Pages"


def test_five_megabytes_are_laid_out_and_only_what_is_seen_is_loaded(ask: Ask) -> None:
    lines = [f"Line {number} says nothing that anybody asks for, and so does the next.\n" for number in range(70_000)]
    lines[35_000] = f"\n{HIDDEN}\n\n"
    page = ask({"big.txt": "".join(lines)}, "Who drinks vermilion tea in Quxham?")
    see(page)
    assert HIDDEN in "".join(page.locator("mark.on").all_text_contents())
    page.wait_for_load_state("networkidle")
    assert page.locator(".part").count() > 1000
    assert len(shown_text(page)) < 100_000
    page.evaluate("document.querySelector('#scroll').scrollTop = 1e9")
    expect(page.locator(".part").last).to_contain_text("Line 69999 says")
    assert len(shown_text(page)) < 200_000
