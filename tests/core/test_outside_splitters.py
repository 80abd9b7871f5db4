"""Real splitters of other libraries make units: through `aligned`, and as `sentence_splitter` of both plugins."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from caesura import SegmentError, Splitter, aligned
from caesura.edges import is_tiling, spans
from caesura.text.align import WORD

TEXTS = {
    "prose": (
        "Mr. Hale went down to the bridge at 5 a.m.  Was it still there? It was! “We were lucky,” he said.\n\n"
        "The water fell, e.g. by 3.42 m.\nThe mill did not stand; the horse did. The water fell. The water fell.\n"
    ),
    "Python": (
        '"""Reads gauges. Slowly."""\n\nfrom sea import tide\n\n\nclass Gauge:\n    """One gauge."""\n\n'
        "    def read(self, at: float = .5) -> str:\n        if at > 1.0:\n            return f'{at:.2f}. Done.'\n"
        "        return {'a': [1, (2, 3)]}['a']\n\n\ndef mean(xs):\n\treturn sum(xs) / len(xs)\n"
    ),
    "Markdown": (
        "# Tides\n\nThe *sea* rose. It fell.\n\n## Parts\n\n| part | cost |\n|------|-----:|\n| pen  | 3.50 |\n\n"
        "- rope,\n  wet\n- nails\n\n```python\nfor x in sea:\n    print(x)\n```\n\n> It never failed.\n\n***\n\nBye.\n"
    ),
    "HTML": "<html><body>\n<h1>Tides</h1>\n<p>The sea rose. It fell.</p>\n<ul>\n <li>rope</li>\n</ul>\n</body></html>",
    "Chinese": (
        "今天海水很高。真的吗？真的！他说：“走吧。”然后走了……\n\n"
        "第二天，海水退了，桥还在，磨坊不在了。\n海水退了。海水退了。\n"
    ),
}
every_text = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)


def langchain(language: str | None = None, **settings: Any) -> Callable[[str], list[str]]:
    splitters = pytest.importorskip("langchain_text_splitters")
    settings = {"chunk_size": 40, "chunk_overlap": 0, **settings}
    made = splitters.RecursiveCharacterTextSplitter
    return (made(**settings) if language is None else made.from_language(language, **settings)).split_text


def llama_index(**settings: Any) -> Callable[[str], list[str]]:
    parsers = pytest.importorskip("llama_index.core.node_parser")
    return parsers.SentenceSplitter(**{"chunk_size": 16, "chunk_overlap": 0, **settings}).split_text


def code() -> Callable[[str], list[str]]:
    tree_sitter, grammar = pytest.importorskip("tree_sitter"), pytest.importorskip("tree_sitter_python")
    parsers = pytest.importorskip("llama_index.core.node_parser")
    parser = tree_sitter.Parser(tree_sitter.Language(grammar.language()))
    splitter = parsers.CodeSplitter(language="python", parser=parser, max_chars=60)

    def split(text: str) -> list[str]:
        try:
            return splitter.split_text(text)
        except ValueError:
            pytest.skip("no Python")

    return split


def punkt() -> Callable[[str], list[str]]:
    return pytest.importorskip("nltk.tokenize.punkt").PunktSentenceTokenizer().tokenize


SPLITTERS: dict[str, Callable[[], Callable[[str], Any]]] = {
    "LangChain, recursive": langchain,
    "LangChain, recursive, at Chinese stops": lambda: langchain(
        separators=["\n\n", "。", "，", ""], keep_separator="end"
    ),
    "LangChain, Python": lambda: langchain("python"),
    "LangChain, Markdown": lambda: langchain("markdown"),
    "LangChain, HTML": lambda: langchain("html"),
    "LlamaIndex, sentences": llama_index,
    "LlamaIndex, code": code,
    "nltk, Punkt": punkt,
    "a pattern": lambda: re.compile(r"(?<=[.?!。？！])\s*").split,
    "lines": lambda: str.splitlines,
    "wrapped": lambda: lambda text: textwrap.wrap(text, 30),
    "words": lambda: str.split,
}
every_splitter = pytest.mark.parametrize("make", SPLITTERS.values(), ids=SPLITTERS)


@pytest.fixture(scope="module", autouse=True)
def nltk_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """nltk refuses data that an installer has hard-linked: a copy is read instead."""
    found = find_spec("llama_index.core") if find_spec("llama_index") else None
    data = Path(found.origin).parent / "_static" / "nltk_cache" if found and found.origin else Path("missing")
    with pytest.MonkeyPatch.context() as patch:
        if any(path.stat().st_nlink > 1 for path in data.rglob("*") if path.is_file()):
            copy = shutil.copytree(data, tmp_path_factory.mktemp("nltk") / "data")
            patch.setenv("NLTK_DATA", str(copy))
            patch.setattr(pytest.importorskip("nltk").data, "path", [str(copy)])
        yield


def bare(text: str) -> str:
    return "".join(text.split())


# --- pieces that are the text -----------------------------------------------------------------------------------------


@every_text
@every_splitter
def test_its_pieces_become_the_units(make: Any, text: str) -> None:
    split = make()
    pieces = [piece for piece in split(text) if bare(piece)]
    edges = aligned(split)(text)
    assert is_tiling(edges, len(text))
    assert [bare(text[start:end]) for start, end in spans(edges)] == [bare(piece) for piece in pieces]
    assert len(pieces) > 1 or "Chinese" in text or make in (punkt, code)


@every_text
@every_splitter
def test_chunks_are_made_of_its_pieces(make: Any, text: str) -> None:
    split = make()
    asked: list[str] = []

    def embed(texts: Any) -> list[list[float]]:
        asked.extend(texts)
        return [[float(number % 2), float(number % 3), 1.0] for number in range(len(texts))]

    chunks = Splitter(segment=aligned(split)).split(text, embed)
    assert [bare(shown) for shown in asked] == [bare(piece) for piece in split(text) if bare(piece)]
    assert bare("".join(chunk.text for chunk in chunks)) == bare(text)
    assert all(text[chunk.start : chunk.end] == chunk.text for chunk in chunks)


@every_text
@every_splitter
def test_langchains_plugin_takes_it_as_sentence_splitter(make: Any, text: str) -> None:
    plugin = pytest.importorskip("langchain_caesura")
    for cls in (plugin.DoublePassSemanticSplitter, plugin.SemanticPercentileSplitter):
        chunks = cls(sentence_splitter=make(), chunk_size=60).split_text(text)
        assert bare("".join(chunks)) == bare(text)
        assert max(map(len, chunks)) <= 60


@every_text
@every_splitter
def test_llama_indexs_plugin_takes_it_as_sentence_splitter(make: Any, text: str) -> None:
    plugin = pytest.importorskip("llama_index.node_parser.caesura")
    core = pytest.importorskip("llama_index.core")
    for cls in (plugin.DoublePassSemanticSplitter, plugin.SemanticPercentileSplitter):
        nodes = cls(sentence_splitter=make(), tokenizer=list, chunk_size=60)([core.Document(text=text)])
        assert bare("".join(node.text for node in nodes)) == bare(text)
        assert all(text[node.start_char_idx : node.end_char_idx] == node.text for node in nodes)


# --- pieces that are not ----------------------------------------------------------------------------------------------

OVERLAPPING: dict[str, Callable[[], Callable[[str], list[str]]]] = {
    "LangChain, recursive": lambda: langchain(chunk_overlap=20, separators=[" ", ""]),
    "LangChain, Python": lambda: langchain("python", chunk_overlap=30, chunk_size=60),
    "LangChain, small": lambda: langchain(chunk_size=12, chunk_overlap=6, separators=[""]),
    "LlamaIndex, sentences": lambda: llama_index(chunk_size=24, chunk_overlap=12),
    "lines, two at a time": lambda: lambda text: ["\n".join(text.splitlines()[at : at + 2]) for at in range(len(text))],
}


def refusal(split: Callable[[str], list[str]], text: str) -> tuple[str, int, int]:
    """What the error says, the position that it names, and the number of the piece; the caret is under the place."""
    with pytest.raises(SegmentError) as caught:
        aligned(split)(text)
    said, line, caret = str(caught.value).rsplit("\n", 2)
    found = re.search(r"\bat (\d+)\b", said)
    assert found
    place = int(found[1])
    assert caret.strip() == "^"
    shown = line[caret.index("^") :]
    assert text.startswith(shown, place)
    assert shown or place == len(text) or text[place] == "\n"
    piece = re.search(r"\bpiece (\d+)\b", said)
    return said, place, int(piece[1]) if piece else -1


@pytest.mark.parametrize("name", ["prose", "Python", "Chinese"])
@pytest.mark.parametrize("make", OVERLAPPING.values(), ids=OVERLAPPING)
def test_overlap_is_named_as_the_cause_with_its_remedy(make: Any, name: str) -> None:
    text, split = TEXTS[name], make()
    pieces = split(text)
    if bare("".join(pieces)) == bare(text):
        pytest.skip("no two of its pieces overlap here")
    said, place, piece = refusal(split, text)
    assert "piece" in said
    assert bare(text[:place]).startswith(bare("".join(pieces[:piece])))
    assert "overlap" in said
    assert "chunk_overlap=0" in said


def test_pieces_that_were_rewritten_are_shown_where_they_differ() -> None:
    text = TEXTS["prose"]
    said, place, piece = refusal(lambda text: [row.replace("fell", "FELL") for row in text.splitlines()], text)
    assert text.startswith("fell, e.g.", place)
    assert piece == 2
    assert "chunk_overlap" not in said


def test_a_separator_that_is_dropped_is_shown() -> None:
    text = TEXTS["Chinese"]
    split = langchain(separators=["。"], keep_separator=False, chunk_size=8)
    said, place, piece = refusal(split, text)
    assert text[place] == "。"
    assert piece == 1
    assert "chunk_overlap" not in said


def test_a_placeholder_at_the_end_is_shown_at_the_end() -> None:
    text = TEXTS["prose"].strip()
    _, place, _ = refusal(lambda text: textwrap.wrap(text, 30, max_lines=3, placeholder=" [...]"), text)
    assert text[:place].strip()
    _, place, piece = refusal(lambda text: [text, "[...]"], text)
    assert (place, piece) == (len(text), 1)


def test_headings_that_are_taken_off_are_shown() -> None:
    splitters = pytest.importorskip("langchain_text_splitters")
    by_heading = splitters.MarkdownHeaderTextSplitter([("#", "h1"), ("##", "h2")])
    _, place, piece = refusal(
        lambda text: [part.page_content for part in by_heading.split_text(text)], TEXTS["Markdown"]
    )
    assert (place, piece) == (0, 0)


def test_no_pieces_at_all_are_shown_at_the_first_word() -> None:
    text = "\n  " + TEXTS["prose"]
    _, place, _ = refusal(lambda text: [], text)
    assert place == next(WORD.finditer(text)).start() == 3
