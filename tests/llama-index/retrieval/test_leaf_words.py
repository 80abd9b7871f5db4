"""What the words of nodes are: titles, files, and headings, as metadata say or as the text itself does."""

from __future__ import annotations

from typing import Any

import pytest
from llama_index.core import Document
from llama_index.core.node_parser import MarkdownNodeParser, SentenceSplitter
from llama_index.core.schema import BaseNode, NodeRelationship, RelatedNodeInfo, TextNode

from caesura_documents.outline import Outline, outline
from llama_index.node_parser.caesura import SemanticHierarchyParser
from llama_index.node_parser.caesura.retrieval.leaf_words import word_document
from llama_index.node_parser.caesura.retrieval.leaves import in_order

TEXT = (
    "# Zanzibar\n\n## Fares\n\n" + "Two coins for each of you. " * 12 + "\n\n# Pemba\n\n" + "Nine coins for all. " * 12
)


def headings(nodes: list[BaseNode]) -> list[str]:
    return [text.headings for text in word_document(in_order(node for node in nodes if not node.child_nodes)).texts]


@pytest.mark.parametrize(
    "parser",
    [
        MarkdownNodeParser(),
        SentenceSplitter(chunk_size=30, chunk_overlap=0),
        SentenceSplitter(chunk_size=30, chunk_overlap=10),
        SemanticHierarchyParser(chunk_sizes=[100, 30]),
        SemanticHierarchyParser(chunk_sizes=[100, 30], embed_headings=True),
        SemanticHierarchyParser(chunk_sizes=[100, 30], metadata={"headings": "section"}),
    ],
    ids=["Markdown", "sentences", "overlapping", "ours", "embedded", "renamed"],
)
def test_headings_above_each_node_are_those_of_its_metadata_or_of_the_text(parser: Any) -> None:
    nodes = parser.get_nodes_from_documents([Document(text=TEXT, id_="a")])
    own = [node for node in nodes if not node.child_nodes]
    made = word_document(own)
    assert [text.key for text in made.texts] == [node.node_id for node in own]
    assert len(own) > 2
    for node, text in zip(own, made.texts, strict=True):
        assert text.text == node.text
        is_first = "Nine" not in node.text and "Pemba" not in node.text
        if is_first and "Fares" not in node.text and isinstance(parser, MarkdownNodeParser):
            assert text.headings == "Zanzibar"
        elif is_first:
            assert text.headings == "Zanzibar > Fares"
        elif "Two" not in node.text:
            assert text.headings == "Pemba"


def node(text: str, at: int | None = None, **metadata: Any) -> TextNode:
    end = None if at is None else at + len(text)
    source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="a")}
    return TextNode(text=text, metadata=metadata, relationships=source, start_char_idx=at, end_char_idx=end)


def test_of_nodes_whose_place_is_not_known_headings_are_not_looked_for() -> None:
    assert headings([node("# Zanzibar", 0), node("Two coins.")]) == ["", ""]
    assert headings([node("Two coins.", 12), node("# Zanzibar", 0)]) == ["Zanzibar", "Zanzibar"]


def test_nodes_far_from_each_other_cost_nothing() -> None:
    assert headings([node("# Zanzibar\n", 0), node("Two coins.", 10**12)]) == ["Zanzibar", "Zanzibar"]


def test_the_header_of_a_table_that_goes_on_is_above_its_rows() -> None:
    table = "| isle | fare |\n|---|---|\n| Pemba | 9 |\n"
    first, second = headings([node(table, 0), node("| Unguja | 2 |\n", len(table))])
    assert first == ""
    assert "fare" in second


def test_the_title_of_a_table_is_above_rows_that_lack_it() -> None:
    rows = "".join(f"| isle {n} | {n} |\n" for n in range(40))
    text = f"Sail with us.\n\nTable 2: Fares (in coins)\n\n| isle | fare |\n|---|---|\n{rows}"
    own = SemanticHierarchyParser(chunk_sizes=[100, 40]).get_nodes_from_documents([Document(text=text, id_="a")])
    leaves = [node for node in own if not node.child_nodes]
    for node, found in zip(leaves, headings(own), strict=True):
        assert ("Table 2: Fares (in coins)" in found) == ("| isle 3" in node.text or "Table 2" not in node.text)
    assert headings(own)[-1] == "Table 2: Fares (in coins)\n| isle | fare |"


@pytest.mark.parametrize(
    ("document", "own", "title"),
    [
        ({"title": "Ferries", "file_path": "/data/a.txt", "file_name": "a.txt"}, {}, "Ferries\n/data/a.txt"),
        ({"file_name": "a.txt", "title": 7}, {}, "a.txt"),
        (
            {},
            {"source": "https://ferries.example/a", "document_title": "Ferries"},
            "Ferries\nhttps://ferries.example/a",
        ),
        ({"kind": "talk"}, {"kind": "talk"}, ""),
    ],
)
def test_a_title_is_that_of_the_document_or_of_all_its_nodes(
    document: dict[str, Any], own: dict[str, Any], title: str
) -> None:
    made = word_document([node("Two coins.", 0, **own), node("Nine coins.", 12, **own)], document)
    assert made.title == title
    assert [text.headings for text in made.texts] == ["", ""]


def test_a_heading_that_is_the_title_too_counts_once() -> None:
    nodes = [node("# Zanzibar\n", 0), node("## Fares\n", 11), node("Two coins.", 20)]
    made = word_document(nodes, {"title": "Zanzibar"})
    assert (made.title, [text.headings for text in made.texts]) == ("Zanzibar", ["", "Fares", "Fares"])


def test_what_metadata_say_of_blocks_and_speakers_is_above_a_node() -> None:
    own = node("Two coins.", open_blocks='!!! note "Tides"', speakers="Ann", table_title="Fares in shillings")
    assert headings([own]) == ["Fares in shillings\nTides\nAnn"]


def test_a_title_of_a_node_alone_is_one_of_its_headings() -> None:
    nodes = [
        node("Two coins.", 0, title="Fares", file_name="a.txt"),
        node("Nine.", 12, title="Bees", file_name="a.txt"),
    ]
    made = word_document(nodes, {})
    assert made.title == "a.txt"
    assert [text.headings for text in made.texts] == ["Fares", "Bees"]


def test_a_context_is_part_of_the_first_text_that_has_it() -> None:
    said = {"document_context": "Of Zanzibar."}
    made = word_document([node("Two.", 0, **said), node("Nine.", 5, **said), node("Ten.", 11)])
    assert [text.text for text in made.texts] == ["Of Zanzibar.\nTwo.", "Nine.", "Ten."]


def test_a_document_without_nodes_has_no_texts() -> None:
    assert list(word_document([], {"title": "Ferries"}).texts) == []


def test_headings_are_read_in_the_document_where_it_is_at_hand() -> None:
    text = "def sail():\n    pass\n\n\ndef fares():\n    x = 1\n\n    # Two coins for all\n    y = 2\n"
    at = text.index("# Two")
    nodes = [node(text[: at - 6], 0), node(text[at:], at)]
    read: list[str] = []

    def rules(text: str) -> Outline:
        read.append(text)
        return outline(text)

    assert [each.headings for each in word_document(nodes, text=text, rules=rules).texts] == ["", ""]
    word_document(nodes, text=text.upper(), rules=rules)  # of which they are no slices
    assert read[0] == text
    assert len(read) == 2
    assert read[1] not in (text, text.upper())
