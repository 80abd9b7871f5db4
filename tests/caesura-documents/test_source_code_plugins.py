"""`Code` in the core and both plugins: chunks of code begin at statements, with their indentation, within limits."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from itertools import pairwise
from typing import Any

import pytest

pytest.importorskip("tree_sitter")

from fakes.langchain.splitters import SPLITTERS
from fakes.llama_index.parsers import PARSERS
from house.sources import ROOT
from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline
from naive.scopes import line_starts, statement_lines

from caesura import Background, Limits, SettingError, Splitter
from caesura.hierarchy import Hierarchy
from caesura_documents.source_code import Code
from caesura_static import StaticEmbedder
from llama_index.node_parser.caesura.metadata_budget import chunks_within, nested_chunks_within
from llama_index.node_parser.caesura.nodes import SourceNode

TEXT = (ROOT / "packages/caesura/src/caesura/text/refine.py").read_text("utf-8")
EMBED = StaticEmbedder()
BACKGROUND = Background(EMBED.background)
CODE = Code("python")


def check_indented(text: str, spans: list[tuple[int, int]]) -> None:
    """Every chunk begins at a line's start, with its indentation, and between chunks there is only whitespace."""
    starts = line_starts(text)
    assert all(start in starts and text[start] not in "\r\n" for start, _ in spans)
    assert not "".join(text[end:start] for (_, end), (start, _) in pairwise([(0, 0), *spans, (len(text), 0)])).strip()


@pytest.mark.parametrize("size", [400, 800, 1500])
def test_chunks_begin_at_statements_and_fit(size: int) -> None:
    splitter = Splitter(Limits(size, target_size=size * 3 // 4), segment=CODE, background=BACKGROUND)
    chunks = splitter.split(TEXT, EMBED)
    check_indented(TEXT, [(chunk.start, chunk.end) for chunk in chunks])
    assert all(len(chunk.text) <= size and TEXT[chunk.start : chunk.end] == chunk.text for chunk in chunks)
    starts, allowed = line_starts(TEXT), statement_lines(TEXT)
    assert sum(starts.index(chunk.start) + 1 in allowed for chunk in chunks) >= 0.85 * len(chunks)


@pytest.mark.parametrize("max_size", [12, 30, 90])
def test_what_is_measured_is_what_is_returned(max_size: int) -> None:
    def uneven(text: str) -> int:
        return len(text.split()) + 3 * text[:1].isspace() + 2 * text.count("\n    ")  # an indentation costs

    for segment in (CODE, Splitter().segment):
        chunks = Splitter(Limits(max_size), size=uneven, segment=segment).split(TEXT, EMBED)
        assert all(uneven(chunk.text) <= max_size for chunk in chunks)


def test_a_statement_over_the_limit_is_cut_at_lines() -> None:
    text = (
        "def f():\n    xs = [\n"
        + "".join(f"        'Some words, and more {n}. Others',\n" for n in range(60))
        + "    ]\n"
    )
    chunks = Splitter(Limits(200), segment=CODE).split(text, EMBED)
    check_indented(text, [(chunk.start, chunk.end) for chunk in chunks])


def test_levels_of_a_hierarchy_keep_indentation() -> None:
    levels = ((Limits(900), Splitter().cut), (Limits(300), Splitter().cut))
    found = Hierarchy(levels, segment=CODE).split(TEXT, EMBED)
    for chunks in found.chunks():
        check_indented(TEXT, [(chunk.start, chunk.end) for chunk in chunks])


@pytest.mark.parametrize("cls", SPLITTERS)
def test_langchain_takes_it_as_sentence_splitter(cls: Any) -> None:
    splitter = cls(sentence_splitter=CODE, chunk_size=600, add_start_index=True)
    found = [(each.metadata["start_index"], each.page_content) for each in splitter.create_documents([TEXT])]
    assert all(TEXT.startswith(text, start) and len(text) <= 600 for start, text in found)
    check_indented(TEXT, [(start, start + len(text)) for start, text in found])


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize("metadata", [{}, {"file": "some/path/refine.py", "note": "words " * 20}])
def test_llama_index_takes_it_as_sentence_splitter(parser: Any, metadata: dict[str, str]) -> None:
    made = parser(sentence_splitter=CODE, chunk_size=700, target_size=300, tokenizer=list)
    nodes = made([Document(text=TEXT, metadata=metadata)])
    check_indented(TEXT, [(node.start_char_idx, node.end_char_idx) for node in nodes])
    assert all(len(node.text) <= 700 for node in nodes)
    assert all(TEXT[node.start_char_idx : node.end_char_idx] == node.text for node in nodes)
    assert [node.text for node in pickle.loads(pickle.dumps(made))([Document(text=TEXT, metadata=metadata)])] == [
        node.text for node in nodes
    ]


def test_a_fence_that_metadata_leave_no_room_for_is_cut_at_statements() -> None:
    statement = "def f():\n    a = 1\n\n    return [\n        a,\n        2,\n    ]\n\n\n"
    text = "```python\n" + statement * 12 + "```\n"
    document = Document(text=text, metadata={"note": "words"})
    source = SourceNode(document, text, 0, document)
    code, limits = Code(), Limits(5000)
    splitter = Splitter(limits, segment=code)
    batch = splitter.prepare([text])
    (whole,) = splitter.finish(batch, EMBED(batch.texts))
    nested = Hierarchy(((limits, Splitter().cut),), segment=code).split(text, EMBED)
    (level,) = nested_chunks_within(source, nested, len, [200], code)
    for chunks in (level, chunks_within(source, whole, len, 200, code)):
        assert len(chunks) > 3
        assert all(chunk.text.startswith("def f():") for chunk in chunks[1:])


@pytest.mark.parametrize("parser", PARSERS)
def test_llama_index_files_it_by_its_language(parser: Any) -> None:
    data = json.loads(json.dumps(parser(sentence_splitter=CODE).to_dict()))
    assert parser.from_dict(data).sentence_splitter == CODE
    assert data["sentence_splitter"] != parser(sentence_splitter=Code("ruby")).to_dict()["sentence_splitter"]
    assert IngestionPipeline(transformations=[parser(sentence_splitter=CODE)]).run(documents=[Document(text=TEXT)])
    data["sentence_splitter"]["class"] = "elsewhere:Code"
    with pytest.raises(SettingError, match=r"does not import sentence_splitter='elsewhere:Code'.*trusted=True"):
        parser.from_dict(data)


def test_what_to_install_is_said_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    from caesura_documents.syntax_tree import load_language

    load_language.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter_go", None)
    with pytest.raises(ImportError, match=r"Code\('go'\) needs tree-sitter.*pip install \"caesura-documents\[code\]\""):
        Code("go")


@pytest.mark.parametrize(
    ("module", "unloaded"),
    [
        ("caesura", "caesura_documents.source_code"),
        ("caesura_documents.source_code", "tree_sitter"),
        ("caesura", "tree_sitter"),
    ],
)
def test_an_import_loads_no_more_than_it_says(module: str, unloaded: str) -> None:
    program = f"import sys, {module}; sys.exit({unloaded!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
