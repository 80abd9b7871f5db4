"""What docs/coming-from-recursive.md says of both sides: settings, headings, sizes and places in tokens."""

from __future__ import annotations

import inspect
import re

import pytest
import tiktoken
from fakes.pages import ROOT, vocabulary
from langchain_core.documents import Document
from langchain_text_splitters import RecursiveCharacterTextSplitter, TextSplitter

from caesura.errors import SettingError
from langchain_caesura import DoublePassSemanticSplitter
from langchain_caesura.base import SplitterSettings

PAGES = [
    text
    for path in sorted((ROOT / "docs").glob("*.md"))[::3]
    if "<|" not in (text := path.read_text("utf-8"))  # special tokens, which tiktoken refuses
]
SIZES = {"chunk_size": 100, "chunk_overlap": 20, "add_start_index": True}


@pytest.fixture(autouse=True)
def _vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in vocabulary().items():
        monkeypatch.setenv(name, value)


def places(splitter: TextSplitter) -> tuple[int, int, int, int]:
    """Chunks of our pages: all, those with no place, those with a wrong one, those over the limit."""
    count = tiktoken.get_encoding("cl100k_base").encode
    none = wrong = over = 0
    chunks = [(text, chunk) for text in PAGES for chunk in splitter.split_documents([Document(text)])]
    for text, chunk in chunks:
        start = chunk.metadata["start_index"]
        none += start < 0
        wrong += start >= 0 and not text.startswith(chunk.page_content, start)
        over += len(count(chunk.page_content)) > 100
    return len(chunks), none, wrong, over


def test_in_tokens_with_an_overlap_theirs_loses_places_and_else_it_does_not() -> None:
    every, none, *_ = places(RecursiveCharacterTextSplitter.from_tiktoken_encoder("cl100k_base", **SIZES))
    assert 0.05 < none / every < 0.5
    alone = RecursiveCharacterTextSplitter.from_tiktoken_encoder("cl100k_base", **SIZES | {"chunk_overlap": 0})
    assert places(alone)[1:3] == (0, 0)
    for overlap in (0, 200):
        characters = RecursiveCharacterTextSplitter(chunk_size=400, chunk_overlap=overlap, add_start_index=True)
        assert places(characters)[1:3] == (0, 0)


def test_in_tokens_ours_has_every_place_and_keeps_the_limit() -> None:
    every, *faults = places(DoublePassSemanticSplitter.from_tiktoken_encoder("cl100k_base", **SIZES))
    assert every > 100
    assert faults == [0, 0, 0]


@pytest.mark.parametrize("name", ["separators", "is_separator_regex", "keep_separator"])
def test_what_it_has_for_separators_is_refused_with_the_reason(name: str) -> None:
    settings: dict[str, object] = {name: [" "]}
    with pytest.raises((SettingError, TypeError), match=f"no setting {name}.*separators"):
        DoublePassSemanticSplitter(**settings)  # type: ignore[arg-type]


def test_the_other_settings_and_methods_have_the_same_names() -> None:
    settings = inspect.signature(TextSplitter).parameters.keys() - {"keep_separator"}
    assert settings <= SplitterSettings.__annotations__.keys()
    theirs = {name for name, _ in inspect.getmembers(RecursiveCharacterTextSplitter, callable) if name[0] != "_"}
    separators = {"from_language", "get_separators_for_language"}
    assert theirs - separators <= set(dir(DoublePassSemanticSplitter))


def test_ours_ends_no_chunk_with_a_heading_where_theirs_does() -> None:
    ends = re.compile(r"(?:^|\n)#{1,6} [^\n]*$")
    text = (ROOT / "docs" / "hierarchy.md").read_text("utf-8")
    theirs = RecursiveCharacterTextSplitter(chunk_size=400, chunk_overlap=0).split_text(text)
    ours = DoublePassSemanticSplitter(target_size=200, chunk_size=400).split_text(text)
    assert sum(bool(ends.search(chunk)) for chunk in theirs) > sum(bool(ends.search(chunk)) for chunk in ours)


def test_its_figures_are_those_of_the_page_of_figures() -> None:
    figures = re.compile(r"[\d.]+ / [\d.]+")
    theirs, ours = ((ROOT / "docs" / name).read_text("utf-8") for name in ("choosing.md", "coming-from-recursive.md"))
    lines = [line for line in ours.splitlines() if line.startswith(("| recursive,", "| our splitter"))]
    names = (
        "LangChain, recursive 1,000 ",
        "LangChain, recursive 400,",
        "ours, LangChain, `words=0`",
        "ours, LangChain |",
    )
    for line, name in zip(lines, names, strict=True):
        known = [figures.findall(row.replace("*", "")) for row in theirs.splitlines() if row.startswith(f"| {name}")]
        assert {*figures.findall(line.replace("*", ""))} <= {figure for row in known for figure in row}
