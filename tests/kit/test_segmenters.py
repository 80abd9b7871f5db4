"""`check_segmenter` passes what keeps the laws, and says of each broken segmenter which law it breaks, and where."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from texts import at_stops

from caesura import aligned, sentences
from caesura.adapter_sentences import at_pattern, parts
from caesura.testing import check_segmenter, odd_texts
from caesura.text.sentences import units
from caesura.types import Edges, Segmenter

SOUND: dict[str, Segmenter] = {
    "sentences": sentences,
    "sentences and blocks": units,
    "at stops": at_stops,
    "words": aligned(str.split),
    "a host's splitter": parts(at_pattern(r"(?<=[.?!])\s+")),
}


@pytest.mark.parametrize("segment", SOUND.values(), ids=SOUND)
def test_a_sound_segmenter_passes(segment: Segmenter) -> None:
    check_segmenter(segment)


def test_any_texts_may_be_tried() -> None:
    check_segmenter(sentences, ["One. Two.", ""])


def without_the_end(text: str) -> Edges:
    return at_stops(text)[:-1]


def without_the_start(text: str) -> Edges:
    return at_stops(text)[1:]


def with_empty_units(text: str) -> Edges:
    return np.array([0, *(match.start() for match in re.finditer(r"\s|$", text))], np.intp)


def as_a_list(text: str) -> Edges:
    return at_stops(text).tolist()  # type: ignore[return-value]


def as_floats(text: str) -> Edges:
    return at_stops(text).astype(float)  # type: ignore[return-value]


def as_pairs(text: str) -> Edges:
    return np.stack([at_stops(text)[:-1], at_stops(text)[1:]])


def by_bytes(text: str) -> Edges:
    """Positions in UTF-8, as a tokenizer in another language gives them."""
    return np.array([0, len(text.encode("utf-8", "replace"))] if text else [0], np.intp)


def by_utf8(text: str) -> Edges:
    text.encode("utf-8")
    return at_stops(text)


def not_for_empty(text: str) -> Edges:
    return np.array([0, len(text) if text[0] else 0], np.intp)


class Remembering:
    """Cuts once more for each text that it has seen."""

    seen = 0

    def __call__(self, text: str) -> Edges:
        self.seen += 1
        return np.array(sorted({0, len(text), min(self.seen, len(text))}), np.intp)


class OneBuffer:
    """Returns a part of one and the same array every time."""

    buffer = np.zeros(100_000, np.intp)

    def __call__(self, text: str) -> Edges:
        edges = at_stops(text)
        self.buffer[: len(edges)] = edges
        return self.buffer[: len(edges)]


BROKEN: list[tuple[Callable[[str], Edges], str]] = [
    (without_the_end, "must begin with 0 and end with 0"),
    (without_the_start, "must begin with 0 and end with"),
    (with_empty_units, "is followed by 0"),
    (as_a_list, "list, not an array"),
    (as_floats, "an array of float64 in 1 dimensions"),
    (as_pairs, "an array of int64 in 2 dimensions"),
    (by_bytes, "which must begin with 0 and end with"),
    (by_utf8, "takes any text(?s:.*)UnicodeEncodeError"),
    (not_for_empty, r"takes any text\n  given:  '' \(0 code points\)\n  found:  IndexError"),
    (Remembering(), "the same edges for the same text(?s:.*), then"),
    (OneBuffer(), "the same edges for the same text(?s:.*), later changed to"),
    (lambda text: at_stops(text), "can be pickled"),
]


@pytest.mark.parametrize(("segment", "said"), BROKEN, ids=lambda one: getattr(one, "__name__", type(one).__name__))
def test_a_broken_segmenter_is_caught(segment: Segmenter, said: str) -> None:
    with pytest.raises(AssertionError, match=said) as caught:
        check_segmenter(segment)
    assert re.search(r"\n  given:  .+\n  found:  .+\n  remedy: .+", str(caught.value))


def test_what_never_leaves_its_process_need_not_be_pickled() -> None:
    check_segmenter(lambda text: at_stops(text), pickled=False)


def test_the_shortest_text_is_the_one_that_is_shown() -> None:
    def no_line_ends(text: str) -> Edges:
        return at_stops(text)[: None if "\n" not in text else -1]

    with pytest.raises(AssertionError, match=r"given:  '\\n' \(1 code points\)"):
        check_segmenter(no_line_ends)


def test_texts_are_the_same_every_time_of_many_kinds_and_the_shortest_first() -> None:
    texts = odd_texts()
    assert texts == odd_texts()
    assert len(texts) == 300
    assert texts != odd_texts(seed=1)
    assert texts == sorted(texts, key=len)
    assert texts[0] == ""
    assert len(texts[-1]) > 1000
    held = set().union(*texts)
    for wanted in "\x00\r\u2028\u3000\u0301\u200d\ud800aвλ渡कع배":
        assert wanted in held
    assert any(ord(one) > 0x1FFFF for one in held)
    assert sum(text.isspace() for text in texts) >= 5


def test_texts_without_lone_surrogates_can_be_encoded() -> None:
    "".join(odd_texts(surrogates=False)).encode()
    with pytest.raises(UnicodeEncodeError):
        "".join(odd_texts()).encode()


def test_a_partial_of_a_function_of_a_module_is_pickled() -> None:
    check_segmenter(partial(sentences))
