"""Exports of conversations -> LangChain documents, whose chunks say who speaks and when."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from fakes.documents.exports import FESTIVAL, issue, mailbox, slack, srt, vtt, whatsapp, zipped
from langchain_core.documents import Document

from caesura_documents.conversations import mail, transcripts
from caesura_documents.conversations import messages as lists
from caesura_documents.conversations import whatsapp as chats
from langchain_caesura import (
    BM25Retriever,
    OptimalSemanticSplitter,
    from_mail,
    from_messages,
    from_slack,
    from_transcript,
    from_whatsapp,
)

KEYS = {"author": "user.login", "time": "created_at", "text": "body"}
DOCUMENTS = {
    "whatsapp": [from_whatsapp(whatsapp(FESTIVAL))],
    "slack": from_slack(zipped(slack(FESTIVAL))),
    "transcript": [from_transcript(vtt(FESTIVAL))],
    "subtitles": [from_transcript(srt(FESTIVAL))],
    "mail": from_mail(mailbox(FESTIVAL)),
    "issue": [from_messages(issue(FESTIVAL), title="Festival", source="issues/7", **KEYS)],
}


def messages(document: Document) -> list[tuple[int, int]]:
    """Where each message of a document stands; of a transcript, each piece."""
    starts = [entry["start"] for entry in document.metadata["caesura_layout"]]
    ends = [*starts[1:], len(document.page_content)]
    text = document.page_content
    return [(start, start + len(text[start:end].rstrip())) for start, end in zip(starts, ends, strict=True)]


def test_a_document_has_the_text_the_layout_and_the_source(tmp_path: Path) -> None:
    file = tmp_path / "Boats.txt"
    file.write_text(whatsapp(FESTIVAL), "utf-8")
    parsed, document = chats.from_whatsapp(file), from_whatsapp(str(file))
    assert (document.id, document.page_content) == (str(file), parsed.text)
    assert document.metadata == {"source": str(file), "caesura_layout": parsed.layout}
    assert DOCUMENTS["transcript"][0].page_content == transcripts.from_transcript(vtt(FESTIVAL)).text
    assert [each.page_content for each in DOCUMENTS["mail"]] == [
        each.text for each in mail.from_mail(mailbox(FESTIVAL))
    ]
    assert DOCUMENTS["slack"][0].id == "harbour"
    assert DOCUMENTS["issue"][0].page_content == lists.from_messages(issue(FESTIVAL), title="Festival", **KEYS).text
    assert DOCUMENTS["issue"][0].id == "issues/7"


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("size", [400, 800])
def test_no_message_is_torn_that_fits(name: str, size: int) -> None:
    splitter = OptimalSemanticSplitter(chunk_size=size, metadata=["start_index", "end_index"])
    for document in DOCUMENTS[name]:
        if name in ("transcript", "subtitles"):
            continue  # prose, whose sentences are whole
        chunks = splitter.split_documents([document])
        cuts = [one.metadata["end_index"] for one, _ in pairwise(chunks)]
        for start, end in messages(document):
            if end - start <= size:
                assert not [cut for cut in cuts if start < cut < end]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_each_chunk_says_who_speaks_and_when(name: str) -> None:
    people = {said.who for said in FESTIVAL}
    for chunk in OptimalSemanticSplitter().split_documents(DOCUMENTS[name]):
        assert set(chunk.metadata["speakers"]) <= people
        assert chunk.metadata["time_start"] <= chunk.metadata["time_end"]
        for who in people:
            if f" {who}: " in f" {chunk.page_content}":
                assert who in chunk.metadata["speakers"]
        assert "caesura_layout" not in chunk.metadata


def test_who_speaks_is_found_in_all_parts_of_a_long_message() -> None:
    long = " ".join(f"The crane lifts load {number} in the morning." for number in range(60))
    said = [{"author": "Ines", "time": 0, "text": long}, {"author": "Bob", "time": 9, "text": long}]
    chunks = OptimalSemanticSplitter().split_documents([from_messages(said, title="Crane", source="a")])
    words = BM25Retriever.from_documents(chunks)
    for who in ("Ines", "Bob"):
        found = words.invoke(f"What did {who} say of load 41, load 42 and load 43?")
        first = next(one for one in found if "load 42 " in one.page_content)
        assert first.metadata["speakers"] == [who]
        assert who not in first.page_content
