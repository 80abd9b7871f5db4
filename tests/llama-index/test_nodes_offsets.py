"""Every node is a slice of its document and knows which."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.laws import law
from fakes.llama_index.parsers import ARTICLE, REPEATED, flat, letters, linked, parsers, sizes, slices
from fakes.texts.drawn_texts import documents as odd_documents
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core import Document

from caesura.sizers import without_surrogates


def hashable(text: str) -> str:
    """LlamaIndex cannot hash a Document with a lone surrogate; a TextNode it can."""
    return without_surrogates(text)


def by_document(documents: list[Document], nodes: list[Any]) -> None:
    """Holds that nodes come in the order of the documents, and are slices of them."""
    order = [node.ref_doc_id for node in nodes]
    assert order == sorted(order, key=[document.id_ for document in documents].index)
    for document in documents:
        own = [node for node in nodes if node.ref_doc_id == document.id_]
        slices(document, own)
        if own:
            linked(own)


@parsers
@pytest.mark.parametrize("chunk_size", [1, 2, 3, 5, 8, 13, 512, None])
def test_duplicate_sentences_have_their_own_places(parser: Any, chunk_size: int | None) -> None:
    document = Document(text=REPEATED)
    nodes = parser(chunk_size=chunk_size)([document])
    slices(document, nodes)
    assert flat("".join(node.text for node in nodes)) == flat(REPEATED)


@parsers
@pytest.mark.parametrize("tokenizer", [list, letters, str.split])
def test_duplicate_words_have_their_own_places(parser: Any, tokenizer: Any) -> None:
    document = Document(text="a a aa a. aa a a! " * 20)
    for chunk_size in (2, 3, 7):
        nodes = parser(chunk_size=chunk_size, tokenizer=tokenizer)([document])
        slices(document, nodes)
        assert max(sizes(nodes, tokenizer)) <= chunk_size


@parsers
def test_many_documents_keep_their_own_places(parser: Any) -> None:
    texts = [REPEATED, ARTICLE, "", " \n", ARTICLE[::-1], "ok", REPEATED, "Yes. " * 50]
    documents = [Document(text=text, id_=str(number)) for number, text in enumerate(texts)]
    nodes = parser(chunk_size=12)(documents)
    by_document(documents, nodes)
    assert {node.ref_doc_id for node in nodes} == {"0", "1", "4", "5", "6", "7"}


@parsers
@pytest.mark.parametrize(
    "text",
    [
        "One line.\r\nAnother line.\r\n\r\nA third. It goes on.\r\n" * 5,
        "e\u0301te\u0301. \U0001f468\u200d\U0001f469\u200d\U0001f467 laughs. Na\u00efve caf\u00e9! " * 5,
        "\u4e2d\u6587\u6ca1\u6709\u7a7a\u683c\u3002\u771f\u7684\uff1f\u662f\u7684\uff01" * 8,
        "\u0645\u0631\u062d\u0628\u0627\u061f \u0646\u0639\u0645. " * 8,
        "nul \x00 inside. And \x00. \x00" * 6,
        "\ufeffA mark of byte order. \u200bZero width.\u2028A line. \u00a0" * 5,
        "   leading and trailing   \n\n",
    ],
)
def test_odd_characters_keep_their_places(parser: Any, text: str) -> None:
    document = Document(text=text)
    for chunk_size in (8, 24, None):
        nodes = parser(chunk_size=chunk_size)([document])
        slices(document, nodes)


@parsers
@law(cases=4)
@given(texts=st.lists(odd_documents, max_size=4), chunk_size=st.sampled_from([4, 9, 30, None]))
def test_nodes_are_slices_of_any_documents(parser: Any, texts: list[str], chunk_size: int | None) -> None:
    documents = [Document(text=hashable(text), id_=str(number)) for number, text in enumerate(texts)]
    nodes = parser(chunk_size=chunk_size, tokenizer=list)(documents)
    by_document(documents, nodes)
    assert chunk_size is None or max(sizes(nodes, list), default=0) <= chunk_size


@parsers
def test_a_document_that_is_one_sentence_is_one_node(parser: Any) -> None:
    (node,) = parser()([Document(text="  One sentence only  ")])
    assert (node.text, node.start_char_idx, node.end_char_idx) == ("One sentence only", 2, 19)
