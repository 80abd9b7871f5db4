"""Documents in Redis and in Postgres, rows in a Chroma server: several processes write, are killed, and read."""

from __future__ import annotations

import itertools
import multiprocessing
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("chromadb", reason="the session `distributed` installs it")
from fakes.stores.servers import free_port, postgres, server
from fakes.stores.shared_stores import HOST, Place, Ports, SharedLangChain, tell, write_and_die, write_at_once
from fakes.texts.articles import article
from langchain_core.documents import Document

TEXTS = {name: article(8, seed) for seed, name in enumerate("abcdef")}
EDITED = {"b": f"The parrot spoke of serial number QX-7731. {TEXTS['b'][:-100]}"}
BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
FROM_HERE = multiprocessing.get_context("forkserver")
"""Processes that have loaded both frameworks when they begin, and have no connection of another."""
_numbers = itertools.count()


@pytest.fixture(scope="module")
def ports() -> Iterator[Ports]:
    """Servers of our own, gone at the end."""
    if not shutil.which("redis-server") or not BINARIES:
        pytest.skip("needs Debian's redis-server and postgresql: apt-get install redis-server postgresql")
    FROM_HERE.set_forkserver_preload(["fakes.stores.shared_stores"])
    found = Ports(free_port(), free_port(), free_port())
    with tempfile.TemporaryDirectory() as place, tempfile.TemporaryDirectory() as other, ExitStack() as servers:
        redis = ["redis-server", "--bind", HOST, "--port", found.redis, "--save", "", "--dir", other]
        chroma = [
            Path(sys.executable).with_name("chroma"),
            "run",
            "--host",
            HOST,
            "--port",
            found.chroma,
            "--path",
            other,
        ]
        servers.enter_context(server(redis, found.redis))
        servers.enter_context(server(chroma, found.chroma))
        servers.enter_context(postgres(Path(place), found.postgres, BINARIES[-1]))
        yield found


@pytest.fixture(params=itertools.product(["langchain", "llama_index"], ["redis", "postgres"]), ids="-".join)
def new(request: pytest.FixtureRequest, ports: Ports) -> Callable[[], Place]:
    """Makes names of indexes that nobody has written to."""
    return lambda: Place(*request.param, ports, f"index{next(_numbers)}")


def begin(work: Callable[..., None], *arguments: Any) -> Any:
    process = FROM_HERE.Process(target=work, args=arguments)
    process.start()
    return process


def end(process: Any) -> int:
    process.join(60)
    assert process.exitcode is not None
    return int(process.exitcode)


def read_elsewhere(place: Place) -> list[str]:
    """What another process finds."""
    here, there = FROM_HERE.Pipe()
    process = begin(tell, place, there)
    assert here.poll(60)
    found: list[str] = here.recv()
    assert end(process) == 0
    return found


def test_added_edited_deleted_and_read_by_another_process(new: Callable[[], Place]) -> None:
    place = new()
    made = place.open()
    made.write(TEXTS)
    assert read_elsewhere(place) == made.ask() == sorted(TEXTS.values())
    kept = made.kept()
    made.write(TEXTS)
    place.open().write(EDITED)
    assert read_elsewhere(place) == made.ask() == sorted((TEXTS | EDITED).values())
    made.write(TEXTS)
    assert made.kept() == kept
    made.delete(["a"])
    assert read_elsewhere(place) == made.ask() == sorted(text for name, text in TEXTS.items() if name != "a")
    made.delete(TEXTS)
    assert read_elsewhere(place) == made.ask() == []
    assert made.kept() == (0, 0)


def test_two_processes_write_different_documents_at_once(new: Callable[[], Place]) -> None:
    place = new()
    made = place.open()
    first, second = dict(list(TEXTS.items())[:3]), dict(list(TEXTS.items())[3:])
    barrier = FROM_HERE.Barrier(2)
    rounds = [
        [{name: f"{text} Version {number}." for name, text in some.items()} for number in range(3)]
        for some in (first, second)
    ]
    writers = [begin(write_at_once, place, versions, barrier) for versions in rounds]
    assert [end(writer) for writer in writers] == [0, 0]
    assert made.ask() == sorted(text for versions in rounds for text in versions[-1].values())
    made.write(TEXTS)
    assert made.ask() == sorted(TEXTS.values())
    made.delete(TEXTS)
    assert made.kept() == (0, 0)


def test_a_writer_killed_between_any_two_calls_is_mended_by_the_next(new: Callable[[], Place]) -> None:
    texts = {"a": TEXTS["a"], "b": article(3, 7)}
    edited = {"b": f"The parrot spoke of serial number QX-7731. {texts['b'][:-60]}"}
    every = 1 if new().kind == "redis" else 3  # the calls are the same
    for before in itertools.count(0, every):
        place = new()
        made = place.open()
        made.write(texts)
        code = end(begin(write_and_die, place, edited, before))
        found = made.ask()
        assert texts["a"] in found
        assert all(any(text in version for version in (*texts.values(), *edited.values())) for text in found)
        made.write(edited)
        assert made.ask() == sorted((texts | edited).values())
        made.delete(texts)
        assert made.ask() == []
        rows, entries = made.kept()
        assert rows == 0
        assert entries <= made.STRAY
        if code == 0:
            break
        assert code == -signal.SIGKILL
    assert before >= 4


@pytest.mark.parametrize("kind", ["redis", "postgres"])
def test_mirror_finds_what_is_gone(kind: str, ports: Ports) -> None:
    place = Place("langchain", kind, ports, f"index{next(_numbers)}")
    made = SharedLangChain(place)
    made.write(TEXTS)
    made.retriever.mirror([Document(TEXTS["a"], id="a")])
    assert read_elsewhere(place) == [TEXTS["a"]]
    assert made.retriever.get(["b"]) == []
