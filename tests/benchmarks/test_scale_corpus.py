"""Text without end: parts are the same again, and differ from each other."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from fakes.lab import measurement

TEXT = "The mill stands in the inlet. Its wheel turns when the sea falls. Nobody came to see it that year. "


@pytest.fixture
def scale_corpus(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """With a little data in the place of the measuring data."""
    found, corpora = measurement("scale_corpus"), measurement("corpora")
    asked = [corpora.Sought("Where does the mill stand in spring?", ()), corpora.Sought("Who came?", ())]
    monkeypatch.setattr(found, "asked", lambda name: corpora.Asked({f"{name}.txt": TEXT}, asked))
    monkeypatch.setattr(found, "PART", 50_000)
    return found


def test_a_part_is_the_same_again_whatever_was_asked_for_before(scale_corpus: ModuleType, tmp_path: Path) -> None:
    one, other = scale_corpus.Corpus(tmp_path / "a"), scale_corpus.Corpus(tmp_path / "b")
    parts = [one.part(number) for number in range(4)]
    assert other.part(3) == parts[3] == one.part(3) == scale_corpus.Corpus(tmp_path / "a").part(3)
    assert len({name for part in parts for name in part}) == sum(map(len, parts))


def test_documents_that_come_with_questions_are_first_and_whole(scale_corpus: ModuleType, tmp_path: Path) -> None:
    first = scale_corpus.Corpus(tmp_path).part(0)
    assert first == {f"{name}.txt": TEXT for name in scale_corpus.ABOUT}


def test_other_documents_are_sentences_of_the_data_and_rare_numbers(scale_corpus: ModuleType, tmp_path: Path) -> None:
    part = scale_corpus.Corpus(tmp_path).part(1)
    assert 50_000 <= sum(map(len, part.values())) < 50_000 + scale_corpus.LONGEST + 200
    said = [sentence.strip() for text in part.values() for sentence in text.replace("\n\n", " ").split(".")]
    known = {sentence.strip() for sentence in TEXT.split(".")}
    rare = [sentence for sentence in said if sentence not in known]
    assert 0.1 < len(rare) / len(said) < 0.4
    assert len(set(rare)) > 0.99 * len(rare)


def test_questions_have_25_words_and_are_the_same_again(scale_corpus: ModuleType, tmp_path: Path) -> None:
    asked = scale_corpus.Corpus(tmp_path).questions(9)
    assert {len(question.split()) for question in asked} == {25}
    assert scale_corpus.Corpus(tmp_path / "other").questions(9) == asked
    assert len(set(asked)) > 1
