"""Rows of tables are found by the title and the column heads of their table, which need not be in their text."""

from __future__ import annotations

import pytest
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_caesura import ParentDocumentRetriever, StaticEmbeddings

TITLES = "Tolls of the canal (in crowns)", "Depths of the basins (in metres)"
PORTS = [f"Port {chr(65 + n)}{m}" for n in range(12) for m in range(5)]


def written(form: str, title: str, number: int) -> str:
    cells = [(port, f"{(at * 37 + number) % 89}.5", f"{(at * 53 + number) % 97}.5") for at, port in enumerate(PORTS)]
    if form == "Markdown":
        rows = "\n".join(f"| {' | '.join(row)} |" for row in cells)
        return f"{title}\n\n| Port | Spring | Autumn |\n|---|---|---|\n{rows}\n"
    if form == "HTML":
        rows = "\n".join("<tr><td>" + "</td><td>".join(row) + "</td></tr>" for row in cells)
        head = "<tr><th>Port</th><th>Spring</th><th>Autumn</th></tr>"
        return f"<table>\n<caption>{title}</caption>\n{head}\n{rows}\n</table>\n"
    rows = "\n".join(" ".join(row) for row in cells)
    return f"{title}\nPort Spring Autumn\n{rows}\n"


@pytest.mark.parametrize("form", ["Markdown", "HTML", "PDF"])
def test_a_row_is_found_by_its_name_and_the_title_of_its_table(form: str) -> None:
    retriever = ParentDocumentRetriever(vectorstore=InMemoryVectorStore(StaticEmbeddings()), docstore=InMemoryStore())
    text = "\n\n".join(f"{written(form, title, at)}\nWe sail on." for at, title in enumerate(TITLES))
    retriever.add_documents([Document(text, id="a", metadata={"source": "a"})])
    second = text.index(TITLES[1])
    for number, title in enumerate(TITLES):
        found = retriever.invoke(f"{title.split()[0]} Port H3", budget=900)
        rows = [one.metadata["start_index"] >= second - 20 for one in found if "Port H3" in one.page_content]
        assert rows[:1] == [number == 1]
