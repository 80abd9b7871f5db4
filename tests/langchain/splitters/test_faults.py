"""What an embedder raises comes out with the texts it was for, and the splitter works on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from articles import article
from langchain_fakes import Bag, bags, every_splitter

TEXT = article(30)


@every_splitter
def test_what_an_embedder_raises_in_the_middle_comes_out_with_the_texts_it_was_for(cls: Any) -> None:
    def rows(texts: Sequence[str]) -> object:
        if any("breaks" in text for text in texts):
            raise TimeoutError("no reply")
        return bags(texts)

    text = article(12) + " Here it breaks. " + article(12)
    with pytest.raises(TimeoutError, match="no reply") as caught:
        cls(Bag(rows), calibrated=False, batch_size=5).split_text(text)
    assert caught.value.__notes__ == ["raised by the embedder for texts 10 to 14 of 25"]


@every_splitter
def test_a_failed_call_leaves_a_splitter_that_works(cls: Any) -> None:
    failing = True

    def rows(texts: Sequence[str]) -> object:
        if failing:
            raise TimeoutError
        return bags(texts)

    splitter = cls(Bag(rows), chunk_size=300)
    with pytest.raises(TimeoutError):
        splitter.split_text(TEXT)
    failing = False
    assert splitter.split_text(TEXT) == cls(Bag(), chunk_size=300).split_text(TEXT)
