"""Propositions rest on sentences, apart too; those that none rests on are told, by document."""

from __future__ import annotations

import json
from typing import Any

from fakes.llama_index.llms import Plain
from llama_index.core import Document
from llama_index.core.node_parser import SentenceSplitter

from llama_index.node_parser.caesura import PropositionTransformer, spans_of

TEA = Document(text="Anna has tea. It is hot. She likes it.", id_="tea")


class Says(Plain):
    """An LLM that says of every passage what it is told to."""

    propositions: list[Any]

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        found = super().complete("\nuser: ")
        found.text = json.dumps({"passages": [{"number": 1, "propositions": self.propositions}]})
        return found


def test_one_that_rests_on_sentences_apart_has_them_all_and_their_hull() -> None:
    says = [{"text": "Anna likes her tea.", "sentences": [3, 1]}, {"text": "Anna's tea is hot.", "sentences": [1, 2]}]
    parser = PropositionTransformer(Says(propositions=says))
    apart, together = parser([TEA])
    assert [TEA.text[a:b] for a, b in spans_of(apart)] == ["Anna has tea.", "She likes it."]
    assert (apart.start_char_idx, apart.end_char_idx) == (0, len(TEA.text))
    assert [TEA.text[a:b] for a, b in spans_of(together)] == ["Anna has tea. It is hot."]
    assert parser.uncovered == {}


def test_sentences_that_none_rests_on_are_told() -> None:
    parser = PropositionTransformer(Says(propositions=[{"text": "Anna's tea is hot.", "sentences": [2]}]))
    parser([TEA])
    assert {name: [TEA.text[a:b] for a, b in spans] for name, spans in parser.uncovered.items()} == {
        "tea": ["Anna has tea.", "She likes it."]
    }


def test_a_sentence_that_one_of_two_overlapping_passages_covers_is_covered() -> None:
    chunks = SentenceSplitter(chunk_size=10, chunk_overlap=5, include_metadata=False)([TEA])
    assert [chunk.text for chunk in chunks] == ["Anna has tea. It is hot.", "It is hot. She likes it."]
    parser = PropositionTransformer(Says(propositions=[{"text": "Tea.", "sentences": [1]}]))
    parser(chunks)
    assert {name: [TEA.text[a:b] for a, b in spans] for name, spans in parser.uncovered.items()} == {
        "tea": ["She likes it."]
    }
