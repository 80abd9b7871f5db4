"""Transcripts and mail as text: what is said in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes.documents.exports import FESTIVAL, mailbox, srt, vtt

from caesura_documents.conversations import mail, transcripts
from caesura_lab import read_texts, reading
from caesura_lab.reading import ReadingError


def test_transcripts_and_mail_are_what_is_said_in_them(tmp_path: Path) -> None:
    files = {"a.vtt": vtt(FESTIVAL).encode(), "b.SRT": srt(FESTIVAL).encode(), "c.mbox": mailbox(FESTIVAL)}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    said, again, mails = read_texts([tmp_path / name for name in files]).values()
    assert said == again == transcripts.from_transcript(vtt(FESTIVAL)).text
    assert mails == "\n\n".join(thread.text for thread in mail.from_mail(mailbox(FESTIVAL)))
    (tmp_path / "d.srt").write_bytes("1\n00:00:01,000 --> 00:00:02,000\nÖl\n".encode("cp1250"))
    assert reading.read_source(str(tmp_path / "d.srt"), "cp1250").text == "Öl"
    (tmp_path / "e.vtt").write_text("WEBVTT", "utf-8")
    with pytest.raises(ReadingError, match=r"e\.vtt: transcript must be WebVTT or SRT"):
        read_texts([tmp_path / "e.vtt"])
