"""Turns of a chat stay apart, in the ways that they are written."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from fakes.texts.document_kinds import bare, pieces, read, segment

from caesura.text.refine import refine
from caesura.text.sentences import sentences, units

TURN = re.compile(r"^(?:\[\d\d:\d\d\] )?(?:Mara|Jonas|Dr\. Pell): |^<\w+> ", re.MULTILINE)


def test_turns_of_a_chat_stay_apart() -> None:
    text = read("chat.txt")
    turns = {found.start() for found in TURN.finditer(text)}
    assert len(turns) == 18
    assert segment(text).tolist() == [*sorted(turns), len(text)]
    assert "they are thawed anyway" in next(unit for unit in bare(text) if "then I'll start" in unit)


@pytest.mark.parametrize(
    "turns",
    [
        ["09:12 Mara: hm", "09:13 Jonas: so, 2"],
        ["12/03/2024, 09:12 - Mara: hm", "12/03/2024, 09:13 - Jonas: so, 2"],
        ["3/12/24, 9:12\u202fAM - Mara: hm", "3/12/24, 9:13 am - Jonas: so, 2"],
        ["[12.03.24, 09:12:40] Mara: hm", "[3/12/24, 9:13:02\u202fPM] Jonas: so, 2", "[12/03/2024 09:14] Mara: hm"],
        ["[2024-03-12 09:12:40] mara: hm", "[2024-03-12 09:13:02] jonas: so, 2"],
        ["<mara> hm", "<jonas> so, 2", "<mara> ok"],
        ["user: Where is it?", "assistant: In the second drawer.", "user: thanks"],
        ["**Mara:** hm", "**Jonas:** so, 2"],
    ],
)
def test_turns_in_the_ways_that_they_are_written(turns: list[str]) -> None:
    assert bare("\n".join(turns)) == turns


TOLD = ["Mara: The ice is here. Is box 7 too?", "Jonas: Not yet. It comes at two", "Mara: Fine. I wait."]


@pytest.mark.parametrize("gap", ["\n", "\n\n", "\r\n", "\r\n\r\n"])
@pytest.mark.parametrize(
    "turns",
    [
        TOLD,
        [turn.lower() for turn in TOLD],
        [turn.upper() for turn in TOLD],
        [re.sub(r"^(\w+:)", r"**\1**", turn) for turn in TOLD],
        [re.sub(r"^(\w+):", r"**\1**:", turn) for turn in TOLD],
        [re.sub(r"^(\w+):", r"<\1>", turn) for turn in TOLD],
        [turn.replace("Mara", "Mr. Ed (Marsh, Ind.)").replace("Jonas", "The Chair (Ann (Hull))") for turn in TOLD],
        [*TOLD, "Dr. Pell: No. Box 7 has no labels.", *TOLD[:2]],
        ["user: Where is it? I need it.", "assistant: In the drawer. The second one."],
        ["Human: Where is it? I need it.", "AI: In the drawer. The second one."],
        ["[12:03] Where is it? I need it.", "[12:04] In the drawer. The second one."],
        ["[12:03] Mara: Where is it? I need it."],
        ["[12:03] Mara: return f(x);", "[12:04] Jonas: x = {", '[12:05] Mara: {"role": "user", "content": "Hi."}'],
        ["2024-03-12 09:12:40 mara: Where is it? I need it."],
        ["Mara: It is here.\nOn the table. In front of you,\nbeside the box", "Jonas: Yes. I see.", "Mara: Fine. So."],
        ["张三：你好。你在哪里？", "李四：我在家。你呢？", "张三：我也是。好。"],
    ],
)
def test_a_turn_is_one_unit(turns: list[str], gap: str) -> None:
    assert bare(gap.join(turns)) == turns


def test_a_speaker_who_is_known_has_turns_wherever_they_are() -> None:
    text = "\n".join(TOLD) + "\n\nThe door opened. It was late.\n\nJonas: So. Good night.\n\nHe left. It rained."
    assert bare(text)[3:] == ["The door opened.", "It was late.", "Jonas: So. Good night.", "He left.", "It rained."]


BELOW = """[09:14] Mara: See this. It works.

  ```python
  Jonas: 1

  [12:03] x: 2
  ```

  - one. And so on.
  - two

  We go on. Or not."""


@pytest.mark.parametrize("before", ["[09:13] 🦊: Not yet. It comes.", "[2024-03-12 09:13] +49 17: Not yet. It comes."])
@pytest.mark.parametrize("indent", ["", "    ", "\t"])
def test_what_is_indented_below_a_turn_belongs_to_it(before: str, indent: str) -> None:
    turns = [before, BELOW.replace("\n", f"\n{indent}"), "[09:15] Jonas: Fine. So."]
    assert bare(f"\n{indent}".join(turns)) == turns
    assert bare(f"\n\n{indent}".join(turns).replace("\n", "\r\n")) == [turn.replace("\n", "\r\n") for turn in turns]
    long = BELOW.replace("We go on.", "We go on. " * 200)
    assert len(bare("\n".join([before, long, turns[2]]))) > 200
    first = f"{turns[2]}\n    {turns[2]}\n    {turns[2]}"
    assert bare(first) == [turns[2]] * 3  # whose indentation may be cut off


@pytest.mark.parametrize(
    "lines",
    [
        ["Note: The bell rang. It stopped.", "Nobody came. It was late.", "Note: The rope broke. It was old."],
        ["Abstract: The bell rang. It stopped.", "Figure 3: A bell. It is cracked.", "Keywords: bells, ropes"],
        ["Authors: Hale, A. It rang.", "Date: 2020. It rang.", "Abstract: A bell rang. It stopped."],
        ["Step 1: Pull. Let go.", "Step 2: Wait. Count.", "Step 3: Pull again. Stop."],
        ["Mara: The ice is here. Is box 7 too?"],
        ["Note: It rang. It stopped.", "Note: It was cast here. It is cracked."],
        ["12:03 was late. The bell rang."],
        ["<unk> rang the bell. It stopped.", "<unk> is a bell. It is cracked."],
        ["**Note:** It rang. It stopped.", "**Warning:** It was cast here. It is cracked."],
        ["The reason was plain: it rang. It stopped.", "The rope was not: it broke. It was old."],
    ],
)
def test_what_is_no_turn_keeps_its_sentences(lines: list[str]) -> None:
    text = "\n\n".join(lines)
    assert units(text).tolist() == sentences(text).tolist()


CHAT = [
    {"role": "user", "content": 'Where is it? I "need" it.'},
    {"role": "assistant", "content": "In the drawer.\n\nThe {second} one. It is [blue]."},
    {"role": "user", "content": "Thanks. Bye."},
]
TURNED = [dict(reversed(message.items())) for message in CHAT]


@pytest.mark.parametrize("chat", [CHAT, TURNED, [{"from": "human", "value": "It rang. So."}] * 3])
@pytest.mark.parametrize(
    "text_of",
    [
        json.dumps,
        repr,
        lambda chat: json.dumps(chat, indent=2),
        lambda chat: json.dumps({"messages": chat}),
        lambda chat: json.dumps({"id": "a", "model": "b", "messages": chat}, indent=4),
        lambda chat: "\n".join(map(json.dumps, chat)),
        lambda chat: json.dumps(chat, indent=2).replace("\n", "\r\n"),
    ],
)
def test_a_message_of_a_chat_in_json_is_one_unit(chat: list[dict[str, str]], text_of: object) -> None:
    text = text_of(chat)  # type: ignore[operator]
    found = bare(text)
    assert len(found) == 3
    assert all(unit.lstrip("[ \n\r").startswith("{") and unit.rstrip(" ,\n\r]}")[-1] in "\"'" for unit in found)
    assert bare(f"It rang.\n\n{text}\n\nIt stopped.") == ["It rang.", *found, "It stopped."]


def test_conversations_one_a_line_are_cut_at_their_messages() -> None:
    line = json.dumps({"messages": CHAT})
    assert [unit[:13] for unit in bare(f"{line}\n{line}\n")].count('{"messages": ') == 2
    assert len(bare(f"{line}\n{line}\n")) == 6


@pytest.mark.parametrize(
    "data", [[{"role": "admin", "name": "It rang. So."}] * 3, [{"from": "Rome", "to": "Oslo"}] * 3]
)
def test_other_json_is_no_chat(data: list[dict[str, str]]) -> None:
    text = json.dumps(data, indent=2)
    assert bare(text) == [text]


def test_a_turn_is_cut_inside_only_where_it_is_over_the_limit() -> None:
    text = "\n".join([*TOLD, "Jonas: " + "The bell rang at nine. " * 9 + "It stopped.", *TOLD])
    edges = units(text)
    fine = refine(text, edges, len, 60)
    within = [at for at in fine.tolist() if at not in set(edges.tolist())]
    start = text.index("Jonas: The bell")
    assert all(start < at < start + 230 for at in within)
    assert sum(text[:at].endswith(". ") for at in within) == 9
    assert np.diff(fine).max() <= 60


def test_a_message_over_the_limit_is_cut_between_sentences() -> None:
    long = {"role": "user", "content": "The bell of Marsh rang at nine in the morning. " * 30}
    found = pieces(json.dumps([CHAT[0], long, CHAT[2]]), 120)
    assert sum(piece.startswith("The bell of Marsh rang") for piece in found) == 29
    assert found[0].startswith('[{"role"')
    assert found[-1].startswith('{"role"')
