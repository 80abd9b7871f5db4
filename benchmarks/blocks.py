"""Pages of Markdown and reStructuredText -> chunks that end in a heading, and blocks torn that would have fitted.

    python benchmarks/blocks.py FOLDER [FOLDER …] [--limits 400 800 2000] [--show 5]

Every page is cut by all four cuts at each limit, with a target of half the limit and without one. What a heading and
what a block is, a scan of lines says that shares nothing with the segmenter. A chunk ends in a heading if its last line
is one and something follows it in the document whose first line would have fitted beside it. A block is torn if a
chunk ends inside it though it fits the limit with the headings and opening lines right above it, and the closing marks
right below it.
"""

from __future__ import annotations

import argparse
import gzip
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from caesura import ClusterCut, DoublePassCut, Limits, OptimalCut, PercentileCut, Splitter, calibrate
from caesura.types import Chunk, Cut
from caesura_static import StaticEmbedder

PAGES = (".md", ".mdx", ".rst", ".markdown", ".md.txt", ".rst.txt", ".md.gz", ".rst.gz")
CUTS: dict[str, Cut] = {
    "double pass": DoublePassCut(),
    "percentile": PercentileCut(),
    "optimal": OptimalCut(),
    "cluster": ClusterCut(),
}
LIST = 2000
"""A longer list is its items, also those that stand together between blank lines."""
_ATX, _UNDER = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+\S"), re.compile(r"(=+|-+|~+|\^+|`+|\"+)\s*$")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})([^`]*)$")
_SLASHES, _COLONS = re.compile(r"\s*(/{3,})\s*(\w.*)?$"), re.compile(r"\s*(:{3,})\s*([\w{].*)?$")
_TAG = re.compile(r"\s*<(/?)(details|[A-Z][\w.]*)\b([^<]*>)?\s*(?:<summary>.*)?$")
_INDENTED = re.compile(r"(\s*)(?:(?:!!!|\?\?\?\+?)\s*\w|===[!+]?\s*[\"']|\.\. [\w:-]+::|\[\^[^\]]+\]:)")
_CLOSERS = re.compile(r"(?:\s*\n[ \t]*(?:/{3,}|:{3,}|</[\w.]+>)[ \t]*(?=\n|$))*")
_CODE = re.compile(r"\s*\.\. (?:code|sourcecode|code-block|testcode|doctest|parsed-literal)::")
_MARKED = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s")


class Line(NamedTuple):
    """A line: where it begins, where it ends, and what it says."""

    start: int
    end: int
    text: str

    @property
    def depth(self) -> int:
        """How far it is indented."""
        bare = self.text.expandtabs(4)
        return len(bare) - len(bare.lstrip())


class Page(NamedTuple):
    """What a page holds, by the ends of its headings and the ranges of its blocks."""

    headings: set[int]
    blocks: list[tuple[int, int, str]]
    openings: list[tuple[int, int]]
    """Headings, and the lines that open blocks."""


def scan_page(text: str) -> Page:
    """A text -> its headings and blocks, the one inside the other."""
    lines, at = list[Line](), 0
    for row in text.split("\n"):
        lines.append(Line(at, at + len(row), row))
        at += len(row) + 1
    page, begun, first = Page(set(), [], []), list[tuple[str, int, Line]](), 0
    if lines[0].text.rstrip() == "---":
        first = next((n + 1 for n, line in enumerate(lines[1:], 1) if line.text.rstrip() == "---"), 0)
    number = first
    while number < len(lines):
        line, above = lines[number], lines[number - 1].text.strip() if number else ""
        if (fence := _FENCE.match(line.text)) and not 0 < len(above) <= len(line.text.strip()) - len(fence[2]):
            closing = re.compile(rf"[ \t]{{0,{line.depth + 3}}}{fence[1]}{fence[1][0]}*\s*$")
            last = next((n for n in range(number + 1, len(lines)) if closing.match(lines[n].text)), len(lines) - 1)
            _add(page, text, line, lines[last].end, "fence")
            number = last + 1
            continue
        last = _scan_line(page, text, lines, number, begun)
        number = last if _CODE.match(line.text) and last > number else number + 1
    return page


def _add(page: Page, text: str, line: Line, end: int, kind: str) -> None:
    start = line.start + len(line.text) - len(line.text.lstrip())
    end = start + len(text[start:end].rstrip())
    if text.find("\n", start, end) > 0:
        page.blocks.append((start, end, kind))
        if kind != "list":
            page.openings.append((start, line.end))


