"""Turns of a chat stay apart, in the ways that they are written."""

from __future__ import annotations

import re

import pytest
from fakes.document_kinds import bare, read, segment

TURN = re.compile(r"^(?:\[\d\d:\d\d\] )?(?:Mara|Jonas|Dr\. Pell): |^<\w+> ", re.MULTILINE)


def test_turns_of_a_chat_stay_apart() -> None:
    text = read("chat.txt")
    turns = {found.start() for found in TURN.finditer(text)}
    assert len(turns) == 18
    assert turns <= set(segment(text).tolist())
    assert "they are thawed anyway" in next(unit for unit in bare(text) if "then I'll start" in unit)


@pytest.mark.parametrize(
    "turns",
    [
        ["09:12 Mara: hm", "09:13 Jonas: so, 2"],
        ["12/03/2024, 09:12 - Mara: hm", "12/03/2024, 09:13 - Jonas: so, 2"],
        ["[2024-03-12 09:12:40] mara: hm", "[2024-03-12 09:13:02] jonas: so, 2"],
        ["<mara> hm", "<jonas> so, 2", "<mara> ok"],
        ["user: Where is it?", "assistant: In the second drawer.", "user: thanks"],
        ["**Mara:** hm", "**Jonas:** so, 2"],
    ],
)
def test_turns_in_the_ways_that_they_are_written(turns: list[str]) -> None:
    assert bare("\n".join(turns)) == turns
