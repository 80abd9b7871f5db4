"""Passages in, packs of them out: those that one request asks about, by their order and their texts alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from caesura.errors import SettingError, whole
from caesura.llm.conversation import Image
from caesura.types import Sizer


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to work on. start: where it stands in its document. title: of the document or section, shown with it."""

    text: str
    document_id: str = ""
    start: int = 0
    title: str = ""
    images: tuple[Image, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise SettingError(f"a passage's text must be a str, got {self.text!r:.80}")
        whole("start", self.start, 0)


def quarter(text: str) -> int:
    """The default sizer of requests: a quarter of the characters, about what a tokenizer makes of English."""
    return (len(text) + 3) // 4


def packs(passages: Iterable[Passage], budget: int, size: Sizer) -> Iterator[list[tuple[int, Passage]]]:
    """Passages -> those of one request after another, with their numbers; they are read as they are needed.

    A pack measures at most `budget`, or it is one passage that is larger; one with images is alone. From half the
    budget on, a pack also ends at a passage whose digest says so: after an edit of the text the later requests are soon
    the same again, and their replies are in the journal.
    """
    pack: list[tuple[int, Passage]] = []
    filled = 0
    for number, passage in enumerate(passages):
        more = size(passage.text)
        if pack and (filled + more > budget or passage.images or pack[-1][1].images):
            yield pack
            pack, filled = [], 0
        pack.append((number, passage))
        filled += more
        if 2 * filled >= budget and _ends_a_pack(passage.text):
            yield pack
            pack, filled = [], 0
    if pack:
        yield pack


def _ends_a_pack(text: str) -> bool:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=1).digest()[0] % 4 == 0
