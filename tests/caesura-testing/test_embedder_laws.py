"""`check_embedder` passes what keeps the laws, and says of each broken embedder which law it breaks, for what text."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from broken.embedders import BROKEN, IDS
from fakes.embedders.rows_of_words import Counting, embed
from fakes.servers.openai_server import OpenAIServer

from caesura import SettingError
from caesura.background import TEXTS
from caesura_static import StaticEmbedder
from caesura_store.embedding_cache import cached
from caesura_testing import acheck_embedder, check_embedder


def test_our_embedders_pass(tmp_path: Path) -> None:
    check_embedder(StaticEmbedder())
    check_embedder(embed)
    with cached(StaticEmbedder(), tmp_path / "rows.db", "static") as kept:
        check_embedder(kept, TEXTS)


@pytest.mark.enable_socket
async def test_openais_client_passes_sync_and_async() -> None:
    openai = pytest.importorskip("openai")
    from caesura_llm.openai import async_openai_vectors, openai_vectors

    with OpenAIServer() as server:
        address = {"base_url": server.url, "api_key": "any"}
        await asyncio.to_thread(check_embedder, openai_vectors(openai.OpenAI(**address), "small"))
        async with openai.AsyncOpenAI(**address) as client:
            await acheck_embedder(async_openai_vectors(client, "small"))
        assert server.calls >= 20


def test_about_300_texts_are_embedded_none_blank_and_all_encodable() -> None:
    counting = Counting(embed)
    check_embedder(counting)
    assert 250 <= len(counting.texts) <= 350
    assert len(counting.calls) <= 13
    assert all(text.strip() and text.encode() for text in counting.texts)


@pytest.mark.parametrize("texts", [[], ["A ferry.", " \n"]], ids=repr)
def test_no_text_to_try_and_a_blank_one_are_refused(texts: list[str]) -> None:
    with pytest.raises(SettingError, match=rf"^texts must be some to try, none blank, got {re.escape(repr(texts))}$"):
        check_embedder(embed, texts)


def test_a_row_of_zeros_says_nothing_and_is_no_fault() -> None:
    check_embedder(embed, ["...", "! !", "The cat sat."])


@pytest.mark.parametrize(("broken", "said"), BROKEN, ids=IDS)
def test_a_broken_embedder_is_caught(broken: Callable[[list[str]], Any], said: str) -> None:
    with pytest.raises(AssertionError, match=said) as caught:
        check_embedder(broken)
    assert re.search(r"\n  given:  .+\n  found:  .+\n  remedy: .+", str(caught.value))


@pytest.mark.parametrize(("broken", "said"), BROKEN[:-1], ids=IDS[:-1])
async def test_a_broken_embedder_is_caught_where_it_is_awaited(broken: Callable[[list[str]], Any], said: str) -> None:
    async def abroken(texts: list[str]) -> Any:
        return broken(texts)

    with pytest.raises(AssertionError, match=said):
        await acheck_embedder(abroken)


async def test_a_sync_embedder_cannot_be_awaited() -> None:
    with pytest.raises(AssertionError, match=r"TypeError: .*await"):
        await acheck_embedder(embed)  # type: ignore[arg-type]


def test_rounding_is_allowed_for() -> None:
    def rough(texts: Sequence[str]) -> Any:
        return embed(texts) + 0.01 * len(texts) / 100

    with pytest.raises(AssertionError, match="alone"):
        check_embedder(rough, TEXTS, tolerance=1e-12)
    check_embedder(rough, TEXTS, tolerance=0.01)
