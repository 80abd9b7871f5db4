"""How do I cut a document, index it and find what answers a question, in LlamaIndex and LangChain? No key, no network.

python examples/quickstart.py                       the sample article, with three questions
python examples/quickstart.py FILE... --ask "..."   your own text or Markdown files, with your own questions

Needs llama-index-node-parser-caesura, langchain-caesura and caesura-lab.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import rich
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore
from llama_index import core

import langchain_caesura
from caesura import CaesuraError
from caesura_lab import ask, known_items, read_questions, read_texts, split
from llama_index.node_parser.caesura import DoublePassSemanticSplitter, StaticEmbedding

HERE = Path(__file__).parent


def llama_index(texts: dict[str, str]) -> Callable[[str], str]:
    """Texts by name -> what finds the best chunks for a question."""
    core.Settings.transformations = [DoublePassSemanticSplitter()]
    core.Settings.embed_model = StaticEmbedding()  # or yours; without this line LlamaIndex asks for an OpenAI key
    index = core.VectorStoreIndex.from_documents([core.Document(text=text, id_=name) for name, text in texts.items()])
    retriever = index.as_retriever()
    return lambda question: "\n\n".join(found.get_content() for found in retriever.retrieve(question))


def langchain(texts: dict[str, str]) -> Callable[[str], str]:
    """The same, as a chain, to which a prompt and a model can be added."""
    documents = [Document(text, metadata={"source": name}) for name, text in texts.items()]
    chunks = langchain_caesura.DoublePassSemanticSplitter().split_documents(documents)
    store = InMemoryVectorStore.from_documents(chunks, langchain_caesura.StaticEmbeddings())
    chain = store.as_retriever() | (lambda found: "\n\n".join(one.page_content for one in found))
    return chain.invoke


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("files", nargs="*", metavar="FILE")
parser.add_argument("--ask", action="append", metavar="QUESTION")
given = parser.parse_args()
try:
    texts = read_texts(given.files) or {"article.md": (HERE / "article.md").read_text("utf-8")}
except CaesuraError as error:
    parser.error(str(error))
three = known_items(texts) if given.files else read_questions(HERE / "questions.jsonl", texts)[::4]

rich.print(split(texts))
tables = [ask(find(texts), given.ask or three, texts, find.__name__) for find in (llama_index, langchain)]
rich.print(*tables, sep="\n\n")
if not given.files and any(row["right"] is False for table in tables for row in table):
    raise SystemExit("an answer is not in the chunks that were found")
