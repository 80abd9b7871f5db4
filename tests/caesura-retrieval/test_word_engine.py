"""The engine's folder: whatever happens to it, what the SQLite file holds is found, and nothing else."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest
import tantivy
from fakes.laws import law
from hypothesis import given
from hypothesis import strategies as st

from caesura.errors import SettingError
from caesura_retrieval import word_index
from caesura_retrieval.word_engine import Block, WordEngine
from caesura_retrieval.word_index import APPLIED, WordDocument, WordIndex, WordText
from caesura_store.sqlite_store import Store

ANIMALS = ("auk", "crab", "dodo", "egret", "fox", "gnu")


def doc(*texts: str, first: str = "") -> WordDocument:
    return WordDocument([WordText(f"{first or text} {at}", text) for at, text in enumerate(texts)])


def find(index: WordIndex, question: str) -> set[str]:
    return set(index.search(question, budget=0).scores)


def folder_of(path: Path) -> Path:
    [folder] = Path(f"{path}-words").iterdir()
    return folder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with the words of a document for each animal, of which its engine has been told."""
    with Store(tmp_path / "words.db") as store:
        index = WordIndex(store)
        index.put({animal: doc(f"a {animal}", first=animal) for animal in ANIMALS})
        assert find(index, "a crab") == {"crab 0"}
    return tmp_path / "words.db"


def check(path: Path) -> None:
    """All is found, and can be written to."""
    with Store(path) as store:
        index = WordIndex(store)
        assert all(find(index, animal) == {f"{animal} 0"} for animal in ANIMALS)
        index.put({"crab": doc("a lobster", first="crab"), "new": doc("a fox", first="new")})
        assert find(index, "lobster") == {"crab 0"}
        assert find(index, "crab") == set()
        assert find(index, "fox") == {"fox 0", "new 0"}


