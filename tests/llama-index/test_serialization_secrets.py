"""No secret of an embedding is written down, and what only sounds like one is."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.llama_index.embeddings import KeyedWords
from llama_index.core import Settings

from caesura.identity import without_secrets
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
    "connection_string": "AccountName=shop;AccountKey=sk-topsecret",
    "pwd": "sk-topsecret",
    "db_passphrase": "sk-topsecret",
    "bearer": "sk-topsecret",
    "JWT": "sk-topsecret",
    "sas": "sk-topsecret",
    "tokens": ["sk-topsecret"],
    "api_key_2": "sk-topsecret",
    "openaiApiKey": "sk-topsecret",
    "access_key_value": "sk-topsecret",
    "private_key_pem": "sk-topsecret",
    "access_key_secret_value": "sk-topsecret",
    "openai_api_token": "sk-topsecret",
    "dsn": "postgres://me:sk-topsecret@host/db",
    "endpoint": "https://host/v1?version=2&api_key=sk-topsecret",
    "signed": "https://host/file?sv=1&sig=sk-topsecret&se=2",
    "database": "Server=host;User Id=me;Password=sk-topsecret;Timeout=3",
    "storage": "AccountKey=sk-topsecret==",
    "libpq": "host=h password='sk-topsecret' port=5",
    "jdbc": "jdbc:sqlserver://host;user=me;password=sk-topsecret",
    "proxy": "http://me:sk-topsecret@host:80",
    "extra": ["Authorization", "Bearer sk-topsecret"],
    "value": "sk-topsecret-0123456789",
    "certificate": "-----BEGIN RSA PRIVATE KEY-----\nsk-topsecret\n-----END RSA PRIVATE KEY-----",
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


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("https://host/v1?version=2&api_key=word", "https://host/v1?version=2&"),
        ("Server=host;Password=word;Timeout=3", "Server=host;Timeout=3"),
    ],
)
def test_of_a_url_or_a_connection_string_the_rest_is_kept(text: str, kept: str) -> None:
    assert without_secrets({"base": text}) == {"base": kept}


@pytest.mark.parametrize(
    "value",
    [
        {"max_tokens": 512, "tokens_per_minute": 9.5, "use_key_names": True, "auth_retries": None},
        {"stop_tokens": ["</s>"], "special_tokens": {"pad": "<pad>"}},
        {"prompt": "Sort by `key=len`; the token = a word.\nSay why the secret is kept."},
        {"template": "query: {text}", "path": "C:\\models\\key=1", "url": "https://host/v1?model=large&n=1"},
        {"model": "sk-small", "tokenizer": "o200k_base", "secretary": "Ann", "passage": "p", "compass": "n"},
    ],
)
def test_settings_that_no_secret_is_in_are_kept_as_they_are(value: dict[str, Any]) -> None:
    assert without_secrets(value) == value
