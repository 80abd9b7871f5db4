"""No secret of an embedding is written down, and what only sounds like one is."""

from __future__ import annotations

import pytest
from fakes.llama_index.embeddings import KeyedWords
from llama_index.core import Settings

from llama_index.node_parser.caesura import DoublePassSemanticSplitter

HIDDEN = {
    "headers": {"Authorization": "Bearer sk-topsecret"},
    "default_headers": {"X-Api-Key": "sk-topsecret"},
    "nested": [{"Authorization": "sk-topsecret"}, {"X-API-Key": "sk-topsecret"}, {"api-key": "sk-topsecret"}],
    "accessToken": "sk-topsecret",
    "clientSecret": "sk-topsecret",
    "aws_secret_access_key": "sk-topsecret",
    "aws_session_token": "sk-topsecret",
    "openai_api_key": "sk-topsecret",
    "password": "sk-topsecret",
    "api_keys": ["sk-topsecret"],
    "cookies": {"session": "sk-topsecret"},
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


@pytest.mark.parametrize("name", ["max_tokens", "tokenizer_name", "dimensions", "keyword", "author", "monkey"])
def test_what_only_sounds_like_a_secret_is_kept(name: str) -> None:
    data = DoublePassSemanticSplitter(embed_model=KeyedWords(additional_kwargs={name: 1})).to_dict()
    assert data["embed_model"]["additional_kwargs"] == {name: 1}
