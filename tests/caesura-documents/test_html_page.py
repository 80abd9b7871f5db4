"""Pages of HTML and their files: title, language, encoding and source."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest

from caesura.errors import SettingError
from caesura_documents.html_page import from_html, html_title

OG = '<meta property="og:title" content="Tides &amp; currents">'


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title>Tides</title>", "Tides"),
        ("<title>Tides — The harbour</title><h1>Tides<a href=#x>¶</a></h1>", "Tides"),
        ("<title>\n Tides of\n May | The harbour</title><h1>The harbour</h1>", "Tides of May"),
        (f"<title>The harbour</title>{OG}<h1>Welcome</h1>", "Tides & currents"),
        ("<title>x</title><meta content='Tides' name='twitter:title'>", "Tides"),
        ("<TITLE>Tides of May</TITLE><H1 class=x>Welcome</H1>", "Tides of May"),
        ("<h1><b>Tides</b> of May</h1>", "Tides of May"),
        ("<title></title><h1> </h1><p>x", ""),
        ("<title>Tides", ""),
        ("Tides", ""),
    ],
)
def test_a_title_is_that_of_the_page_and_not_of_its_site(html: str, title: str) -> None:
    assert html_title(html) == title


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("<p>Fähre".encode(), "Fähre"),
        ('<meta charset="latin-1"><p>Fähre'.encode("latin-1"), "Fähre"),
        ("<p>Fähre".encode("utf-16"), "Fähre"),
        ("\ufeff<p>Fähre".encode(), "Fähre"),
        (b"<p>F\xe4hre", "Fähre"),
    ],
)
def test_a_file_is_read_in_the_encoding_that_it_names(data: bytes, text: str, tmp_path: Path) -> None:
    path = tmp_path / "ferry.html"
    path.write_bytes(data)
    assert from_html(data).text == text
    for given in (path, str(path)):
        page = from_html(given)
        assert (page.text, page.source) == (text, str(path))
    assert from_html(path, source="https://ferries.example").source == "https://ferries.example"


def test_a_page_says_its_title_and_its_language_if_it_does() -> None:
    page = from_html('<html class="no-js" lang="de-AT"><title>Fähre</title><p>x')
    assert (page.text, page.layout, page.metadata) == ("x", [], {"title": "Fähre", "language": "de-AT"})
    assert from_html("<html xml:lang=fr><p>x").metadata == {"language": "fr"}
    assert from_html("<p>x").metadata == {}


@pytest.mark.parametrize("html", ["", "Two a day.\nAnd so on.", 7, None])
def test_what_is_neither_html_nor_a_path_is_refused(html: Any) -> None:
    with pytest.raises(SettingError, match="html must be"):
        from_html(html)


def test_a_file_that_is_not_there_is_told() -> None:
    with pytest.raises(FileNotFoundError):
        from_html("nowhere.html")


@pytest.mark.parametrize("part", ["<title>", "<meta ", "<h1>", "<meta property='og:title' content='", "<html lang="])
def test_the_time_of_a_title_grows_with_the_page_alone(part: str) -> None:
    begun = time.process_time()
    html_title(part * 200_000)
    assert time.process_time() - begun < 1


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"%PDF-1.7 x", "html is no HTML, for it begins with b'%PDF-': read a PDF by from_pdf"),
        (b"\x1f\x8b\x08 <p>", "unpack it first"),
        (b"\x89PNG\r\n <p>", "OCR"),
        ("x" * 5000, "which has no tag"),
    ],
)
def test_files_of_other_kinds_are_refused(data: str | bytes, said: str) -> None:
    with pytest.raises(SettingError, match=re.escape(said)):
        from_html(data)


def test_bytes_that_name_no_encoding_are_read_as_browsers_do() -> None:
    said = "<p>Die Fähre fährt über den Fluß – „jetzt“"
    assert from_html(said.encode("cp1252"), main=False).text == said.removeprefix("<p>")
    assert from_html(said.encode(), main=False).text == said.removeprefix("<p>")
    torn = said.encode()[:-1]
    assert from_html(torn, main=False).text == said.removeprefix("<p>")[:-1] + "\ufffd"
