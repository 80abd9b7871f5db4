"""Messages of a conversation -> one text, in which each is one unit, and its layout."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import date, datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED

import pytest
from fakes.documents.exports import FESTIVAL, issue, slack, whatsapp, zipped
from hypothesis import given
from hypothesis import strategies as st

from caesura import SettingError
from caesura.text.sentences import units
from caesura_documents.conversations import messages
from caesura_documents.conversations.messages import Utterance, decode_text, from_messages, iso_time, write_conversation
from caesura_documents.conversations.slack import from_slack
from caesura_documents.conversations.whatsapp import from_whatsapp
from caesura_documents.layout import LAYOUT, DocumentLayout

GITHUB: dict[str, Any] = {"author": "user.login", "time": "created_at", "text": "body"}


def test_an_issue_and_its_comments_are_messages_under_its_title() -> None:
    parsed = from_messages(issue(FESTIVAL), title="Harbour  festival", source="issues/7", **GITHUB)
    assert parsed.text.startswith(
        "# Harbour festival\n\n## 2024-05-06\n\n[08:02] Ines Marlow: Good morning all. I made"
    )
    assert parsed.source == "issues/7"
    assert [(entry["speaker"], entry["time"]) for entry in parsed.layout] == [
        (said.who, f"{said.iso}Z") for said in FESTIVAL
    ]
    for said, entry, end in zip(FESTIVAL, parsed.layout, [*parsed.layout[1:], None], strict=True):
        shown = parsed.text[entry["start"] : end["start"] if end else None]
        assert " ".join(said.text.split()) in " ".join(shown.split())
        assert entry["headings"] == ["Harbour festival", said.iso[:10]]
    edges = set(units(parsed.text).tolist())
    assert {entry["start"] for entry in parsed.layout} <= edges
    assert len(edges) == len(FESTIVAL) + 1


ONE = {"author": "ada", "time": "2024-03-12T09:12:00Z", "text": "Hi."}


@pytest.mark.parametrize(
    ("messages", "text"),
    [
        ([ONE], "## 2024-03-12\n\n[09:12] ada: Hi."),
        ([{**ONE, "author": None}], "## 2024-03-12\n\n[09:12] Hi."),
        ([{**ONE, "time": "soon"}], "ada: Hi."),
        ([{**ONE, "time": None, "author": "a:\n b"}], "a: b: Hi."),
        (
            [{**ONE, "text": "One.\r\n\r\n\r\n    Two.\rThree. "}],
            "## 2024-03-12\n\n[09:12] ada: One.\n\n      Two.\n  Three.",
        ),
        ([{**ONE, "text": "```\nx\n```"}], "## 2024-03-12\n\n[09:12] ada:\n  ```\n  x\n  ```"),
        ([{**ONE, "text": "- x"}], "## 2024-03-12\n\n[09:12] ada: - x"),
        (
            [ONE, {**ONE, "text": " \n"}, {**ONE, "text": None}, ONE],
            "## 2024-03-12\n\n[09:12] ada: Hi.\n[09:12] ada: Hi.",
        ),
        ([], ""),
    ],
)
def test_messages_as_they_are_written(messages: list[dict[str, Any]], text: str) -> None:
    assert from_messages(messages).text == text


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ("[]", "must be a list of dicts, got str"),
        (ONE, r"pass \[message\]"),
        (7, "got int"),
        ([ONE, "Hi."], "at position 1"),
        ([{"body": "Hi."}], "no message has 'text', the first has 'body': say text="),
    ],
)
def test_what_is_no_list_of_messages_is_refused(messages: Any, said: str) -> None:
    with pytest.raises(SettingError, match=said):
        from_messages(messages)
    with pytest.raises(SettingError, match="author must be the key"):
        from_messages([], author=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "iso"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (1710234740.9, "2024-03-12T09:12:20Z"),
        ("2024-03-12T09:12:20.000+0100", "2024-03-12T08:12:20Z"),
        ("2024-03-12", "2024-03-12"),
        (date(2024, 3, 12), "2024-03-12"),
        (datetime(2024, 3, 12, 9, tzinfo=timezone(timedelta(hours=1))), "2024-03-12T08:00:00Z"),
        ("0001-01-01T00:00:00+10:00", ""),
        (float("nan"), ""),
        (1e30, ""),
        (True, ""),
        ("", ""),
        ([], ""),
    ],
)
def test_a_time_is_in_iso_8601(value: object, iso: str) -> None:
    assert iso_time(value) == iso


def test_days_are_headings_pauses_blank_lines_and_threads_together() -> None:
    messages = [
        Utterance("A.", "Ada", "2024-03-12T09:00:00"),
        Utterance("B.", "Bob", "2024-03-12T09:59:00"),
        Utterance("C.", "Ada", "2024-03-12T11:00:00"),
        Utterance("D.", "Ada", "2024-03-12T11:01:00", "t"),
        Utterance("E.", "Bob", "2024-03-14T11:01:00", "t"),
        Utterance("F.", "Ada", "2024-03-12T11:02:00"),
        Utterance("G.", "Ada", "2024-03-13T00:02:00"),
        Utterance("H.", "Ada"),
    ]
    parsed = write_conversation(messages, "Boats", "x", by_day=True)
    assert parsed.text == (
        "# Boats\n\n## 2024-03-12\n\n[09:00] Ada: A.\n[09:59] Bob: B.\n\n[11:00] Ada: C.\n\n[11:01] Ada: D.\n"
        "[2024-03-14 11:01] Bob: E.\n\n[11:02] Ada: F.\n\n## 2024-03-13\n\n[00:02] Ada: G.\nAda: H."
    )
    assert [entry["headings"][-1] for entry in parsed.layout] == ["2024-03-12"] * 6 + ["2024-03-13"] * 2
    assert parsed.text[parsed.layout[6]["start"] :].startswith("## 2024-03-13")


names = st.text(min_size=1, max_size=12)
times = st.sampled_from(["", "2024-03-12T09:00:00", "2024-03-12T09:00:00Z", "2024-03-11", "1999-01-01T00:00:00", "x"])
texts = st.text(st.characters(codec="utf-8") | st.sampled_from("\n\r\t [:]#`->"), max_size=60)
drawn = st.lists(st.builds(Utterance, texts, names, times, st.sampled_from(["", "t", "u"])), max_size=12)


@given(drawn, st.booleans())
def test_each_message_has_its_entry_and_all_its_words(messages: list[Utterance], by_day: bool) -> None:
    parsed = write_conversation(messages, "T", None, by_day)
    assert json.loads(json.dumps(parsed.layout)) == parsed.layout
    assert len(DocumentLayout.of({LAYOUT: parsed.layout}).entries) == len(parsed.layout)
    starts = [entry["start"] for entry in parsed.layout]
    for start, end in pairwise([*starts, len(parsed.text)]):
        assert parsed.text[start:end].strip()
        assert not parsed.text[start].isspace()
    alnum = "".join(filter(str.isalnum, "".join(message.text for message in messages)))
    at = 0
    shown = "".join(filter(str.isalnum, parsed.text))
    for letter in alnum:
        at = shown.index(letter, at) + 1


@pytest.mark.parametrize("sep", ["[09:12] ", "[2024-03-12 09:12] "])
@given(texts, texts)
def test_a_message_is_one_unit_whatever_it_says(sep: str, first: str, second: str) -> None:
    by_day = len(sep) < 10
    messages = [Utterance(text, "Ada: 🦊", "2024-03-12T09:12:00") for text in ("One. Two.", first, second, "One. Two.")]
    parsed = write_conversation(messages, "", None, by_day)
    edges = set(units(parsed.text).tolist())
    assert edges == {entry["start"] for entry in parsed.layout} | {len(parsed.text)}


def test_bytes_are_read_in_the_encoding_that_they_are_in() -> None:
    text = "Öl für 3 €"
    assert (
        decode_text(text)
        == decode_text(text.encode())
        == decode_text(text.encode("utf-8-sig"))
        == decode_text(text.encode("utf-16"))
        == decode_text(text.encode("utf-32"))
        == text
    )
    assert decode_text(text.encode("cp1252")) == text
    assert decode_text(text.encode()[:-1]) == text[:-1]
    assert decode_text(b"\xff\xfe\x00") is not None


def test_a_long_conversation_takes_time_in_proportion(tmp_path: Path) -> None:
    messages = [Utterance(f"Utterance {n}.\n\nAnd more.", f"N{n % 7}", iso_time(n * 977)) for n in range(20_000)]
    parsed = write_conversation(messages, "T", None, by_day=True)
    assert len(parsed.layout) == 20_000


def test_no_more_is_unpacked_than_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "UNPACKED", 1000)
    day = "general/2024-03-12.json"
    fits, over = "[" + " " * 998 + "]", "[" + " " * 999 + "]"
    assert from_slack(zipped({day: fits}))
    for archive in (zipped({day: over}), zipped({day: fits, "users.json": "[]"})):
        with pytest.raises(SettingError, match="unpacks to over 1,000 bytes: unpack it and pass the path"):
            from_slack(archive)
    with pytest.raises(SettingError, match="unpacks to over"):
        from_whatsapp(zipped({"_chat.txt": "x" * 1001}))
    assert from_whatsapp(zipped({"_chat.txt": "12/03/2024, 09:12 - Mara: Hi", "big.txt": "x" * 2000})).layout


def test_a_damaged_archive_is_read_or_refused_in_words() -> None:
    for read, files in ((from_slack, slack(FESTIVAL)), (from_whatsapp, {"_chat.txt": whatsapp(FESTIVAL)})):
        whole = zipped(files, ZIP_DEFLATED)
        for at in range(0, len(whole), max(len(whole) // 150, 1)):
            damaged = bytearray(whole)
            damaged[at] ^= 0x5A
            with suppress(SettingError):
                read(bytes(damaged))
