"""One index that grows from ten thousand chunks to a million: what a write, a search, an edit and opening cost at each.

    python benchmarks/scale_index.py [--chunks 1000000] [--folder FOLDER] [--store lancedb | postgres]

`ParentDocumentRetriever` with the built-in model. lancedb: rows in LanceDB, documents and words in SQLite, all in one
folder. postgres: a server of its own has rows, their words and documents. Each step is a process of its own that may
have 4 GB of address space (RLIMIT_AS). A run that was killed goes on where it was, if it is given the same folder: what
a part cost is written down once the part is stored. Needs ../shared/data.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from statistics import mean, median, quantiles
from typing import Any

import psutil
from clock import Clock
from langchain_core.documents import Document
from peak import peak
from scale_corpus import PART, Corpus
from scale_plot import draw
from scale_stores import Place, serve
from tables import Row, Table

from caesura_static import StaticEmbedder
from langchain_caesura import ParentDocumentRetriever

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
CHUNK = 421
"""Characters of text for each chunk, as the default splitter cuts this text."""
MEMORY = 4 << 30
QUESTIONS, EDITS = 100, 7
ASIDE = ("store", "embedding")
"""What a retriever spends that is not its own."""
SENTENCE = "The ferry {} was painted in the colour of rust that year. "


def parts_of(chunks: int) -> int:
    """Returns how many parts make about so many chunks."""
    return max(1, round(chunks * CHUNK / PART))


class Costs:
    """A retriever -> the seconds of processors that a call takes: the store's, the embedder's, and what is left, ours.

    server: the process whose seconds, and those of all under it, are the store's too.
    """

    def __init__(self, retriever: ParentDocumentRetriever, server: int | None = None) -> None:
        self._server = None if server is None else psutil.Process(server)
        self.embedded = 0
        self._count_texts()
        self._clock = Clock(time.process_time)
        for name in ("add_documents", "delete", "similarity_search_with_score"):
            self._clock.around(type(retriever.vectorstore), name, "store")
        self._clock.around(StaticEmbedder, "__call__", "embedding")

    def of(self, call: Callable[[], object]) -> dict[str, float]:
        """Calls it -> seconds of processors by whose they are, and of the clock on the wall."""
        self._clock.seconds = dict.fromkeys(self._clock.seconds, 0.0)
        self._clock.since, began, served = time.process_time(), time.monotonic(), self._served()
        call()
        self._clock.switch()
        spent = dict(self._clock.seconds)
        made = {name: spent.pop(name) for name in ASIDE}
        made["store"] += self._served() - served
        return {"ours": sum(spent.values()), **made, "wall": time.monotonic() - began}

    def _count_texts(self) -> None:
        embed = StaticEmbedder.__call__

        def counted(own: StaticEmbedder, texts: Sequence[str]) -> Any:
            self.embedded += len(texts)
            return embed(own, texts)

        StaticEmbedder.__call__ = counted  # type: ignore[method-assign]

    def _served(self) -> float:
        if self._server is None:
            return 0.0
        spent = 0.0
        for process in (self._server, *self._server.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                spent += sum(process.cpu_times()[:2])
        return spent


class Journal:
    """What parts cost that are stored, a line for each. A kill leaves it as it was, or with one line more."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "parts.jsonl"

    def read(self) -> list[dict[str, Any]]:
        """Returns what is known of each part, the first of part 0."""
        return [*map(json.loads, self.path.read_text("utf-8").splitlines())] if self.path.exists() else []

    def add(self, entry: dict[str, Any]) -> None:
        """Writes down that one more part is stored."""
        known = "".join(f"{json.dumps(each)}\n" for each in [*self.read(), entry])
        half = self.path.with_suffix(".half")
        half.write_text(known, "utf-8")
        half.replace(self.path)


