"""Splitters as steps of chains, in threads, after a loader."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from fakes.langchain.splitters import SPLITTERS, AsyncBag, Bag, contents, every_splitter
from fakes.texts.articles import article
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda

DOCUMENTS = [Document(article(20, seed), metadata={"source": f"{seed}.md"}, id=f"doc-{seed}") for seed in range(3)]


def joined(documents: list[Document]) -> str:
    return "\n---\n".join(contents(documents))


@every_splitter
def test_a_splitters_method_is_a_step_of_a_chain(cls: Any) -> None:
    splitter = cls(chunk_size=300)
    chain = RunnableLambda(lambda _: DOCUMENTS) | splitter.split_documents | joined
    assert chain.invoke(None) == joined(splitter.split_documents(DOCUMENTS))


@every_splitter
async def test_a_step_with_both_halves_awaits_the_embeddings(cls: Any) -> None:
    embeddings = AsyncBag()
    splitter = cls(embeddings, chunk_size=300)
    step = RunnableLambda(splitter.split_documents, afunc=splitter.asplit_documents)
    assert await step.ainvoke(DOCUMENTS) == cls(Bag(), chunk_size=300).split_documents(DOCUMENTS)
    assert len(embeddings.calls) == 2


@every_splitter
def test_it_cuts_what_a_loader_yields(cls: Any, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(article(), encoding="utf-8")

    def lazy_load() -> Any:
        for path in tmp_path.iterdir():
            yield Document(page_content=path.read_text(encoding="utf-8"), metadata={"source": path})

    made = cls(chunk_size=300).split_documents(lazy_load())
    assert len(made) > 3
    assert all(chunk.metadata["source"] == tmp_path / "a.txt" for chunk in made)


def test_splitters_run_in_a_thread_pool_too() -> None:
    async def many() -> list[list[Document]]:
        splitter = SPLITTERS[0](Bag(), chunk_size=300)
        return await asyncio.gather(*(asyncio.to_thread(splitter.split_documents, [one]) for one in DOCUMENTS))

    assert asyncio.run(many()) == [SPLITTERS[0](Bag(), chunk_size=300).split_documents([one]) for one in DOCUMENTS]
