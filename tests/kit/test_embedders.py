"""`check_embedder` passes what keeps the laws, and says of each broken embedder which law it breaks, for what text."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from embedders import Counting, embed
from numpy.typing import NDArray
from openai_server import OpenAIServer

from caesura import SettingError
from caesura.background import TEXTS
from caesura.embed.cache import cached
from caesura.testing import acheck_embedder, check_embedder
from caesura_static import StaticEmbedder


def test_our_embedders_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caesura_static.foreign._warned", False)  # a process is warned once
    with pytest.warns(UserWarning, match="knows English"):  # the odd texts are of many languages
        check_embedder(StaticEmbedder())
    check_embedder(embed)
    with cached(StaticEmbedder(), tmp_path / "rows.db", "static") as kept:
        check_embedder(kept, TEXTS)


@pytest.mark.enable_socket
async def test_openais_client_passes_sync_and_async() -> None:
    openai = pytest.importorskip("openai")
    from caesura.embed.openai import async_openai_vectors, openai_vectors

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


def one_short(texts: Sequence[str]) -> Any:
    return embed(texts)[1:]


def one_for_all(texts: Sequence[str]) -> Any:
    return embed([" ".join(texts)])


def flat(texts: Sequence[str]) -> Any:
    return embed(texts).ravel()


def ragged(texts: Sequence[str]) -> Any:
    return [[1.0] * (1 + len(text) % 3) for text in texts]


def as_words(texts: Sequence[str]) -> Any:
    return [["a", "b"] for _ in texts]


def not_numbers(texts: Sequence[str]) -> Any:
    return [[float("nan") if "\n" in text else 1.0, len(text)] for text in texts]


def unordered(texts: Sequence[str]) -> Any:
    return embed(sorted(texts, key=len))


def by_place(texts: Sequence[str]) -> Any:
    return [[place + 1.0, len(text)] for place, text in enumerate(texts)]


def padded(texts: Sequence[str]) -> Any:
    """The mean over as many words as the longest text has, unmasked."""
    longest = max(len(text.split()) for text in texts)
    return embed(texts) + 0.1 * np.array([longest - len(text.split()) for text in texts])[:, None] * [1, *[0] * 7]


def by_batch(texts: Sequence[str]) -> Any:
    return np.ones((len(texts), 4 + len(texts) % 7))


def constant(texts: Sequence[str]) -> Any:
    return np.ones((len(texts), 4))


def eating(texts: list[str]) -> Any:
    rows = embed(texts)
    texts.clear()
    return rows


def one_text(texts: Any) -> Any:
    return embed([texts.strip()])


def by_chance(texts: Sequence[str]) -> Any:
    return np.random.default_rng().random((len(texts), 4)) - 0.5


class OneBuffer:
    """Returns a part of one and the same array every time."""

    rows = np.zeros((200, 8), np.float32)

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.rows[: len(texts)] = embed(texts)
        return self.rows[: len(texts)]


async def awaited(texts: Sequence[str]) -> Any:
    return embed(texts)


BROKEN: list[tuple[Callable[[list[str]], Any], str]] = [
    (one_short, r"one row of numbers per text(?s:.*)expected \(100, d\), got \(99, 8\)"),
    (one_for_all, "one row of numbers per text"),
    (flat, "one row of numbers per text"),
    (ragged, "one row of numbers per text(?s:.*)do not stack"),
    (as_words, "one row of numbers per text"),
    (not_numbers, r"rows are finite\n  given:  .*\\n"),
    (unordered, "alone, among others, in any order and again"),
    (by_place, "1 - cosine = .* in another order"),
    (padded, "1 - cosine = .* alone"),
    (by_batch, "the same length in every call"),
    (constant, "different texts have different rows"),
    (eating, "leaves its list of texts as it is"),
    (one_text, "any list of texts(?s:.*)AttributeError"),
    (by_chance, "1 - cosine"),
    (OneBuffer(), "stay as they were"),
    (awaited, "takes a sync embedder(?s:.*)await acheck_embedder"),
]


@pytest.mark.parametrize(("broken", "said"), BROKEN, ids=lambda one: getattr(one, "__name__", type(one).__name__))
def test_a_broken_embedder_is_caught(broken: Callable[[list[str]], Any], said: str) -> None:
    with pytest.raises(AssertionError, match=said) as caught:
        check_embedder(broken)
    assert re.search(r"\n  given:  .+\n  found:  .+\n  remedy: .+", str(caught.value))


@pytest.mark.parametrize(("broken", "said"), BROKEN[:-1], ids=lambda one: getattr(one, "__name__", type(one).__name__))
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
