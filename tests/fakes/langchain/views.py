"""Two documents of four lines each, a splitter into lines, and views: small texts that lead to the documents."""

from __future__ import annotations

from langchain_core.documents import Document
from langchain_text_splitters import RecursiveCharacterTextSplitter

LINES = RecursiveCharacterTextSplitter(chunk_size=24, chunk_overlap=0, separators=["\n"])
SHIPS = "A ship has one mast.\nA ship has one hull.\nBread has a crust.\nBread has a crumb."
TAXES = "Clerks want salt.\nA ship pays duty.\nForms have dates.\nForms have names."
DOCUMENTS = [Document(SHIPS, id="ships"), Document(TAXES, id="taxes")]


def views() -> list[Document]:
    return [
        Document("Which vessel floats?", metadata={"parent_id": "ships", "kind": "question"}),
        Document("About vessels and loaves.", metadata={"parent_id": "ships", "kind": "summary", "list": [1]}),
        Document("About the treasury.", metadata={"doc_id": "taxes", "kind": "summary"}),
    ]
