"""Each recipe is short, and its programs run as they stand and print what the page shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fakes.documents.pdf import pdf_bytes
from fakes.pages import ROOT, blocks, outputs, printed
from langchain_core.documents import Document as LangChainDocument
from llama_index.core import Document

from llama_index.node_parser.caesura import HierarchyIndex, StaticEmbedding

RECIPES = ROOT / "docs" / "recipes"
PAGES = sorted(path for path in RECIPES.glob("*.md") if path.stem != "index")
PROGRAMS = [
    pytest.param(block, outputs(page).get(block), id=f"{page.stem}-{number}")
    for page in PAGES
    for number, block in enumerate(blocks(page), 1)
]
MANUALS = {
    "mill.pdf": [
        [
            "The tide mill",
            "",
            "The mill stands in the inlet and has one wheel. The wheel turns when the sea goes out.",
            "The pond behind the dam holds four thousand tons of water. A gate in the dam shuts by itself.",
            "The stones come from the quarry on the north shore. They are dressed by hand every spring.",
        ],
        [
            "Care of the pump",
            "",
            "The pump lifts water from the cellar into the tank. It runs for ten minutes in the hour.",
            "Grease the pump every second month. Use the green grease from the store, and",
        ],
        [
            "wipe off what is left over. Write the date on the card beside the door.",
            "",
            "Winter",
            "",
            "In December the sluice is closed. The wheel is lifted and stands on two beams until March.",
            "Snow on the roof is swept off from the ladder, never from the ridge.",
        ],
    ],
    "ferry.pdf": [["The ferry leaves at nine. It takes forty minutes to the island. Dogs travel free."]],
}
"""What a reader has in a folder of PDF files: lines, page by page."""


@pytest.mark.thorough
@pytest.mark.enable_socket
@pytest.mark.parametrize(("program", "shown"), PROGRAMS)
def test_a_recipe_runs_as_it_stands_and_prints_what_the_page_shows(
    program: str, shown: str | None, tmp_path: Path
) -> None:
    manuals = tmp_path / "manuals"
    manuals.mkdir()
    for name, pages in MANUALS.items():
        (manuals / name).write_bytes(pdf_bytes(pages))
    assert shown is not None, "a program without its output"
    assert printed(program, tmp_path) == shown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_recipe_is_listed_and_is_for_both_frameworks(page: Path) -> None:
    text = page.read_text("utf-8")
    tabs = re.findall(r'^=== "(.*?)"$', text, re.MULTILINE)
    assert tabs == ["LangChain", "LlamaIndex"]
    assert f"]({page.name})" in (RECIPES / "index.md").read_text("utf-8")
    assert f"recipes/{page.name}" in (ROOT / "mkdocs.yml").read_text("utf-8")


@pytest.mark.parametrize("page", [*PAGES, RECIPES / "index.md"], ids=lambda page: page.stem)
def test_links_of_a_recipe_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    assert [link for link in links if not link.startswith("http") and not (page.parent / link).exists()] == []


def test_what_the_recipe_for_pdf_leaves_out_lists_the_contents() -> None:
    page = (RECIPES / "pdf.md").read_text("utf-8")
    langchain, llama_index = re.findall(r"`(\[each for each in .+? if \"document_index\" .+?\])`", page)
    passages = [LangChainDocument("a", metadata={}), LangChainDocument("b", metadata={"types": ["text"]})]
    listing = LangChainDocument("c", metadata={"types": ["text", "document_index"]})
    assert eval(langchain, {"passages": [*passages, listing]}) == passages
    types = ["text", "document_index", "text, document_index", "document_index, text"]
    documents = [Document(text="Grease the pump.", id_=each, metadata={"types": each}) for each in types]
    documents = [*documents, Document(text="The pump.", id_="none")]
    index = HierarchyIndex.from_documents(documents, embed_model=StaticEmbedding())
    found = index.as_retriever().retrieve("pump")
    assert len(found) == 5
    assert {each.node.ref_doc_id for each in eval(llama_index, {"found": found})} == {"text", "none"}
