"""Boundary fingerprint: hashes of what every splitter makes of 2,000 texts and more, to compare two versions by.

    python benchmarks/boundaries.py --out before.json                   with the old code
    python benchmarks/boundaries.py --against before.json --root OLD    with the new code, on the texts of the old

A refactor must change no chunk and no id. A case is a text and a splitter with its settings; every splitter meets texts
of every kind, every text several splitters (boundary_cases.py). The record of a case holds the positions and texts of
the chunks, ids, metadata and relationships as the plugins write them, vectors rounded to 5 decimals, or the error that
was raised. `--against` exits with 1 where a case differs, is new or is gone; `--show WORDS` prints the records of the
cases that have WORDS in their names, so that those of two versions can be compared line by line.

No language model is asked: what asks one is not covered, and neither are tables of other libraries.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import time
import warnings
from collections.abc import Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from boundary_cases import Case, Text, deal_cases, generate_texts, read_texts
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from llama_index.core.schema import Document as LlamaIndexDocument
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from numpy.typing import NDArray

import caesura
import langchain_caesura as lc
import llama_index.node_parser.caesura as li
from caesura.hierarchy import Hierarchy
from caesura_static import StaticEmbedder
from langchain_caesura.parents.record import RECORDS, read_record

Hashes = dict[str, dict[str, str]]
"""Groups of cases -> names of cases -> hashes of their records."""


def hash_words(texts: Sequence[str], dimension: int = 64) -> NDArray[np.float32]:
    """An embedder that costs nothing: counts of words by their checksum."""
    rows = np.zeros((len(texts), dimension), np.float32)
    for row, text in zip(rows, texts, strict=True):
        for word in text.lower().split():
            row[crc32(word.encode("utf-8", "surrogatepass")) % dimension] += 1
    return rows


def superlinear_tokens(text: str) -> range:
    """A tokenizer that takes more tokens for a text than for its parts together."""
    return range(len(text) ** 2 // 99 + 1)


def split_texts(splitter: caesura.Splitter, embed: Any, overlap: int, texts: list[str]) -> Any:
    """Texts -> their chunks, with one call of the embedder."""
    batch = splitter.prepare(texts)
    return [segmentation.chunks(overlap) for segmentation in splitter.finish(batch, embed(list(batch.texts)))]


def split_documents(splitter: Any, documents: list[Document]) -> Any:
    """Documents of LangChain -> what they are split into, and its vectors where the splitter keeps them."""
    chunks, embeddings = splitter.split_documents(documents), splitter.chunk_embeddings
    return chunks, embeddings and np.array(embeddings.embed_documents([chunk.page_content for chunk in chunks]))


def store_parents(splitter: Any, documents: list[Document]) -> Any:
    """Documents of LangChain -> the texts that are to be found, and all that is kept for them, each under its id."""
    vectors, parents = InMemoryVectorStore(lc.StaticEmbeddings()), InMemoryStore()
    lc.ParentDocumentRetriever(vectorstore=vectors, docstore=parents, child_splitter=splitter).add_documents(documents)
    own = ("doc_id", "caesura_row")  # made of the settings, which a version may tell in another way
    children = sorted(
        (row["text"], sorted((key, value) for key, value in row["metadata"].items() if key not in own))
        for row in vectors.store.values()
    )
    kept = {
        record.name: [
            (part.size, part.starts, part.ends, part.parents, parents.mget([part.key])) for part in record.parts
        ]
        for key in parents.yield_keys(prefix=RECORDS)
        for record in filter(None, [read_record(parents.mget([key])[0])])
    }
    return children, kept


def store_nodes(parser: Any, nodes: Sequence[Any]) -> Any:
    """Nodes of LlamaIndex -> the nodes that are to be found, and all that is kept for them, each under its id."""
    index: Any = li.HierarchyIndex.from_documents(nodes, transformations=[parser], embed_model=li.StaticEmbedding())
    kept = {name: node.to_dict() for name, node in index.docstore.docs.items()}
    return index.index_struct.nodes_dict, kept


SCOPE: dict[str, Any] = {name: getattr(caesura, name) for name in caesura.__all__} | {
    "Hierarchy": Hierarchy,
    "hashed": hash_words,
    "lc": lc,
    "li": li,
    "name_node": lambda number, node: f"{node.node_id}/{number}",
    "np": np,
    "run": asyncio.run,
    "split_documents": split_documents,
    "split_texts": split_texts,
    "static": StaticEmbedder(),
    "store_nodes": store_nodes,
    "store_parents": store_parents,
    "superlinear_tokens": superlinear_tokens,
    "wide": partial(hash_words, dimension=4096),
}
"""What an expression can say, beside its inputs."""


def name_inputs(text: Text) -> dict[str, Any]:
    """A text -> what an expression can split: itself, several texts, documents of LangChain, nodes of LlamaIndex."""
    head = text.text[:400]
    metadata = {"source": text.name, "page": 7}
    source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=f"{text.name} source")}
    place = {"start_char_idx": 100, "end_char_idx": 100 + len(head), "relationships": source}
    return {
        "text": text.text,
        "texts": [text.text, text.text[10:400], ""],
        "documents": [
            Document(text.text, id=text.name, metadata={**metadata, "tags": ["a", {"b": None}]}),
            Document(head, metadata={"start_index": 100, "kinds": {"x", "y"}}),
            *(Document(head) for _ in range(2)),
        ],
        "nodes": [
            LlamaIndexDocument(text=text.text, id_=text.name, metadata=metadata, excluded_embed_metadata_keys=["page"]),
            LlamaIndexDocument(text=head, id_=f"{text.name} head"),
            TextNode(text=head, id_=f"{text.name} node", **place),
        ],
    }


def record_case(case: Case) -> str:
    """A case -> what comes out, or the error, as JSON."""
    try:
        record = eval(case.expression, SCOPE | name_inputs(case.text))
    except Exception as error:
        record = type(error).__name__, re.sub(" at 0x[0-9a-f]+", "", str(error))
    return json.dumps(record, default=describe_value, indent=1)


def describe_value(value: Any) -> Any:
    """What JSON cannot hold -> values that it can."""
    if isinstance(value, np.ndarray):
        return (np.round(value, 5) + 0).tolist()  # without a negative zero
    if isinstance(value, caesura.Chunk):
        return value.start, value.end, value.text
    if isinstance(value, Document):
        return value.id, value.metadata, value.page_content
    if isinstance(value, TextNode):
        row = None if value.embedding is None else np.array(value.embedding)
        return {**value.model_dump(), "embedding": row}
    if isinstance(value, set):
        return sorted(value)
    return value.chunks(), value.parents()  # of a hierarchy


def hash_record(record: str) -> str:
    """A record -> a short hash."""
    return sha256(record.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def compare_hashes(before: Hashes, after: Hashes) -> list[str]:
    """The hashes of two versions -> a line for each case that differs, is new or is gone."""
    lines = []
    for group in sorted({*before, *after}):
        old, new = before.get(group, {}), after.get(group, {})
        differing = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
        lines += [f"{group}: {name}: {old.get(name, 'new')} -> {new.get(name, 'gone')}" for name in differing]
    return lines


def main() -> None:
    """Read the options, run the cases, print their hashes, and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1], help="where the texts are")
    parser.add_argument("--out", type=Path, help="write the hashes of all cases into this file")
    parser.add_argument("--against", type=Path, help="compare with the hashes in this file")
    parser.add_argument("--show", metavar="WORDS", help="print the records of the cases of that name, and nothing else")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    begin, texts = time.monotonic(), [*read_texts(options.root), *generate_texts()]
    groups: Hashes = {"texts": {text.name: hash_record(text.text) for text in texts}}
    for case in deal_cases(texts):
        name = f"{case.expression} | {case.text.name}"
        if options.show is None:
            groups.setdefault(case.group, {})[name] = hash_record(record_case(case))
        elif options.show in name:
            print(name, record_case(case), sep="\n")
    if options.show is not None:
        return
    for group in sorted(groups):
        print(f"{group}  {len(groups[group])}  {hash_record(json.dumps(groups[group]))}")
    count = sum(map(len, groups.values())) - len(texts)
    print(f"total  {count}  {hash_record(json.dumps(groups))}  {len(texts)} texts, {time.monotonic() - begin:.0f} s")
    print(f"of {caesura.__file__}")
    if options.out:
        options.out.write_text(json.dumps(groups, indent=0), "utf-8")
    if options.against:
        lines = compare_hashes(json.loads(options.against.read_text("utf-8")), groups)
        print(*lines[:20], f"{len(lines)} cases differ", sep="\n")
        sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
