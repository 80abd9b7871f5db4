"""`check_adapter` passes what keeps the laws, and says of each broken adapter which law it breaks, for what text."""

from __future__ import annotations

import re
from typing import Any

import pytest
from broken.adapters import BROKEN, Records, bare, changed, overlapping, sound

from caesura_testing import acheck_adapter, check_adapter


@pytest.mark.thorough
def test_a_sound_adapter_passes() -> None:
    check_adapter(sound, max_size=40)
    check_adapter(bare)  # type: ignore[arg-type]
    check_adapter(overlapping, max_size=55, overlap=True)
    check_adapter(lambda texts: [[] for _ in texts], ["", " "])


async def test_a_sound_async_adapter_passes() -> None:
    async def asound(texts: list[str]) -> Records:
        return sound(texts)

    await acheck_adapter(asound, sync=sound, max_size=40)


async def test_an_async_side_that_differs_is_caught() -> None:
    async def asound(texts: list[str]) -> Records:
        return sound(texts)

    with pytest.raises(AssertionError, match="async and sync return the same records"):
        await acheck_adapter(asound, sync=changed(lambda record: record._replace(id=None)))


async def test_a_sync_side_that_answers_for_too_few_texts_is_told_as_a_broken_law() -> None:
    async def asound(texts: list[str]) -> Records:
        return sound(texts)

    with pytest.raises(AssertionError, match="an adapter returns one list of records per text"):
        await acheck_adapter(asound, sync=lambda texts: sound(texts[1:]))


@pytest.mark.thorough
@pytest.mark.parametrize(("split", "said"), BROKEN.values(), ids=BROKEN)
def test_a_broken_adapter_is_caught(split: Any, said: str) -> None:
    with pytest.raises(AssertionError, match=said) as caught:
        check_adapter(split)
    assert re.search(r"\n  given:  .+\n  found:  .+\n  remedy: .+", str(caught.value))


def test_a_chunk_over_the_limit_is_caught() -> None:
    with pytest.raises(AssertionError, match=r"no chunk measures over max_size=39(?s:.*)measures 40"):
        check_adapter(sound, max_size=39)
