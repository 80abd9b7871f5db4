"""The built-in model says, once, when it is given texts that it cannot read."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from unicodedata import normalize

import pytest
from llama_index.core import Document
from typer.testing import CliRunner

import caesura
from caesura.background import TEXTS
from caesura_lab.cli import app
from caesura_static import StaticEmbedder, foreign
from caesura_static.foreign import name_language
from langchain_caesura import DoublePassSemanticSplitter as LangChainSplitter
from llama_index.node_parser.caesura import DoublePassSemanticSplitter, StaticEmbedding

ENGLISH = ["The harbour was full of fishing boats, and the ropes were wet.", "Interest rates rose for the third time."]
FOREIGN = {
    "de": "Der Hafen lag voller Fischerboote, und die nassen Taue glänzten in der Morgensonne über dem Wasser.",
    "zh": "港口里停满了渔船，绳子在早晨的阳光下闪闪发光，水面很平静。",
    "ar": "كان الميناء مليئا بقوارب الصيد وكانت الحبال مبللة تلمع في شمس الصباح",
    "ru": "Гавань была полна рыбацких лодок, и мокрые канаты блестели на утреннем солнце.",
    "pl": "Port był pełen łodzi rybackich, a mokre liny lśniły w porannym słońcu nad wodą, jak co dzień.",
    "tr": "Liman balıkçı tekneleriyle doluydu ve ıslak halatlar sabah güneşinde çok güzel parlıyordu.",
    "pt": "O porto estava cheio de barcos de pesca, e as cordas molhadas brilhavam ao sol da manhã com uma luz clara.",
    "th": "ท่าเรือเต็มไปด้วยเรือประมง และเชือกที่เปียกส่องประกายในแสงแดดยามเช้า",
    "am": "ወደቡ በአሳ ማጥመጃ ጀልባዎች ተሞልቶ ነበር ገመዶቹም በጠዋት ፀሐይ ያበሩ ነበር።",
}


@pytest.fixture(autouse=True)
def _not_yet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(foreign, "warned", False)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        yield


@pytest.mark.parametrize("language", FOREIGN)
def test_a_foreign_document_is_warned_about_once_with_the_remedy(language: str) -> None:
    texts = [FOREIGN[language]] * 12
    with pytest.warns(UserWarning, match=r"of 12 texts, 12 are .*pass an embedder for their language.*embed_model="):
        StaticEmbedder()(texts)
    StaticEmbedder()(texts)


@pytest.mark.parametrize(
    ("language", "name"),
    [("de", "German"), ("zh", "Chinese"), ("ru", "Russian or .*"), ("pl", "Polish"), ("tr", "Turkish"), ("th", "Thai")],
)
def test_a_document_is_named_by_its_language_and_first_words_among_any_number_of_others(
    language: str, name: str
) -> None:
    texts = ENGLISH * 2000 + [FOREIGN[language]] * 20 + ENGLISH * 2000
    with pytest.warns(UserWarning, match=f"of 8020 texts, 20 are {name}, from '{FOREIGN[language][:12]}"):
        StaticEmbedder()(texts)


DIARIES = {
    "Turkish": (
        "Sabah erkenden kalktım. Hava çok soğuktu. Pencereyi açtım ve dışarı baktım. Sokakta kimse yoktu. "
        "Kahvaltıdan sonra işe gittim. Müdür beni odasına çağırdı. Yeni proje hakkında konuştuk. Toplantı iki "
        "saat sürdü. Öğleden sonra raporu yazdım. Akşam eve döndüğümde yorgundum. Kardeşim yemek "
        "hazırlamıştı. Birlikte televizyon izledik."
    ),
    "Polish": (
        "Rano wstałem bardzo wcześnie. Było zimno i padał deszcz. Otworzyłem okno i wyjrzałem na zewnątrz. "
        "Ulica była pusta. Po śniadaniu poszedłem do pracy. Dyrektor wezwał mnie do gabinetu. Rozmawialiśmy o "
        "nowym projekcie. Spotkanie trwało dwie godziny. Wieczorem wróciłem zmęczony do domu. Brat "
        "przygotował kolację. Potem oglądaliśmy razem telewizję. Przeczytałem kilka stron książki."
    ),
    "Czech or Slovak": (
        "Ráno som vstal veľmi skoro. Vonku bola zima a pršalo. Otvoril som okno a pozrel sa von. Ulica bola "
        "prázdna. Po raňajkách som išiel do práce. Riaditeľ ma zavolal do kancelárie. Hovorili sme o novom "
        "projekte. Stretnutie trvalo dve hodiny. Večer som sa vrátil domov unavený. Brat pripravil večeru. "
        "Potom sme pozerali televíziu."
    ),
    "Croatian, Serbian or Slovenian": (
        "Ujutro sam ustao vrlo rano. Vani je bilo hladno i padala je kiša. Otvorio sam prozor i pogledao van. "
        "Ulica je bila prazna. Nakon doručka otišao sam na posao. Direktor me pozvao u ured. Razgovarali smo "
        "o novom projektu. Sastanak je trajao dva sata. Navečer sam se vratio kući umoran. Brat je pripremio "
        "večeru. Zatim smo gledali televiziju."
    ),
    "Vietnamese": (
        "Buổi sáng tôi dậy rất sớm. Ngoài trời lạnh và mưa. Tôi mở cửa sổ và nhìn ra ngoài. Đường phố vắng "
        "vẻ. Sau bữa sáng tôi đi làm. Giám đốc gọi tôi vào phòng. Chúng tôi nói về dự án mới. Cuộc họp kéo "
        "dài hai tiếng. Buổi tối tôi về nhà rất mệt. Anh trai tôi đã nấu cơm. Sau đó chúng tôi xem tivi."
    ),
    "Portuguese": (
        "De manhã levantei-me muito cedo. Lá fora fazia frio e chovia. Abri a janela e olhei para fora. A rua "
        "estava vazia. Depois do café da manhã fui para o trabalho. O diretor chamou-me ao escritório. "
        "Falámos do novo projeto. A reunião durou duas horas. À noite voltei cansado para casa. O meu irmão "
        "tinha preparado o jantar. O porto de Lisboa de dia."
    ),
    "Catalan": (
        "Al matí em vaig llevar molt d'hora. Feia fred i plovia. Vaig obrir la finestra i vaig mirar enfora. "
        "El carrer era buit. Després d'esmorzar vaig anar a la feina. El director em va cridar al seu "
        "despatx. Vam parlar del projecte nou amb els companys. La reunió va durar dues hores. Al vespre vaig "
        "tornar cansat a casa."
    ),
    "Danish or Norwegian": (
        "Om morgenen stod jeg meget tidligt op. Udenfor var det koldt, og det regnede. Jeg åbnede vinduet og "
        "kiggede ud. Gaden var tom. Efter morgenmaden gik jeg på arbejde. Chefen kaldte mig ind på sit "
        "kontor. Vi talte om det nye projekt. Mødet varede to timer. Om aftenen kom jeg træt hjem. Min bror "
        "havde lavet mad."
    ),
    "Swedish": (
        "På morgonen steg jag upp mycket tidigt. Ute var det kallt och det regnade. Jag öppnade fönstret och "
        "tittade ut. Gatan var tom. Efter frukosten gick jag till jobbet. Chefen kallade in mig på sitt "
        "kontor. Vi pratade om det nya projektet. Mötet tog två timmar. På kvällen kom jag hem trött. Min "
        "bror hade lagat middag. Sedan tittade vi på tv."
    ),
    "Finnish or Estonian": (
        "Aamulla nousin hyvin aikaisin. Ulkona oli kylmä ja satoi vettä. Avasin ikkunan ja katsoin ulos. Katu "
        "oli tyhjä. Aamiaisen jälkeen menin töihin. Johtaja kutsui minut huoneeseensa. Puhuimme uudesta "
        "hankkeesta. Kokous kesti kaksi tuntia. Illalla palasin väsyneenä kotiin. Veljeni oli laittanut "
        "ruokaa. Sitten katsoimme yhdessä televisiota. Luin muutaman sivun kirjastani."
    ),
}
"""The days of people who write short sentences."""


@pytest.mark.parametrize("language", DIARIES)
def test_short_sentences_are_named_by_their_language(language: str) -> None:
    sentences = [f"{sentence}." for sentence in DIARIES[language].split(". ")][:11]
    with pytest.warns(UserWarning, match=f"are {language}, from"):
        StaticEmbedder()(sentences * 3)


def test_it_says_what_is_done_instead() -> None:
    with pytest.warns(
        UserWarning, match="compares the letters of their words, because it does not know what they mean"
    ):
        StaticEmbedder()([FOREIGN["ru"]] * 12)


LOG = """2024-05-01 12:33:02 status half-configured libc-bin:amd64 2.35-0ubuntu3.8
2024-05-01 12:33:02 trigproc man-db:amd64 2.10.2-1 <none>
2024-05-01 12:33:03 upgrade openssl:amd64 3.0.2-0ubuntu1.14 3.0.2-0ubuntu1.15
Jun 14 15:16:01 combo sshd(pam_unix)[19939]: authentication failure; logname= uid=0 euid=0 tty=NODEVssh
[Sun Dec 04 04:47:44 2005] [notice] workerEnv.init() ok /etc/httpd/conf/workers2.properties""".splitlines()
UNREAD = {
    "log": LOG,
    "log of a German program": [
        f"2024-05-01 12:0{n} FEHLER [dienst-{n}] die Datei /etc/x{n}.conf ist nicht da" for n in range(9)
    ],
    "code": [
        "    kwargs.setdefault('xlim', self._bbox_inset(ax.getp()))",
        "fn parse_utf8(&mut self) -> Vec<u8> { vec![0x2f] }",
    ],
    "code with comments": [
        "x_idx += dlt_sz;  // Größe der Datei und des Puffers",
        "if (ptr == nullptr) { return -ENOMEM; }",
    ],
    "table": ["| Größe | 12,5 | 99 % | 2024-03-01 |", "| Länge | 11,0 | 97 % | 2024-03-02 |", "|---|---|---|---|"],
    "numbers": ["3.14159 2.71828 1.41421 0x1f 1e-9", "１２３４ ٥٦٧٨ १२३४ 0.5"],
    "formulas": ["α β γ δ → ∑ λ μ ν ξ ≤ π ρ σ, where α ≠ β", "π ≈ √σ, if ρ ∈ Ω"],
    "keys": ["xkqzv wvrtplm zzqj hgnbsd", "cfgxmlns vtblsz ptrdiff"],
}


@pytest.mark.parametrize("kind", UNREAD)
def test_logs_code_tables_and_numbers_are_not_warned_about(kind: str) -> None:
    StaticEmbedder()(UNREAD[kind] * 60)


ENGLISH_THOUGH = {
    "imports": [
        "import sys\nimport os\nimport os.path as op\n",
        "import networkx as nx",
        "assert blksize",
    ],
    "names": ["Finnish maintainer: Sami Ja Frantisek", "Revert: po translations", "reindent yaml: Vereshchagin"],
    "changes": ["* Non-maintainer upload.", "alsa (1.2-2.2) unstable", "Italian: Elimar Di Riesebieter, Jordi Mallol"],
    "files": ["Files: qt/as-kdeconfig.h", "Copyright: do Grulich Klumpp", "License LGPL, Expat, Zlib as category"],
}
"""Texts that hold one word of another language, or several times the same, as code, names and lists do."""


@pytest.mark.parametrize("kind", ENGLISH_THOUGH)
def test_a_few_words_that_another_language_has_too_are_not_warned_about(kind: str) -> None:
    StaticEmbedder()([*ENGLISH_THOUGH[kind], "zqx wvrt ptrlmn " * 20])


def test_a_foreign_document_beside_a_log_is() -> None:
    with pytest.warns(UserWarning, match="are German"):
        StaticEmbedder()(LOG * 200 + ENGLISH * 9000 + [FOREIGN["de"]] * 12)


def test_a_document_is_in_one_language_and_quotations_are_none() -> None:
    StaticEmbedder()([FOREIGN["de"], *ENGLISH, *ENGLISH] * 100)


def test_english_and_a_few_foreign_words_are_not_warned_about() -> None:
    StaticEmbedder()(ENGLISH * 100)
    StaticEmbedder()([FOREIGN["de"]] * 3)
    StaticEmbedder()(["def read(at):", "    return self.gauge[at].height * 1.5 if at in self else None"] * 20)
    StaticEmbedder()([])


def test_calibrating_on_texts_of_many_languages_is_not_warned_about() -> None:
    StaticEmbedder()(TEXTS)


def test_the_line_that_is_shown_is_the_users_and_not_one_of_a_library() -> None:
    text = FOREIGN["de"] * 12
    for call in (
        lambda: StaticEmbedder()([text]),
        lambda: caesura.Splitter().split(text, StaticEmbedder()),
        lambda: DoublePassSemanticSplitter()([Document(text=text)]),
        lambda: StaticEmbedding().get_text_embedding_batch([text]),
    ):
        foreign.warned = False
        with pytest.warns(UserWarning, match="knows English") as caught:
            call()
        assert [each.filename for each in caught if "knows English" in str(each.message)] == [__file__]


@pytest.mark.parametrize("lines", [LOG * 40, UNREAD["code"] * 40, [FOREIGN["ru"]] * 12], ids=["log", "code", "Russian"])
def test_both_plugins_and_the_command_warn_of_prose_alone(lines: list[str], tmp_path: Path) -> None:
    text = "\n".join(lines)
    (tmp_path / "text.txt").write_text(text, "utf-8")
    for call in (
        lambda: caesura.Splitter().split(text, StaticEmbedder()),
        lambda: DoublePassSemanticSplitter()([Document(text=text)]),
        lambda: LangChainSplitter().split_text(text),
    ):
        foreign.warned = False
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        found = [str(each.message) for each in caught if "knows English" in str(each.message)]
        assert len(found) == (lines[0] == FOREIGN["ru"])
        assert all("Russian" in message and FOREIGN["ru"][:20] in message for message in found)
    foreign.warned = False
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        said = CliRunner().invoke(app, ["split", str(tmp_path / "text.txt")], catch_exceptions=False).stderr
    assert said.count("knows English") == said.count("Russian") == (lines[0] == FOREIGN["ru"])


def test_a_language_is_named_also_where_accents_are_characters_of_their_own() -> None:
    text = "Marea vine de două ori pe zi și apa este rece. Oamenii care stau pe mal nu au fost niciodată în larg."
    assert name_language(text) == name_language(normalize("NFD", text)) == "Romanian"


def test_the_letters_of_versions_are_no_words() -> None:
    table = (
        "Deprecated Engine Features\nStatus Feature Deprecated Remove\n"
        + "Deprecated v1.4 v1.6 v1.8 v26 v27 o2 z3\n" * 4
    )
    assert name_language(table) is None


@pytest.mark.parametrize(
    "text", ["mpicc -O3 -c -o plot.o -z now -w mbbeagle.o\n" * 8, "Parameter Equal Fixed No No No No\n" * 9]
)
def test_options_names_of_files_and_one_word_of_a_table_name_no_language(text: str) -> None:
    assert name_language(text) is None


def test_english_whose_loader_lost_the_spaces_is_in_no_language() -> None:
    glued = "Iftheinstallationfailsyoumustrepeatit again; do nottouchthepackagesthatwereinstalled by z o.o."
    assert name_language(glued) is None
    StaticEmbedder()([glued] * 12)
