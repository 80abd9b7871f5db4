"""Passages, and how they are batched into requests."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from caesura.checks import check_int
from caesura.errors import SettingError
from caesura.types import Sizer
from caesura_llm.conversation import Image


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that a model is asked about.

    text: the passage. document_id: names its document in results. images: shown with it, to models that see. start:
    where it stands in its document; None where that is not known. title: of the document or section, shown with it.
    source: what people call its document, such as a path; messages say it.
    """

    text: str
    document_id: str = ""
    start: int | None = 0
    title: str = ""
    images: tuple[Image, ...] = ()
    source: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise SettingError(f"a passage's text must be a str, got {self.text!r:.80}")
        if self.start is not None and (type(self.start) is not int or self.start < 0):
            check_int("start", self.start, 0)  # which may be an int of another type


def approximate_tokens(text: str) -> int:
    """The default sizer of requests: a quarter of the characters, about what a tokenizer makes of English."""
    return (len(text) + 3) // 4


def batch_passages(passages: Iterable[Passage], budget: int, size: Sizer) -> Iterator[list[tuple[int, Passage]]]:
    """Passages -> batches, one for each request, with the passages' numbers. Passages are read as they are needed.

    A batch measures at most `budget`, or it is one passage that is larger; one with images is alone. From half the
    budget on, a batch also ends at a passage whose digest says so: after an edit of the text the later requests are
    soon the same again, and their replies are in the journal.
    """
    batch: list[tuple[int, Passage]] = []
    filled = 0
    for number, passage in enumerate(passages):
        more = size(passage.text)
        if batch and (filled + more > budget or passage.images or batch[-1][1].images):
            yield batch
            batch, filled = [], 0
        batch.append((number, passage))
        filled += more
        if 2 * filled >= budget and _ends_batch(passage.text):
            yield batch
            batch, filled = [], 0
    if batch:
        yield batch


def _ends_batch(text: str) -> bool:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=1).digest()[0] % 4 == 0
