"""What `sentences` promises of any text: a tiling without a blank unit, and edges that hang on what is near alone."""

from __future__ import annotations

from unittest.mock import patch

from fakes.laws import law
from fakes.texts.drawn_texts import blanks, documents
from hypothesis import assume, example, given
from hypothesis import strategies as st
from naive.chunks import units

from caesura import sentences
from caesura.edges import spans
from caesura.text.blocks import blocks
from caesura.text.markup import GAP, NEWLINE
from caesura_testing import check_segmenter

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


@law()
@given(documents)
def test_whitespace_ends_a_unit_and_begins_none_but_the_first(text: str) -> None:
    """But for code, which keeps its indentation."""
    code = {start for start, _, kind in blocks(text, lists=False) if kind}
    starts = [at for at in sentences(text)[1:-1].tolist() if text[at].isspace()]
    assert {at + len(text[at:]) - len(text[at:].lstrip()) for at in starts} <= code


@law()
@given(blanks)
def test_a_blank_text_is_one_unit(text: str) -> None:
    assert sentences(text).tolist() == sorted({0, len(text)})


def prose(text: str) -> bool:
    return all(kind == "" for _, _, kind in blocks(text, lists=False))


@law()
@given(documents, documents)
def test_a_blank_line_keeps_paragraphs_apart(one: str, two: str) -> None:
    """A cut does not depend on what is beyond it, in prose: a heading, a list or code may go on there."""
    one, two = f"{one.strip()}\n\n", two.strip()
    assume(one.strip() and two and prose(one + two))
    expected = [*sentences(one).tolist(), *(sentences(two)[1:] + len(one)).tolist()]
    assert sentences(one + two).tolist() == expected


LETTERS = st.text("abcdefgh", min_size=5, max_size=9)


@law()
@given(st.lists(st.lists(LETTERS, min_size=2, max_size=8), min_size=1, max_size=8), st.sampled_from(" \n"))
def test_plain_sentences_are_found_however_they_are_wrapped(rows: list[list[str]], space: str) -> None:
    expected = [space.join(["The", *words]) + ". " for words in rows]
    text = "".join(expected)
    assert units(text, sentences(text).tolist()) == expected


FAST = (
    "e.g. ", "Mr. ", "No. 5. ", "a: ", "b; ", "c:) ", "d: [2] ", "word ", "Word ", "noise. ", "end.The ", " . ", ". ",
    "? ", "! ", ".\n", "?\n", "\n", "\n \n", "\u00ab", "\u00bb ", '"', "(", ") ", "\u00b2 ", "\u00e9t\u00e9. ", "IV. ",
    ":", ". . . ",
)  # fmt: skip


@law()
@example(text="d: [2] . Mr. ")
@given(text=st.lists(st.sampled_from(FAST), max_size=40).map("".join))
def test_what_is_known_by_one_look_is_what_the_rules_say(text: str) -> None:
    found = sentences(text).tolist()
    slow = patch.multiple("caesura.text.sentences", is_latin=lambda text: False, OPENS=frozenset())
    with slow, patch("caesura.text.blocks.line_ends", lambda text: (NEWLINE, GAP)):
        assert sentences(text).tolist() == found
