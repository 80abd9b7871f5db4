"""What changes no node leaves the cache key as it is: use, a cache, another process."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import ONE_ARTICLE, PARSERS, at_lines, cache_key, letters, parsers
from llama_index.core import Settings
from llama_index.core.storage.kvstore import SimpleKVStore


@parsers
@pytest.mark.parametrize("settings", [{}, {"embed_model": Words()}, {"embed_model": "settings"}])
async def test_using_a_splitter_leaves_its_key(parser: Any, settings: dict[str, Any]) -> None:
    Settings.embed_model = Words()
    made = parser(**settings)
    before = cache_key(made)
    made(ONE_ARTICLE)
    await made.acall(ONE_ARTICLE)
    assert cache_key(made) == before == cache_key(parser(**settings))


@parsers
def test_using_an_embedding_with_a_cache_leaves_the_key(parser: Any) -> None:
    made = parser(embed_model=Words(embeddings_cache=SimpleKVStore()))
    before = cache_key(made)
    made(ONE_ARTICLE)
    assert cache_key(made) == before


@pytest.mark.thorough
def test_a_key_is_the_same_in_another_process() -> None:
    script = (
        "from fakes.llama_index.embeddings import Words\n"
        "from fakes.llama_index.parsers import PARSERS, at_lines, cache_key, letters\n"
        "for parser in PARSERS:\n"
        "    made = parser(tokenizer=letters, sentence_splitter=at_lines, embed_model=Words())\n"
        "    for each in (parser(), made):\n"
        "        print(cache_key(each))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "9"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    settings = {"tokenizer": letters, "sentence_splitter": at_lines, "embed_model": Words()}
    assert done.stdout.split() == [cache_key(parser(**each)) for parser in PARSERS for each in ({}, settings)]
