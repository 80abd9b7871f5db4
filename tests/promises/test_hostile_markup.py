"""Names and texts that would be markup elsewhere are what they are, in every page."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

from caesura_lab import compare, view


class Markup(HTMLParser):
    """Counts elements and collects what would run."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.handlers: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.handlers += [name for name, value in attrs if name.startswith("on") or "javascript:" in (value or "")]


MARKUP = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "<!--",
    "]]>",
    '"><svg/onload=alert(1)>',
]


@pytest.mark.thorough
@pytest.mark.parametrize("make", [lambda names: view(names).html, lambda names: compare(names).to_html()])
@pytest.mark.parametrize("text", MARKUP)
def test_a_page_has_the_elements_of_a_harmless_one(make: Any, text: str) -> None:
    told = "Yeast makes bread rise. The moon pulls at the sea."
    harmless, page = Markup(make({"name": f"{told} words"})), Markup(make({text: f"{told} {text}"}))
    assert page.tags == harmless.tags
    assert page.handlers == harmless.handlers == []
