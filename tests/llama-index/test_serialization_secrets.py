"""No secret of an embedding is written down, and what only sounds like one is."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.llama_index.embeddings import KeyedWords
from llama_index.core import Settings

from caesura_store.secrets import known_settings
from llama_index.node_parser.caesura import DoublePassSemanticSplitter

HIDDEN = {
    "headers": {"Authorization": "Bearer sk-topsecret"},
    "nested": [{"Authorization": "sk-topsecret"}, {"X-API-Key": "sk-topsecret"}],
    "openaiApiKey": "sk-topsecret",
    "connection_string": "AccountName=shop;AccountKey=sk-topsecret",
    "our_odd_name": "sk-topsecret",
    "model_kwargs": {"top_p": 0.5, "our_odd_name": "sk-topsecret"},
    "endpoint": "https://me:sk-topsecret@host/v1?api_key=sk-topsecret#sk-topsecret",
    "options": [{"url": "https://sk-topsecret@host:80/v1"}, {"sig": "sk-topsecret"}],
}


@pytest.mark.parametrize("name", HIDDEN)
def test_no_secret_is_written_down(name: str) -> None:
    model = KeyedWords(additional_kwargs={name: HIDDEN[name], "dimensions": 16})
    assert "sk-topsecret" in str(model.to_dict())
    parser = DoublePassSemanticSplitter(embed_model=model)
    data = parser.to_dict()
    assert "sk-topsecret" not in str(data) + repr(parser)
    assert data["embed_model"]["additional_kwargs"]["dimensions"] == 16
    assert data["embed_model"]["api_base"] == "http://localhost"


def test_no_secret_of_the_global_embedding_is_written_down() -> None:
    Settings.embed_model = KeyedWords(model_name="large")
    data = DoublePassSemanticSplitter(embed_model="settings").to_dict()
    assert "sk-topsecret" not in str(data)
    assert "large" in str(data)


@pytest.mark.parametrize("name", ["max_tokens", "tokenizer_name", "modelName", "top-k"])
def test_a_setting_that_is_known_is_kept_however_it_is_spelt(name: str) -> None:
    data = DoublePassSemanticSplitter(embed_model=KeyedWords(additional_kwargs={name: 1})).to_dict()
    assert data["embed_model"]["additional_kwargs"] == {name: 1}


@pytest.mark.parametrize(
    "value",
    [
        {"base_url": "https://host:80/v1", "model": "sk-small", "tokenizer": "o200k_base"},
        {"prompt": "See https://me@host/v1?key=1 before you answer."},
        {"stop_tokens": ["</s>"], "special_tokens": None},
        {"response_format": {"type": "json_schema", "json_schema": {"any": ["name"]}}, "logit_bias": {"50256": -100}},
    ],
)
def test_settings_that_are_known_are_kept_as_they_are(value: dict[str, Any]) -> None:
    assert known_settings(value) == value
