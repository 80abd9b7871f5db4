"""`check_segmenter` passes what keeps the laws, and says of each broken segmenter which law it breaks, and where."""

from __future__ import annotations

import re
from functools import partial

import pytest
from broken.segmenters import BROKEN, IDS
from fakes.texts.drawn_texts import at_stops

from caesura import aligned, sentences
from caesura.text.sentences import units
from caesura.types import Edges, Segmenter
from caesura_testing import check_segmenter

SOUND: dict[str, Segmenter] = {
    "sentences": sentences,
    "sentences and blocks": units,
    "at stops": at_stops,
    "words": aligned(str.split),
    "a host's splitter": aligned(partial(re.split, r"(?<=[.?!])\s+")),
}


@pytest.mark.parametrize("segment", SOUND.values(), ids=SOUND)
def test_a_sound_segmenter_passes(segment: Segmenter) -> None:
    check_segmenter(segment)


def test_any_texts_may_be_tried() -> None:
    check_segmenter(sentences, ["One. Two.", ""])


@pytest.mark.parametrize(("segment", "said"), BROKEN, ids=IDS)
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


def test_a_partial_of_a_function_of_a_module_is_pickled() -> None:
    check_segmenter(partial(sentences))
