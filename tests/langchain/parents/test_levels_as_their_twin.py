"""Four levels merge as a recursion over the tree says that they do."""

from __future__ import annotations

import pytest
from articles import article
from langchain_core.documents import Document
from langchain_fakes import contents
from langchain_parent_fakes import retriever, rows

from langchain_caesura import SemanticHierarchySplitter


@pytest.mark.parametrize("ratio", [0.3, 0.5, 0.75, 1.0])
def test_four_levels_merge_as_their_obvious_twin(ratio: float) -> None:
    splitter = SemanticHierarchySplitter(chunk_sizes=(900, 400, 160, 60))
    made = retriever(child_splitter=splitter, merge_ratio=ratio)
    document = Document(article(40), id="a")
    made.add_documents([document])
    nodes = splitter.split_documents([document])
    inside: dict[str | None, list[Document]] = {}
    for node in nodes:
        inside.setdefault(node.metadata.get("parent_id"), []).append(node)

    def present(node: Document, found: set[str]) -> bool:
        children = inside.get(node.id, [])
        share = sum(present(child, found) for child in children)
        return share >= ratio * len(children) if children else node.page_content in found

    def returned(some: list[Document], found: set[str]) -> set[str]:
        here = {node.page_content for node in some if present(node, found)}
        return here.union(*(returned(inside.get(one.id, []), found) for one in some if not present(one, found)))

    for fetched in range(1, len(rows(made)) + 1):
        made.search_kwargs, made.max_fetch, made.k = {"k": fetched}, fetched, fetched
        result = contents(made.invoke("The ship needs bread."))
        hits = made.vectorstore.similarity_search("The ship needs bread.", fetched)
        assert len(set(contents(hits))) == fetched, "the twin tells chunks by their text"
        assert sorted(result) == sorted(returned(inside[None], set(contents(hits))))
