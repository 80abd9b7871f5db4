"""A built site in; out, what its pages would ask other hosts for when they are opened. It has to be nothing."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

ADDRESSES = ("src", "srcset", "data", "poster", "xlink:href")
LOADED = ("link", "use", "image", "base")
"""Elements whose `href` is fetched; that of `a` waits for a click."""
NAMED = ("canonical", "alternate", "next", "prev", "license", "author")
"""What a `link` says and nobody fetches."""
ELSEWHERE = re.compile(r"\s*(?:https?:|wss?:)?//", re.IGNORECASE)
STYLE = re.compile(r"url\(\s*[\"']?(?P<url>[^\"')]+)|@import\s+[\"'](?P<sheet>[^\"']+)", re.IGNORECASE)
FETCHING = {"class": "mermaid", "data-md-component": "source"}
"""What makes the theme's script ask another host: for Mermaid, and for a repository's stars."""


def elsewhere(site: Path) -> list[str]:
    """A folder -> a line for each address of another host, with the file that has it."""
    found: list[str] = []
    for path in sorted(site.rglob("*")):
        if path.suffix in (".html", ".svg"):
            page = Page()
            page.feed(path.read_text("utf-8"))
            found += [f"{path.relative_to(site)}: {address}" for address in page.found]
        elif path.suffix == ".css":
            found += [f"{path.relative_to(site)}: {address}" for address in of_style(path.read_text("utf-8"))]
    return found


def of_style(text: str) -> list[str]:
    """CSS -> the addresses of other hosts in it."""
    addresses = [match["url"] or match["sheet"] for match in STYLE.finditer(text)]
    return [address for address in addresses if ELSEWHERE.match(address)]


class Page(HTMLParser):
    """Reads a page; `found` are the addresses of other hosts that it would ask."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Looks at an element's addresses and its style."""
        self._style = tag == "style"
        given = {name: value or "" for name, value in attrs}
        if tag == "link" and given.get("rel") in NAMED:
            return
        loaded = [*ADDRESSES, *(["href"] if tag in LOADED else [])]
        for name in loaded:
            parts = given.get(name, "").split(",") if name == "srcset" else [given.get(name, "")]
            self.found += [part.strip() for part in parts if ELSEWHERE.match(part)]
        self.found += of_style(given.get("style", ""))
        for name, value in FETCHING.items():
            if value in given.get(name, "").split():
                self.found.append(f'{name}="{value}", for which the theme asks another host')

    def handle_data(self, data: str) -> None:
        """Looks at a style sheet within the page."""
        if self._style:
            self.found += of_style(data)
