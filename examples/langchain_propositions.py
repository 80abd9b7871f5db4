"""How do I find a chunk by what it states, by questions that it answers, or by its topic? LangChain, a language model.

python examples/langchain_propositions.py             a stand-in for a model, on this machine: no key, no network
python examples/langchain_propositions.py --openai    gpt-4.1-mini, with the key in OPENAI_API_KEY: about two cents
python examples/langchain_propositions.py --openai MODEL

Needs langchain-caesura and langchain-openai.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_openai import ChatOpenAI
from local_model import local_model

from langchain_caesura import (
    AgenticSplitter,
    DoublePassSemanticSplitter,
    ParentDocumentRetriever,
    PropositionTransformer,
    QuestionTransformer,
    SQLiteDocumentStore,
    StaticEmbeddings,
)

ARTICLE = Path(__file__).parent / "article.md"
QUESTION = "How are the nests of terns counted?"
PRICES = (0.40, 1.60)  # of a million tokens, in and out


def main(llm: ChatOpenAI, folder: Path) -> None:
    """Propositions and questions lead to chunks; a second run is free; topics gather what is said of one thing."""
    article = Document(ARTICLE.read_text("utf-8"), id="article", metadata={"source": ARTICLE.name})
    chunks = DoublePassSemanticSplitter(chunk_size=1500, add_start_index=True).split_documents([article])
    kept = folder / "replies.db"  # every reply, as it arrives

    propositions = PropositionTransformer(llm, journal=kept, prices=PRICES, on_failure="keep")
    questions = QuestionTransformer(llm, n=3, journal=kept, prices=PRICES, on_failure="keep")
    doors = [*propositions.transform_documents(chunks), *questions.transform_documents(chunks)]
    print(f"{len(chunks)} chunks, {len(doors)} doors to them")
    print(f"  propositions: {propositions.report}")
    print(f"  questions:    {questions.report}")
    first = doors[0]
    print(f"\n{first.page_content!r}\n  rests on {first.metadata['source']}, {first.metadata['spans']}")

    with SQLiteDocumentStore(folder / "chunks.db") as store:
        index = InMemoryVectorStore(StaticEmbeddings())
        retriever = ParentDocumentRetriever(vectorstore=index, docstore=store, k=1)
        retriever.add_documents(chunks, views=doors)
        (found,) = retriever.invoke(QUESTION)
        print(f"\n{QUESTION}")
        for match in found.metadata["matches"]:
            print(f"  {match['score']:.2f}  {match['text'][:90]}")
        print(f"  lead to the chunk at {found.metadata['start_index']}: {' '.join(found.page_content.split())[:70]}...")

    again = PropositionTransformer(llm, journal=kept, prices=PRICES)
    again.transform_documents(chunks)
    print(f"\nagain: {again.report}")

    splitter = AgenticSplitter(llm, journal=kept, prices=PRICES, on_failure="keep")
    topics = splitter.transform_documents([article])
    print(f"\n{len(topics)} chunks by topic: {splitter.report}")
    for one in sorted(topics, key=lambda one: -len(one.page_content))[:3]:
        print(f"  {one.metadata['topic_title']}: {one.page_content[:80]}...")
        print(f"    from {one.metadata['spans'].count('-')} places between {one.metadata['start_index']} and "
              f"{one.metadata['end_index']}")  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--openai", metavar="MODEL", nargs="?", const="gpt-4.1-mini", help="ask a real model")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        if options.openai:
            main(ChatOpenAI(model=options.openai), Path(temporary))
        else:
            with local_model() as url:
                main(ChatOpenAI(model="local", base_url=url, api_key="none"), Path(temporary))
