"""Where in my documents is the answer? Asked in LangChain and in LlamaIndex, without a key and without a network.

python examples/quickstart.py                        two sample documents, with three questions
python examples/quickstart.py PATH... --ask "..."    your own files and folders: PDF, Markdown, text, HTML, source code

Needs langchain-caesura, llama-index-node-parser-caesura, caesura-lab and caesura-documents[pdf].
"""

import argparse
import re
import time
from pathlib import Path

from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from llama_index import core
from llama_index.core.schema import TextNode
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

import langchain_caesura
from caesura import CaesuraError
from caesura_lab import read_texts
from caesura_lab.reading import escape_controls, expand_paths
from langchain_caesura import ParentDocumentRetriever, ScoredDocument, StaticEmbeddings
from llama_index.node_parser.caesura import HierarchyIndex, StaticEmbedding, from_pdf

HERE = Path(__file__).parent
SAMPLES = [str(HERE / "handbook.pdf"), str(HERE / "article.md")]
ASKED = {  # questions about the samples, and what a right answer holds
    "When do I test the fog signal?": "on the first Monday of each month at noon",
    "How often is the lens cleaned?": "Clean the lens once a week",
    "How many litres of rain does the cistern hold?": "holds 60,000 litres",
}
ANSWER, PASSAGE = 110, 600  # budgets in characters: the sentences that answer, and the text around them
WHERE = {"text": "", "headings": " in the headings", "title": " in the title"}


def langchain(paths: list[str]) -> ParentDocumentRetriever:
    """Files -> a retriever of LangChain."""
    retriever = ParentDocumentRetriever(
        vectorstore=InMemoryVectorStore(StaticEmbeddings()),  # or your own store and embedder
        docstore=InMemoryStore(),
        passage_metadata=["headings", "line_start"],
    )
    for path in paths:
        if path.lower().endswith(".pdf"):
            retriever.add_documents([langchain_caesura.from_pdf(path)])
        else:
            texts = read_texts([path])
            retriever.add_documents([Document(text, metadata={"source": name}) for name, text in texts.items()])
    return retriever


def llama_index(paths: list[str]) -> HierarchyIndex:
    """Files -> an index of LlamaIndex."""
    index = HierarchyIndex(embed_model=StaticEmbedding())  # or your own embedder
    for path in paths:
        if path.lower().endswith(".pdf"):
            index.upsert([from_pdf(path)])
        else:
            index.upsert([core.Document(text=text, id_=name) for name, text in read_texts([path]).items()])
    return index


def show(console: Console, answer: ScoredDocument, passage: ScoredDocument) -> None:
    """Prints an answer, its place, the passage around it, and why it was found."""
    place, start = passage.metadata, int(answer.metadata["start_index"])
    page = f"page {place['page_start']}" if "page_start" in place else f"line {place['line_start']}"
    above = [f"{Path(str(place['source'])).name}, {page}", *place.get("headings", [])]
    text = Text(passage.page_content, "dim")  # places are exact, so the answer can be marked in it
    text.stylize("not dim", start - place["start_index"], start - place["start_index"] + len(answer.page_content))
    if answer is not passage:
        below = re.sub(r"\A(?:#+ .*\n+)+", "", answer.page_content)  # the heading comes with its place
        console.print(Padding(Text(below, "bold green"), (0, 0, 1, 2)))
    console.print(Padding(Text(escape_controls(" > ".join(above)), "cyan"), (0, 0, 0, 4)))
    console.print(Padding(text, (0, 0, 1, 4)))
    if why := passage.evidence:
        words = "; ".join(", ".join(found) + WHERE[field] for field, found in why.found.items())
        said = f"Why: words {why.words:.2f} ({words or 'none'}), meaning {why.vectors:.2f}; 1 is the best of all."
        console.print(Padding(Text(said, "yellow"), (0, 0, 0, 4)))


def is_in(passage: ScoredDocument, document: object, start: int | None) -> bool:
    """Whether a character of a document is in a passage."""
    first = int(passage.metadata["start_index"])
    at = start is not None and first <= start < first + len(passage.page_content)
    return at and bool(passage.metadata["source"] == document)


def main() -> None:
    """Reads, indexes, asks and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", metavar="PATH")
    parser.add_argument("--ask", action="append", metavar="QUESTION")
    given = parser.parse_args()
    if given.paths and not given.ask:
        parser.error('ask your files something: --ask "..."')
    console = Console(width=88, highlight=False)  # no colour in a pipe, or where NO_COLOR is set
    paths, began = list[str](), time.perf_counter()
    try:
        for path in expand_paths(given.paths or SAMPLES):
            if isinstance(path, CaesuraError):
                raise path
            paths.append(path)
        retriever, index = langchain(paths), llama_index(paths)
    except (CaesuraError, OSError, ValueError) as error:
        parser.error(str(error))
    files = "1 file" if len(paths) == 1 else f"{len(paths)} files"
    console.print(f"{files} indexed in LangChain and in LlamaIndex in {time.perf_counter() - began:.1f} s")
    wrong = []
    for question in given.ask or ASKED:
        console.print(Padding(Text(question, "bold"), (1, 0)))
        passages = retriever.invoke(question, budget=PASSAGE)
        if not passages:
            console.print("  Nothing was found.")
            continue
        passage = passages[0]
        short = retriever.invoke(question, budget=ANSWER)
        inside = [each for each in short if is_in(passage, each.metadata["source"], each.metadata["start_index"])]
        answer = inside[0] if inside else passage
        show(console, answer, passage)
        nodes = index.as_retriever(budget=PASSAGE // 4).retrieve(question)  # tokens
        node = nodes[0].node if nodes else None
        first = isinstance(node, TextNode) and is_in(passage, node.ref_doc_id, node.start_char_idx)
        console.print(Padding(f"LlamaIndex finds {'the same' if first else 'another passage'} first.", (0, 0, 0, 4)))
        if not given.paths and ASKED.get(question, "") not in answer.page_content:
            wrong.append(question)
    if wrong:
        raise SystemExit(f"not answered: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
