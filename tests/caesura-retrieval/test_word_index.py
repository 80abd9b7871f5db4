"""Words by key: what is found and how it scores, what a write leaves, and what is refused."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from math import log
from pathlib import Path
from time import process_time

import pytest
from fakes.growth import assert_time_grows
from fakes.laws import law
from hypothesis import given
from hypothesis import strategies as st
from naive.words import word_scores

from caesura.errors import SettingError
from caesura_retrieval.word_engine import Block, WordEngine
from caesura_retrieval.word_index import (
    APPLIED,
    BLOCK,
    DEAD,
    SMALL,
    WordDocument,
    WordIndex,
    WordText,
    group_texts,
    weigh_around,
)
from caesura_retrieval.words import MOST_ASKED, MOST_READ
from caesura_store.sqlite_store import Store

WORDS = ("kab", "tob", "dog", "mum", "fig", "7", "yak")
words = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
rows = st.lists(st.tuples(words, words), max_size=12)
documents = st.dictionaries(st.sampled_from("pqrs"), st.tuples(words, rows), max_size=4)
Given = dict[str, tuple[str, list[tuple[str, str]]]]


def doc(*texts: tuple[str, str], title: str = "") -> WordDocument:
    return WordDocument([WordText(*each) for each in texts], title)


def keyed(given: Given) -> dict[str, WordDocument]:
    return {
        name: WordDocument([WordText(f"{name}{at}", *each) for at, each in enumerate(own)], title)
        for name, (title, own) in given.items()
    }


def slow_scores(there: Mapping[str, WordDocument], asked: Sequence[str], budget: int) -> dict[str, float]:
    texts = {name: [(each.key, each.text, each.headings) for each in own.texts] for name, own in there.items()}
    return word_scores(texts, {name: own.title for name, own in there.items()}, asked, weigh_around(budget))


def test_texts_that_score_alike_stand_in_the_order_of_their_names_whatever_was_written_first() -> None:
    given = {name: doc((f"{name}1", "kab tob", ""), (f"{name}0", "kab tob", "")) for name in "pqr"}
    for order in ("pqr", "rqp", "qrpq"):
        index = WordIndex(Store.in_memory())
        for name in order:
            index.put({name: doc((f"{name}1", "fig", ""))})
            index.put({name: given[name]})
        assert [*index.search("kab").scores] == ["p0", "p1", "q0", "q1", "r0", "r1"]


@pytest.mark.thorough
@law()
@given(
    documents,
    st.lists(documents, max_size=3),
    st.lists(st.sampled_from([*WORDS, "none"]), max_size=5),
    st.sampled_from([0, 1000, 4000, 16_000]),
)
def test_scores_are_those_of_a_slow_twin_after_any_writes(
    first: Given, later: list[Given], asked: list[str], budget: int
) -> None:
    index, there = WordIndex(Store.in_memory()), keyed(first)
    index.put(there)
    for change in map(keyed, later):
        index.put(change)
        there |= change
    found = index.search(" ".join(asked), budget=budget)
    assert found.scores == pytest.approx(slow_scores(there, asked, budget), abs=2e-4)
    assert list(found.scores.values()) == sorted(found.scores.values(), reverse=True)
    assert found.documents == {key: key[0] for key in found.scores}
    assert len(index) == sum(len(own.texts) for own in there.values())
    assert sorted(index.names()) == sorted(name for name, own in there.items() if own.texts)
    fresh = WordIndex(Store.in_memory())
    fresh.put(there)
    assert fresh.search(" ".join(asked), budget=budget).scores == found.scores


@law()
@given(st.lists(st.uuids().map(str) | st.uuids().map(lambda one: one.hex) | st.text(max_size=40), unique=True))
def test_names_and_keys_are_returned_as_they_were_given(names: list[str]) -> None:
    index = WordIndex(Store.in_memory())
    index.put({name: doc((f"key {name}", "kab"), (name, "kab dog")) for name in names})
    assert sorted(index.names()) == sorted(names)
    assert index.owners(names) == {name: name for name in names}
    found = index.search("dog", budget=0)
    assert sorted(found.scores) == sorted(names)
    assert found.documents == {name: name for name in names}


def test_of_more_than_are_returned_those_asked_for_are_there_too() -> None:
    index, rng = WordIndex(Store.in_memory()), random.Random(3)
    index.put({f"d{n}": doc(*((f"{n}/{i}", " ".join(rng.sample(WORDS, 2))) for i in range(3))) for n in range(200)})
    whole = index.search("kab dog fig", most=600).scores
    some = index.search("kab dog fig", [*whole][-5:], most=20).scores
    assert set([*whole][-5:]) <= some.keys()
    assert len(some) == 25
    assert [*some.values()][:20] == [*whole.values()][:20]
    assert all(some[key] == pytest.approx(whole[key], abs=2e-4) for key in some)
    asked = index.search("none", ["no key", "5/0"])
    assert (asked.scores, asked.documents) == ({}, {"5/0": "d5"})
    among = [*whole][::7]
    named, bare = (index.search("kab dog fig", among, 20, name_among=name) for name in (True, False))
    assert bare.scores == named.scores
    assert bare.documents == {key: name for key, name in named.documents.items() if key not in among}


def test_a_text_without_the_words_is_found_beside_those_that_have_them_the_more_the_larger_the_budget() -> None:
    index = WordIndex(Store.in_memory())
    index.put(
        {
            "p": doc(("a", "the kab"), ("b", "a tob"), *((f"z{n}", "mum") for n in range(3))),
            "q": doc(("c", "a kab dog and a fig that is far"), *((f"y{n}", "yak yak yak") for n in range(40))),
        }
    )
    found = index.search("kab tob")
    assert [*found.scores][:2] == ["b", "a"]
    assert found.scores["z0"] == found.scores["z1"] > 0
    assert index.search("kab tob", budget=16_000).scores["z0"] > found.scores["z0"]
    assert set(index.search("kab tob", budget=0).scores) == {"a", "b", "c"}


def test_titles_and_headings_count_and_words_side_by_side_count_once_more() -> None:
    index = WordIndex(Store.in_memory())
    filling = {f"f{n}": doc((f"f{n}", f"yak {n} fig")) for n in range(9)}
    index.put(
        {
            **filling,
            "titled": doc(("t", "mum"), title="Annual report kab"),
            "headed": WordDocument([WordText("h", "mum", "Revenue tob")]),
            "near": doc(("n", "blue ferry of the pier")),
            "apart": doc(("o", "ferry that is blue, pier")),
        }
    )
    assert [*index.search("kab").scores] == ["t"]
    assert [*index.search("tob revenue").scores] == ["h"]
    near, apart = (index.search("a blue ferry", budget=0).scores[key] for key in "no")
    assert near > 1.2 * apart
    near, apart = (index.search("ferry blue", budget=0).scores[key] for key in "no")
    assert near == pytest.approx(apart, rel=0.2)


def test_which_words_were_found_is_said_as_they_are_written_in_the_question_by_field() -> None:
    index = WordIndex(Store.in_memory())
    index.put(
        {
            "p": WordDocument(
                [
                    WordText("a", "The ferries of the island leave at nine.", "Timetables\nIn winter"),
                    WordText("b", "It rains.", "Timetables\nIn winter"),
                ],
                title="harbour_guide.md",
            ),
            "q": doc(("c", "Snow")),
        }
    )
    found = index.explain("When does a FERRY leave the harbour in winter, by the timetable?", ["a", "c", "none"])
    assert found == {
        "a": {"text": ("FERRY", "leave"), "headings": ("winter", "timetable"), "title": ("harbour",)},
        "c": {},
    }


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
    index.put({"p": doc(("a", text), *((f"z{n}", "Nothing is here. 什么 ない ไม่มี") for n in range(9)))})
    assert next(iter(index.search(query).scores)) == "a"


def test_documents_of_several_languages_are_found_by_the_stems_of_each() -> None:
    index = WordIndex(Store.in_memory())
    index.put(
        {
            "en": doc(("en", "The ferries of the island were leaving when it was late in the evening.")),
            "de": doc(("de", "Die Fähren der Insel sind nicht mehr da, wenn es am Abend spät ist.")),
            "ru": doc(("ru", "Паромы уходят с острова, когда уже поздно и темно на берегу.")),
        }
    )
    for question, key in (("a ferry left the islands", "en"), ("eine Fähre zu den Inseln", "de"), ("паромы", "ru")):
        assert next(iter(index.search(question).scores)) == key
    assert index.languages(["de", "none", "en"]) == {"en": "en", "de": "de"}
    index.put({"codes": doc(("codes", "status: 503"))})
    assert index.languages(["codes"]) == {"codes": ""}
    index.delete(["de", "ru", "codes"])
    assert index.languages(["en"]) == {"en": "en"}


@pytest.mark.parametrize(
    "query",
    [
        "",
        "  ",
        "???",
        '"',
        "a AND",
        "NEAR(kab dog)",
        "kab*",
        "\ud800",
        "\x00",
        "^kab",
        "kab\x00dog",
        "the of",
        "ß" * 9999,
    ],
)
def test_any_question_can_be_asked(query: str) -> None:
    index = WordIndex(Store.in_memory())
    assert index.search(query).scores == {}
    index.put({"p": doc(("a", "kab"), ("b", "near dog"))})
    assert index.search(query).scores.keys() <= {"a", "b"}
    assert index.search("kab", most=0).scores == {}
    assert index.search("kab", ["a"], most=0).scores.keys() == {"a"}


def test_odd_names_and_keys_come_back_and_have_one_owner() -> None:
    index = WordIndex(Store.in_memory())
    index.put({"\ud800\x00": doc(("\udfff", "kab"), ("", "kab"), ("", "dog")), "": doc(("ä", "kab"))})
    assert set(index.search("kab").scores) == {"\udfff", "", "ä"}
    assert index.search("dog").scores == {}
    assert index.owners(["\udfff", "", "none"]) == {"\udfff": "\ud800\x00", "": "\ud800\x00"}
    index.put({"q": doc(("ä", "kab")), "": doc()})
    assert index.owners(["ä"]) == {"ä": "q"}
    index.delete(["\ud800\x00", "nobody"])
    assert list(index.search("kab").scores) == ["ä"]
    assert len(index) == 1


def test_a_key_that_another_document_takes_leaves_the_others_of_its_block() -> None:
    index = WordIndex(Store.in_memory())
    index.put({"p": doc(*((f"k{n}", f"kab x{n}") for n in range(5)), title="Porto")})
    index.put({"q": doc(("k2", "dog"), ("k9", "dog"))})
    assert index.owners([f"k{n}" for n in range(5)]) == {f"k{n}": "q" if n == 2 else "p" for n in range(5)}
    assert set(index.search("kab", budget=0).scores) == {"k0", "k1", "k3", "k4"} == set(index.search("porto").scores)
    assert index.search("x2").scores == {}
    index.put({"q": doc(*((f"k{n}", "mum") for n in range(5)))})
    assert index.names() == ["q"]


def test_single_texts_are_deleted_and_a_document_without_texts_goes() -> None:
    index = WordIndex(Store.in_memory())
    index.put({"p": doc(("a", "kab"), ("b", "kab dog")), "q": doc(("c", "kab"))})
    index.delete_texts(["a", "c", "none"])
    assert index.search("kab").scores.keys() == {"b"}
    assert index.names() == ["p"]
    index.put({"p": doc(("a", "kab"), ("b", "kab dog"))})
    assert index.search("kab").scores.keys() == {"a", "b"}


def test_a_write_changes_what_has_changed_and_no_more(tmp_path: Path) -> None:
    store = Store(tmp_path / "words.db")
    index = WordIndex(store)
    texts = [(f"k{n}", f"kab {n} " + "filling " * 50) for n in range(200)]
    index.put({"p": doc(*texts)})
    index.search("kab")
    before = store.run(lambda held: held.total_changes)
    index.put({"p": doc(*texts)})
    assert store.run(lambda held: held.total_changes) - before <= 2
    index.search("kab")
    before = store.run(lambda held: held.total_changes)
    index.put({"p": doc(("new", "a new one"), *texts)})
    index.search("kab")
    assert store.run(lambda held: held.total_changes) - before < 150
    assert next(iter(index.search("new").scores)) == "new"


@law(documents=2)
@given(documents, documents)
def test_with_what_is_kept_both_versions_are_found_and_the_next_write_leaves_one(before: Given, after: Given) -> None:
    index, new = WordIndex(Store.in_memory()), WordIndex(Store.in_memory())
    index.put(keyed(before))
    index.put(keyed(after), keep=True)
    texts = {each.key: each for version in (before, after) for own in keyed(version).values() for each in own.texts}
    for word in WORDS:
        found = index.search(word).scores.keys()
        assert {key for key, each in texts.items() if word in each.text.split()} <= found <= texts.keys()
    assert len(index) == len(texts)
    for each in (index, new):
        each.put({**dict.fromkeys(before, doc()), **keyed(after)})
    assert len(index) == len(new)
    assert all(index.search(word).scores == new.search(word).scores for word in WORDS)


def of_several_words(name: str, word: str, rng: random.Random) -> WordDocument:
    return doc((name, " ".join([word, *rng.choices(WORDS, k=rng.randrange(5, 30))])))


@pytest.mark.parametrize("put", [SMALL, pytest.param(3 * APPLIED, marks=pytest.mark.thorough)])
def test_scores_are_those_of_a_fresh_index_after_many_texts_are_deleted(put: int, tmp_path: Path) -> None:
    """Also where a process that knows nothing of what was put deletes them."""
    rng, path = random.Random(7), tmp_path / "words.db"
    live = {f"n{n}": of_several_words(f"n{n}", "ferry" if n % 3 else "moon", rng) for n in range(SMALL + 50)}
    live["pier"] = of_several_words("pier", "harbour", rng)
    gone = {f"o{n}": of_several_words(f"o{n}", "harbour", rng) for n in range(put)}
    with Store(path) as store:
        index = WordIndex(store)
        index.put({**live, **gone})
        assert len(index.search("harbour", most=10**4, budget=0).scores) == put + 1
    with Store(path) as store:
        index, fresh = WordIndex(store), WordIndex(Store.in_memory())
        index.delete(gone)
        fresh.put(live)
        for asked in ("harbour ferry", "harbour kab moon"):
            wanted = fresh.search(asked).scores
            assert next(iter(wanted)) == "pier"
            assert index.search(asked).scores == wanted


@pytest.mark.parametrize("deleted", [2, 8, 14])
def test_what_few_deleted_texts_leave_in_scores_is_bounded(deleted: int) -> None:
    """A word that only they had beside one keeps half of its score. Of any other word, each score grows little."""
    index, fresh = WordIndex(Store.in_memory()), WordIndex(Store.in_memory())
    live = {f"n{n}": doc((f"n{n}", f"kab {n}")) for n in range(2 * SMALL)} | {"pier": doc(("pier", "harbour one"))}
    index.put(live | {f"o{n}": doc((f"o{n}", "harbour two")) for n in range(deleted)})
    index.search("kab")
    index.delete([f"o{n}" for n in range(deleted)])
    fresh.put(live)
    found, wanted = index.search("harbour kab 7").scores, fresh.search("harbour kab 7").scores
    assert [*found][:2] == [*wanted][:2] == ["n7", "pier"]
    rare = wanted.pop("pier")
    assert rare > found.pop("pier") > rare / 2
    assert found == pytest.approx(wanted, abs=4 * log(1 + DEAD))  # two words, each in a text and in its block


def test_edits_tell_the_engine_in_proportion_to_what_they_change(monkeypatch: pytest.MonkeyPatch) -> None:
    told, write = list[int](), WordEngine.write

    def count(engine: WordEngine, mark: int, gone: Iterable[int], blocks: Iterable[Block], whole: bool = False) -> None:
        given = list(blocks)
        told.append(len(given))
        write(engine, mark, gone, given, whole)

    monkeypatch.setattr(WordEngine, "write", count)
    index, number = WordIndex(Store.in_memory()), 4 * SMALL
    index.put({f"d{n}": doc((f"d{n}", "kab")) for n in range(number)})
    index.search("kab")
    assert told == [number]
    for n in range(10):
        index.put({f"d{n}": doc((f"d{n}", "dog"))})
        index.search("dog")
    assert told[1:] == [1] * 10
    told.clear()
    for turn in range(1, 9):
        index.put({f"d{n}": doc((f"d{n}", f"fig {turn}")) for n in range(20 * turn, 20 * turn + 20)})
        assert len(index.search(f"{turn}", budget=0).scores) == 20
    assert told.count(number) > 1
    assert sum(told) <= 8 * 20 * (1 + 1 / DEAD)


def test_another_store_in_the_same_file_and_process_sees_it(tmp_path: Path) -> None:
    path = tmp_path / "words.db"
    WordIndex(Store(path, "a")).put({"p": doc(("x", "kab"))})
    assert WordIndex(Store(path, "b")).search("kab").scores == {}
    code = (
        f"from caesura_retrieval.word_index import *\n"
        f"print(list(WordIndex(Store({str(path)!r}, 'a')).search('kab').scores))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['x']\n"


def test_indexes_of_a_store_in_memory_are_one_if_they_have_one_name() -> None:
    store = Store.in_memory()
    one, same, other = WordIndex(store), WordIndex(store), WordIndex(store, "other")
    one.put({"p": doc(("a", "kab"))})
    assert [*same.search("kab").scores] == ["a"]
    same.put({"p": doc(("b", "kab"))})
    assert [*one.search("kab").scores] == ["b"]
    assert other.search("kab").scores == {}


def test_words_share_a_file_with_tables_of_any_name(tmp_path: Path) -> None:
    tables = [
        "wiki",
        "Wiki",
        "wiki_words",
        "wiki_documents",
        "wiki_blocks",
        "wiki_texts",
        "wiki_x",
        "wiki_x_words",
    ]
    indexes: dict[str, WordIndex] = {}
    for table in tables:
        store = Store(tmp_path / "words.db", table)
        store.put([("a", table.encode())])
        indexes |= {table: WordIndex(store), f"{table} x": WordIndex(store, "x")}
    for name, index in indexes.items():
        index.put({"p": doc((f"of {name}", "kab"))})
    for name, index in indexes.items():
        assert list(index.search("kab").scores) == [f"of {name}"]
    assert [Store(tmp_path / "words.db", table).get(["a"]) for table in tables] == [[t.encode()] for t in tables]


def test_no_more_of_a_question_is_read_than_is_said() -> None:
    index = WordIndex(Store.in_memory())
    index.put({"d": doc(("pump", "The pump XK-4471.")), "e": doc(("bees", "Bees swarm."))})
    gap = "a " * (MOST_READ // 2)
    assert list(index.search(f"Bees {gap} pump").scores) == ["bees"]
    assert index.search(f"Bees {gap} pump XK-4471").scores == index.search("Bees").scores
    assert index.explain(f"Bees {gap} pump", ["pump"]) == {"pump": {}}


@pytest.mark.thorough
def test_a_question_of_many_words_takes_no_longer_than_its_first_words(tmp_path: Path) -> None:
    index = WordIndex(Store.in_memory())
    names = [f"d{number}" for number in range(700)]
    index.put({name: doc((name, str(at))) for at, name in enumerate(names)})
    assert len(index.search(" ".join(map(str, range(len(names)))), most=600, budget=0).scores) == MOST_ASKED
    began = process_time()
    index.search(" ".join(map(str, range(100_000))))
    assert process_time() - began < 5


texts_of_any_length = st.lists(st.tuples(st.integers(0, 1500), st.sampled_from(["", "A", "B"])), max_size=80)


@law()
@given(texts_of_any_length)
def test_blocks_are_neighbouring_texts_of_about_2400_characters(lengths: list[tuple[int, str]]) -> None:
    texts = [WordText(str(at), f"{at:x<{length}}"[:length], headings) for at, (length, headings) in enumerate(lengths)]
    blocks = list(group_texts(texts))
    assert [text for block in blocks for text in block] == texts
    sizes = [sum(len(each.text) for each in block) for block in blocks]
    assert all(3 * size <= 4 * BLOCK for size in sizes)
    ended = zip(sizes[:-1], blocks[:-1], strict=True)
    assert all(3 * size >= 2 * BLOCK or 3 * (size + 1500) > 4 * BLOCK or len(block) == 63 for size, block in ended)


def test_a_change_in_a_long_document_changes_few_blocks() -> None:
    rng = random.Random(5)
    texts = [WordText(str(n), " ".join(rng.choices(WORDS, k=rng.randrange(20, 150)))) for n in range(400)]
    before = {tuple(each.key for each in block) for block in group_texts(texts)}
    for at in range(0, 400, 40):
        after = {tuple(each.key for each in block) for block in group_texts([*texts[:at], *texts[at + 1 :]])}
        assert len(after - before) < 0.2 * len(before)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE \"entries/blocks\" SET content = x'01'",
        'UPDATE "entries/blocks" SET content = zeroblob(50)',
        'DELETE FROM "entries/documents"',
        'DROP TABLE "entries/texts"',
        'DROP TABLE "entries/pending"',
    ],
)
def test_damaged_tables_are_an_error_that_names_the_file_or_no_fault(damage: str, tmp_path: Path) -> None:
    with Store(tmp_path / "words.db") as store:
        index = WordIndex(store)
        index.put({"pier": doc(("a", "The ferry leaves at nine."), ("b", "Tickets are sold on board."))})
        store.run(lambda connection: connection.execute(damage))
    faults = list[str]()
    with Store(store.path) as store:
        index = WordIndex(store)
        for call in (
            lambda: index.search("ferry tickets", ["b"]),
            lambda: index.owners(["a", "b"]),
            lambda: index.languages(["a", "b"]),
            lambda: len(index),
            lambda: index.put({"pier": doc(("c", "A boat.")), "inn": doc(("d", "Beds."))}),
        ):
            try:
                call()
            except SettingError as error:
                faults.append(str(error))
    assert faults
    assert all("words.db is damaged" in fault and "copy" in fault for fault in faults)


def test_texts_that_stay_keep_the_stems_of_their_own_language(tmp_path: Path) -> None:
    """Pages of one document may come one by one, each in a language of its own."""
    german = WordText("de", "Die Dichtung wird bei den Gehäusen geprüft, und das ist nicht schwer.")
    english = WordText("en", "The seals of the housings are checked, and that is not hard to do.")
    with Store(tmp_path / "words.db") as store:
        index = WordIndex(store)
        for page in (german, english, german):
            index.put({"manual": WordDocument([page])}, keep=True)
            assert "de" in index.search("Gehäuse").scores
        assert list(index.search("housing").scores) == ["en"]


def test_deleting_many_texts_takes_time_by_their_number(tmp_path: Path) -> None:
    def seconds(number: int) -> float:
        with Store(tmp_path / f"{number}.db") as store:
            index = WordIndex(store)
            index.put({"d": WordDocument([WordText(str(at), "kab") for at in range(number)])})
            started = process_time()
            index.delete_texts([str(at) for at in range(0, number, 2)])
            return process_time() - started

    assert_time_grows(seconds, 2_000, 16_000, 20)
