"""A retriever whose writer is killed has every node that was acknowledged, and others can write at once."""

from __future__ import annotations

import itertools
import os
import random
import signal
import time
from pathlib import Path

import pytest
from llama_index.core.schema import TextNode

from llama_index.node_parser.caesura import BM25Retriever

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="a fork, since a fresh interpreter takes too long to start"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]


def word_of(number: int) -> str:
    """A word for a number, without digits, by which it would be divided."""
    return f"{number}q".translate(str.maketrans("0123456789", "abcdefghij"))


def write_until_killed(path: Path, first: int, least: int, seconds: float) -> int:
    """Has another process insert nodes, change one, and delete every third again, and kills it after some more seconds
    than it takes to acknowledge so many -> how many it acknowledged."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            retriever = BM25Retriever(path=path)
            for number in itertools.count(first):
                retriever.insert_nodes([TextNode(id_=str(number), text=f"Pump {word_of(number)} of the tide mill.")])
                retriever.insert_nodes([TextNode(id_="last", text=f"The last is {word_of(number)}x of the mill.")])
                if number % 3 == 0:
                    retriever.delete_nodes([str(number)])
                os.write(writing, b".")
        finally:
            os._exit(1)
    os.close(writing)
    with open(reading, "rb") as acknowledged:
        assert len(acknowledged.read(least)) == least
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        return least + len(acknowledged.read())


def test_what_was_acknowledged_is_found_after_a_kill(tmp_path: Path) -> None:
    path, rng, done = tmp_path / "words.db", random.Random(7), set[int]()
    number = 0
    for _ in range(12):
        count = write_until_killed(path, number, rng.randint(1, 4), 0.05 * rng.random())
        done.update(range(number, number + count))
        number += count + 1
        retriever = BM25Retriever(path=path, similarity_top_k=1)
        for each in done:
            found = [hit.node.node_id for hit in retriever.retrieve(word_of(each))]
            assert found == ([] if each % 3 == 0 else [str(each)])
        said = [hit.text.split()[3] for hit in retriever.retrieve("last")]
        assert said in ([f"{word_of(max(done))}x"], [f"{word_of(max(done) + 1)}x"])
        assert [hit.node.node_id for hit in retriever.retrieve(said[0])] == ["last"]
        retriever.close()
