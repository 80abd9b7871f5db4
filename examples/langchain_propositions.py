"""How do I find a chunk by what it states, and by questions that it answers? LangChain, a language model.

python examples/langchain_propositions.py                    a stand-in for a model on this machine: no key, no network
python examples/langchain_propositions.py --openai [MODEL]   gpt-4.1-mini, key in OPENAI_API_KEY: about two cents

Needs langchain-caesura, langchain-openai and caesura-lab.
"""

import sys
import tempfile
from pathlib import Path

from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_openai import ChatOpenAI

from caesura_lab.stand_in import served
from langchain_caesura import (
    DoublePassSemanticSplitter,
    ParentDocumentRetriever,
    PropositionTransformer,
    QuestionTransformer,
    SQLiteDocumentStore,
    StaticEmbeddings,
)

QUESTION = "How are the nests of terns counted?"
PRICES = (0.40, 1.60)  # of a million tokens, in and out


def main(llm: ChatOpenAI, folder: Path) -> None:
    """Propositions and questions lead to chunks; a second run is free."""
    text = (Path(__file__).parent / "article.md").read_text("utf-8")
    article = Document(text, id="article", metadata={"source": "article.md"})
    chunks = DoublePassSemanticSplitter(target_size=700, add_start_index=True).split_documents([article])
    kept = folder / "replies.db"  # every reply, as it arrives
    propositions = PropositionTransformer(llm, journal=kept, prices=PRICES, on_failure="keep")
    questions = QuestionTransformer(llm, n=3, journal=kept, prices=PRICES, on_failure="keep")
    doors = [*propositions.transform_documents(chunks), *questions.transform_documents(chunks)]
    print(f"{len(chunks)} chunks, {len(doors)} doors to them\npropositions: {propositions.report}")
    print(f"{doors[0].page_content!r} rests on {doors[0].metadata['source']}, {doors[0].metadata['spans']}")

    with SQLiteDocumentStore(folder / "chunks.db") as store:
        small = InMemoryVectorStore(StaticEmbeddings())
        settings = {"child_splitter": None, "source_id_key": "source", "k": 1}  # an edit replaces what was stored of it
        retriever = ParentDocumentRetriever(vectorstore=small, docstore=store, **settings)
        retriever.add_documents(chunks, views=doors)
        (found,) = retriever.invoke(QUESTION)
    for match in found.model_dump()["matches"]:
        print(f"{match['score']:.2f}  {match['text'][:90]}")
    print(f"lead to the chunk at {found.metadata['start_index']}: {' '.join(found.page_content.split())[:70]}...")
    again = PropositionTransformer(llm, journal=kept, prices=PRICES)
    again.transform_documents(chunks)
    print(f"again: {again.report}")


if __name__ == "__main__":
    with served("gpt-4.1-mini", sys.argv[1:]) as model, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as own:
        main(ChatOpenAI(model=model.model, base_url=model.url, api_key=model.key), Path(own))
