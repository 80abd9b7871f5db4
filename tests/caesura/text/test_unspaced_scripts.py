"""Sentences of scripts that write no stop between them: any text, hostile ones, and paragraphs that do write stops."""

from __future__ import annotations

from time import process_time

import pytest
from fakes.laws import law
from hypothesis import given
from hypothesis import strategies as st

from caesura.edges import is_tiling, spans
from caesura.text.graphemes import inside_grapheme
from caesura.text.sentences import sentences
from caesura.text.unspaced_scripts import holds_unspaced

PARTS = (
    "ครับ", "และ", "เมื่อ", "นอกจากนี้", "ก" * 21, "ำ", "่", "ๆ", "ເດີ້", "ດັ່ງນັ້ນ", "ກ" * 21, "ຳ",
    "ទេ", "ដូច្នេះ", "ក" * 21, "្", "។", "ល។", "တယ်", "သွား", "်", "ဟု", "။", "འདུག", "དང་།", "སོ།", "ཀ", "ྱ",
    "اے۔", "م۔", "۳۔", "۔", "ሀ፡፡", "ሀ::", "፡", "፧", " ", " ", " ", "\u00a0", "\u200b", "\u200d",
    "\n", ".", "?", "2510", "“", "”", "A",
)  # fmt: skip
SLOW = ("ก ", "ก" * 24 + " ", "ຂອງເດີ້ ", "ភ្លៀង\u200b ", "သွားတယ် ", "དང་། ", "اے۔ ", "ሀ፡፡", "ä 1. A ", "\u200b")


@law()
@given(st.lists(st.sampled_from(PARTS), max_size=40).map("".join))
def test_edges_lie_between_characters_and_no_unit_is_blank(text: str) -> None:
    edges = sentences(text)
    assert is_tiling(edges, len(text))
    assert not any(inside_grapheme(text, at) for at in edges[1:-1].tolist())
    assert all(text[start:end].strip() for start, end in spans(edges)) or not text.strip()


def test_a_letter_of_each_script_is_found_among_all_others() -> None:
    runs = ("กๅ", "ກໄ", "ໜໟ", "ཀཬ", "ကဪ", "កឳ")
    for code in range(0x3000):
        want = any(ord(first) <= code <= ord(last) for first, last in runs)
        assert holds_unspaced(f"a“{chr(code)}\ud800") == want, hex(code)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", SLOW)
def test_odd_input_of_100_kb_ends_soon(seed: str) -> None:
    text = "ក" + seed * (100_000 // len(seed))
    begun = process_time()
    assert is_tiling(sentences(text), len(text))
    assert process_time() - begun < 10  # seconds, where a square of the length takes more


@pytest.mark.parametrize(
    ("clause", "other", "stop"),
    [("ខ្ញុំមិនចង់ទៅសាលារៀននៅថ្ងៃនេះទេ", "ដូច្នេះយើងនៅផ្ទះ", "។"), ("ကျောင်းပိတ်ခဲ့တယ်", "ကလေးတွေ အိမ်ပြန်ကြတယ်", "။")],
)
def test_a_paragraph_that_writes_stops_is_cut_at_them_alone(clause: str, other: str, stop: str) -> None:
    spaced = f"{clause} {other}"
    assert sentences(spaced).tolist() == [0, len(clause) + 1, len(spaced)]
    stopped = f"{clause} {other}{stop}"
    assert sentences(stopped).tolist() == [0, len(stopped)]


def test_a_line_may_begin_with_a_mark_of_no_width() -> None:
    first = "เขาไปตลาดเพื่อซื้อของ\n\u200b "
    assert sentences(f"{first}เขากลับบ้านแล้วก็นอน").tolist()[1] == len(first)


def test_another_paragraph_has_no_say() -> None:
    spaced = "ខ្ញុំមិនចង់ទៅសាលារៀននៅថ្ងៃនេះទេ ដូច្នេះយើងនៅផ្ទះ"
    edges = sentences(spaced).tolist()
    assert sentences(f"{spaced}\n\nខ្ញុំមិនទៅ។").tolist()[: len(edges) - 1] == edges[:-1]
