"""What opens the blocks that go on where a chunk begins."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura import Chunk
from caesura_documents.chunk_metadata import ChunkMetadata
from caesura_documents.open_blocks import LONGEST, OpenBlocks

NAMES = ChunkMetadata.of(["open_blocks"])
PAGE = """# Tides

!!! note "At sea"

    High at nine.

    ```python
    read("Leith")
    low = 3
    ```

    Low at three.

/// tab | Harbour

//// tip
Moor early.
////

It is full by noon.
///

:::{warning} Springs
Stay off the quay.
:::

<details>
<summary>More</summary>

The bell rings twice.

</details>

> [!TIP] Neaps
> The quay is dry.
> It stays so.

After all of it.
"""
INSIDE = {
    "High at nine": ['!!! note "At sea"'],
    "low = 3": ['!!! note "At sea"', "```python"],
    "Low at three": ['!!! note "At sea"'],
    "Moor early": ["/// tab | Harbour", "//// tip"],
    "It is full": ["/// tab | Harbour"],
    "Stay off": [":::{warning} Springs"],
    "The bell": ["<details>\n<summary>More</summary>"],
    "It stays so": ["> [!TIP] Neaps"],
    "After all": [],
    "# Tides": [],
    '!!! note "At sea"': [],
    "```python": ['!!! note "At sea"'],
}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("words", INSIDE)
def test_a_place_knows_what_opens_the_blocks_around_it(words: str, end: str) -> None:
    text = PAGE.replace("\n", end)
    assert [line.replace("\r", "\n") for line in OpenBlocks.of(text).at(text.index(words))] == INSIDE[words]


def test_chunks_say_it_and_say_nothing_outside_of_blocks() -> None:
    starts = [PAGE.index(words) for words in ("High", "low =", "After")]
    chunks = [Chunk(PAGE[start : start + 5], start, start + 5) for start in starts]
    assert NAMES.describe(PAGE, {}, chunks, ()) == [
        {"open_blocks": ['!!! note "At sea"']},
        {"open_blocks": ['!!! note "At sea"', "```python"]},
        {},
    ]


@pytest.mark.parametrize("words", [words for words, opened in INSIDE.items() if opened])
def test_a_chunk_that_is_cut_again_says_the_same_of_each_place(words: str) -> None:
    start, blocks = PAGE.index(words), OpenBlocks.of(PAGE)
    part = PAGE[start:]
    again = OpenBlocks.of(part, INSIDE[words])
    for place in (words for words in INSIDE if PAGE.index(words) >= start):
        at = PAGE.index(place)
        assert again.at(at - start) == blocks.at(at), place
    metadata = {"open_blocks": INSIDE[words]}
    assert NAMES.describe(part, metadata, [Chunk(part[:5], 0, 5)], ()) == [metadata]


def test_what_opens_a_block_is_cut_off_at_a_length() -> None:
    text = f"!!! note {'long ' * 100}\n    Inside. It goes on.\n"
    (opening,) = OpenBlocks.of(text).at(text.index("It goes"))
    assert len(opening) <= LONGEST
    assert opening.startswith("!!! note long")


@given(st.lists(st.sampled_from(["/// note\n", "///\n", "!!! a\n", "    b. c.\n", "```\n", "d\n", "\n"]), max_size=12))
def test_the_blocks_at_a_place_are_those_whose_range_holds_it(lines: list[str]) -> None:
    text = "".join(lines)
    found = OpenBlocks.of(text)
    for at in range(len(text)):
        held = [
            opening
            for block, opening in zip(found.blocks, found.openings, strict=True)
            if block.start < at and block.body <= at < block.end
        ]
        assert found.at(at) == held
