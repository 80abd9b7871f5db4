"""`Code()`: the language of each document by the name of its file, in both plugins and both kinds of call."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tree_sitter")

from fakes.langchain.splitters import SPLITTERS
from fakes.llama_index.parsers import PARSERS
from fakes.texts.programs import PROGRAMS
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore
from llama_index.core import Document as LlamaDocument

from caesura import SettingError
from caesura.text.sentences import units
from caesura_documents.source_code import ALIASES, ENDINGS, Code, find_language
from caesura_documents.syntax_tree import LANGUAGES
from langchain_caesura import ParentDocumentRetriever, SemanticHierarchySplitter, SQLiteDocumentStore, StaticEmbeddings
from llama_index.node_parser.caesura import HierarchyIndex, SemanticHierarchyParser, StaticEmbedding

GO = PROGRAMS["go"] + "\nfunc (t *Tide) Fall() int {\n\tx := t.a\n\ty := x\n\treturn y - 1\n}\n" * 9
PROSE = "# Bread\n\nThe dough rests. It is baked. " * 30
FILES = {"src/tide.go": GO, "docs/bread.md": PROSE}


def test_languages_are_known_by_the_names_of_files() -> None:
    assert set(ALIASES) == set(ENDINGS) == set(LANGUAGES)
    for language, endings in ENDINGS.items():
        for ending in endings.split():
            assert find_language(f"a.b/Tide.{ending.upper()}") == language
            assert find_language(f"C:\\tides\\tide.{ending}") == language
    names = ["https://x.example/a.rs?plain=1#L3", "Rakefile", "a/Gemfile", "tide.md", "py", "", "a.py/", "a.go/b"]
    assert list(map(find_language, names)) == ["rust", "ruby", "ruby", None, None, None, "python", None]


def test_other_names_of_a_language_are_it() -> None:
    for language, names in ALIASES.items():
        assert {Code(name) for name in [language, *names.split(), language.upper()]} == {Code(language)}
    with pytest.raises(SettingError, match="language must be 'auto' or one of bash"):
        Code("en")


def test_a_text_without_a_file_is_cut_by_our_rules() -> None:
    code = Code()
    assert code == Code("auto")
    assert not code.is_code
    assert code(PROSE).tolist() == code.for_file("a.md")(PROSE).tolist() == units(PROSE).tolist()
    assert code.for_file("a.go")(GO).tolist() == Code("go")(GO).tolist() == Code("go").for_file("")(GO).tolist()


def test_a_file_is_above_its_classes_and_functions() -> None:
    path = Code().for_file("src/tide.go").outline(GO).path
    assert path(GO, GO.index("return"), len(GO)).titles == ("tide.go", "Tide", "Rise")
    assert path(GO, 0, 9).titles == ("tide.go",)
    assert Code("go").for_file("src/tide.go").outline(GO).path(GO, 0, 9).titles == ("tide.go",)


@pytest.mark.parametrize("cls", [*SPLITTERS, SemanticHierarchySplitter])
@pytest.mark.parametrize("key", ["source", "file_path"])
def test_langchain_chooses_by_the_metadata(cls: Any, key: str) -> None:
    sizes: Any = {"chunk_sizes": (600, 200)} if cls is SemanticHierarchySplitter else {"chunk_size": 200}
    documents = [Document(text, metadata={key: name}) for name, text in FILES.items()]

    def split(splitter: Any, documents: list[Document], asynchronous: bool) -> list[tuple[str, Any]]:
        found = splitter.split_documents(documents)
        if asynchronous:
            found = asyncio.run(splitter.asplit_documents(documents))
        return [(each.page_content, each.metadata.get("headings")) for each in found]

    for asynchronous in (False, True):
        both = split(cls(sentence_splitter=Code(), metadata=["headings"], **sizes), documents, asynchronous)
        go = split(cls(sentence_splitter=Code("go"), metadata=["headings"], **sizes), documents[:1], asynchronous)
        prose = split(cls(metadata=["headings"], **sizes), documents[1:], asynchronous)
        assert both == [*go, *prose]
        assert ["tide.go", "Tide", "Fall"] in [headings for _, headings in both]


@pytest.mark.parametrize("parser", [*PARSERS, SemanticHierarchyParser])
def test_llama_index_chooses_by_the_metadata(parser: Any) -> None:
    sizes: Any = {"chunk_sizes": [600, 200]} if parser is SemanticHierarchyParser else {"chunk_size": 200}
    documents = [LlamaDocument(text=text, id_=name, metadata={"file_path": name}) for name, text in FILES.items()]

    def split(documents: list[LlamaDocument], **settings: Any) -> list[tuple[str, Any]]:
        made = parser(tokenizer=list, metadata=["headings"], **sizes, **settings)
        nodes = made.get_nodes_from_documents(documents)
        again = asyncio.run(made.aget_nodes_from_documents(documents))
        assert [node.id_ for node in nodes] == [node.id_ for node in again]
        return [(node.text, node.metadata.get("headings")) for node in nodes]

    both = split(documents, sentence_splitter=Code())
    assert both == [*split(documents[:1], sentence_splitter=Code("go")), *split(documents[1:])]
    assert "tide.go > Tide > Fall" in [headings for _, headings in both]
    assert parser.from_dict(parser(sentence_splitter=Code()).to_dict()).sentence_splitter == Code()


def test_retrievers_show_the_file_and_the_function(tmp_path: Path) -> None:
    for child in (SPLITTERS[0](sentence_splitter=Code()), SemanticHierarchySplitter(sentence_splitter=Code())):
        retriever = ParentDocumentRetriever(
            vectorstore=InMemoryVectorStore(StaticEmbeddings()),
            docstore=SQLiteDocumentStore(tmp_path / f"{type(child).__name__}.db"),
            child_splitter=child,
            passage_metadata=["headings"],
        )
        retriever.add_documents([Document(text, metadata={"source": name}) for name, text in FILES.items()])
        found = retriever.invoke("which function makes the Tide fall", budget=300)
        assert found[0].metadata["headings"][:2] == ["tide.go", "Tide"]


def test_an_index_finds_by_the_function() -> None:
    parsers = [SemanticHierarchyParser(sentence_splitter=Code(), metadata=["headings"])]
    documents = [LlamaDocument(text=text, id_=name, metadata={"file_path": name}) for name, text in FILES.items()]
    index = HierarchyIndex.from_documents(documents, embed_model=StaticEmbedding(), transformations=parsers)
    found = index.as_retriever(budget=80).retrieve("which function makes the Tide fall")
    assert found[0].node.metadata["headings"].startswith("tide.go > Tide")


METHODS = (
    "class Tide:\n    def rise(self):\n        return 1\n\n    def fall(self):\n        return 2\n\n\n"
    "def ebb():\n    return 3\n"
)


@pytest.mark.parametrize("begin", ["    def rise", "        return 1", "    def fall", "def ebb", "class"])
def test_a_part_of_a_file_stands_in_the_class_that_it_was_cut_from(begin: str) -> None:
    find = Code().for_file("tide.py").outline
    first = METHODS.index(begin)
    part, above = METHODS[first:], find(METHODS).path(METHODS, first, len(METHODS))
    for levels in (None, above.levels):
        found = find(part).below(part, above.titles, levels)
        for place in ("    def fall", "return 2", "def ebb", "return 3"):
            at = METHODS.index(place)
            if at >= first:
                wanted = find(METHODS).path(METHODS, at, len(METHODS)).titles
                assert found.path(part, at - first, len(part)).titles == wanted
        assert found.path(part, 0, len(part)).titles == above.titles
