"""Whatever form a retriever's answer has, its texts and their files are read; what is no text is refused by name."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from caesura import SettingError
from caesura_lab import PassageIndex
from caesura_lab.retrievers.found import FoundText, read_found

A, B = FoundText("A.", "docs/a.md"), FoundText("B.")


def langchain() -> list[Any]:
    documents = pytest.importorskip("langchain_core.documents")
    return [documents.Document("A.", metadata={"source": "docs/a.md"}), documents.Document("B.")]


def llama_index() -> list[Any]:
    schema = pytest.importorskip("llama_index.core.schema")
    nodes = schema.TextNode(text="A.", metadata={"file_path": "docs/a.md"}), schema.TextNode(text="B.")
    return [schema.NodeWithScore(node=node, score=0.5) for node in nodes]


def test_documents_and_nodes_are_read_with_their_files_and_with_scores() -> None:
    assert list(read_found("mine", langchain())) == [A, B]
    assert list(read_found("mine", [(document, 0.3) for document in langchain()])) == [A, B]
    assert list(read_found("mine", llama_index())) == [A, B]
    assert list(read_found("mine", [scored.node for scored in llama_index()])) == [A, B]
    assert list(read_found("mine", SimpleNamespace(source_nodes=llama_index()))) == [A, B]


@pytest.mark.parametrize(
    "returned",
    [
        ({"text": "A.", "source": "docs/a.md"}, {"text": "B."}),
        ({"page_content": "A.", "metadata": {"source": "docs/a.md"}}, {"content": "B.", "metadata": None}),
        ({"text": "A.", "metadata": {"file_name": "docs/a.md", "source": None}}, "B."),
        iter([SimpleNamespace(text="A.", path="docs/a.md"), ("B.", 0.1)]),
    ],
)
def test_objects_and_pairs_are_read(returned: Any) -> None:
    assert list(read_found("mine", returned)) == [A, B]


def test_a_str_is_one_text_and_nothing_is_none() -> None:
    assert list(read_found("mine", "B.")) == [B]
    assert list(read_found("mine", [])) == []


def test_passages_of_ours_say_their_file() -> None:
    found = PassageIndex({"docs/a.md": "The ferry leaves at nine."}).find("When does the ferry leave?")
    assert list(read_found("mine", found)) == [FoundText("The ferry leaves at nine.", "docs/a.md")]


@pytest.mark.parametrize("returned", [None, 3, [3], [None], {"text": "A."}, [{"title": "A."}], [()]])
def test_what_is_no_text_is_refused_with_the_retrievers_name(returned: Any) -> None:
    with pytest.raises(SettingError, match="retriever 'mine' must return texts: str, documents of LangChain, nodes"):
        list(read_found("mine", returned))
