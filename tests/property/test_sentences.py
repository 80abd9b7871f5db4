"""What `sentences` promises of any text: a tiling, no blank unit, the same ones every time, whole lines of blocks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from laws import law
from texts import blanks, documents

from caesura import sentences
from caesura.edges import spans
from caesura.testing import check_segmenter

MARKS = (
    "One. ", "Two? ", "e.g. ", "No. 5 ", "\u4e09\u3002", "\u201cFour.\u201d ", "(five) ", "\n", "\n\n", "\r\n",
    "    ", "\t", "\u2028", "\u0085", "```", "~~~", "$$", "\\[", "\\]", "\\begin{equation}", "\\end{equation}",
    "---", "+++", "> ", ">", "- ", "* ", "1. ", "# ", "##", "|", "|-|", "a,b", "{", "}", "<table>", "</table>",
    "<pre>", "</pre>", "<tr>", "x = 1", "def f(x):", "A: ", "word", ".", "!", "\u2026", "\u0e01" * 21, " ",
)  # fmt: skip
marked = st.lists(st.sampled_from(MARKS), max_size=40).map("".join)
texts = st.one_of(documents, marked, marked, blanks)


@law()
@given(text=texts)
def test_sentences_keep_the_laws_of_a_segmenter_and_none_is_blank(text: str) -> None:
    check_segmenter(sentences, [text], pickled=False)
    assert all(text[start:end].strip() for start, end in spans(sentences(text))) or not text.strip()


@law()
@given(text=texts, ends=st.sampled_from(("\n", "\r\n")))
def test_no_edge_lies_within_a_word_or_a_line_end(text: str, ends: str) -> None:
    text = text.replace("\r", "").replace("\n", ends)
    for at in sentences(text).tolist()[1:-1]:
        assert text[at - 1 : at + 1] != "\r\n"
        assert not (text[at - 1].isascii() and text[at - 1 : at + 1].isalnum() and text[at].isascii())
