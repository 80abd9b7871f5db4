"""Summaries and questions are references that follow their node, and stand marked where they failed."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.llama_index.llms import EVERY, Plain, hows, made
from fakes.llama_index.parsers import ARTICLE, content
from llama_index.core import Document
from llama_index.core.schema import IndexNode

from caesura import SettingError
from caesura.errors import ReplyError
from caesura_llm.prompts import Prompt
from llama_index.node_parser.caesura import OptimalSemanticSplitter, QuestionTransformer, SummaryTransformer, spans_of

ONE = [Document(text=ARTICLE, id_="a", metadata={"source": "a.txt"})]


@hows
@pytest.mark.parametrize(
    ("kind", "view", "count", "begins"),
    [(SummaryTransformer, "summary", 1, "In short: "), (QuestionTransformer, "question", 3, "What about ")],
)
def test_each_node_is_followed_by_references_to_it(kind: Any, view: str, count: int, begins: str, how: str) -> None:
    chunks = OptimalSemanticSplitter()(ONE)
    before = content(chunks)
    nodes = made(kind(Plain()), how, chunks)
    assert [node for node in nodes if not isinstance(node, IndexNode)] == chunks
    assert content(chunks) == before
    assert len(nodes) == len(chunks) * (1 + count)
    for at, node in enumerate(nodes):
        chunk = nodes[at - at % (1 + count)]
        if isinstance(node, IndexNode):
            assert (node.index_id, node.ref_doc_id, node.text.startswith(begins)) == (chunk.node_id, "a", True)
            assert node.metadata == {"source": "a.txt", "view": view, "kept": False}
            assert spans_of(node) == spans_of(chunk)
            assert node.get_content("embed") == f"source: a.txt\n\n{node.text}"
    assert len({node.node_id for node in nodes}) == len(nodes)
    assert content(made(kind(Plain()), how, ONE)) == content(nodes)  # documents are cut by the same splitter


def test_they_are_made_one_after_another_and_not_of_each_other() -> None:
    nodes = QuestionTransformer(Plain())(SummaryTransformer(Plain())(ONE))
    views = [node.metadata.get("view", "node") for node in nodes]
    assert views == ["node", "question", "question", "question", "summary"] * 3


def test_where_it_fails_its_own_text_stands_in_and_is_marked() -> None:
    class Mute(Plain):
        def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
            found = super().complete("\nuser: ")
            found.text = "No."
            return found

    parser = QuestionTransformer(Mute(), on_failure="keep", splitter=None)
    _, *references = parser(ONE)
    assert [one.metadata["kept"] for one in references] == [True] * 12
    assert references[0].text == "The lighthouse keeper trims the lamp at dusk."
    assert parser.report is not None
    assert [one.document_id for one in parser.report.failures] == ["a"]
    with pytest.raises(ReplyError, match=r"'a' .*failed: "):
        QuestionTransformer(Mute())(ONE)


def test_what_is_asked_is_checked_at_the_door() -> None:
    with pytest.raises(SettingError, match=r"\{n\}"):
        QuestionTransformer(Plain(), prompt=Prompt("q", "1", "Ask three."))
    with pytest.raises(SettingError, match="n must be"):
        QuestionTransformer(Plain(), n=0)
    for kind in EVERY:
        with pytest.raises(ValueError, match="bogus"):
            kind(Plain(), bogus=1)
        with pytest.raises(SettingError, match="budget"):
            kind(Plain(), budget=-1)
        with pytest.raises(SettingError, match="prices must be"):
            kind(Plain(), prices=(-1, 2))
        with pytest.raises(SettingError, match="journal must be the path of a file"):
            kind(Plain(), journal="")
