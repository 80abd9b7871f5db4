"""Terms of texts and words of questions: other forms of a word meet, and what an identifier is made of is found."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from time import process_time

import pytest
from fakes.growth import assert_time_grows
from fakes.laws import law
from hypothesis import given
from hypothesis import strategies as st

from caesura_retrieval.words import (
    KEPT,
    LONGEST,
    MOST_ASKED,
    MOST_READ,
    AskedWord,
    find_words,
    language_of,
    matching_words,
    question_terms,
    terms,
)

SENTENCES = {
    "en": "The ferry leaves the harbour at nine, and the tickets are sold on board.",
    "de": "Die Fähre verlässt den Hafen um neun, und die Karten werden an Bord verkauft.",
    "fr": "Le bac quitte le port à neuf heures et les billets sont vendus à bord.",
    "es": "El transbordador sale del puerto a las nueve y los billetes se venden a bordo.",
    "pt": "A balsa sai do porto às nove e os bilhetes são vendidos a bordo, mas não há muitos.",
    "it": "Il traghetto lascia il porto alle nove e i biglietti sono venduti a bordo.",
    "nl": "De veerboot vertrekt om negen uur uit de haven en het kaartje wordt aan boord verkocht.",
    "ro": "Feribotul pleacă din port la ora nouă, iar biletele sunt vândute la bord și nu sunt scumpe.",
    "tr": "Vapur saat dokuzda limandan kalkıyor ve biletler bu gemide satılıyor, ama çok değil.",
    "sv": "Färjan lämnar hamnen klockan nio och biljetterna säljs ombord, men det är inte dyrt.",
    "fi": "Lautta lähtee satamasta yhdeksältä ja liput myydään laivalla, mutta ne eivät ole kalliita.",
    "pl": "Prom odpływa z portu o dziewiątej, a bilety są sprzedawane na pokładzie, ale nie jest drogo.",
    "ru": "Паром уходит из гавани в девять, и билеты продаются на борту.",
    "uk": "Пором відходить із гавані о дев'ятій, і квитки продаються на борту, але це не дорого.",
    "ar": "تغادر العبارة الميناء في التاسعة و تباع التذاكر على متنها",
    "fa": "قایق در ساعت نه از بندر می رود و بلیت ها را در آن می فروشند",
    "hi": "नाव नौ बजे बंदरगाह से निकलती है और टिकट नाव पर मिलते हैं।",
    "el": "Το πλοίο φεύγει από το λιμάνι στις εννέα και τα εισιτήρια πωλούνται.",
    "he": "המעבורת יוצאת מהנמל בתשע והכרטיסים נמכרים על הסיפון",
    "zh": "渡船早上九点离开北京的港口，船票在船上出售。",
    "ja": "フェリーは九時に東京湾を出て、切符は船で売られる。",
    "ko": "배가 아홉 시에 항구를 떠나고 표는 배에서 판다.",
    "th": "เรือข้ามฟากออกเก้าโมง",
}


@pytest.mark.parametrize(("code", "text"), SENTENCES.items())
def test_a_sentence_tells_its_language(code: str, text: str) -> None:
    assert language_of(text) == code


@pytest.mark.parametrize("text", ["", "2024-05-01 12:00:03", "x = 3", "\ud800", "???", "зыцъ"])
def test_what_is_no_prose_tells_none(text: str) -> None:
    assert language_of(text) == ""


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "The ferries were leaving.", "ferry leave"),
        ("de", "Die Häfen der Städte", "Hafen Stadt"),
        ("fr", "les chevaux élevés", "cheval eleve"),
        ("es", "Las naciones antiguas", "antigua nacion"),
        ("ro", "bibliotecile universităților", "biblioteca universitate"),
        ("tr", "IRMAKLAR Irmak", "ırmak"),
        ("ru", "в городах ещё", "город еще"),
        ("ar", "والمدارس العبّارة", "العبارة"),
        ("el", "των δρόμων", "δρόμος"),
        ("", "The ferries of code", "ferry"),
        ("ru", "Сервер Ferries", "ferry"),
        ("en", "STRASSE Ærø Łódź København", "straße aero lodz kobenhavn"),
    ],
)
def test_other_forms_of_a_word_have_its_term(language: str, one: str, other: str) -> None:
    assert set(terms(other, language)) <= set(terms(one, language))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("getUserName", ["getusernam", "get", "user", "name"]),
        ("get_user_name", ["getusernam", "get", "user", "name"]),
        ("get-user-name", ["getusernam", "get", "user", "name"]),
        ("HTTPServer2", ["httpserver2", "http", "server", "2"]),
        ("FY2018", ["fy2018", "fy", "2018"]),
        ("v1.7.0", ["v1.7.0", "1", "7", "0"]),
        ("os.path.join", ["os.path.join", "os", "path", "join"]),
        ("__init__ foo__bar", ["init", "foobar", "foo", "bar"]),
        ("e-mail email", ["email", "e", "mail", "email"]),
        ("well-known", ["well", "known"]),
        ("APIs of the U.S.", ["api", "of", "the", "us"]),
        ("2024-05-01", ["20240501", "2024", "05", "01"]),
        ("a3f9b2c1d4e5f6a7", ["a3f9b2c1d4e5f6a7"]),
        ("ÉtéChaud", ["etechaud", "ete", "chaud"]),
        ("end.Next", ["end", "next"]),
    ],
)
def test_an_identifier_is_there_as_a_whole_and_by_its_parts(text: str, parts: list[str]) -> None:
    assert terms(text, "en") == parts


@pytest.mark.parametrize("beside", ["café", "東京", "“a", "ex-\nample", "(b)"])
@pytest.mark.parametrize("word", ["file.TXT", "argon2.ID", "(ferries,", "U.K.", "1,577.00", "x.Élan", "ferries™"])
def test_a_word_has_the_same_terms_whatever_stands_beside_it(word: str, beside: str) -> None:
    assert terms(f"{word} {beside}", "en") == terms(word, "en") + terms(beside, "en")
    assert {each.word for each in question_terms(f"{word} {beside}", ("en",))} >= {
        each.word for each in question_terms(word, ("en",))
    }


@pytest.mark.parametrize(
    ("one", "other"), [("$1,577.00", "1577"), ("1.234.567", "1,234,567"), ("12.50 %", "12.5"), ("٢٠١٨", "2018")]
)
def test_a_number_is_the_same_however_it_is_written(one: str, other: str) -> None:
    assert terms(one)[0] == terms(other)[0]


def test_a_number_with_decimals_is_there_by_its_parts_too() -> None:
    assert terms("3.14 and 1,2,3") == ["3.14", "3", "14", "and", "1", "2", "3"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Élan élan, o'clock", ["elan", "elan", "o", "clock"]),
        ("東京湾。湾 A級", ["東京", "京湾", "湾", "a", "級"]),
        ("학교에서", ["학교", "교에", "에서"]),
        ("\ud800 \x00 --- ", []),
        ("a" * 1000, ["a" * LONGEST]),
        ("ex-\nample", ["exampl"]),
        ("Kindle™", ["kindl", "tm"]),
        ("See Miller³ on CO₂", ["see", "miller", "3", "on", "co2", "co", "2"]),
        ("2½ cups", ["2", "1", "2", "cup"]),
        ("Sozial\u00adver\u2060sicherung", ["sozialversicherung"]),
        ("№5 𝚨𝛃", ["no5", "no", "5", "αβ"]),
        ("বাংলা ভাষা", ["বাংলা", "ভাষা"]),
        ("བཀྲ་ཤིས", ["བཀྲ", "ཤིས"]),
        ("שָׁלוֹם־שלום", ["שלום", "שלום"]),
    ],
)
def test_terms_have_no_case_and_no_accents_and_signs_beside_a_word_are_none_of_it(text: str, found: list[str]) -> None:
    assert terms(text) == found


@law()
@given(st.text(), st.sampled_from(["", "en", "de", "tr", "ru", "ar", "hi", "zh", "xx"]))
def test_a_question_that_is_a_text_has_all_its_words_in_it(text: str, language: str) -> None:
    asked, there = question_terms(text, (language,)), set(terms(text, language))
    assert all(set(word.terms) <= there for word in asked)
    assert bool(asked) == bool(there)
    assert len({word.terms for word in asked}) == len(asked) <= MOST_ASKED
    assert matching_words(text, text, [language]) == tuple(word.word for word in asked)
    assert all(there and len(term) <= LONGEST and not set(term) & {" ", "\t", "\n"} for term in there)


def test_a_question_has_the_stems_of_every_language_of_its_letters_once() -> None:
    assert question_terms("Where are the ferries?", ("en", "ru")) == (AskedWord("ferries", ("ferri",)),)
    [word] = question_terms("Namen", ("de", "en", "fi"))
    assert word.terms == tuple(terms("Namen", code)[0] for code in ("de", "en", "fi"))
    assert len(set(word.terms)) == 3


@pytest.mark.parametrize(
    ("question", "languages", "words"),
    [
        ("When does the ferry leave for Ireland?", ["en"], ["ferry", "leave", "Ireland"]),
        ("When was the war?", ["de", "en"], ["war"]),
        ("Wann war der Krieg?", ["de", "en"], ["Krieg"]),
        ("war Europe", ["de", "en"], ["war", "Europe"]),
        ("What is it?", ["en"], ["What", "is", "it"]),
        ("Is the disk read-only?", ["en"], ["disk", "read", "only"]),
        ("Que dit-elle de la mer ?", ["fr"], ["dit", "mer"]),
        ("Is it up-and-coming?", ["en"], ["up-and-coming", "coming"]),
        ("How long is the long pier?", ["en"], ["long", "pier"]),
        ("How often and how far do ferries leave?", ["en"], ["ferries", "leave"]),
        ("How long?", ["en"], ["How", "long"]),
        ("Wie lange ist der lange Hafen offen?", ["de", "en"], ["lange", "Hafen", "offen"]),
        ("Hur länge är hamnen öppen?", ["sv"], ["hamnen", "öppen"]),
        ("Как часто ходит паром?", ["ru"], ["ходит", "паром"]),
        ("Where is getUserName?", ["en"], ["getUserName", "get", "User", "Name"]),
        ("is_valid", ["en"], ["is_valid", "valid"]),
        ("Que es el Pacífico", ["es"], ["Pacífico"]),
        ("dog Dog dogs", ["en"], ["dog"]),
        ("", ["en"], []),
    ],
)
def test_words_of_a_question_are_those_that_say_something(
    question: str, languages: list[str], words: list[str]
) -> None:
    assert [each.word for each in question_terms(question, tuple(languages))] == words


def test_of_a_long_question_the_first_words_are_asked() -> None:
    asked = question_terms(" ".join(f"{n}" for n in range(2 * MOST_ASKED)), ())
    assert [each.word for each in asked] == [f"{n}" for n in range(MOST_ASKED)]


@pytest.mark.parametrize("word", ["honey ", "北京市"])
def test_no_more_of_a_question_is_read_than_is_said(word: str) -> None:
    start = f"{word * (MOST_READ // len(word) - 2)} bee".ljust(MOST_READ)
    asked = {each.word for each in question_terms(f"{start} XK-4471", ("en",))}
    assert "bee" in asked
    assert not asked & {"XK-4471", "XK", "4471"}


@pytest.mark.parametrize(
    ("question", "text", "words"),
    [
        ("user name", "def getUserName():", ("user", "name")),
        ("getUserName", "the name of a user", ("User", "Name")),
        ("When do Ferries leave?", "The ferry left.", ("Ferries",)),
        ("北京市", "在北京", ("北京",)),
        ("Häfen", "am Hafen", ("Häfen",)),
    ],
)
def test_words_that_a_text_has_are_shown_as_they_were_asked(question: str, text: str, words: tuple[str, ...]) -> None:
    assert matching_words(question, text, ["de", "en"]) == words


def test_threads_read_the_same_terms_while_words_are_forgotten() -> None:
    texts = [" ".join(f"{word}{chr(97 + n % 26)}ing" for word in ("sail", "ferr", "part")) for n in range(200)]
    more = " ".join(f"w{n}" for n in range(KEPT // 2))
    alone = [terms(text, "en") for text in texts]
    with ThreadPoolExecutor(8) as pool:
        forgetting = [pool.submit(terms, f"{more} x{n}x".replace("w", "v" * n), "en") for n in range(1, 4)]
        assert list(pool.map(terms, texts, ["en"] * len(texts))) == alone
        assert all(len(each.result()) > KEPT // 2 for each in forgetting)


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_a_forked_child_reads_terms() -> None:
    terms("ferries", "en")
    child = os.fork()
    if not child:
        os._exit(0 if terms("ferries leaving", "en") == ["ferri", "leav"] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_many_accents_in_a_row_take_time_by_their_number() -> None:
    def seconds(number: int) -> float:
        started = process_time()
        terms("a" + "\u0316\u0301" * number)
        question_terms("b" + "\u0316\u0301" * number, ("en",))
        return process_time() - started

    assert_time_grows(seconds, 4_000, 40_000, 20)


@pytest.mark.parametrize(
    ("question", "text", "found"),
    [
        ("When do ferries leave?", "The ferry left, other FERRIES leave.", ["ferry", "FERRIES", "leave"]),
        ("What does userName hold?", "getUserName() holds user_name.", ["getUserName", "holds", "user_name"]),
        ("北京市在哪里", "我在北京市的北京。", ["北京市", "北京"]),
        ("Where is the café?", "Cafe, CAFÉ and caféteria", ["Cafe", "CAFÉ"]),
        ("?!", "Nothing is asked?!", []),
        ("ferry", "", []),
    ],
    ids=range(6),
)
def test_words_of_a_question_are_found_where_they_stand(question: str, text: str, found: list[str]) -> None:
    spans = find_words(question, text, [language_of(text)])
    assert [text[start:end] for start, end in spans] == found
    assert all(one[1] <= other[0] for one, other in pairwise(spans))


@law()
@given(st.text(max_size=60), st.text(max_size=60), st.lists(st.sampled_from(["en", "de", "zh", ""]), max_size=2))
def test_words_are_found_in_a_text_only_if_they_match_it(question: str, text: str, languages: list[str]) -> None:
    spans = find_words(question, text, languages)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert [*spans] == sorted(spans)
