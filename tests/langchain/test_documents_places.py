"""metadata=: what chunks say of where they stand, equal to the core's and to a scan of the text from the top."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.splitters import Bag, every_splitter
from fakes.texts.articles import article
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.vectorstores import InMemoryVectorStore

from caesura.errors import SettingError
from caesura.text.sentences import sentences
from caesura.types import Chunk
from caesura_documents.chunk_metadata import NAMES, ChunkMetadata
from caesura_documents.find_outline import Heading
from caesura_documents.layout import LAYOUT
from caesura_documents.outline import Outline
from langchain_caesura import OptimalSemanticSplitter, SemanticHierarchySplitter, StaticEmbeddings

ROWS = "".join(f"| boat {number} | {number} coins |\n" for number in range(40))
TEXT = f"""# Ferries

{article(12, 1)}

## Fares

{article(6, 2)}

| boat | fare |
|---|---|
{ROWS}
## Crews

{article(9, 3)}

# Bread

{article(9, 4)}
"""
HEADER = TEXT.index("| boat | fare |")
PAGES = [0, TEXT.index("## Fares"), TEXT.index("| boat 9"), TEXT.index("# Bread") + 40]
"""Where pages begin: the first has 7 characters before it, which the text has not."""
DOCUMENTS = [
    Document(TEXT, id="plain", metadata={"source": "a.md"}),
    Document(
        TEXT,
        metadata={
            "source": "b.pdf",
            LAYOUT: [
                {"start": start, "page": number, "offset": 7 * (number == 1), "type": "text", "box": [0, 0, 9, 9]}
                for number, start in enumerate(PAGES, 1)
            ],
        },
    ),
]


def headings_above(text: str, start: int, end: int) -> list[str]:
    """Those of Markdown in the lines before a place, and those that the chunk begins with."""
    path: list[tuple[int, str]] = []
    at = 0
    for line in text.splitlines(keepends=True):
        begins = at >= start and not text[start:at].replace("#", "").strip(f" \n{''.join(one for _, one in path)}")
        if at > start and (at >= end or not begins):
            break
        if line.startswith("#"):
            level = line.index(" ")
            path = [(other, title) for other, title in path if other < level] + [(level, line[level:].strip())]
        at += len(line)
        if at > start and not line.startswith("#") and line.strip():
            break
    return [title for _, title in path]


def scanned(chunk: Document, start: int) -> dict[str, Any]:
    """What a scan of the text says of a chunk that begins at a place."""
    end = start + len(chunk.page_content)
    return {
        "line_start": TEXT.count("\n", 0, start) + 1,
        "line_end": TEXT.count("\n", 0, end - 1) + 1,
        "headings": headings_above(TEXT, start, end),
        "table_header": "| boat | fare |" if HEADER < start < HEADER + 30 + len(ROWS) and TEXT[start] == "|" else None,
    }


def said(chunk: Document, *names: str) -> dict[str, Any]:
    return {name: chunk.metadata.get(name) for name in names}


@every_splitter
@pytest.mark.parametrize("document", DOCUMENTS, ids=["plain", "pages"])
async def test_every_name_is_what_the_core_says_and_what_a_scan_finds(cls: Any, document: Document) -> None:
    splitter = cls(chunk_size=260, metadata=NAMES)
    chunks = splitter.split_documents([document])
    assert await splitter.asplit_documents([document]) == chunks
    slices = [Chunk(each.page_content, each.metadata["start_index"], each.metadata["end_index"]) for each in chunks]
    ids = [str(each.id) for each in chunks]
    expected = ChunkMetadata.of(NAMES).describe(TEXT, document.metadata, slices, ids)
    assert [each.metadata for each in chunks] == [{"source": document.metadata["source"], **own} for own in expected]
    assert len(chunks) > 12
    for number, chunk in enumerate(chunks):
        start = chunk.metadata["start_index"]
        assert TEXT[start : chunk.metadata["end_index"]] == chunk.page_content
        assert said(chunk, "line_start", "line_end", "headings", "table_header") == scanned(chunk, start)
        assert chunk.metadata["chunk_index"] == number
        assert chunk.metadata.get("next_id") == dict(enumerate(ids)).get(number + 1)


@every_splitter
def test_pages_come_unasked_and_the_layout_is_used_up(cls: Any) -> None:
    document = DOCUMENTS[1]
    chunks = cls(chunk_size=260, add_start_index=True).split_documents([document])
    for chunk in chunks:
        start, last = chunk.metadata["start_index"], chunk.metadata["start_index"] + len(chunk.page_content) - 1
        first = sum(page <= start for page in PAGES)
        assert said(chunk, "page_start", "page_end", "page_offset") == {
            "page_start": first,
            "page_end": sum(page <= last for page in PAGES),
            "page_offset": start - PAGES[first - 1] + 7 * (first == 1),
        }
        assert chunk.metadata.keys() == {"source", "start_index", "page_start", "page_end", "page_offset"} | {
            "types",
            "boxes",
        }
    assert {chunk.metadata["page_end"] for chunk in chunks} == {1, 2, 3, 4}


@every_splitter
def test_ids_know_neither_the_setting_nor_the_layout(cls: Any) -> None:
    plain = Document(TEXT, metadata={"source": "b.pdf"})
    expected = [chunk.id for chunk in cls(chunk_size=260).split_documents([plain])]
    for splitter in (cls(chunk_size=260), cls(chunk_size=260, metadata=NAMES)):
        assert [chunk.id for chunk in splitter.split_documents([DOCUMENTS[1]])] == expected


@every_splitter
def test_a_chunk_of_a_chunk_says_where_it_stands_in_the_document(cls: Any) -> None:
    names = ("start_index", "end_index", "line_start", "line_end", "headings", "heading_levels", "table_header")
    outer = cls(chunk_size=1500, target_size=1200, metadata=names).split_documents(DOCUMENTS[:1])
    chunks = cls(chunk_size=200, metadata=names).split_documents(outer)
    assert len(chunks) > 3 * len(outer) > 3
    for chunk in chunks:
        start = chunk.metadata["start_index"]
        assert TEXT.startswith(chunk.page_content, start)
        assert said(chunk, "line_start", "line_end", "headings", "table_header") == scanned(chunk, start)


@pytest.mark.parametrize("metadata", [(), NAMES[:4], ["page_offset"]], ids=["nothing", "others", "it"])
def test_a_chunk_of_a_chunk_says_where_it_begins_in_its_page_as_far_as_that_is_known(metadata: Any) -> None:
    outer = OptimalSemanticSplitter(chunk_size=900, add_start_index=True).split_documents(DOCUMENTS[1:])
    chunks = OptimalSemanticSplitter(chunk_size=200, add_start_index=True, metadata=metadata).split_documents(outer)
    known = [chunk for chunk in chunks if "page_offset" in chunk.metadata]
    for chunk in known:
        start, first = chunk.metadata["start_index"], chunk.metadata["page_start"]
        assert chunk.metadata["page_offset"] == start - PAGES[first - 1] + 7 * (first == 1)
    assert len(outer) < len(known) < len(chunks)
    for chunk in chunks:
        start = chunk.metadata["start_index"]
        assert chunk.metadata["page_start"] <= sum(page <= start for page in PAGES) <= chunk.metadata["page_end"]


def test_every_level_of_a_hierarchy_says_it() -> None:
    chunks = SemanticHierarchySplitter(chunk_sizes=(900, 200), metadata=NAMES).split_documents(DOCUMENTS[:1])
    for level in (0, 1):
        own = [chunk for chunk in chunks if chunk.metadata["level"] == level]
        assert [chunk.metadata["chunk_index"] for chunk in own] == list(range(len(own)))
        assert [chunk.metadata.get("previous_id") for chunk in own] == [None, *(chunk.id for chunk in own[:-1])]
        for chunk in own:
            start = chunk.metadata["start_index"]
            assert said(chunk, "line_start", "line_end", "headings", "table_header") == scanned(chunk, start)


@pytest.mark.parametrize(
    ("own", "settings"),
    [
        ({"headings": 3}, {"metadata": ["headings"]}),
        ({"start_index": "12"}, {"add_start_index": True}),
        ({"line_start": "one"}, {"metadata": ["line_start"]}),
        ({"chunk_index": 4}, {"metadata": ["chunk_index"]}),
        ({"page_start": 4, LAYOUT: [{"start": 0, "page": 1}]}, {}),
    ],
)
def test_metadata_of_the_users_own_is_refused_before_anything_is_embedded(own: Any, settings: Any) -> None:
    key, model = next(iter(own)), Bag()
    document = Document(TEXT, metadata=own)
    with pytest.raises(SettingError, match=rf"has '{key}' already.*metadata={{'{key}': 'chunk_{key}'}}"):
        OptimalSemanticSplitter(model, **settings).split_documents([document])
    assert model.calls == []
    chunks = OptimalSemanticSplitter(model, metadata={key: f"chunk_{key}"}).split_documents([document])
    assert all(chunk.metadata[key] == own[key] and LAYOUT not in chunk.metadata for chunk in chunks)
    assert f"chunk_{key}" in chunks[1].metadata


def test_a_document_that_nobody_has_found_in_another_says_no_place_in_it() -> None:
    document = Document(TEXT, metadata={"start_index": -1, "source": "a"})  # as LangChain's own splitters say it
    chunks = OptimalSemanticSplitter(metadata=["start_index", "line_start", "headings"]).split_documents([document])
    assert {chunk.metadata["start_index"] for chunk in chunks} == {-1}
    assert not any("line_start" in chunk.metadata for chunk in chunks)
    assert chunks[-1].metadata["headings"] == ["Bread"]


def test_a_level_of_the_users_own_is_refused_by_a_hierarchy() -> None:
    splitter = SemanticHierarchySplitter(chunk_sizes=(900, 200))
    with pytest.raises(SettingError, match=r"has 'level' already, 'B2'.*another key"):
        splitter.split_documents([Document(TEXT, metadata={"level": "B2"})])
    again = splitter.split_documents(splitter.split_documents(DOCUMENTS[:1])[:3])
    assert {chunk.metadata["level"] for chunk in again} == {0, 1}


@every_splitter
@pytest.mark.parametrize("setting", ["headings", ["heading"], {"headings": ""}, {"headings": "a", "types": "a"}, 3])
def test_what_is_no_setting_is_refused(cls: Any, setting: Any) -> None:
    with pytest.raises(SettingError, match="metadata"):
        cls(metadata=setting)


def test_a_layout_that_is_none_is_refused_before_anything_is_embedded() -> None:
    model = Bag()
    for layout in ([{"page": 1}], "pages", [{"start": 4}, {"start": 0}]):
        with pytest.raises(SettingError, match=LAYOUT):
            OptimalSemanticSplitter(model).split_documents([Document(TEXT, metadata={LAYOUT: layout})])
    assert model.calls == []


def test_a_sentence_splitter_that_knows_the_outline_is_asked_for_it() -> None:
    class Parser:
        def __call__(self, text: str) -> Any:
            return sentences(text)

        def outline(self, text: str) -> Outline:
            return Outline((Heading(0, 1, 1, "its own"),))

    chunks = OptimalSemanticSplitter(sentence_splitter=Parser(), metadata=["headings"]).split_documents(DOCUMENTS)
    assert {str(chunk.metadata["headings"]) for chunk in chunks} == {"['its own']"}


@pytest.mark.filterwarnings("ignore:Using SHA-1")
def test_chunks_that_moved_have_their_new_lines_in_the_store() -> None:
    records, store = InMemoryRecordManager("test"), InMemoryVectorStore(StaticEmbeddings())
    records.create_schema()
    splitter = OptimalSemanticSplitter(chunk_size=260, metadata=["start_index", "line_start", "headings"])
    moved = DOCUMENTS[0].model_copy(update={"page_content": f"# Before\n\nA line.\n\n{TEXT}"})
    for document in (DOCUMENTS[0], moved):
        chunks = splitter.split_documents([document])
        index(chunks, records, store, cleanup="full", source_id_key="source", key_encoder="sha1")
    kept = sorted((row["metadata"]["start_index"], row["metadata"]["line_start"]) for row in store.store.values())
    assert kept == [(chunk.metadata["start_index"], chunk.metadata["line_start"]) for chunk in chunks]
    assert kept == [(start, moved.page_content.count("\n", 0, start) + 1) for start, _ in kept]
