"""Which page of its file a loaded document is: its number, counted from 1, and its printed label.

Loaders count differently. Those of LangChain begin at 0 and always say `creationdate` and `total_pages`; others begin
at 1; LlamaIndex's `PDFReader` gives the printed label alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

PAGE_KEYS = ("page", "page_label")
NOISE = frozenset(
    (
        *("producer", "creator", "creationdate", "moddate", "trapped", "format", "encryption", "total_pages"),
        *("page_count", "creation_date", "last_modified_date", "last_accessed_date", "file_size"),
    )
)
"""Keys, in small letters, under which loaders say what changes when a file is exported again and what it says does
not."""
_DIGITS = re.compile(r"\d{1,18}")
_ROMAN = re.compile("(?=.)(x{0,3}|xl|lx{0,3}|xc|cx{0,3}|cxl|clx{0,3}|cxc)(ix|iv|v?i{0,3})")
_ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
TOTALS = ("total_pages", "page_count")


class PageNumber(NamedTuple):
    """A page: its number from 1, or its name where nobody knows the number; and its label, None where none is known."""

    page: int | str | None
    label: str | None = None

    @property
    def may_be_first(self) -> bool:
        """Whether nothing says that it is a later page than the first."""
        return (self.label if self.page is None else self.page) in (None, 1, "1")


def roman_number(numeral: str) -> int | None:
    """Returns the number that a Roman numeral in small letters is, from 1 to 199; None for anything else.

    >>> [roman_number(numeral) for numeral in ("xiv", "vx", "civil", "XIV")]
    [14, None, None, None]
    """
    if not _ROMAN.fullmatch(numeral):
        return None
    values = [_ROMAN_DIGITS[letter] for letter in numeral]
    return sum(-one if one < other else one for one, other in pairwise([*values, 0]))


def is_noise(key: object) -> bool:
    """Whether a loader says under this key how a file was made, and not what it says.

    >>> is_noise("modDate"), is_noise("ptex.fullbanner"), is_noise("author")
    (True, True, False)
    """
    return isinstance(key, str) and (key.lower() in NOISE or key.lower().startswith("ptex."))


def page_of(metadata: Mapping[str, Any]) -> PageNumber:
    """The metadata of one page -> its number and label, as far as it says them itself: a label tells no number.

    >>> page_of({"page": 0, "page_label": "ii"}), page_of({"page_label": "8"})
    (PageNumber(page=1, label='ii'), PageNumber(page=None, label='8'))
    """
    label = metadata.get("page_label")
    if metadata.get("page") is None:
        return PageNumber(None, None if label is None else str(label))
    return pages_of([metadata], ["page"])[0]


def pages_of(pages: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> list[PageNumber]:
    """The metadata of the pages of one source, in their order, and the keys of their numbers -> number and label of
    each.

    keys: the first is used that has a whole number in all pages. A count that begins at 0 is moved to begin at 1. Where
    no key has numbers, labels are numbers if they are digits that rise from 1, and else pages are counted in their
    order; of one page alone, its label or name is all that is known.
    """
    labels = [None if (label := one.get("page_label")) is None else str(label) for one in pages]
    for key in keys:
        numbers = [one.get(key) for one in pages]
        if key != "page_label" and all(type(number) is int for number in numbers):
            first = 0 if _begins_at_zero(pages, key) else 1
            return [PageNumber(one[key] - first + 1, label) for one, label in zip(pages, labels, strict=True)]
    names: list[Any] = [next((one[key] for key in keys if one.get(key) is not None), None) for one in pages]
    digits = [int(name) if isinstance(name, int) or _DIGITS.fullmatch(str(name)) else 0 for name in names]
    if len(names) == 1:
        return [PageNumber(digits[0] or names[0], labels[0])]
    if digits[0] == 1 and all(0 < one < other for one, other in pairwise(digits)):
        return [PageNumber(number, label) for number, label in zip(digits, labels, strict=True)]
    if any(label is None for label in labels):  # names of the caller's own
        return [PageNumber(name, label) for name, label in zip(names, labels, strict=True)]
    return [PageNumber(number, label) for number, label in enumerate(labels, 1)]


def _begins_at_zero(pages: Sequence[Mapping[str, Any]], key: str) -> bool:
    """Whether the pages are counted from 0: one is page 0; or none is the last of those counted from 1, and they come
    from a loader of LangChain, or each has the next number as its label."""
    numbers = [one[key] for one in pages]
    if key != "page" or 0 in numbers:
        return 0 in numbers
    if any(one.get(total) == one[key] for one in pages for total in TOTALS):
        return False
    if all("creationdate" in one and "total_pages" in one for one in pages):
        return True
    return all(str(one.get("page_label")) == str(one[key] + 1) for one in pages)
