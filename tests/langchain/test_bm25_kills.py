"""A retriever of words whose writer is killed: what it acknowledged is found, and what it deleted is not."""

from __future__ import annotations

import itertools
import os
import random
import signal
import time
from pathlib import Path

import pytest
from langchain_core.documents import Document

from langchain_caesura import BM25Retriever, SQLiteDocumentStore

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="a fork, since a fresh interpreter takes too long to start"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]


def in_letters(number: int) -> str:
    """A word for a number, which has no parts."""
    return "w" + "".join("bcdfghklmx"[int(digit)] for digit in str(number)) + "q"


def write(path: Path, first: int, acknowledge: int) -> None:
    """Adds documents, the chunks of one file and others, replaces each, deletes every third, and says so."""
    with SQLiteDocumentStore(path) as store:
        retriever = BM25Retriever(docstore=store)
        for number in itertools.count(first):
            metadata = {"source": "mill.md"} if number % 2 else {}
            for text in ("It is new.", f"The pump {in_letters(number)} of the mill."):
                retriever.add_documents([Document(text, id=str(number), metadata=metadata)])
            if number % 3 == 0:
                retriever.delete([str(number)])
            os.write(acknowledge, b".")


def test_what_was_acknowledged_is_found_after_a_kill(tmp_path: Path) -> None:
    path, chance, done, first = tmp_path / "words.db", random.Random(11), set[int](), 0
    for _ in range(10):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                write(path, first, writing)
            finally:
                os._exit(1)
        os.close(writing)
        time.sleep(0.1 + 0.3 * chance.random())
        os.kill(child, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        with open(reading, "rb") as acknowledged:
            count = len(acknowledged.read())
        done.update(range(first, first + count))
        first += count + 1
        with SQLiteDocumentStore(path) as store:
            retriever = BM25Retriever(docstore=store, k=1)
            for each in done:
                found = [document.id for document in retriever.invoke(in_letters(each))]
                assert found == ([] if each % 3 == 0 else [str(each)])
    assert len(done) > 20