def index(place: Place, corpus: Corpus, until: int, server: int | None) -> None:
    """Stores the parts that are not stored, to so many, and says how far it is."""
    journal = Journal(place.folder)
    retriever = place.open()
    costs, done = Costs(retriever, server), len(journal.read())
    place.begin()
    began, first = time.monotonic(), done
    for number in range(done, until):
        documents = [Document(text, id=name) for name, text in corpus.part(number).items()]
        size = sum(len(each.page_content.encode()) for each in documents)
        before = costs.embedded
        spent = costs.of(lambda: retriever.add_documents(documents))  # noqa: B023 - it is called before the next
        journal.add({"bytes": size, "embedded": costs.embedded - before, "peak": peak(), **spent})
        left = (time.monotonic() - began) / (number + 1 - first) * (until - number - 1)
        print(f"part {number + 1} of {until}, {left / 60:.0f} min left", file=sys.stderr, flush=True)
    spent = costs.of(lambda: place.compact(retriever.vectorstore))
    print(json.dumps({"compact": spent["ours"] + spent["store"], "peak": peak()}))


def measure(place: Place, corpus: Corpus, server: int | None) -> None:
    """Opens the index and prints what a question, an edit and a deletion cost, and that each did what it should."""
    questions, began, spent = corpus.questions(QUESTIONS), time.process_time(), -time.monotonic()
    retriever = place.open()
    place.ask(retriever, questions[0])
    opened, spent = time.process_time() - began, spent + time.monotonic()
    costs = Costs(retriever, server)
    asked = [costs.of(lambda: place.ask(retriever, question)) for question in questions]  # noqa: B023 - as above
    texts = list(corpus.part(len(Journal(place.folder).read()) - 1).items())
    updates, deletions = [], []
    for number, (name, text) in enumerate(texts[:EDITS]):
        said = SENTENCE.format(f"{place.folder.name}-{number}")
        at = text.find(" ", len(text) // 2) + 1
        edited = Document(text[:at] + said + text[at:], id=name)
        updates.append(costs.of(lambda: retriever.add_documents([edited])))  # noqa: B023 - as above
        check(said.strip(), place, retriever, there=True)
        deletions.append(costs.of(lambda: retriever.delete([name])))  # noqa: B023 - as above
        check(said.strip(), place, retriever, there=False)
        retriever.add_documents([Document(text, id=name)])
    found = {
        "chunks": place.rows(retriever.vectorstore),
        "open": [opened, spent],
        "peak": peak(),
        "disk": place.disk(),
        "search": asked,
        "update": updates,
        "delete": deletions,
        "edited": median(map(len, dict(texts[:EDITS]).values())),
    }
    print(json.dumps(found))


def check(said: str, place: Place, retriever: ParentDocumentRetriever, there: bool) -> None:
    """Raises `RuntimeError` unless a sentence is found, or is not, as it should be."""
    if any(said in found.page_content for found in place.ask(retriever, said)) != there:
        raise RuntimeError(f"{said!r} is {'not found' if there else 'found, and was deleted'}")


def step(name: str, place: Place, corpus: Path, until: int, server: int | None) -> dict[str, Any]:
    """A step in a process of its own, with a limit of memory -> what it printed."""
    command = [sys.executable, "-W", "ignore", __file__, "--folder", place.folder, "--store", place.store]
    command += ["--step", name, "--corpus", corpus, "--until", until, "--port", place.port, "--server", server or 0]
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))  # noqa: E731 - of the child alone
    done = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, check=True, text=True, preexec_fn=limit)
    made: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return made


def kept_step(name: str, place: Place, corpus: Path, until: int, server: int | None) -> dict[str, Any]:
    """A step that is taken once, even by runs that are killed -> what it printed."""
    kept = place.folder / f"{name}-{until}.json"
    if not kept.exists():
        said = json.dumps(step(name, place, corpus, until, server))
        half = kept.with_suffix(".half")
        half.write_text(said, "utf-8")
        half.replace(kept)
    made: dict[str, Any] = json.loads(kept.read_text("utf-8"))
    return made


def grown(place: Place, corpus: Path, chunks: int, server: int | None) -> Iterator[Row]:
    """The index at each size up to so many chunks -> what it costs there, measured once."""
    sizes = [parts_of(size) for size in (*(size for size in SIZES if size < chunks), chunks)]
    for first, until in pairwise([0, *sizes]):
        found = {name: kept_step(name, place, corpus, until, server) for name in ("index", "measure")}
        parts = Journal(place.folder).read()
        yield row({**found["measure"], "index": found["index"]}, parts[:first], parts[first:until])


