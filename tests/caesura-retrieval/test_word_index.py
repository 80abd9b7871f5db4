"""Words by key: what is found and how it scores, what a write leaves, and what is refused."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from fakes.laws import law
from hypothesis import given
from hypothesis import strategies as st
from naive.passages import word_scores

from caesura.errors import SettingError
from caesura_retrieval import word_index
from caesura_retrieval.word_index import MOST_ASKED, WordIndex, terms
from caesura_store.sqlite_store import Store

WORDS = ("kab", "tob", "dog", "mum", "fig", "7", "yak")
texts = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
documents = st.dictionaries(st.sampled_from("pqrs"), st.lists(texts, max_size=12), max_size=4)


def keyed(given: dict[str, list[str]]) -> dict[str, list[tuple[str, str]]]:
    return {name: [(f"{name}{place}", text) for place, text in enumerate(own)] for name, own in given.items()}


@pytest.mark.thorough
@law()
@given(documents, st.lists(documents, max_size=3), st.lists(st.sampled_from([*WORDS, "none"]), max_size=5))
def test_scores_are_those_of_a_slow_twin_after_any_writes(
    first: dict[str, list[str]], later: list[dict[str, list[str]]], asked: list[str]
) -> None:
    index, there = WordIndex(Store.in_memory()), keyed(first)
    index.put(there)
    for change in map(keyed, later):
        index.put(change)
        there |= change
    wanted = word_scores(there, " ".join(asked))
    found = index.search(" ".join(asked))
    assert found == pytest.approx(wanted)
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert len(index) == sum(map(len, there.values()))
    assert sorted(index.names()) == sorted(name for name, own in there.items() if own)
    fresh = WordIndex(Store.in_memory())
    fresh.put(there)
    assert list(fresh.search(" ".join(asked)).values()) == pytest.approx(list(found.values()))


@law()
@given(st.lists(st.uuids().map(str) | st.uuids().map(lambda one: one.hex) | st.text(max_size=40), unique=True))
def test_names_and_keys_are_returned_as_they_were_given(names: list[str]) -> None:
    index = WordIndex(Store.in_memory())
    index.put({name: [(f"key {name}", "kab"), (name, "kab dog")] for name in names})
    assert sorted(index.names()) == sorted(names)
    assert index.owners(names) == {name: name for name in names}
    assert sorted(index.search("dog", most=len(names) or 1)) == sorted(names)


def test_of_more_than_are_returned_those_asked_for_are_there_too() -> None:
    index = WordIndex(Store.in_memory())
    rng = random.Random(3)
    index.put({f"d{n}": [(f"{n}/{i}", " ".join(rng.sample(WORDS, 2))) for i in range(3)] for n in range(200)})
    whole = index.search("kab dog fig", most=600)
    some = index.search("kab dog fig", [*whole][-5:], most=20)
    assert [key for key in whole if key in some][:20] == list(some)[:20]
    assert set([*whole][-5:]) <= some.keys()
    assert all(some[key] == pytest.approx(whole[key]) for key in some)


def test_a_text_without_the_words_is_found_beside_those_that_have_them() -> None:
    index = WordIndex(Store.in_memory())
    index.put({"p": [("a", "the kab"), ("b", "a tob"), *((f"z{n}", "mum") for n in range(20))]})
    assert list(index.search("kab tob"))[:2] == ["a", "b"]
    assert list(index.search("kab")) == ["a", "b", "z0", "z1", "z2"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("The ferries were leaving.", "When does the ferry leave?"),
        ("Order no. ZX-4471 was sent.", "zx-4471"),
        ("Der Café-Besitzer", "cafe besitzer"),
        ("ПАРОМ уходит в девять", "паром"),
        ("渡船早上九点离开北京。", "北京"),
        ("フェリーは東京湾を出る。", "東京"),
        ("เรือข้ามฟากออกเก้าโมง", "ข้ามฟาก"),
        ("تغادر العبّارة", "تغادر"),
        ("배가 아홉 시에 떠난다", "아홉"),
        ("straße", "STRASSE"),
    ],
)
def test_what_is_written_otherwise_is_found(text: str, query: str) -> None:
    index = WordIndex(Store.in_memory())
    index.put({"p": [("a", text), *((f"z{n}", "Nothing is here. 什么 ない ไม่มี") for n in range(9))]})
    assert next(iter(index.search(query))) == "a"


def test_terms_have_no_case_and_no_accents_and_scripts_without_spaces_come_in_pairs() -> None:
    assert terms("Élan élan, o'clock x_y") == ["elan", "o", "clock", "x", "y"]
    assert terms("東京湾。湾 A級") == ["東京", "京湾", "湾", "a", "級"]
    assert terms("\ud800 \x00 --- ") == []
    assert terms("a" * 1000) == ["a" * 64]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("किताब की क़ीमत।", ["किताब", "की", "क़ीमत"]),
        ("বাংলা ভাষা", ["বাংলা", "ভাষা"]),
        ("வணக்கம், உலகம்", ["வணக்கம்", "உலகம்"]),
        ("བཀྲ་ཤིས", ["བཀྲ", "ཤིས"]),
        ("العربيّة العربية", ["العربية"]),
        ("שָׁלוֹם־שלום", ["שלום"]),
    ],
)
def test_marks_within_a_word_do_not_end_it(text: str, words: list[str]) -> None:
    assert terms(text) == words


@pytest.mark.parametrize("query", ["", "  ", "???", '"', "a AND", "NEAR(kab dog)", "kab*", "\ud800", "\x00", "^kab"])
def test_any_question_can_be_asked(query: str) -> None:
    index = WordIndex(Store.in_memory())
    index.put({"p": [("a", "kab"), ("b", "near dog")]})
    assert index.search(query).keys() <= {"a", "b"}


def test_odd_names_and_keys_come_back_and_have_one_owner() -> None:
    index = WordIndex(Store.in_memory())
    index.put({"\ud800\x00": [("\udfff", "kab"), ("", "kab"), ("", "dog")], "": [("ä", "kab")]})
    assert set(index.search("kab")) == {"\udfff", "", "ä"}
    assert index.owners(["\udfff", "", "none"]) == {"\udfff": "\ud800\x00", "": "\ud800\x00"}
    index.put({"q": [("ä", "kab")], "": []})
    assert index.owners(["ä"]) == {"ä": "q"}
    index.delete(["\ud800\x00", "nobody"])
    assert list(index.search("kab")) == ["ä"]
    assert len(index) == 1


def test_a_write_changes_what_has_changed_and_no_more(tmp_path: Path) -> None:
    store = Store(tmp_path / "words.db")
    index = WordIndex(store)
    rows = [(f"k{n}", f"kab {n}") for n in range(50)]
    index.put({"p": rows})
    before = store.run(lambda held: held.total_changes)
    index.put({"p": rows})
    same = store.run(lambda held: held.total_changes) - before
    index.put({"p": [("new", "a new one"), *rows]})
    assert store.run(lambda held: held.total_changes) - before - same <= same + 10
    assert list(index.search("new")) == ["new", "k0", "k1", "k2", "k3"]


@law()
@given(documents, documents)
def test_with_what_is_kept_both_versions_are_found_and_the_next_write_leaves_one(
    before: dict[str, list[str]], after: dict[str, list[str]]
) -> None:
    index, new = WordIndex(Store.in_memory()), WordIndex(Store.in_memory())
    index.put(keyed(before))
    index.put(keyed(after), keep=True)
    keys = {key: text for version in (before, after) for own in keyed(version).values() for key, text in own}
    for word in WORDS:
        assert {key for key, text in keys.items() if word in text.split()} <= index.search(word).keys() <= keys.keys()
    assert len(index) == len(keys)
    for each in (index, new):
        each.put({**dict.fromkeys(before, ()), **keyed(after)})
    assert len(index) == len(new)
    assert all(index.search(word) == new.search(word) for word in WORDS)


def test_another_store_in_the_same_file_and_process_sees_it(tmp_path: Path) -> None:
    path = tmp_path / "words.db"
    WordIndex(Store(path, "a")).put({"p": [("x", "kab")]})
    assert list(WordIndex(Store(path, "b")).search("kab")) == []
    code = (
        f"from caesura_retrieval.word_index import *; print(list(WordIndex(Store({str(path)!r}, 'a')).search('kab')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['x']\n"


@law()
@given(st.text(), st.integers(0, 9))
def test_the_first_words_of_a_text_are_the_first_of_all_its_words(text: str, most: int) -> None:
    assert terms(text, most) == terms(text)[:most]


def test_words_share_a_file_with_tables_of_any_name(tmp_path: Path) -> None:
    tables = [
        "wiki",
        "Wiki",
        "wiki_words",
        "wiki_documents",
        "wiki_chunks",
        "wiki_words_data",
        "wiki_x",
        "wiki_x_words",
    ]
    indexes: dict[str, WordIndex] = {}
    for table in tables:
        store = Store(tmp_path / "words.db", table)
        store.put([("a", table.encode())])
        indexes |= {table: WordIndex(store), f"{table} x": WordIndex(store, "x")}
    for name, index in indexes.items():
        index.put({"p": [(f"of {name}", "kab")]})
    for name, index in indexes.items():
        assert list(index.search("kab")) == [f"of {name}"]
    assert [Store(tmp_path / "words.db", table).get(["a"]) for table in tables] == [[t.encode()] for t in tables]


def test_the_rarest_words_are_read_and_the_commonest_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_index, "MOST_READ", 10)
    index = WordIndex(Store.in_memory())
    index.put({f"d{n}": [(f"k{n}", f"the {'kab' if n < 8 else 'dog'}")] for n in range(20)})
    assert set(index.search("the kab")) == {f"k{n}" for n in range(8)}
    assert set(index.search("the dog")) == {f"k{n}" for n in range(8, 20)}
    assert len(index.search("the")) == 20


def test_a_long_question_reads_no_more_than_its_first_words_do() -> None:
    """Other threads wait while it reads."""
    store, statements = Store.in_memory(), list[str]()
    index = WordIndex(store)
    index.put({f"d{n}": [(f"k{n}", f"word{n}")] for n in range(4 * MOST_ASKED)})
    store.run(lambda held: held.set_trace_callback(statements.append))
    counts = {}
    for words in (1, 4):
        statements.clear()
        found = index.search(" ".join(f"word{n}" for n in range(words * MOST_ASKED)), most=10**6)
        assert found.keys() == {f"k{n}" for n in range(MOST_ASKED)}
        counts[words] = sum("MATCH" in statement for statement in statements)
    assert counts[4] == counts[1] == MOST_ASKED


def test_without_fts5_a_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    store, run = Store.in_memory(), Store.run

    def without(self: Store, work: object, begin: str = "") -> object:
        if begin:
            raise sqlite3.OperationalError("no such module: fts5")
        return run(self, work)

    monkeypatch.setattr(Store, "run", without)
    with pytest.raises(SettingError, match="words=0 does without"):
        WordIndex(store)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Kindle™", ["kindle", "tm"]),
        ("See Miller³ on CO₂", ["see", "miller", "3", "on", "co2"]),
        ("2½ cups", ["2", "1", "cups"]),
        ("Sozial\u00adver\u2060sicherung", ["sozialversicherung"]),
        ("№5 𝚨𝛃", ["no5", "αβ"]),
    ],
)
def test_signs_that_are_set_beside_a_word_are_none_of_its_letters(text: str, words: list[str]) -> None:
    assert terms(text) == words


@pytest.mark.parametrize(
    "damage",
    [
        'DELETE FROM "entries/documents" WHERE number = 0',
        "UPDATE \"entries/documents\" SET chunks = x'01'",
        'DELETE FROM "entries/documents" WHERE number > 0',
        'DELETE FROM "entries/words_config"',
        'DELETE FROM "entries/words_data"',
        "UPDATE \"entries/words_data\" SET block = x'0102'",
        'DROP TABLE "entries/chunks"',
    ],
)
def test_damaged_tables_are_an_error_that_names_the_file_or_no_fault(damage: str, tmp_path: Path) -> None:
    with Store(tmp_path / "words.db") as store:
        index = WordIndex(store)
        index.put({"pier": [("a", "The ferry leaves at nine."), ("b", "Tickets are sold on board.")]})
        store.run(lambda connection: connection.execute(damage))
    faults = list[str]()
    with Store(store.path) as store:
        index = WordIndex(store)
        for call in (
            lambda: index.search("ferry tickets", ["b"]),
            lambda: index.owners(["a", "b"]),
            lambda: len(index),
            lambda: index.put({"pier": [("c", "A boat.")], "inn": [("d", "Beds.")]}),
        ):
            try:
                call()
            except SettingError as error:
                faults.append(str(error))
    assert faults
    assert all("words.db is damaged" in fault and "copy" in fault for fault in faults)
