"""A page of HTML, or its file -> its text as Markdown, its title, its language and where it is from."""

from __future__ import annotations

import codecs
import os
import re
from html import unescape
from pathlib import Path

from caesura.errors import SettingError
from caesura_documents.html import FAR, LONGEST, bare_text, html_encoding, html_text
from caesura_documents.parsed_text import ParsedDocument

_TITLE = re.compile(r"<title\b[^>]{0,200}>", re.IGNORECASE)
_H1 = re.compile(r"<h1\b[^>]{0,1000}>", re.IGNORECASE)
_META = re.compile(r"<meta\b([^>]{0,2000})>", re.IGNORECASE)
_HTML = re.compile(r"<html\b([^>]{0,1000})>", re.IGNORECASE)
_VALUE = r"""\s{0,9}=\s{0,9}(?:"([^"]{0,1000})"|'([^']{0,1000})'|([^\s"'>]{1,1000}))"""
_CONTENT = re.compile(rf"(?i)\bcontent{_VALUE}")
_LANGUAGE = re.compile(rf"(?i)\blang{_VALUE}")
_OG_TITLE = re.compile(r"(?i)\b(?:property|name)\s{0,9}=\s{0,9}[\"']?(?:og|twitter):title\b")
_BETWEEN = " \t\n-|:\u2013\u2014\u00b7\u2022\u00bb\u203a/"
"""What stands between the title of a page and the name of its site."""
_HEAD = 20_000
"""In so many characters a page says its title and its language."""
_LONGEST_PATH = 1000
_WRONG = "\ufffd"
_OTHERS = {
    b"%PDF-": "read a PDF by from_pdf",
    b"\x1f\x8b": "unpack it first, by gzip.decompress",
    b"PK\x03\x04": "if it is a document of an office program or a packed folder, convert or unpack it first",
    b"\xd0\xcf\x11\xe0": "if it is a document of an office program, save it as HTML first",
    b"\x89PNG": "of a picture, OCR reads the text",
    b"\xff\xd8\xff": "of a picture, OCR reads the text",
    b"GIF8": "of a picture, OCR reads the text",
}
"""What files that are no HTML begin with, and what to do with them."""


def from_html(
    html: str | bytes | os.PathLike[str], *, source: str | None = None, main: bool | None = None
) -> ParsedDocument:
    """A page of HTML, or the path of its file -> its text as Markdown, and in its metadata ``title`` and ``language``.

    html: a str is HTML if it has a tag, else a path; bytes are HTML in the encoding that they name, else in UTF-8, or
    in Windows-1252 where most of what is not ASCII would be wrong. source: the address of the page; None: the path.
    main: whether headers, footers, side bars and the like are left out; None: where trafilatura is installed
    (``pip install "caesura-documents[html]"``). Raises `SettingError` for what is neither HTML nor a path, as a PDF or
    a picture, or if `main` is True without trafilatura, and `OSError` where the file cannot be read.

    >>> page = from_html("<html lang=en><title>Tides - The harbour</title><h1>Tides</h1><p>Two a day.", main=False)
    >>> page.text, page.metadata
    ('# Tides\\n\\nTwo a day.', {'title': 'Tides', 'language': 'en'})
    """
    if isinstance(html, os.PathLike) or (isinstance(html, str) and "<" not in html):
        path = os.fspath(html)
        if not path.strip() or "\n" in path or len(path) > _LONGEST_PATH:
            raise SettingError(f"html must be HTML, or the path of its file, got {html!r:.80}, which has no tag")
        source = os.fspath(html) if source is None else source
        html = Path(html).read_bytes()
    if isinstance(html, bytes):
        for mark, remedy in _OTHERS.items():
            if html.startswith(mark):
                name = "html" if source is None else f"the file {source!r:.200}"
                raise SettingError(f"{name} is no HTML, for it begins with {mark!r}: {remedy}")
        html = _decode(html)
    if not isinstance(html, str):
        raise SettingError(f"html must be a str or bytes of HTML, or a path, got {type(html).__name__} {html!r:.80}")
    said = {"title": html_title(html), "language": _language(html[:_HEAD])}
    return ParsedDocument(html_text(html, main), [], source, {key: value for key, value in said.items() if value})


def html_title(html: str) -> str:
    """A page of HTML -> its title, without the name of its site where the first heading tells it; "" without one.

    It is the first `h1` if ``<title>`` begins with it, else what social media show, else ``<title>`` or the `h1`.

    >>> html_title("<title>Tides | The harbour</title><h1>Tides</h1>"), html_title("<h1>Tides</h1>")
    ('Tides', 'Tides')
    """
    said, heading = _between(html[:_HEAD], _TITLE, "</title"), _between(html, _H1, "</h1").rstrip("\u00b6# ")
    if heading and said.startswith(heading):
        return heading
    for meta in _META.finditer(html[:_HEAD]):
        if _OG_TITLE.search(meta[1]) and (found := _CONTENT.search(meta[1])):
            title = " ".join(unescape(next(filter(None, found.groups()), "")).split())
            if title:
                return title[:LONGEST]
    if heading and said.endswith(heading):  # which is the site's name, as in its logo
        said = said.removesuffix(heading).rstrip(_BETWEEN) or said
    return said or heading


def _between(html: str, opening: re.Pattern[str], closing: str) -> str:
    """What stands in the first of these elements, if it closes within a title's length."""
    opened = opening.search(html)
    if opened is None:
        return ""
    end = re.compile(re.escape(closing), re.IGNORECASE).search(html, opened.end(), opened.end() + FAR)
    return bare_text(html[opened.end() : end.start()])[:LONGEST] if end else ""


def _language(head: str) -> str:
    opened = _HTML.search(head)
    found = _LANGUAGE.search(opened[1]) if opened else None
    return next(filter(None, found.groups()), "") if found else ""


def _decode(data: bytes) -> str:
    """Bytes of HTML -> the text that a browser reads, with a mark for what is not in its encoding."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(mark):
            return data.decode(encoding, "replace").removeprefix("\ufeff")
    if named := html_encoding(data):
        return data.decode(named, "replace")
    text = data.decode("utf-8", "replace")
    wrong = text.count(_WRONG)
    if wrong and 2 * wrong > sum(not mark.isascii() for mark in text):
        return data.decode("cp1252", "replace")
    return text