def _scan_line(page: Page, text: str, lines: list[Line], number: int, begun: list[tuple[str, int, Line]]) -> int:
    """Adds what begins or ends with a line that no fence holds; returns the line behind what is indented below it.

    begun: what waits for the mark that closes it.
    """
    line, above = lines[number], lines[number - 1].text if number else ""
    below = lines[number + 1].text if number + 1 < len(lines) else ""
    bare = line.text.strip()
    if _ATX.match(line.text):
        page.headings.add(line.start + len(line.text.rstrip()))
        page.openings.append((line.start, line.end))
    elif _UNDER.fullmatch(bare) and re.match(r"[\w`*\"']", above) and len(bare) >= max(len(above.strip()), 3):
        page.headings.add(line.start + len(line.text.rstrip()))
        page.openings.append((lines[number - 1].start, line.end))
    if bare.startswith("<!--"):
        page.openings.append((line.start, line.end))
    for kind, pattern in (("///", _SLASHES), (":::", _COLONS)):
        if mark := pattern.match(line.text):
            if mark[2]:
                begun.append((kind, len(mark[1]), line))
                return number
            for place in reversed(range(len(begun))):
                if begun[place][0] == kind and begun[place][1] <= len(mark[1]):
                    _add(page, text, begun[place][2], line.end, kind)
                    del begun[place:]
                    return number
    if tag := _TAG.match(line.text):
        if not tag[1] and not line.text.rstrip().endswith("/>") and f"</{tag[2]}>" not in line.text:
            begun.append((tag[2], 0, line))
        for place in reversed(range(len(begun))) if tag[1] else ():
            if begun[place][0] == tag[2]:
                _add(page, text, begun[place][2], line.end, "element")
                del begun[place:]
                return number
    last = number
    if found := _INDENTED.match(line.text):
        for n in range(number + 1, len(lines)):
            if lines[n].text.strip() and lines[n].depth < line.depth + (2 if ".." in found[0] else 4):
                break
            last = n if lines[n].text.strip() else last
        _add(page, text, line, lines[last].end, "indented")
    for kind, mark in (("table", "|"), ("quote", ">")):
        if bare.startswith(mark) and not above.strip().startswith(mark):
            others = (n for n in range(number, len(lines)) if not lines[n].text.strip().startswith(mark))
            stop = next(others, len(lines))
            _add(page, text, line, lines[stop - 1].end, kind)
    if _MARKED.match(line.text) and _MARKED.match(below) and _begins_list(lines, number):
        ends = (n for n in range(number + 1, len(lines)) if not lines[n].text.strip() and not _goes_on(lines, n))
        stop = next(ends, len(lines))
        if lines[stop - 1].end - line.start <= LIST:
            _add(page, text, line, lines[stop - 1].end, "list")
    return last + 1


def _goes_on(lines: list[Line], number: int) -> bool:
    """Whether a list goes on behind a blank line."""
    following = next((line for line in lines[number:] if line.text.strip()), None)
    return following is not None and (following.depth > 0 or _MARKED.match(following.text) is not None)


def _begins_list(lines: list[Line], number: int) -> bool:
    """Whether a list begins with a line of an item: behind a blank line, one goes on as it does in CommonMark."""
    if lines[number].depth or (number and lines[number - 1].text.strip()):
        return False
    before = next((line for line in reversed(lines[:number]) if line.text.strip()), None)
    return before is None or (before.depth == 0 and _MARKED.match(before.text) is None)


def faults_of(text: str, page: Page, chunks: list[Chunk], limit: int) -> Iterator[tuple[str, int]]:
    """The chunks of a page -> what is wrong, and where."""
    above: dict[int, int] = {}  # where something begins -> where the headings and openings begin that touch it
    for start, end in sorted(page.openings):
        following = end + len(text[end:]) - len(text[end:].lstrip())
        first = start + len(text[start:end]) - len(text[start:end].lstrip())
        above[following] = above.get(first, first)
    for chunk in chunks[:-1]:
        if chunk.end in page.headings:
            begun = chunk.end + len(text[chunk.end :]) - len(text[chunk.end :].lstrip())
            line = re.compile(r"[^\n]*?(?:[.?!](?=\s)|$)", re.MULTILINE).match(text, begun)
            if line and line.end() - above.get(begun, begun) <= limit:
                yield "ends in a heading", chunk.end
    ends = sorted({chunk.end for chunk in chunks})
    for start, end, kind in page.blocks:
        closed = _CLOSERS.match(text, end)
        fits = (closed.end() if closed else end) - above.get(start, start) <= limit
        if fits and any(start < at < end for at in ends):
            yield f"torn: {kind}", start


def read_pages(folders: list[Path]) -> dict[str, str]:
    """The pages in folders and below, each text once."""
    pages: dict[str, str] = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")) if folder.is_dir() else [folder]:
            if path.is_file() and path.name.endswith(PAGES):
                data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
                pages.setdefault(data.decode("utf-8", "replace").replace("\r\n", "\n"), str(path))
    return {path: text for text, path in pages.items()}


def main() -> None:
    """Read the options, cut the pages, and print what was counted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--limits", nargs="+", type=int, default=[400, 800, 2000])
    parser.add_argument("--show", type=int, default=0, help="print so many of each fault")
    options = parser.parse_args()
    pages = {path: (text, scan_page(text)) for path, text in read_pages(options.folders).items() if text.strip()}
    embed, counts, shown = StaticEmbedder(), Counter[str](), Counter[str]()
    background = calibrate(embed)
    for name, cut in CUTS.items():
        for limit in options.limits:
            for target in (None, limit // 2):
                splitter = Splitter(Limits(limit, target_size=target), cut=cut, background=background)
                for path, (text, page) in pages.items():
                    chunks = splitter.split(text, embed)
                    counts["chunks"] += len(chunks)
                    for fault, at in faults_of(text, page, chunks, limit):
                        counts[fault] += 1
                        shown[fault] += 1
                        if shown[fault] <= options.show:
                            print(f"{fault}, {name}, {limit}, target {target}: {path} at {at}")
                            print("    " + repr(text[max(at - 60, 0) : at + 60]))
    blocks = sum(len(page.blocks) for _, page in pages.values())
    print(f"{len(pages)} pages, {blocks} blocks, {sum(len(page.headings) for _, page in pages.values())} headings")
    for fault, count in sorted(counts.items()):
        print(f"{count:8} {fault}")


if __name__ == "__main__":
    main()
