"""Layout of a document: messages in it. What it says of pages and headings is tested with what reads them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NoReturn

import pytest
from fakes.documents.exports import FESTIVAL, issue, vtt, whatsapp
from naive.messages import naive_messages

from caesura import SettingError
from caesura.types import Chunk
from caesura_documents.chunk_metadata import ChunkMetadata
from caesura_documents.conversations.messages import from_messages
from caesura_documents.conversations.transcripts import from_transcript
from caesura_documents.conversations.whatsapp import from_whatsapp
from caesura_documents.layout import LAYOUT, DocumentLayout, SharedLayout
from caesura_documents.parsed_text import ParsedDocument

PARSED = {
    "whatsapp": from_whatsapp(whatsapp(FESTIVAL)),
    "transcript": from_transcript(vtt(FESTIVAL)),
    "issue": from_messages(issue(FESTIVAL), author="user.login", time="created_at", text="body", title="Festival"),
}


def test_a_layout_that_nobody_changes_is_read_once() -> None:
    entries = [{"start": 0, "page": 1}, {"start": 9, "page": 2, "headings": ["Fares"]}]
    shared = {LAYOUT: SharedLayout(entries)}
    assert DocumentLayout.of(shared) == DocumentLayout.of({LAYOUT: entries})
    assert DocumentLayout.of(shared) is DocumentLayout.of(shared)
    with pytest.raises(SettingError, match="rise by 'start'"):
        DocumentLayout.of({LAYOUT: SharedLayout(reversed(entries))})


@pytest.mark.parametrize("parsed", PARSED.values(), ids=PARSED.keys())
@pytest.mark.parametrize("size", [1, 37, 400])
def test_chunks_say_who_speaks_and_when_without_being_asked(parsed: ParsedDocument, size: int) -> None:
    edges = [*range(0, min(len(parsed.text), 40 * size), size)]
    chunks = [Chunk(parsed.text[start:end], start, end) for start, end in pairwise(edges)]
    said = ChunkMetadata.of([]).describe(parsed.text, {LAYOUT: parsed.layout}, chunks, ())
    for chunk, own in zip(chunks, said, strict=True):
        wanted = naive_messages(parsed.layout, chunk.start, chunk.end)
        assert {name: own.get(name) for name in wanted} == wanted


def described(*entries: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    layout = [{"start": number, **entry} for number, entry in enumerate(entries)]
    return ChunkMetadata.of([]).describe("abcd", {LAYOUT: layout, **metadata}, [Chunk("abcd", 0, 4)], ())[0]


def test_times_with_a_date_are_in_their_order_and_others_in_that_of_the_text() -> None:
    late, early = {"time": "2024-03-12T09:00:00Z", "speaker": "B"}, {"time": "2024-03-11", "speaker": "A"}
    assert described(late, early, {}, late) == {
        "speakers": ["B", "A"],
        "time_start": "2024-03-11",
        "time_end": "2024-03-12T09:00:00Z",
    }
    assert described({"time": "23:59"}, {"time": "00:03"}) == {"time_start": "23:59", "time_end": "00:03"}
    assert described({"speaker": "A"}, {"page": 2}) == {"speakers": ["A"], "page_start": 2, "page_end": 2}


def test_keys_of_ones_own_are_refused_only_where_there_are_messages() -> None:
    assert described({"page": 1}, speakers="mine") == {"page_start": 1, "page_end": 1}
    with pytest.raises(SettingError, match="the metadata has 'speakers' already"):
        described({"speaker": "A"}, speakers="mine")
    for entry in ({"speaker": 3}, {"time": None}):
        with pytest.raises(SettingError, match="'speaker' and 'time' a str"):
            described(entry)


def refuse(text: str, file: str | None) -> NoReturn:
    raise AssertionError(f"{text!r} of {file!r} need not be read")


def test_the_text_is_not_read_for_headings_that_the_layout_says() -> None:
    metadata = {LAYOUT: [{"start": 0, "headings": ["Mill"]}]}
    (said,) = ChunkMetadata.of(["headings"]).describe("abcd", metadata, [Chunk("bc", 1, 3)], (), find=refuse)
    assert said["headings"] == ["Mill"]
    with pytest.raises(AssertionError, match="need not be read"):
        ChunkMetadata.of(["table_title"]).describe("abcd", metadata, [Chunk("bc", 1, 3)], (), find=refuse)


def test_an_entry_that_is_not_valid_is_refused_by_a_check_and_by_a_chunk_that_lies_in_it() -> None:
    own = ChunkMetadata.of([])
    metadata = {LAYOUT: [{"start": 0, "page": 1}, {"start": 2, "page": 2.5}]}
    assert own.describe("abcd", metadata, [Chunk("ab", 0, 2)], ())[0]["page_start"] == 1
    with pytest.raises(SettingError, match="'page' must be an int or a str"):
        own.check(metadata)
    with pytest.raises(SettingError, match="'page' must be an int or a str"):
        own.describe("abcd", metadata, [Chunk("cd", 2, 4)], ())
