"""Tokens of OpenAI's tokenizers, offline: their vocabulary is where llama-index-core brings it, or where one says."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from caesura import SettingError
from caesura_lab import sizing

Count = Callable[[str], object]


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Count:
    """`token_counter` as in a new process on a machine without network and without tiktoken's own cache."""
    for name in sizing.VOCABULARY_FOLDERS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("tiktoken.registry.ENCODINGS", {})
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return sizing.token_counter.__wrapped__


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_the_vocabulary_that_llama_index_brings_is_found_without_network(name: str, fresh: Count) -> None:
    assert fresh(f"tiktoken:{name}")("Yeast makes dough rise.") == 6  # type: ignore[operator]
    assert sizing.VOCABULARY_FOLDERS.isdisjoint(os.environ)  # as it was


def test_a_folder_of_ones_own_is_taken_in_its_place(
    fresh: Count, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    with pytest.raises(SettingError, match=r"tiktoken cannot load 'cl100k_base'.* or name a folder that has it"):
        fresh("tiktoken:cl100k_base")


def test_one_that_nobody_brings_says_what_to_do(fresh: Count) -> None:
    with pytest.raises(SettingError, match=r"tiktoken cannot load 'p50k_base' .*pip install llama-index-core"):
        fresh("tiktoken:p50k_base")
    with pytest.raises(SettingError, match=r"tiktoken has no encoding 'no_such_base': choose from .*cl100k_base"):
        fresh("tiktoken:no_such_base")


def test_without_llama_index_tiktoken_is_asked_as_it_is(fresh: Count, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(sizing, "find_spec", missing)
    assert sizing.find_brought("cl100k_base") is None
    with pytest.raises(SettingError, match="tiktoken cannot load 'cl100k_base'"):
        fresh("tiktoken:cl100k_base")
