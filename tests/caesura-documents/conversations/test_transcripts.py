"""Transcripts with times -> one text of sentences and paragraphs, and its layout."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from time import process_time

import pytest
from fakes.documents.exports import FESTIVAL, cues, srt, vtt
from fakes.growth import assert_time_grows

from caesura import SettingError
from caesura_documents.conversations.transcripts import from_transcript

ROLLING = """WEBVTT
Kind: captions
Language: en

00:00:00.160 --> 00:00:02.389 align:start position:0%
\u0020
hello<00:00:00.480><c> there</c><00:00:00.719><c> and</c>

00:00:02.389 --> 00:00:02.399 align:start position:0%
hello there and
\u0020

00:00:02.399 --> 00:00:04.470 align:start position:0%
hello there and
welcome<00:00:02.800><c> to</c><00:00:03.120><c> the</c><00:00:03.439><c> harbour</c>

00:00:04.470 --> 00:00:04.480 align:start position:0%
welcome to the harbour
\u0020

00:00:04.480 --> 00:00:06.000 align:start position:0%
welcome to the harbour
of<00:00:04.800><c> Marsh</c>
"""


def test_a_meeting_reads_as_prose_with_the_time_of_each_piece() -> None:
    parsed = from_transcript(vtt(FESTIVAL))
    turns = [
        (who, " ".join(said.text for said in own).split()) for who, own in groupby(FESTIVAL, lambda said: said.who)
    ]
    paragraphs = parsed.text.split("\n\n")
    assert paragraphs[:2] == [f"{who}: {' '.join(words)}" for who, words in turns[:2]]
    assert " ".join(parsed.text.split()) == " ".join(" ".join([f"{who}:", *words]) for who, words in turns)
    shown = [(entry["speaker"], entry["time"]) for entry in parsed.layout]
    assert shown == [
        (who, f"{int(start) // 60 // 60:02}:{int(start) // 60 % 60:02}:{start % 60:06.3f}")
        for start, _, who, _ in cues(FESTIVAL)
    ]
    for entry, (_, _, who, line) in zip(parsed.layout, cues(FESTIVAL), strict=True):
        assert parsed.text[entry["start"] :].removeprefix(f"{who}: ").startswith(line)


def test_subtitles_say_the_same() -> None:
    assert from_transcript(srt(FESTIVAL)) == from_transcript(vtt(FESTIVAL))
    assert from_transcript(srt(FESTIVAL).replace("\n", "\r\n").encode("utf-8-sig")) == from_transcript(vtt(FESTIVAL))


def test_rolling_captions_say_each_line_once() -> None:
    parsed = from_transcript(ROLLING)
    assert parsed.text == "hello there and welcome to the harbour of Marsh"
    assert [entry["time"] for entry in parsed.layout] == ["00:00:00.160", "00:00:02.399", "00:00:04.480"]
    words = ["one", "two", "three", "four", "five"]
    growing = block(*(" ".join(words[: n + 1]) for n in range(5)))
    assert from_transcript(growing).text == " ".join(words)


def test_what_is_said_twice_stands_twice() -> None:
    said = ["No.", "No.", "Come in.", "Sit.", "Sit.", "So.", "Well.", "Yes."]
    text = "\n\n".join(f"00:0{n}.000 --> 00:0{n}.900\n{line}" for n, line in enumerate(said))
    assert from_transcript(text).text == " ".join(said)


def block(*lines: str) -> str:
    """Lines, each a cue of a second."""
    return "\n\n".join(f"00:00:{n:02},000 --> 00:00:{n + 1:02},000\n{line}" for n, line in enumerate(lines))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (block("ADA: The tide\nis high.", "BOB: No."), "ADA: The tide is high.\n\nBOB: No."),
        (block("Ada: So.", "Note: it is.", "Ada: Yes."), "Ada: So. Note: it is. Yes."),
        (
            block("Ada: So.", "Bob: No.", "Ada: Yes.", "Bob: It is 10:30: late."),
            "Ada: So.\n\nBob: No.\n\nAda: Yes.\n\nBob: It is 10:30: late.",
        ),
        (block(">> ADA: So.", ">> BOB: No.", ">> And on."), "ADA: So.\n\nBOB: No.\n\nAnd on."),
        (block("- Is it?\n- No."), "Is it?\n\nNo."),
        (block("- Is it?", "no - or"), "- Is it? no - or"),
        (block("<i>So</i> <font color='red'>it</font> {\\an8}is &amp; was 1 < 2"), "So it is & was 1 < 2"),
        (block("これは", "です。", "So."), "これはです。 So."),
        (block("<v.loud Ada L>So <v Bob>No.</v>"), "Ada L: So\n\nBob: No."),
        (block("<v Ada>So", "<v Ada>it is.", "No name."), "Ada: So it is. No name."),
        (block("ADA:\nIt is high.", "ADA: \u202bשלום\u202c"), "ADA: It is high. שלום"),
        ("1\n00:00:01,000 --> 00:00:02,000\nOne\n2\n00:00:02,000 --> 00:00:03,000\nTwo", "One Two"),
        ("WEBVTT\n\nSTYLE\n::cue {}\n\nNOTE\nno\n\nid 1\n1:00:01.000 --> 1:00:02.000\nOne\n\nNOTE no\n", "One"),
        (block("\u00a0", "One", " "), "One"),
    ],
)
def test_transcripts_as_programs_write_them(text: str, shown: str) -> None:
    assert from_transcript(text).text == shown


def test_paragraphs_end_after_a_pause_and_where_they_are_long() -> None:
    paused = "00:01.000 --> 00:02.000\nOne.\n\n00:05.000 --> 00:06.000\nTwo\n\n00:09.000 --> 00:10.000\nthree."
    assert from_transcript(paused).text == "One.\n\nTwo three."
    long = from_transcript(
        "\n\n".join(
            f"{n // 60:02}:{n % 60:02}.000 --> {n // 60:02}:{n % 60:02}.900\n<v Ada>Line {n} is it{'.' * (n % 3 == 0)}"
            for n in range(500)
        )
    )
    paragraphs = long.text.split("\n\n")
    assert long.text.startswith("Ada: Line 0")
    assert long.text.count("Ada: ") == 1
    assert all(500 < len(each) < 600 and each.endswith(".") for each in paragraphs[:-1])
    endless = from_transcript(
        "\n\n".join(f"{n // 60:02}:{n % 60:02}.000 --> {n // 60:02}:{n % 60:02}.900\nline {n}" for n in range(500))
    )
    assert all(1000 < len(each) < 1100 for each in endless.text.split("\n\n")[:-1])
    assert {entry["time"][:6] for entry in long.layout} == {
        "00:00:",
        "00:01:",
        "00:02:",
        "00:03:",
        "00:04:",
        "00:05:",
        "00:06:",
        "00:07:",
        "00:08:",
    }


def test_files_and_what_is_none(tmp_path: Path) -> None:
    file = tmp_path / "talk.vtt"
    file.write_bytes(vtt(FESTIVAL).encode())
    assert from_transcript(file).source == str(file)
    assert from_transcript(file).text == from_transcript(vtt(FESTIVAL)).text
    for wrong in ("", "WEBVTT\n", b"\xff", "talk.vtt", 7, tmp_path, None):
        with pytest.raises(SettingError, match="transcript must be"):
            from_transcript(wrong)  # type: ignore[arg-type]


def test_a_transcript_that_is_cut_off_is_read_as_far_as_it_goes() -> None:
    whole = vtt(FESTIVAL).encode()
    for end in range(3000, 3200):
        assert len(from_transcript(whole[:end]).layout) > 20
    back = block("One.", "Two.").replace("00:00:01,000 -->", "00:00:00,000 -->")
    assert from_transcript(back).text == "One. Two."


@pytest.mark.parametrize(
    "cue",
    [
        "<v x>y",
        *(
            pytest.param(cue, marks=pytest.mark.thorough)
            for cue in (
                *("x\n", "a: b\n", "<v" + ".a" * 40, "<v.a" * 40, "<v " + " " * 90, "<v x>y\n" * 20),
                *("- x\n" * 20, "<" * 50, "&amp" * 9, "x\n" * 50, ""),
            )
        ),
    ],
)
def test_it_takes_time_in_proportion(cue: str) -> None:
    def seconds(count: int) -> float:
        text = (
            "\n\n".join(f"00:00.000 --> 00:01.000\n{cue}" for _ in range(count)) + "\n\n00:00.000 --> 00:01.000\nEnd."
        )
        start = process_time()
        from_transcript(text)
        return process_time() - start

    assert_time_grows(seconds, 500, 2000, 12, 0.02)