@pytest.fixture
def warned(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    return lambda: [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_lost_folder_is_made_again(path: Path, warned: Callable[[], list[str]]) -> None:
    shutil.rmtree(f"{path}-words")
    check(path)
    [warning] = warned()
    assert str(path) in warning
    assert "indexed anew" in warning


@pytest.mark.thorough
@pytest.mark.parametrize("how", ["cut", "zeroed", "gone"])
@pytest.mark.parametrize("suffix", ["term", "idx", "fast", "store", "fieldnorm", "json"])
def test_a_damaged_folder_is_made_again_if_it_cannot_be_read(
    path: Path, suffix: str, how: str, warned: Callable[[], list[str]]
) -> None:
    files = list(folder_of(path).glob(f"*.{suffix}"))
    assert files
    for file in files:
        content = file.read_bytes()
        third = len(content) // 3
        if how == "gone":
            file.unlink()
        else:
            file.write_bytes(content[:third] if how == "cut" else content[:third] + bytes(third) + content[2 * third :])
    check(path)
    assert len(warned()) <= 1


def test_a_folder_that_is_older_or_newer_than_the_file_or_of_another_one_is_made_again(
    path: Path, warned: Callable[[], list[str]]
) -> None:
    folder, old, old_file = folder_of(path), path.with_name("old"), path.with_name("old.db")
    shutil.copytree(folder, old)
    shutil.copyfile(path, old_file)
    with Store(path) as store:
        index = WordIndex(store)
        index.put({"crab": doc("a cat", first="crab"), "dodo": doc("a dog", first="dodo")})
        assert find(index, "cat") == {"crab 0"}
    newer = path.with_name("newer")
    shutil.copytree(folder, newer)
    shutil.rmtree(folder)
    shutil.copytree(old, folder)
    with Store(path) as store:
        assert find(WordIndex(store), "cat") == {"crab 0"}
        assert find(WordIndex(store), "crab") == set()
    assert len(warned()) == 1
    shutil.copyfile(old_file, path)
    shutil.rmtree(folder)
    shutil.copytree(newer, folder)
    check(path)
    assert len(warned()) == 2
    shutil.copytree(newer, f"{path}-words/other")
    with Store(path) as store:
        other = WordIndex(store, "other")
        assert find(other, "crab") == set()
        other.put({"p": doc("a crab", first="p")})
        assert find(other, "a crab") == {"p 0"}
    assert len(warned()) == 2


def test_what_was_told_but_not_crossed_out_is_told_again_without_a_word(
    path: Path, warned: Callable[[], list[str]]
) -> None:
    """As after a kill between the commits of both."""
    before = path.with_name("before.db")
    with Store(path) as store:
        index = WordIndex(store)
        index.put({"crab": doc("a cat", first="crab")})
        index.delete(["dodo"])
        store.run(lambda held: held.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())
        shutil.copyfile(path, before)
        assert find(index, "cat") == {"crab 0"}
    shutil.copyfile(before, path)
    with Store(path) as store:
        index = WordIndex(store)
        assert find(index, "cat") == {"crab 0"}
        assert find(index, "crab") == find(index, "dodo") == set()
    shutil.copyfile(before, path)
    with Store(path) as store:
        index = WordIndex(store)
        index.put({"fox": doc("a cat", first="fox")})
        assert find(index, "cat") == {"crab 0", "fox 0"}
    assert warned() == []


@law()
@given(
    st.lists(
        st.dictionaries(st.sampled_from("pqr"), st.lists(st.sampled_from(ANIMALS), max_size=3), min_size=1), max_size=5
    ),
    st.booleans(),
)
def test_what_was_deleted_is_not_found_in_an_engine_that_is_not_written_whole(
    writes: list[dict[str, list[str]]], asks: bool
) -> None:
    there = dict[str, list[str]]()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(word_index, "SMALL", 0)
        index = WordIndex(Store.in_memory())
        for write in writes:
            index.put({name: doc(*texts, first=name) for name, texts in write.items()})
            there |= write
            if asks:
                index.search("fox")
        for animal in ANIMALS:
            wanted = {f"{name} {at}" for name, own in there.items() for at, each in enumerate(own) if each == animal}
            assert find(index, animal) == wanted


@pytest.mark.thorough
@pytest.mark.parametrize("turn", range(4))
@pytest.mark.parametrize("written", [False, True])
def test_what_is_stopped_while_it_is_written_whole_goes_on_without_a_loss(
    turn: int, written: bool, tmp_path: Path, warned: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a kill before or after the engine has a part on its disk: the first that tells it what is gone, then three."""
    monkeypatch.setattr(word_index, "SMALL", 0)
    monkeypatch.setattr(word_index, "APPLIED", 20)
    with Store(tmp_path / "words.db") as store:
        index = WordIndex(store)
        index.put({f"d{number}": doc("a fox", first=f"d{number}") for number in range(70)})
        index.search("fox")
        turns, write = iter(range(4)), WordEngine.write

        def stop(engine: WordEngine, mark: int, gone: Sequence[int], blocks: Iterable[Block], whole: bool) -> None:
            stops = next(turns) == turn
            if not stops or written:
                write(engine, mark, gone, blocks, whole)
            if stops:
                raise KeyboardInterrupt

        index.delete([f"d{number}" for number in range(15)])
        with monkeypatch.context() as patched:
            patched.setattr(WordEngine, "write", stop)
            with pytest.raises(KeyboardInterrupt):
                index.search("fox")
    with Store(tmp_path / "words.db") as store:
        index = WordIndex(store)
        assert find(index, "fox") == {f"d{number} 0" for number in range(15, 70)}
    assert warned() == []


def test_a_large_write_does_not_leave_its_work_to_a_search(tmp_path: Path) -> None:
    store = Store(tmp_path / "words.db")
    index, count = WordIndex(store), 'SELECT count(*) FROM "entries/pending"'
    index.put({f"d{number}": doc("a fox", first=f"d{number}") for number in range(APPLIED + 10)})
    assert store.run(lambda held: held.execute(count).fetchone()) == (0,)
    assert len(index.search("fox", most=10**4).scores) == APPLIED + 10
    index.put({f"d{number}": WordDocument(()) for number in range(1, 100)})
    assert store.run(lambda held: held.execute(count).fetchone()) == (99,)
    assert len(index.search("fox", most=10**4).scores) == APPLIED + 10 - 99


def test_what_is_written_apart_is_given_to_the_engine_when_it_is_due(tmp_path: Path) -> None:
    index, fresh = WordIndex(Store(tmp_path / "words.db")), WordIndex(Store.in_memory())
    many = {f"d{number}": doc("a fox", f"dog {number}", first=f"d{number}") for number in range(APPLIED)}
    assert not index.write(dict([*many.items()][:-1]))
    assert index.write(many)
    index.apply()
    assert not index.write({"last": doc("a fox", first="last")})
    fresh.put({**many, "last": doc("a fox", first="last")})
    for asked in ("fox", "dog 7", "fox dog"):
        assert index.search(asked, most=10**4).scores == fresh.search(asked, most=10**4).scores


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process")
def test_a_full_disk_is_named_and_what_was_put_is_found_when_there_is_room(path: Path) -> None:
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Store(path) as store:
        index = WordIndex(store)
        index.put({f"d{number}": doc(f"a gull {number}", first=f"d{number}") for number in range(150)})
        for _ in range(2):
            try:
                resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
                with pytest.raises(OSError, match=r"no words are lost; see whether the disk .*words\.db-words"):
                    index.search("gull")
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert len(find(index, "gull")) == 150
        assert find(index, "fox") == {"fox 0"}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the rights of a user that is not root")
def test_a_folder_that_may_not_be_written_to_is_an_error_that_says_so(path: Path) -> None:
    with Store(path) as store:
        index = WordIndex(store)
        index.put({"new": doc("a fox", first="new")})
        folder_of(path).chmod(0o500)
        with pytest.raises(SettingError, match=r"words\.db-words.* cannot be used as a folder to write to"):
            index.search("fox")
        folder_of(path).chmod(0o700)
        assert find(index, "fox") == {"fox 0", "new 0"}


def test_a_file_in_the_place_of_the_folder_is_an_error_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "words.db-words").touch()
    with Store(tmp_path / "words.db") as store:
        index = WordIndex(store)
        index.put({"fox": doc("a fox", first="fox")})
        with pytest.raises(SettingError, match=r"words\.db-words.* cannot be used as a folder .* search without words"):
            index.search("fox")
        (tmp_path / "words.db-words").unlink()
        assert find(index, "fox") == {"fox 0"}


def test_a_disk_that_gives_back_nothing_is_an_error_and_not_tried_for_ever(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(f"{path}-words")
    with Store(path) as store, monkeypatch.context() as patched:
        patched.setattr(WordEngine, "load", lambda _: None)
        with pytest.raises(OSError, match=r"no words are lost; see whether the disk .*words\.db-words"):
            WordIndex(store).search("fox")
    check(path)


def test_who_writes_waits_for_another_writer_as_long_as_the_store_does(path: Path) -> None:
    other = tantivy.Index.open(str(folder_of(path))).writer(15_000_000, 1)
    with Store(path, timeout=0.2) as store:
        index = WordIndex(store)
        index.put({"new": doc("a fox", first="new")})
        with pytest.raises(TimeoutError, match=r"another process writes words for more than 0\.2 s.*words\.db-words"):
            index.search("fox")
    with Store(path) as store:
        index = WordIndex(store)
        threading.Timer(0.2, other.wait_merging_threads).start()
        assert find(index, "fox") == {"fox 0", "new 0"}


@pytest.mark.thorough
def test_processes_see_at_their_next_search_what_others_wrote(path: Path) -> None:
    code = f"""
from caesura_retrieval.word_index import *
index = WordIndex(Store({str(path)!r}))
for line in iter(input, "end"):
    index.put({{line: WordDocument([WordText(line, "a fox")])}})
    print(*sorted(index.search("a fox").scores), flush=True)
"""
    child = subprocess.Popen([sys.executable, "-c", code], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdin
    assert child.stdout
    wanted = {"fox 0"}
    with Store(path) as store:
        index = WordIndex(store)
        for number in range(8):
            print(f"child{number}", file=child.stdin, flush=True)
            wanted |= {f"child{number}"}
            assert child.stdout.readline().strip() == " ".join(sorted(wanted))
            assert find(index, "a fox") == wanted
            index.put({f"own{number}": WordDocument([WordText(f"own{number}", "a fox")])})
            wanted |= {f"own{number}"}
    print("end", file=child.stdin, flush=True)
    assert child.wait(60) == 0


def test_each_of_several_threads_finds_what_it_put(tmp_path: Path) -> None:
    faults = list[str]()
    stores = [Store(tmp_path / "words.db") for _ in range(2)]

    def work(number: int) -> None:
        index, animal = WordIndex(stores[number % 2]), ANIMALS[number]
        for turn in range(6):
            index.put({animal: doc(*[f"{animal} {turn}"] * (turn + 1), first=animal)})
            if len(find(index, animal)) != turn + 1:
                faults.append(animal)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert len(WordIndex(stores[0])) == 4 * 6


@pytest.mark.thorough
def test_threads_that_come_upon_a_new_engine_together_make_it_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for turn in range(20):
        with Store(tmp_path / f"{turn}.db") as store:
            index, together = WordIndex(store), threading.Barrier(12)

            def write(number: int, index: WordIndex = index, together: threading.Barrier = together) -> None:
                together.wait()
                index.put({str(number): doc("a crab", first=str(number))})
                index.search("crab")

            threads = [threading.Thread(target=write, args=(number,)) for number in range(12)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert len(find(index, "crab")) == 12
    assert not caplog.records


@pytest.mark.thorough
def test_no_damaged_place_is_taken_for_the_sqlite_file(path: Path) -> None:
    """Each stretch of each file of the folder is overwritten in turn: all is found, or an empty list is, no error."""
    for name in sorted(each.name for each in folder_of(path).iterdir() if each.is_file()):
        for start in range(0, min(folder_of(path).joinpath(name).stat().st_size, 2_000), 50):
            copy = path.parent / "copy"
            shutil.rmtree(copy, ignore_errors=True)
            copy.mkdir()
            shutil.copytree(folder_of(path), copy / "words.db-words" / folder_of(path).name)
            shutil.copy(path, copy / "words.db")
            with (copy / "words.db-words" / folder_of(path).name / name).open("r+b") as file:
                file.seek(start)
                file.write(bytes(50))
            with Store(copy / "words.db") as store:
                assert find(WordIndex(store), "a crab") <= {f"{animal} 0" for animal in ANIMALS}
