"""The pages of a source -> which of their lines run, and what becomes of each: by comparing all pages with all."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence


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


def kept_lines(texts: Sequence[str], may_run: Callable[[Sequence[str], int], bool]) -> list[list[str]]:
    """The lines of each page that stay."""
    tops, bottoms = running(texts, False, may_run), running(texts, True, may_run)
    kept = []
    for text, top, bottom in zip(texts, tops, bottoms, strict=True):
        lines = bare_lines(text)
        kept.append(lines[top : max(len(lines) - bottom, 0)] or lines)
    return kept
