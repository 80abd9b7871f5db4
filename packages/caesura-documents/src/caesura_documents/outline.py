"""Outline of a text: what stands above and around a place, which is headings, open blocks, and what heads tables."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

from caesura.types import Chunk, FileSegmenter
from caesura_documents.find_outline import BOM, BY_MARK, PLAIN, Heading, find_headings
from caesura_documents.html import LONGEST, bare_text
from caesura_documents.open_blocks import OpenBlocks
from caesura_documents.tables import HeadedTable, rows_end

_WORD = re.compile(r"\w")


class HeadingPath(NamedTuple):
    """The headings above a place, the outermost first, and their levels."""

    titles: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()

    def followed_by(self, heading: Heading) -> HeadingPath:
        """The path of what follows a heading that stands under this one."""
        kept = next((at for at, level in enumerate(self.levels) if level >= heading.level), len(self.levels))
        title, level = ((heading.title,), (heading.level,)) if heading.title else ((), ())
        return HeadingPath(self.titles[:kept] + title, self.levels[:kept] + level)


class TableWords(NamedTuple):
    """The header and the title of a table, each None where it is not known, or stands where its rows do."""

    header: str | None = None
    title: str | None = None


NO_TABLE = TableWords()


@dataclass(frozen=True, slots=True)
class Outline:
    """The headings, tables and blocks of a text, each in its order.

    >>> Outline((Heading(0, 3, 1, "A"), Heading(9, 13, 2, "B"))).path("# A\\ntext\\n## B\\nmore", 14, 18).titles
    ('A', 'B')
    """

    headings: Sequence[Heading] = ()
    tables: Sequence[HeadedTable] = ()
    above: HeadingPath = field(default_factory=HeadingPath)
    """The headings that the whole text stands under."""
    blocks: OpenBlocks = field(default_factory=OpenBlocks)
    """What lines open that tell a reader of the inside what it is of."""
    _starts: list[int] = field(init=False, repr=False, compare=False)
    paths: list[HeadingPath] = field(init=False, repr=False, compare=False)
    """That of what stands before the first heading, and of what follows each."""

    def __post_init__(self) -> None:
        paths = [self.above]
        for heading in self.headings:
            paths.append(paths[-1].followed_by(heading))
        object.__setattr__(self, "_starts", [heading.start for heading in self.headings])
        object.__setattr__(self, "paths", paths)

    def path(self, text: str, start: int, end: int) -> HeadingPath:
        """Returns the headings above the first words of a range of the text. A heading at its start is one of them."""
        number = bisect_right(self._starts, start)
        at = self.headings[number - 1].end if number else text.startswith(BOM)
        while (
            number < len(self._starts)
            and self._starts[number] < end
            and not bare_text(text[max(at, start) : self._starts[number]].strip())
        ):
            at = self.headings[number].end
            number += 1
        return self.paths[number]

    def above_chunks(self, text: str, chunks: Sequence[Chunk]) -> tuple[list[HeadingPath], list[TableWords]]:
        """Returns for each chunk of the text the headings above it, and the words of the table whose rows it has."""
        paths = [self.path(text, chunk.start, chunk.end) for chunk in chunks]
        return paths, [self.table_words(text, chunk.start, chunk.end) for chunk in chunks]

    def table_words(self, text: str, start: int, end: int) -> TableWords:
        """Returns the header and the title of the first table that has rows in a range of the text, and one of the two
        not."""
        number = bisect_right(self.tables, start, key=lambda table: table.end)
        for table in self.tables[number:]:
            first = max(table.body, start)
            if table.start >= end:
                break
            if first < min(table.end, end) and text[first : min(table.end, end)].strip():
                header = table.header if not start <= table.headed < end and _WORD.search(table.header) else ""
                title = table.title if not start <= table.named < end else ""
                if header or title:
                    return TableWords(header or None, title or None)
        return NO_TABLE

    def by_section(self, edges: Sequence[int]) -> list[str]:
        """Returns for each section of the text what changes with anything that chunks in it are told, and not with
        where it begins. edges: of the sections, which tile the text."""
        starts, said = self._starts, list[list[object]]()
        for start, end in pairwise(edges):
            first, last = bisect_left(starts, start), bisect_left(starts, end)
            reach = max(self.headings[first - 1].end - start, 0) if first else 0
            own = [(each.start - start, each.end - start, *each[2:]) for each in self.headings[first:last]]
            said.append([self.paths[first], reach, own])
        tables = [((each.header, each.title), (*each[:3], each.headed, each.named)) for each in self.tables]
        blocks = zip(self.blocks.openings, self.blocks.blocks, strict=True)
        for words, places in chain(tables, ((opening, block[:3]) for opening, block in blocks)):
            start, end = min(places[0], places[1]), max(places[:3])
            for number in range(max(bisect_right(edges, start) - 1, 0), bisect_left(edges, end)):
                low, most = edges[number], edges[number + 1] - edges[number] + 1
                said[number].append((words, [min(max(place - low, -1), most) for place in places]))
        return [repr(own) for own in said]

    def below(self, text: str, titles: Sequence[str], levels: Sequence[int] | None) -> Outline:
        """The outline of a text -> the one it has as a part of a document in which it stands under these headings.

        levels: theirs, as the document's outline has them, which tells what is a heading there. None: nobody knows.
        """
        file = len(self.above.titles)  # of source code, which is above all of its headings
        if file and tuple(titles[:file]) == self.above.titles:
            return self._below_scopes(text, titles, file)
        if levels is None:
            own = self.path(text, 0, len(text)).titles
            kept = len(titles) - (len(own) if own and tuple(titles[-len(own) :]) == own else 0)
            return replace(self, above=HeadingPath(tuple(titles[:kept]), tuple(range(1, kept + 1))))
        marks = {level % BY_MARK: level // BY_MARK for level in levels if level >= BY_MARK}
        headings: list[Heading] = []
        for heading in self.headings:
            level, opening = heading.level, text[heading.start : heading.end].lstrip()[:1]
            if not headings and heading.title == titles[-1] and not text[: heading.start].strip():
                level = levels[-1]  # whose line above may be cut off
            elif marks and (level >= BY_MARK or opening not in ("#", "<", "\\")):
                mark = level - 1 if level < PLAIN else level % BY_MARK
                level = marks.setdefault(mark, max(marks.values()) + 1) * BY_MARK + mark
            elif marks and opening == "#":
                continue
            if min(levels) // PLAIN == 0 and level >= PLAIN:
                continue
            headings.append(heading._replace(level=level))
        found = replace(self, headings=tuple(headings))
        first = found.path(text, 0, len(text))  # of the text itself: not above what it begins with
        kept = len(titles) - len(first.titles)
        kept = kept if (tuple(titles[kept:]), tuple(levels[kept:])) == first else len(titles)
        return replace(found, above=HeadingPath(tuple(titles[:kept]), tuple(levels[:kept])))

    def _below_scopes(self, text: str, titles: Sequence[str], file: int) -> Outline:
        """`below` of source code: what is indented stands in the class or beside the function that the text begins in.

        file: how many of the titles are of the file.
        """
        own = self.path(text, 0, len(text)).titles[file:]
        begins = bool(own) and tuple(titles[-len(own) :]) == own
        kept = len(titles) - (len(own) if begins else 0)
        deeper = kept - file if begins else max(len(titles) - file - 1, 1)
        least = _indent(text, self.headings[0].start) if begins else 1
        headings: list[Heading] = []
        moved: dict[int, int] = {}
        for heading in self.headings:
            if heading.title:
                moved[heading.level] = deeper if _indent(text, heading.start) >= least else 0
            headings.append(heading._replace(level=heading.level + moved.get(heading.level, 0)))
        return replace(self, headings=headings, above=HeadingPath(tuple(titles[:kept]), tuple(range(kept))))

    def within(self, text: str, header: str | None, title: str | None = None) -> Outline:
        """The outline of a text -> the one it has where a table with this header and title, or one of them, goes on.

        Without a header, the table is the first that has no title yet.
        """
        if header is None:
            first = next((at for at, table in enumerate(self.tables) if not table.title), None)
            if first is None:
                return self
            tables = [*self.tables]
            tables[first] = tables[first]._replace(title=title or "")
            return replace(self, tables=tuple(tables))
        end = rows_end(text)
        rest = [table for table in self.tables if table.start >= end]
        return replace(self, tables=(HeadedTable(0, end, 0, header, title=title or ""), *rest))


def _indent(text: str, at: int) -> int:
    """How many blanks stand at a place."""
    return len(text[at : at + LONGEST]) - len(text[at : at + LONGEST].lstrip(" \t"))


def outline(text: str) -> Outline:
    """Text -> its headings, by level, and its tables that have a header or a title.

    Headings are those of Markdown (``#``, or a line of ``=`` or ``-`` below), AsciiDoc and wikis (``==``), HTML, LaTeX,
    and reStructuredText, whose marks have their levels in the order in which they come. Only where there are none of
    these, a line alone counts that is numbered ("2.1 Methods", "Chapter IV") or in capitals. What is longer than 200
    characters is no heading, nor is what stands in code, comments or front matter. A line of one ``#`` that touches a
    line of a program is a comment; where most such lines are, all are. Tables are Markdown's, HTML's, lines of values
    between commas, semicolons, tabs or bars, cells with wide gaps between them, and at least three lines that end with
    numbers, as readers of PDFs leave them. A table's title is its caption, or the line right above it that names it,
    with its units. Blocks are those of `caesura.text.containers`, which lines open: notes, tabs, directives, components
    of MDX, and fences.

    >>> text = "# Ferries\\n\\nThey sail.\\n\\n## Fares\\n\\nTwo coins."
    >>> [(heading.title, heading.level) for heading in outline(text).headings]
    [('Ferries', 1), ('Fares', 2)]
    """
    return Outline(*find_headings(text), blocks=OpenBlocks.of(text))


Outliner: TypeAlias = Callable[[str, str], Outline]
"""A text and the name of its file, "" where nobody knows it, -> its outline."""


@runtime_checkable
class OutlinedSplitter(Protocol):
    """A sentence splitter that finds the headings and tables of its texts itself, as `Code` does."""

    def outline(self, text: str, /) -> Outline:
        """Returns the outline of a text."""
        ...


@dataclass(frozen=True, slots=True)
class SplitterOutliner:
    """Finds the outline of a text as a sentence splitter does, or else by our rules.

    splitter: what has an `outline`, or something else; one that has `for_file` is asked for that of the file. rules:
    finds it by our rules, or remembers what they found.
    """

    splitter: object = None
    rules: Callable[[str], Outline] = outline

    def __call__(self, text: str, file: str = "") -> Outline:
        """text: of a document. file: its name, its path or its address; "" where nobody knows it."""
        own = self.splitter.for_file(file) if isinstance(self.splitter, FileSegmenter) else self.splitter
        return own.outline(text) if isinstance(own, OutlinedSplitter) else self.rules(text)


RULES = SplitterOutliner()
"""Finds the outline of a text by our rules."""


def outliner_of(splitter: object) -> SplitterOutliner:
    """Returns the outliner that a sentence splitter brings, or else our rules."""
    return RULES if splitter is None else SplitterOutliner(splitter)
