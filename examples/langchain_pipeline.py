"""How do I put Caesura into a LangChain chain: split, index, retrieve, answer?

python examples/langchain_pipeline.py                    a stand-in for a model on this machine: no key, no network
python examples/langchain_pipeline.py --openai [MODEL]   gpt-4.1-mini, with the key in OPENAI_API_KEY: below a cent

Needs langchain-caesura, langchain-openai and caesura-lab.
"""

import sys
from pathlib import Path

from langchain_core.documents import Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_openai import ChatOpenAI

from caesura_lab.stand_in import served
from langchain_caesura import OptimalSemanticSplitter, StaticEmbeddings

PROMPT = ChatPromptTemplate.from_messages(
    [("system", "Answer in one sentence, from what is given alone."), ("user", "{context}\n\n{question}")]
)
QUESTIONS = ("How are puffins counted?", "How much does the cistern hold?", "What does the Harbour Trust pay for?")


def shown(documents: list[Document]) -> str:
    """What the model reads: each chunk with its place, so that it can be quoted."""
    return "\n\n".join(f"[{one.metadata['start_index']}] {one.page_content}" for one in documents)


def main(llm: ChatOpenAI) -> None:
    """Three questions to the sample article."""
    article = Document((Path(__file__).parent / "article.md").read_text("utf-8"), metadata={"source": "article.md"})
    splitter = OptimalSemanticSplitter(add_start_index=True)
    store = InMemoryVectorStore.from_documents(splitter.split_documents([article]), StaticEmbeddings())
    retriever = store.as_retriever(search_kwargs={"k": 3})
    chain = {"context": retriever | shown, "question": RunnablePassthrough()} | PROMPT | llm | StrOutputParser()
    for question in QUESTIONS:
        places = [one.metadata["start_index"] for one in retriever.invoke(question)]
        print(f"{question} {chain.invoke(question)} {places}")


if __name__ == "__main__":
    with served("gpt-4.1-mini", sys.argv[1:]) as model:
        main(ChatOpenAI(model=model.model, base_url=model.url, api_key=model.key))
