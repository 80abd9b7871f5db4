"""The embedded model says, once, when it is given texts that it cannot read."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest
from llama_index.core import Document

import caesura
from caesura.background import TEXTS
from caesura_static import StaticEmbedder, foreign
from llama_index.node_parser.caesura import DoublePassSemanticSplitter, StaticEmbedding

ENGLISH = ["The harbour was full of fishing boats, and the ropes were wet.", "Interest rates rose for the third time."]
FOREIGN = {
    "de": "Der Hafen lag voller Fischerboote, und die nassen Taue glänzten in der Morgensonne über dem Wasser.",
    "zh": "港口里停满了渔船，绳子在早晨的阳光下闪闪发光，水面很平静。",
    "ar": "كان الميناء مليئا بقوارب الصيد وكانت الحبال مبللة تلمع في شمس الصباح",
    "ru": "Гавань была полна рыбацких лодок, и мокрые канаты блестели на утреннем солнце.",
    "am": "ወደቡ በአሳ ማጥመጃ ጀልባዎች ተሞልቶ ነበር ገመዶቹም በጠዋት ፀሐይ ያበሩ ነበር።",
}


@pytest.fixture(autouse=True)
def _not_yet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(foreign, "_warned", False)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        yield


@pytest.mark.parametrize("language", FOREIGN)
def test_a_foreign_document_is_warned_about_once_with_the_remedy(language: str) -> None:
    texts = [FOREIGN[language]] * 12
    with pytest.warns(UserWarning, match=r"of 12 texts, 12 are .*pass an embedder for their language.*embed_model="):
        StaticEmbedder()(texts)
    StaticEmbedder()(texts)


def test_a_foreign_document_among_many_is_enough() -> None:
    with pytest.warns(UserWarning, match="of 300 texts, 40 are"):
        StaticEmbedder()(ENGLISH * 130 + [FOREIGN["de"]] * 40)


def test_half_of_the_texts_are_enough() -> None:
    with pytest.warns(UserWarning, match="of 100 texts, 50 are"):
        StaticEmbedder()(ENGLISH * 25 + [FOREIGN["de"]] * 50)


def test_english_and_a_few_foreign_words_are_not_warned_about() -> None:
    StaticEmbedder()(ENGLISH * 100)
    StaticEmbedder()([FOREIGN["de"]] * 3)
    StaticEmbedder()(ENGLISH * 300 + [FOREIGN["zh"]] * 30)
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
        foreign._warned = False
        with pytest.warns(UserWarning, match="knows English") as caught:
            call()
        assert [each.filename for each in caught if "knows English" in str(each.message)] == [__file__]
