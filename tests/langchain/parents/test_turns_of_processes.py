"""While another process writes a document, a writer of it waits, and writers of others go on."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from articles import article
from langchain_core.documents import Document
from langchain_parent_fakes import retriever
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_caesura import SQLiteDocumentStore

CHILDREN = RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=0)


def version(number: int) -> Document:
    return Document(article(12, seed=number), id="one")


ELSEWHERE = """
import sys
from pathlib import Path
from caesura.turns import Turn
with Turn(object(), ["one"], Path(sys.argv[1])):
    print("in", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="processes take turns where the system has fcntl")
async def test_while_another_process_writes_a_document_it_waits_and_others_go_on(tmp_path: Path) -> None:
    path = tmp_path / "parents.db"
    made = retriever(docstore=SQLiteDocumentStore(path), child_splitter=CHILDREN)
    other = subprocess.Popen(
        [sys.executable, "-c", ELSEWHERE, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "in\n"
    waiting = asyncio.create_task(made.aadd_documents([version(1)]))
    await made.aadd_documents([Document(article(12, seed=2), id="two")])
    assert not waiting.done()
    other.communicate("\n")
    assert await waiting == ["one"]
    made.docstore.close()
