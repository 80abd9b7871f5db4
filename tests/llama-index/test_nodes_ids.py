"""The same document gives the same ids, in every run and process, and another text another id."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any
from uuid import UUID

import pytest
from fakes.llama_index.parsers import ARTICLE, ONE_ARTICLE, PARSERS, REPEATED, numbered, parsers
from llama_index.core import Document
from llama_index.core.schema import BaseNode


def ids(nodes: list[BaseNode]) -> list[str]:
    return [node.node_id for node in nodes]


@parsers
def test_ids_are_uuids_and_the_same_for_the_same_document(parser: Any) -> None:
    first = ids(parser(chunk_size=20)(ONE_ARTICLE))
    assert first == ids(parser(chunk_size=20)(ONE_ARTICLE))
    assert [str(UUID(each)) for each in first] == first


@parsers
def test_no_two_nodes_share_an_id(parser: Any) -> None:
    documents = [Document(text=REPEATED, id_=name) for name in ("a", "b", "ab", "")]
    nodes = parser(chunk_size=3)(documents)
    assert len(set(ids(nodes))) == len(nodes)


@parsers
def test_an_edited_text_at_the_same_span_has_another_id(parser: Any) -> None:
    before = parser()([Document(text="One cat sat.", id_="a")])
    after = parser()([Document(text="One dog sat.", id_="a")])
    assert ids(before) != ids(after)


@parsers
def test_ids_do_not_depend_on_other_documents_or_on_metadata(parser: Any) -> None:
    made = parser(chunk_size=20, include_metadata=False)
    alone = ids(made(ONE_ARTICLE))
    with_others = made([Document(text=REPEATED, id_="b"), Document(text=ARTICLE, id_="a", metadata={"k": "v"})])
    assert alone == ids([node for node in with_others if node.ref_doc_id == "a"])


@pytest.mark.thorough
def test_ids_are_the_same_in_another_process() -> None:
    script = (
        "from fakes.llama_index.parsers import ONE_ARTICLE, PARSERS\n"
        "for parser in PARSERS:\n"
        "    for node in parser(chunk_size=20)(ONE_ARTICLE):\n"
        "        print(node.node_id)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "7"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    here = [each for parser in PARSERS for each in ids(parser(chunk_size=20)(ONE_ARTICLE))]
    assert done.stdout.split() == here


@parsers
def test_id_func_gets_a_number_and_the_document(parser: Any) -> None:
    seen: list[tuple[int, BaseNode]] = []

    def id_func(i: int, doc: BaseNode) -> str:
        seen.append((i, doc))
        return f"{doc.node_id}-{i}"

    documents = [Document(text=ARTICLE, id_="a"), Document(text=REPEATED, id_="b")]
    nodes = parser(chunk_size=20, id_func=id_func)(documents)
    assert ids(nodes) == [f"{node.ref_doc_id}-{i}" for (i, _), node in zip(seen, nodes, strict=True)]
    assert {id(doc) for _, doc in seen} == {id(document) for document in documents}
    for document in documents:
        own = [i for i, doc in seen if doc is document]
        assert own == list(range(len(own)))


@parsers
def test_links_name_the_ids_of_id_func(parser: Any) -> None:
    nodes = parser(chunk_size=20, id_func=numbered)(ONE_ARTICLE)
    assert [node.next_node.node_id for node in nodes[:-1]] == ids(nodes)[1:]
