"""What the page of `serve` asks for: passages for a question, documents in sections, pages of PDFs."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import PurePath
from time import perf_counter
from typing import Any

from caesura import SettingError
from caesura.checks import check_int
from caesura.types import Embed
from caesura_documents.titles import own_title
from caesura_lab.embedders import Embedder
from caesura_lab.inputs import Texts, collect_sources
from caesura_lab.passage_index import FoundPassage, PassageIndex
from caesura_lab.reading import Source
from caesura_lab.sheets import boxes_of, can_draw, draw_pages
from caesura_lab.viewer import build_html
from caesura_retrieval.words import find_words, language_of

SECTION = 4000
"""Characters of a section at most: the page loads a document section by section."""
BUDGET, MOST_BUDGET = 4000, 200_000
PASSAGES, MOST_PASSAGES = 10, 100
LONGEST_QUESTION = 10_000
KEPT_SHEETS = 48
"""Pictures of pages that are remembered."""
_SHOWN = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n\r"} | {0x7F: 0x2421}
_SHOWN |= dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)


def show_text(text: str) -> str:
    """Text -> the same with control characters as their pictures and halves of surrogates replaced; equally long."""
    return text if text.isprintable() else text.translate(_SHOWN)


def cut_sections(text: str) -> list[int]:
    """Text -> rising edges of its sections, the first 0 and the last its length: after a line, else after a space.

    >>> cut_sections("One line.\\n" * 500)
    [0, 4000, 5000]
    """
    edges = [0]
    while edges[-1] < len(text):
        start, most = edges[-1], min(edges[-1] + SECTION, len(text))
        cut = most
        if most < len(text):
            cut = max(text.rfind("\n", start, most), -1) + 1 or text.rfind(" ", start, most) + 1 or most
        edges.append(cut)
    return edges


class QuestionSite:
    """Texts that are cut and embedded once -> what the page shows of them. Several threads may ask at once."""

    def __init__(self, texts: Texts, *, embedder: str | Embed | Embedder = "static") -> None:
        """Raises `SettingError`, `ReadingError`, and what the embedder raises."""
        self.sources: Sequence[Source] = collect_sources(texts)
        self.index: PassageIndex = PassageIndex(self.sources, embedder=embedder)
        self._numbers = {source.path: number for number, source in enumerate(self.sources)}
        self._edges = [cut_sections(source.text) for source in self.sources]
        self._languages = [language_of(source.text) for source in self.sources]
        self._sheets = OrderedDict[tuple[int, int], dict[str, Any]]()
        self._held = threading.Lock()
        self.index.find("warm", budget=1)  # the engine takes in the words now, and the first question need not wait

    def html(self) -> str:
        """The page."""
        documents = [
            {"path": show_text(source.path), "title": _title(source), "characters": len(source.text)}
            for source in self.sources
        ]
        limits = {"budget": MOST_BUDGET, "most": MOST_PASSAGES, "question": LONGEST_QUESTION}
        data = {"documents": documents, "budget": BUDGET, "most": PASSAGES, "limits": limits}
        return build_html(data, "Ask your files", "ask", ["connect-src 'self'"])

    def search(self, question: str, budget: int = BUDGET, most: int = PASSAGES) -> dict[str, Any]:
        """A question -> the first `most` of the passages that `PassageIndex.find` finds within `budget` characters.

        Each has its document's number, its place, the words of the question as places in the document, and why each
        chunk was found. Raises `SettingError` for a blank question, or settings out of range.
        """
        check_int("budget", budget, 1)
        check_int("most", most, 1)
        if budget > MOST_BUDGET or most > MOST_PASSAGES:
            raise SettingError(f"at most {MOST_BUDGET} characters and {MOST_PASSAGES} passages are shown")
        if len(question) > LONGEST_QUESTION:
            raise SettingError(f"a question has at most {LONGEST_QUESTION} characters, got {len(question)}")
        begun = perf_counter()
        found = self.index.find(question, budget=budget)
        passages = [self._describe(question, passage) for passage in found[:most]]
        return {"passages": passages, "found": len(found), "seconds": round(perf_counter() - begun, 4)}

    def document(self, number: int) -> dict[str, Any]:
        """The number of a document -> the edges of its sections, how many lines each has, and how many pages."""
        source = self._source(number)
        edges = self._edges[number]
        lines = [source.text.count("\n", start, end) for start, end in pairwise(edges)]
        pages = max((entry["page"] for entry in source.layout), default=0) if source.pdf and can_draw() else 0
        return {"edges": edges, "lines": lines, "pages": pages}

    def section(self, number: int, section: int) -> dict[str, Any]:
        """The numbers of a document and of a section of it -> its text, as it is shown."""
        edges = self._edges[number] if 0 <= number < len(self._edges) else [0]
        if not 0 <= section < len(edges) - 1:
            raise LookupError(f"there is no section {section} of document {number}")
        return {"text": show_text(self.sources[number].text[edges[section] : edges[section + 1]])}

    def sheet(self, number: int, page: int) -> dict[str, Any]:
        """The number of a PDF and of its page, from 1 -> its width and height in points, and its picture."""
        source, key = self._source(number), (number, page)
        if not 1 <= page <= self.document(number)["pages"]:
            raise LookupError(f"there is no page {page} of document {number}")
        with self._held:
            if key in self._sheets:
                self._sheets.move_to_end(key)
                return self._sheets[key]
        drawn = draw_pages(source, [page])[page]
        with self._held:
            self._sheets[key] = drawn
            while len(self._sheets) > KEPT_SHEETS:
                self._sheets.popitem(last=False)
        return drawn

    def _source(self, number: int) -> Source:
        if not 0 <= number < len(self.sources):
            raise LookupError(f"there is no document {number}")
        return self.sources[number]

    def _describe(self, question: str, passage: FoundPassage) -> dict[str, Any]:
        number = self._numbers[passage.path]
        source = self.sources[number]
        words = find_words(question, passage.text, [self._languages[number]])
        start, end, best = passage.start, passage.end, passage.chunks[0]
        return {
            "document": number,
            "start": start,
            "end": end,
            "text": show_text(passage.text),
            "place": show_text(passage.place),
            "pages": passage.pages,
            "headings": [show_text(heading) for heading in passage.headings],
            "score": passage.score,
            "words": [(start + first, start + last) for first, last in words],
            "boxes": boxes_of(source, start, end) if source.pdf else [],
            "best": boxes_of(source, max(start, best.start), min(end, best.end)) if source.pdf else [],
            "chunks": [{"start": chunk.start, "end": chunk.end, **asdict(chunk.evidence)} for chunk in passage.chunks],
        }


def _title(source: Source) -> str:
    """What the text says it is called; nothing where that is the name of its file."""
    title = own_title(source.metadata, source.text) or ""
    return "" if title == PurePath(source.path).name else show_text(title)
