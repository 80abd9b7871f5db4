"""Settings of a hierarchy: each is in the key of the cache and comes back; bad ones are refused at once."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import at_stops, cache_key, content, documents, letters, numbered

from caesura import SettingError
from llama_index.node_parser.caesura import SemanticHierarchyParser

OTHERS: dict[str, Any] = {
    "include_metadata": False,
    "include_prev_next_rel": False,
    "id_func": numbered,
    "embed_model": Words(),
    "calibrated": False,
    "background": [0.5, 0.5],
    "sentence_splitter": at_stops,
    "tokenizer": letters,
    "cache_tag": "v1",
    "chunk_sizes": [300, 30],
    "cut": "double_pass",
    "embed_chunks": True,
    "metadata": ["headings"],
    "embed_headings": True,
}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"chunk_sizes": []}, "chunk_sizes must fall"),
        ({"chunk_sizes": [128, 512]}, "chunk_sizes must fall"),
        ({"chunk_sizes": [128, 128]}, "chunk_sizes must fall"),
        ({"chunk_sizes": [128, 0]}, "each of chunk_sizes must be a whole number"),
        ({"background": [0.0], "calibrated": False}, "calibrated=True"),
    ],
)
def test_bad_settings_are_refused_at_once(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        SemanticHierarchyParser(**settings)


def test_from_defaults_takes_none_for_a_default() -> None:
    assert SemanticHierarchyParser.from_defaults(chunk_sizes=None).chunk_sizes == [600, 120]


def test_every_setting_is_in_the_key_of_the_cache() -> None:
    assert set(OTHERS) == set(SemanticHierarchyParser.model_fields) - {"callback_manager"}
    parsers = [SemanticHierarchyParser(), *(SemanticHierarchyParser(**{name: OTHERS[name]}) for name in OTHERS)]
    assert len({cache_key(parser) for parser in parsers}) == len(parsers)


def test_settings_come_back_from_a_dictionary() -> None:
    made = SemanticHierarchyParser(
        chunk_sizes=[300, 100], cut="double_pass", sentence_splitter=at_stops, tokenizer=letters, id_func=numbered
    )
    back = SemanticHierarchyParser.from_dict(made.to_dict(), trusted=True)
    assert back.to_dict() == made.to_dict()
    assert made.to_dict()["class_name"] == "SemanticHierarchyParser"
    assert content(back(documents())) == content(made(documents()))
    with pytest.raises(SettingError, match="cache_tag"):
        SemanticHierarchyParser(tokenizer=lambda text: text.split()).to_dict()
