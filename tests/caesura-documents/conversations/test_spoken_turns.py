"""Who speaks when in a chat or a transcript as it was copied."""

from __future__ import annotations

import json

import pytest

from caesura.types import Chunk
from caesura_documents.chunk_metadata import ChunkMetadata
from caesura_documents.conversations.spoken_turns import spoken_turns


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("[09:12] Ada L: Hi.", {"speaker": "Ada L", "time": "09:12"}),
        ("09:12 Ada: Hi.", {"speaker": "Ada", "time": "09:12"}),
        ("12/03/2024, 09:12 - Ada 🦊: Hi.", {"speaker": "Ada 🦊", "time": "12/03/2024, 09:12"}),
        ("[12.03.24, 09:12:33] Ada: Hi.", {"speaker": "Ada", "time": "12.03.24, 09:12:33"}),
        ("[2024-03-12 09:12] +49 17: Hi.", {"speaker": "+49 17", "time": "2024-03-12T09:12:00"}),
        ("2024-03-12 09:12:40 ada: Hi.", {"speaker": "ada", "time": "2024-03-12T09:12:40"}),
        ("[09:12] Hi.", {"time": "09:12"}),
        ("[09:12] See http://a.b/c.", {"time": "09:12"}),
        ("user: Hi.", {"speaker": "user"}),
        ("assistant: Hi.", {"speaker": "assistant"}),
    ],
)
def test_turns_in_the_ways_that_they_are_written(line: str, said: dict[str, str]) -> None:
    assert spoken_turns(f"{line}\n{line}") == [{"start": 0, **said}, {"start": len(line) + 1, **said}]


@pytest.mark.parametrize("form", ["{}: {}", "<{}> {}", "**{}:** {}", "**{}**: {}"])
def test_names_are_those_of_speakers(form: str) -> None:
    turns = [("Ada", "Hi."), ("Bob", "So it is."), ("Ada", "Yes.")]
    text = "\n".join(form.format(*turn) for turn in turns)
    assert [entry["speaker"] for entry in spoken_turns(text)] == ["Ada", "Bob", "Ada"]
    assert spoken_turns("Note: it is. It was.\n\nSo it goes.") == []


def test_roles_are_those_who_speak_in_json() -> None:
    chat = json.dumps([{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hi."}], indent=1)
    assert [entry["speaker"] for entry in spoken_turns(chat)] == ["user", "assistant"]


def test_a_heading_ends_what_somebody_says() -> None:
    text = "[09:12] Ada: Hi.\n\nMore of it.\n\n# Notes\n\nNothing."
    assert spoken_turns(text) == [{"start": 0, "speaker": "Ada", "time": "09:12"}, {"start": text.index("#")}]


CHAT = "[23:50] Ada: One is here.\n[23:59] Bob: Two is here.\n[00:03] Ada: Three is here."
NAMES = ["speakers", "time_start", "time_end"]


def test_chunks_of_a_copied_chat_say_who_speaks_when_if_they_are_asked() -> None:
    chunks = [Chunk(CHAT[start:end], start, end) for start, end in ((0, 51), (32, len(CHAT)))]
    first, second = ChunkMetadata.of(NAMES).describe(CHAT, {}, chunks, ())
    assert first == {"speakers": ["Ada", "Bob"], "time_start": "23:50", "time_end": "23:59"}
    assert second == {"speakers": ["Bob", "Ada"], "time_start": "23:59", "time_end": "00:03"}
    assert ChunkMetadata.of([]).describe(CHAT, {}, chunks, ()) == [{}, {}]
    part = Chunk("is here.", 0, 8)
    outer = {"speakers": ["Cy"], "time_start": "1"}
    assert ChunkMetadata.of(NAMES).describe(part.text, outer, [part], (), 9) == [outer]
    before = f"is here.\n{CHAT}"
    assert ChunkMetadata.of(NAMES).describe(before, outer, [part], (), 9) == [outer]