def row(found: dict[str, Any], before: list[dict[str, Any]], parts: list[dict[str, Any]]) -> Row:
    """What steps said, and parts: those before and those since -> a row of the table."""
    megabytes = sum(part["bytes"] for part in parts) / 1e6
    spent = {whose: sum(part[whose] for part in parts) for whose in ("ours", *ASIDE)}
    search = {whose: [1000 * each[whose] for each in found["search"]] for whose in ("ours", *ASIDE, "wall")}

    def edit(name: str, *whose: str) -> float:
        return 1000 * median(sum(each[who] for who in whose) for each in found[name])

    text = sum(part["bytes"] for part in before) / 1e6 + megabytes
    return {
        "chunks": f"{found['chunks']:,}",
        "text, MB": f"{text:,.0f}",
        "index, MB per s": f"{megabytes / (sum(spent.values()) + found['index']['compact']):.2f}",
        "without the store": f"{megabytes / (spent['ours'] + spent['embedding']):.2f}",
        "peak, MB": f"{max(found['index']['peak'], *(part['peak'] for part in parts)) / 1e6:,.0f}",
        "disk, MB": f"{found['disk']:,.0f}",
        "search, ours, ms": median(search["ours"]),
        "p95": quantiles(search["ours"], n=20)[-1],
        "search, store, ms": mean(search["store"]),
        "update, ours, ms": edit("update", "ours", "embedding"),
        "update, store, ms": edit("update", "store"),
        "delete, ours, ms": edit("delete", "ours", "embedding"),
        "delete, store, ms": edit("delete", "store"),
        "open and ask, s": f"{found['open'][0]:.2f}",
    }


NOTES = (
    "Times are of processors. ours: all but the vector store, and in a search the embedder.",
    "index: megabytes a second of the text since the row before; without the store: the same but the vector store.",
    f"search: {QUESTIONS} questions of 25 words; the median, the 95th percentile, and of the store's time the mean.",
    f"update: a sentence in the middle of one document; delete: that document; medians of {EDITS}.",
    "peak: the most that a process held while it wrote. disk: both stores and the words.",
)


@contextmanager
def place_of(folder: Path, store: str) -> Iterator[tuple[Place, int | None]]:
    """Where the index is, and the id of its server, which is there until the end."""
    folder.mkdir(parents=True, exist_ok=True)
    if store != "postgres":
        yield Place(folder, store), None
        return
    with serve(folder / "server") as (port, server):
        yield Place(folder, store, port), server


def main() -> None:
    """Reads the command line, grows the index, prints the table and draws the plot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=SIZES[-1], help="about so many at the end")
    parser.add_argument("--folder", type=Path, help="where the index is and stays; else a temporary one")
    parser.add_argument("--store", choices=("lancedb", "postgres"), default="lancedb")
    parser.add_argument("--plot", type=Path, help="an SVG file")
    parser.add_argument("--corpus", type=Path, help="where the text is written; else in the folder")
    parser.add_argument("--step", choices=("index", "measure"), help=argparse.SUPPRESS)
    for name in ("--until", "--port", "--server"):
        parser.add_argument(name, type=int, default=0, help=argparse.SUPPRESS)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.step:
        place, corpus = Place(given.folder, given.store, given.port), Corpus(given.corpus)
        server = given.server or None
        return index(place, corpus, given.until, server) if given.step == "index" else measure(place, corpus, server)
    with ExitStack() as stack:
        folder = given.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        place, server = stack.enter_context(place_of(folder, given.store))
        table = Table(f"ParentDocumentRetriever, {given.store}", list(NOTES))
        for made in grown(place, given.corpus or folder / "corpus", given.chunks, server):
            table.rows.append(made)
            print(table.markdown(), flush=True)
        if given.plot:
            draw(table.rows, given.plot)
    return None


if __name__ == "__main__":
    main()
