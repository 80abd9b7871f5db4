"""The pages of a source -> which of their lines run, and what becomes of each: by comparing all pages with all."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from caesura.text.marks import ENDED


def whole_words(text: str) -> str:
    """The text without hyphens and line ends that part a word before a lower case letter."""
    shown, at = "", 0
    while at < len(text):
        end = at + 2
        while text[end : end + 1] in (" ", "\t"):
            end += 1
        parted = text[at : at + 2] == "-\n" and text[:at][-1:].isalpha() and text[end : end + 1].isalpha()
        if parted and text[end].islower():
            at = end
        else:
            shown += text[at]
            at += 1
    return shown


def bare_lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def forms(line: str, number: int) -> set[str]:
    """A line, and the line with one number, here or wherever it stands, as far as it is from the page's."""
    parts = re.split(r"(\d{1,18})", " ".join(line.split()))
    found = {"".join(parts)}
    for at in range(1, len(parts), 2):
        counted = f"<{int(parts[at]) - number}>"
        found.add("".join(counted if place == at else part for place, part in enumerate(parts)))
        found.add("".join(counted if part == parts[at] else part for part in parts))
    return found


def running(texts: Sequence[str], bottom: bool, may_run: Callable[[Sequence[str], int], bool]) -> list[int]:
    """How many lines run at the top of each page, or at its bottom."""
    pages = [bare_lines(text)[:: -1 if bottom else 1] for text in texts]
    counts = [0] * len(pages)
    for depth in range(4):
        there = [number for number in range(len(pages)) if counts[number] == depth and len(pages[number]) > depth]
        found = []
        for number in there:
            for form in forms(pages[number][depth], number):
                alike = [
                    other
                    for other in there
                    if form in forms(pages[other][depth], other) and may_run(pages[other], depth)
                ]
                full = [other for other in range(len(pages)) if pages[other]]
                same_side = [other for other in full if other % 2 == number % 2]
                on_side = [other for other in alike if other % 2 == number % 2]
                everywhere = len(alike) >= 3 and len(alike) > len(full) / 2
                if everywhere or (len(on_side) >= 3 and len(on_side) > len(same_side) / 2):
                    found.append(number)
                    break
        if depth == 3 and found:
            return [0] * len(pages)
        for number in found:
            counts[number] += 1
    return counts


ROMAN = [
    tens + ones
    for tens in ("", "x", "xx", "xxx", "xl", "l", "lx", "lxx", "lxxx", "xc")
    for ones in ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
]
"""The numbers under 100; the first has no sign."""


def page_number(line: str) -> int | None:
    """The number that a line is, with dashes around it or without."""
    bare = line.strip(" -\u2013\u2014").lower()
    if bare and all(sign in "0123456789" for sign in bare):
        return int(bare)
    return ROMAN.index(bare) if bare in ROMAN[1:] else None


def of_chapters(
    texts: Sequence[str], bottom: bool, counts: Sequence[int], may_run: Callable[[Sequence[str], int], bool]
) -> list[int]:
    """The counts of running lines, with those of single chapters: each page beside those near it."""
    pages = [bare_lines(text)[:: -1 if bottom else 1] for text in texts]
    there = {
        number: page[counts[number]]
        for number, page in enumerate(pages)
        if counts[number] < min(3, len(page)) and may_run(page, counts[number])
    }

    def known_by(number: int) -> set[str]:
        line, value = there[number], page_number(there[number])
        if value is not None:
            return {f"number {value - number}"}
        words = [word for word in re.split(r"[\W\d_]+", line) if word]
        apart = re.search(r"[^\W\d_]\W", line) is not None
        return forms(line, number) if len(words) > 1 and apart and line[-1] not in ENDED else set()

    found = list(counts)
    for number in there:
        for form in known_by(number):
            alike = [other for other in there if form in known_by(other)]
            before = [other for other in alike if other < number and is_run(alike, other, number)]
            after = [other for other in alike if other > number and is_run(alike, number, other)]
            is_number = form.startswith("number ")
            if not is_number and 2 * len(alike) > len([page for page in pages if page]):
                continue
            if len(before) + 1 + len(after) >= 3 and (before or is_number):
                found[number] = counts[number] + 1
    return found


def is_run(pages: Sequence[int], first: int, last: int) -> bool:
    """Whether no two neighbours among pages, between the first and the last, are far from each other."""
    within = [page for page in pages if first <= page <= last]
    return all(other - one <= 2 for one, other in pairwise(within))


def kept_lines(texts: Sequence[str], may_run: Callable[[Sequence[str], int], bool]) -> list[list[str]]:
    """The lines of each page that stay."""
    tops, bottoms = (of_chapters(texts, bottom, running(texts, bottom, may_run), may_run) for bottom in (False, True))
    kept = []
    for text, top, bottom in zip(texts, tops, bottoms, strict=True):
        lines = bare_lines(text)
        kept.append(lines[top : max(len(lines) - bottom, 0)] or lines)
    return kept
