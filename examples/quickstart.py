"""A document in; its chunks, and answers to three questions in LlamaIndex and LangChain, out. No key, no network.

python examples/quickstart.py                       the sample article, with its three questions
python examples/quickstart.py FILE... --ask "..."   your own text or Markdown files, with your own questions
"""

from __future__ import annotations

import argparse
import json
import textwrap
import time
from collections.abc import Callable, Sequence
from pathlib import Path

HERE = Path(__file__).parent


def show_chunks(name: str, text: str) -> None:
    """Prints where each chunk lies and how it begins."""
    from langchain_caesura import DoublePassSemanticSplitter

    chunks = DoublePassSemanticSplitter(add_start_index=True).create_documents([text])
    sizes = [len(chunk.page_content) for chunk in chunks]
    print(f"\n{name}: {len(text):,} characters in {len(chunks)} chunks, the largest of {max(sizes, default=0):,}\n")
    print("   #    start      end   size  begins")
    for number, (chunk, size) in enumerate(zip(chunks, sizes, strict=True), 1):
        start = chunk.metadata["start_index"]
        if text[start : start + size] != chunk.page_content:
            raise SystemExit(f"chunk {number} is not the text at {start}")
        print(f"{number:4}  {start:7,}  {start + size:7,}  {size:5,}  {shortened(chunk.page_content, 60)}")


def llama_index(texts: dict[str, str]) -> Callable[[str], str]:
    """LlamaIndex: the settings a user writes, an index, and its best node for a question."""
    from llama_index.core import Document, Settings, VectorStoreIndex

    from llama_index.node_parser.caesura import DoublePassSemanticSplitter, StaticEmbedding

    Settings.transformations = [DoublePassSemanticSplitter()]
    Settings.embed_model = StaticEmbedding()
    documents = [Document(text=text, id_=name) for name, text in texts.items()]
    retriever = VectorStoreIndex.from_documents(documents).as_retriever(similarity_top_k=1)

    def answer(question: str) -> str:
        return retriever.retrieve(question)[0].get_content()

    return answer


def langchain(texts: dict[str, str]) -> Callable[[str], str]:
    """LangChain: a splitter, a vector store, and a chain of retriever and format, to which a prompt and a model go."""
    from langchain_core.documents import Document
    from langchain_core.vectorstores import InMemoryVectorStore

    from langchain_caesura import DoublePassSemanticSplitter, StaticEmbeddings

    def format_documents(documents: Sequence[Document]) -> str:
        return "\n\n".join(document.page_content for document in documents)

    documents = [Document(text, metadata={"source": name}) for name, text in texts.items()]
    chunks = DoublePassSemanticSplitter().split_documents(documents)
    store = InMemoryVectorStore.from_documents(chunks, StaticEmbeddings())
    chain = store.as_retriever(search_kwargs={"k": 1}) | format_documents
    return chain.invoke


def ask(name: str, answer: Callable[[str], str], questions: Sequence[tuple[str, str]]) -> bool:
    """Puts the questions and prints what comes back -> whether each answer that was expected was in its chunk."""
    print(f"\n{name}")
    right = True
    for question, expected in questions:
        found = answer(question)
        hit = flat(expected) in flat(found)
        right = right and hit
        print(f"  {('right' if hit else 'WRONG') if expected else '    ?'}  {question}")
        print(textwrap.indent(textwrap.fill(around(found, expected), 92), " " * 9))
    return right


def own_questions(texts: dict[str, str]) -> list[tuple[str, str]]:
    """Up to three sentences of each text, from its beginning, middle and end: each should find its own chunk."""
    from caesura import sentences
    from caesura.edges import spans

    questions: dict[str, str] = {}
    for text in texts.values():
        pieces = [flat(text[start:end]) for start, end in spans(sentences(text))]
        plain = [piece for piece in pieces if 40 <= len(piece) <= 200] or [piece for piece in pieces if piece]
        for sixth in (1, 3, 5) if plain else ():
            piece = plain[len(plain) * sixth // 6]
            questions[piece] = piece
    return list(questions.items())


def flat(text: str) -> str:
    """A text with every stretch of whitespace as one space."""
    return " ".join(text.split())


def shortened(text: str, width: int) -> str:
    """The beginning of a text, on one line."""
    line = flat(text)
    return line if len(line) <= width else line[: width - 1] + "…"


def around(text: str, expected: str, width: int = 260) -> str:
    """What stands around the expected answer, or the beginning where it is not there."""
    line = flat(text)
    place = max(line.find(flat(expected)), 0)
    start = max(0, min(place - width // 2, len(line) - width))
    return ("…" if start else "") + line[start : start + width] + ("…" if start + width < len(line) else "")


def main() -> None:
    """Reads the command line and shows both frameworks at work."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="text or Markdown files, UTF-8")
    parser.add_argument("--ask", action="append", default=[], metavar="QUESTION", help="a question, may be repeated")
    options = parser.parse_args()
    began = time.perf_counter()
    files = options.files or [HERE / "article.md"]
    texts = {path.name if len(files) == 1 else str(path): read(path) for path in files}
    if options.ask:
        questions = [(question, "") for question in options.ask]
    elif options.files:
        questions = own_questions(texts)
        print(
            "No --ask: the questions are three sentences of the texts themselves, and each should find its own chunk."
        )
    else:
        questions = [
            (entry["question"], entry["answer"]) for entry in json.loads((HERE / "questions.json").read_text("utf-8"))
        ]
    for name, text in texts.items():
        show_chunks(name, text)
    if not any(text.strip() for text in texts.values()):
        return
    right = [
        ask("LlamaIndex: VectorStoreIndex.from_documents(documents).as_retriever()", llama_index(texts), questions),
        ask("LangChain: store.as_retriever() | format", langchain(texts), questions),
    ]
    print(f"\n{time.perf_counter() - began:.1f} s on the embedded model.")
    if not options.files and not all(right):
        raise SystemExit("not every question found its chunk")


def read(path: Path) -> str:
    """A file's text; a clear exit where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SystemExit(f"cannot read {path} as UTF-8 text: {error}") from error


if __name__ == "__main__":
    main()
