"""What comes by default: chunks that follow the subject and fit 2,000 characters, with a copy of the metadata."""

from __future__ import annotations

from typing import Any

from articles import SUBJECTS, article
from langchain_fakes import Bag, every_splitter

TEXTS = [article(seed=seed) for seed in range(3)]


@every_splitter
def test_the_default_chunk_fits_two_thousand_characters(cls: Any) -> None:
    chunks = cls(Bag(lambda texts: [[1.0]] * len(texts)), calibrated=False).split_text(article(400))
    assert 1000 < max(map(len, chunks)) <= 2000


@every_splitter
def test_metadata_is_copied_for_every_chunk_and_not_shared(cls: Any) -> None:
    metadata = {"source": "s", "nested": {"list": [1]}}
    first, second, *_ = cls(Bag(), chunk_size=200).create_documents([TEXTS[0]], [metadata])
    first.metadata["nested"]["list"].append(2)
    assert second.metadata == metadata == {"source": "s", "nested": {"list": [1]}}


@every_splitter
def test_no_metadata_is_added_unless_asked_for(cls: Any) -> None:
    assert all(one.metadata == {} for one in cls().create_documents(TEXTS))
    assert all(one.metadata == {"a": 1} for one in cls().create_documents(TEXTS, [{"a": 1}] * 3))


@every_splitter
def test_chunks_follow_the_subject(cls: Any) -> None:
    blocks = [" ".join(f"The {' '.join(words[i : i + 8])}." for i in (0, 2, 4, 1, 3)) for words in SUBJECTS.values()]
    chunks = cls(Bag()).split_text(" ".join(blocks))
    assert 2 <= len(chunks) <= 8
    assert sum(chunk in block for chunk in chunks for block in blocks) >= len(chunks) - 1


@every_splitter
def test_nothing_in_nothing_out(cls: Any) -> None:
    assert cls().split_documents([]) == cls().create_documents([]) == []
