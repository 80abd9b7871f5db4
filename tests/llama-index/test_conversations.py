"""Exports of conversations -> LlamaIndex documents, whose nodes say who speaks and when."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes.documents.exports import FESTIVAL, issue, mailbox, slack, srt, vtt, whatsapp, zipped
from llama_index.core.schema import MetadataMode

from caesura_documents.conversations import slack as channels
from caesura_documents.conversations import whatsapp as chats
from llama_index.node_parser.caesura import (
    HierarchyIndex,
    OptimalSemanticSplitter,
    StaticEmbedding,
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


def test_a_document_has_the_text_the_layout_and_the_source(tmp_path: Path) -> None:
    file = tmp_path / "Boats.txt"
    file.write_text(whatsapp(FESTIVAL), "utf-8")
    parsed, document = chats.from_whatsapp(file), from_whatsapp(str(file))
    assert (document.id_, document.text) == (str(file), parsed.text)
    assert document.metadata == {"source": str(file), "caesura_layout": parsed.layout}
    assert document.get_content(MetadataMode.EMBED) == parsed.text
    (channel,) = channels.from_slack(zipped(slack(FESTIVAL)))
    assert (DOCUMENTS["slack"][0].id_, DOCUMENTS["slack"][0].text) == ("harbour", channel.text)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_each_node_says_who_speaks_and_when_and_shows_no_model_that(name: str) -> None:
    people = {said.who for said in FESTIVAL}
    for node in OptimalSemanticSplitter()(DOCUMENTS[name]):
        assert set(node.metadata["speakers"].split(", ")) <= people
        assert node.metadata["time_start"] <= node.metadata["time_end"]
        for mode in (MetadataMode.EMBED, MetadataMode.LLM):
            assert "time_start" not in node.get_content(mode)
            assert "speakers" not in node.get_content(mode)


@pytest.mark.parametrize("name", ["whatsapp", "slack", "mail", "issue"])
def test_no_message_is_torn_that_fits(name: str) -> None:
    for document in DOCUMENTS[name]:
        nodes = OptimalSemanticSplitter()([document])
        cuts = [node.end_char_idx for node in nodes[:-1]]
        starts = [entry["start"] for entry in document.metadata["caesura_layout"]]
        for start, end in zip(starts, [*starts[1:], len(document.text)], strict=True):
            assert not [cut for cut in cuts if start < cut < start + len(document.text[start:end].rstrip())]


def test_passages_of_an_index_say_who_speaks_and_when() -> None:
    index = HierarchyIndex(embed_model=StaticEmbedding())
    index.upsert(DOCUMENTS["slack"])
    found = index.as_retriever().retrieve("Where is the key of the second power box?")
    key = next(each for each in found if "on a nail" in each.node.get_content())
    assert "Henk van der Laan" in key.node.metadata["speakers"]
    assert key.node.metadata["time_start"] <= "2024-05-09T13:08:59Z" <= f"{key.node.metadata['time_end']}Z"
