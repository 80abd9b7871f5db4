"""What nodes say of where they stand: the same as the core and an obvious scan, in types that stores take."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fakes.llama_index.parsers import every_parser, parsers
from fakes.texts.document_kinds import KINDS, read
from fakes.texts.guides import guide, of_pages, pages, scanned
from llama_index.core import Document
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import BaseNode, MetadataMode
from llama_index.core.utils import get_tokenizer
from llama_index.core.vector_stores.utils import node_to_metadata_dict

from caesura import Chunk
from caesura.errors import SettingError
from caesura_documents.chunk_metadata import NAMES, ChunkMetadata
from caesura_documents.find_outline import Heading
from caesura_documents.layout import LAYOUT
from caesura_documents.outline import Outline
from llama_index.node_parser.caesura import OptimalSemanticSplitter, SemanticHierarchyParser
from llama_index.node_parser.caesura.node_metadata import as_found
from llama_index.node_parser.caesura.transformers.passage_nodes import whole_node

GUIDE = guide()
TEXTS = {"guide": GUIDE, **{name: read(name) for name in sorted(each.name for each in KINDS.glob("sample.*[a-z]"))}}
TEXTS = {name: text for name, text in TEXTS.items() if not name.endswith(".golden")}


def document(text: str = GUIDE, metadata: dict[str, Any] | None = None) -> Document:
    return Document(text=text, id_="d", metadata={"source": "s", **(metadata or {})})


def small(parser: Any, **settings: Any) -> Any:
    """A parser of small nodes."""
    sizes: dict[str, Any] = {"chunk_sizes": [300, 90]} if parser is SemanticHierarchyParser else {"chunk_size": 90}
    return parser(**{**sizes, **settings})


def spans(nodes: list[BaseNode]) -> list[tuple[int, int]]:
    return [(node.start_char_idx, node.end_char_idx) for node in nodes]  # type: ignore[attr-defined]


def levels(nodes: list[BaseNode]) -> list[list[BaseNode]]:
    """Nodes of a splitter, or the leaves and the roots of a hierarchy."""
    if not any(node.child_nodes or node.parent_node for node in nodes):
        return [nodes]
    return [[node for node in nodes if not node.child_nodes], [node for node in nodes if node.parent_node is None]]


@every_parser
def test_headings_lines_pages_and_tables_are_those_of_a_scan(parser: Any) -> None:
    layout = pages(GUIDE)
    nodes = small(parser, metadata=NAMES)([document(metadata={LAYOUT: layout})])
    went_on = 0
    for node, (start, end) in zip(nodes, spans(nodes), strict=True):
        path, header, first, last = scanned(GUIDE, start, end)
        said = node.metadata
        assert said["headings"] == " > ".join(path)
        assert said["heading_levels"] == ", ".join(str(level) for level in range(1, len(path) + 1))
        assert said.get("table_header") == header
        assert (said["line_start"], said["line_end"]) == (first, last)
        assert (said["start_index"], said["end_index"]) == (start, end)
        assert (said["page_start"], said["page_end"], said["page_offset"]) == of_pages(layout, start, end)
        assert {box["page"] for box in json.loads(said["boxes"])} >= {said["page_start"], said["page_end"]}
        assert set(said["types"].split(", ")) <= {"text", "note"}
        went_on += header is not None
    assert went_on > 5


@every_parser
def test_neighbours_are_those_of_the_relationships(parser: Any) -> None:
    nodes = small(parser, metadata=["chunk_index", "previous_id", "next_id"])([document()])
    for node in nodes:
        for key, info in (("previous_id", node.prev_node), ("next_id", node.next_node)):
            assert node.metadata.get(key) == (info and info.node_id)
    leaves = levels(nodes)[0]
    assert [node.metadata["chunk_index"] for node in leaves] == list(range(len(leaves)))


@pytest.mark.parametrize("name", TEXTS)
def test_nodes_say_what_the_core_says(name: str) -> None:
    text, keys = TEXTS[name], {each: f"my_{each}" for each in NAMES}
    nodes = OptimalSemanticSplitter(chunk_size=90, metadata=keys)([document(text)])
    chunks = [Chunk(text[start:end], start, end) for start, end in spans(nodes)]
    wanted = ChunkMetadata(keys).describe(text, {"source": "s"}, chunks, [node.node_id for node in nodes])
    for node, own in zip(nodes, wanted, strict=True):
        own["my_headings"] = " > ".join(own.get("my_headings", ()))
        own["my_heading_levels"] = ", ".join(map(str, own.get("my_heading_levels", ())))
        assert node.metadata == {"source": "s", **{key: value for key, value in own.items() if value != ""}}


@every_parser
def test_stores_take_it_no_model_is_shown_it_and_the_layout_stays_behind(parser: Any) -> None:
    given, plain = document(metadata={LAYOUT: pages(GUIDE)}), document()
    given.excluded_embed_metadata_keys = given.excluded_llm_metadata_keys = [LAYOUT]
    for settings in ({}, {"metadata": NAMES}, {"include_metadata": False}):
        nodes, others = small(parser, **settings)([given]), small(parser)([plain])
        assert [node.node_id for node in nodes] == [node.node_id for node in others]
        for node, other in zip(nodes, others, strict=True):
            node_to_metadata_dict(node, flat_metadata=True)
            assert LAYOUT not in node.to_json()
            if settings.get("include_metadata", True):
                assert node.metadata["page_start"] >= 1
                for mode in (MetadataMode.EMBED, MetadataMode.LLM):
                    assert node.get_content(mode) == other.get_content(mode)
            else:
                assert node.metadata == {}
    assert LAYOUT in given.metadata


@every_parser
@pytest.mark.parametrize(
    ("deep", "limit"),
    [("Prices", 130), ("Prices of everything that there is to be seen, and to be had, today and later", 90)],
)
def test_headings_that_are_embedded_count_and_take_a_quarter(parser: Any, deep: str, limit: int) -> None:
    size, hierarchy = get_tokenizer(), parser is SemanticHierarchyParser
    text = guide(4, deep)
    sizes: dict[str, Any] = {"chunk_sizes": [300, limit]} if hierarchy else {"chunk_size": limit}
    nodes = parser(embed_headings=True, **sizes)([document(text)])
    whole = 0
    for node, (start, end) in zip(nodes, spans(nodes), strict=True):
        path, header, *_ = scanned(text, start, end)
        shown = node.get_content(MetadataMode.EMBED)
        assert len(size(shown)) <= (300 if node.child_nodes else limit)
        assert node.get_content(MetadataMode.LLM) == f"source: s\n\n{node.text}"
        kept = node.metadata.get("headings", "")
        assert " > ".join(path).endswith(kept)
        assert node.metadata.get("table_header", header) == header
        lines = "".join(
            f"{key}: {node.metadata[key]}\n" for key in ("headings", "table_header") if key in node.metadata
        )
        assert len(size(lines)) <= limit // 4
        assert all(line in shown for line in lines.splitlines())
        whole += kept == " > ".join(path)
    assert (whole == len(nodes)) is (deep == "Prices")
    assert whole > 0


@parsers
def test_a_chain_says_of_places_what_one_parser_does(parser: Any) -> None:
    names = [name for name in NAMES if name not in ("chunk_index", "previous_id", "next_id", "types", "boxes")]
    names = [name for name in names if not name.startswith("page")]
    first, second = parser(chunk_size=400, metadata=names), parser(chunk_size=90, metadata=names)
    nodes = second(first([document()]))
    assert len(nodes) > 20
    for node, (start, end) in zip(nodes, spans(nodes), strict=True):
        path, header, begun, ended = scanned(GUIDE, start, end)
        said = node.metadata
        assert (said["start_index"], said["end_index"]) == (start, end)
        assert (said["line_start"], said["line_end"]) == (begun, ended)
        assert said["headings"].split(" > ") == path
        assert said.get("table_header") == header
    shown = parser(chunk_size=90, embed_headings=True)(first([document()]))
    assert all(node.get_content(MetadataMode.EMBED).count("\nheadings: ") == 1 for node in shown)


@parsers
def test_a_chain_keeps_whole_the_headings_of_which_a_part_is_embedded(parser: Any) -> None:
    text = guide(4, "Prices of everything that there is to be seen, and to be had, today and later")
    first, second = (parser(chunk_size=size, embed_headings=True) for size in (120, 90))
    cut = first([document(text)])
    nodes = second(cut)
    found = as_found(nodes)
    for node, (start, end) in zip(found, spans(nodes), strict=True):
        assert node.metadata["headings"].split(" > ") == scanned(text, start, end)[0]
    for own, whole in ((cut, as_found(cut)), (nodes, found)):
        assert [node.metadata.get("headings") for node in own] != [node.metadata["headings"] for node in whole]


@parsers
def test_pieces_of_a_chunk_say_pages_that_hold_them_and_no_false_offset(parser: Any) -> None:
    layout = pages(GUIDE)
    first, second = parser(chunk_size=300), parser(chunk_size=90, metadata=["page_start", "page_end", "page_offset"])
    nodes = second(first([document(metadata={LAYOUT: layout})]))
    known = 0
    for node, (start, end) in zip(nodes, spans(nodes), strict=True):
        begun, ended, offset = of_pages(layout, start, end)
        assert node.metadata["page_start"] <= begun <= ended <= node.metadata["page_end"]
        assert node.metadata.get("page_offset", offset) == offset
        known += "page_offset" in node.metadata
    assert 0 < known < len(nodes)
    unasked = parser(chunk_size=90)(first([document(metadata={LAYOUT: layout})]))
    assert all("page_start" in node.metadata and "page_offset" not in node.metadata for node in unasked)


@parsers
def test_after_another_parser_there_are_no_lines_that_nobody_knows_and_no_layout(parser: Any) -> None:
    whole = document(metadata={LAYOUT: pages(GUIDE)})
    whole.excluded_embed_metadata_keys = whole.excluded_llm_metadata_keys = [LAYOUT]
    pieces = SentenceSplitter(chunk_size=400, chunk_overlap=0)([whole])
    nodes = small(parser, metadata=["start_index", "line_start"])(pieces)
    inside = [node for node in nodes if node.metadata["start_index"] >= pieces[1].start_char_idx]
    assert inside
    assert all(
        node.metadata["line_start"] == 1 + GUIDE.count("\n", 0, start)
        for node, (start, _) in zip(nodes, spans(nodes), strict=True)
        if node not in inside
    )
    assert all("line_start" not in node.metadata for node in inside)
    assert not any(LAYOUT in node.to_json() for node in nodes)


@every_parser
@pytest.mark.parametrize(
    ("metadata", "settings", "message"),
    [
        (
            {"headings": 7},
            {"embed_headings": True},
            r"'headings' already, 7.*metadata=\{'headings': 'chunk_headings'\}",
        ),
        ({"line_start": "one"}, {"metadata": ["line_start"]}, "'line_start' already, 'one'"),
        ({"headings": "Mine"}, {"metadata": ["headings"]}, "'headings' already, 'Mine'"),
        ({"types": ["a"], LAYOUT: [{"start": 0, "type": "b"}]}, {}, r"metadata=\{'types': 'chunk_types'\}"),
        ({LAYOUT: [{"begin": 0}]}, {}, "must be a list of dicts that rise"),
    ],
)
def test_metadata_of_the_user_s_are_not_overwritten_and_nothing_is_embedded(
    parser: Any, metadata: dict[str, Any], settings: dict[str, Any], message: str
) -> None:
    def embed(texts: list[str]) -> list[list[float]]:
        raise AssertionError

    with pytest.raises(SettingError, match=message):
        parser(embed_model=embed, background=[0.0], **settings)([document(metadata=metadata)])


@every_parser
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"metadata": "headings"}, r"pass \['headings'\]"),
        ({"metadata": ["heading"]}, "headings"),
        ({"metadata": {"headings": ""}}, "each key another str"),
        ({"metadata": None}, "metadata must be names of"),
        ({"embed_headings": True, "embed_chunks": True}, "take one of them"),
    ],
)
def test_what_makes_no_sense_is_refused(parser: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parser(**settings)


class Marked:
    """A sentence splitter that knows what headings are: lines with an exclamation mark."""

    def __call__(self, text: str) -> list[str]:
        return text.splitlines(keepends=True)

    def outline(self, text: str) -> Outline:
        return Outline([Heading(at, at + 1, 1, text[at + 1 : at + 4]) for at in range(len(text)) if text[at] == "!"])


@every_parser
def test_a_segmenter_that_knows_headings_is_asked(parser: Any) -> None:
    text = "!one\n" + "A lamp burns in the tower.\n" * 9 + "# no\n!two\n" + "Bread needs salt and flour.\n" * 9
    made = small(parser, metadata=["headings"], sentence_splitter=Marked(), cache_tag="marked")
    leaves = levels(made([document(text)]))[0]
    second = text.index("!two")
    assert len(leaves) > 1
    for node, (start, _) in zip(leaves, spans(leaves), strict=True):
        assert node.metadata["headings"] == ("two" if start >= second else "one")


@every_parser
def test_the_settings_come_back_from_a_file(parser: Any) -> None:
    made = small(parser, metadata={"headings": "section", "line_start": "line"}, embed_headings=True)
    again = parser.from_dict(json.loads(json.dumps(made.to_dict())))
    assert [node.metadata for node in again([document()])] == [node.metadata for node in made([document()])]
    assert again.to_dict() == made.to_dict()


def test_a_document_that_is_one_passage_leaves_its_layout_behind() -> None:
    (node,) = whole_node(document(metadata={LAYOUT: pages(GUIDE)}))
    assert node.metadata == {"source": "s"}
    assert LAYOUT not in node.to_json()


def test_a_layout_that_another_parser_copied_to_pieces_is_not_read() -> None:
    cut = SentenceSplitter(chunk_size=400, chunk_overlap=0, include_metadata=True)
    given = document(metadata={LAYOUT: pages(GUIDE)})
    given.excluded_embed_metadata_keys = given.excluded_llm_metadata_keys = [LAYOUT]
    first, *others = cut([given])
    assert others
    assert OptimalSemanticSplitter()([first])[0].metadata["page_start"] == 1
    assert all(node.metadata == {"source": "s"} for node in OptimalSemanticSplitter()(others))


@every_parser
def test_a_title_is_hidden_from_models_and_one_of_the_document_stays_as_it_is(parser: Any) -> None:
    for node in small(parser, metadata=["title"])([document("# Ferries\n\n" + "Two coins for all. " * 40)]):
        assert node.metadata["title"] == "Ferries"
        assert "Ferries" not in node.get_metadata_str(MetadataMode.LLM)
        assert "Ferries" not in node.get_metadata_str(MetadataMode.EMBED)
    for node in small(parser, metadata=["title"])([document(metadata={"title": "Fares"})]):
        assert "title: Fares" in node.get_metadata_str(MetadataMode.LLM)
