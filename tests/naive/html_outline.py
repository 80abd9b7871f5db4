"""The headings and tables of HTML, by Python's own parser."""

from __future__ import annotations

import re
from html.parser import HTMLParser


class Html(HTMLParser):
    """Headings, and tables whose first row has header cells."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.starts = [0]
        for line in text.split("\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.headings: list[tuple[int, int, int, str]] = []
        self.tables: list[tuple[int, int, int, str]] = []
        self.heading: tuple[int, str] | None = None
        self.pre = self.depth = self.start = self.body = 0
        self.cells: list[str] = []
        self.kinds: list[str] = []
        self.words = ""
        self.cell: str | None = None
        self.text = text
        self.feed(text)
        self.close()
        if self.depth and self.body and "th" in self.kinds:  # one that never closes goes on to the end
            self.tables.append((self.start, len(text), self.body, " | ".join(self.cells)))

    def at(self) -> int:
        line, column = self.getpos()
        return self.starts[line - 1] + column

    def end_cell(self) -> None:
        if self.cell is not None:
            self.cells.append(" ".join(self.cell.split()))
            self.cell = None

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "pre":
            self.pre += 1
        if self.pre:
            return
        self.handle_data(" ")
        if re.fullmatch("h[1-6]", tag):
            self.heading, self.words = (self.at(), tag), ""
        if tag in ("table", "tr", "td", "th") and self.depth == 1 and not self.body:
            self.end_cell()
            if tag == "tr" and self.cells:
                self.body = self.at()
            elif tag in ("td", "th"):
                self.kinds.append(tag)
                self.cell = ""
        if tag == "table":
            self.depth += 1
            if self.depth == 1:
                self.start, self.body, self.cells, self.kinds = self.at(), 0, [], []

    def handle_endtag(self, tag: str) -> None:
        if tag == "pre":
            self.pre -= 1
        if self.pre:
            return
        self.handle_data(" ")
        end = self.text.index(">", self.at()) + 1
        if re.fullmatch("h[1-6]", tag):
            title = " ".join(self.words.split())
            if self.heading and self.heading[1] == tag and 0 < len(title) <= 200:
                self.headings.append((self.heading[0], end, int(tag[1]), title))
            self.heading = None
        if tag in ("table", "tr", "td", "th") and self.depth == 1 and not self.body:
            self.end_cell()
            if tag in ("tr", "table") and self.cells:
                self.body = self.at()
        if tag == "table" and self.depth:
            self.depth -= 1
            if not self.depth and "th" in self.kinds:
                self.tables.append((self.start, end, self.body, " | ".join(self.cells)))

    def handle_data(self, data: str) -> None:
        self.words += data
        if self.cell is not None and self.depth == 1:
            self.cell += data
