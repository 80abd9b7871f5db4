"""Lines become paragraphs, and words at their ends are whole."""

from __future__ import annotations

from time import process_time

import pytest
from fakes.growth import assert_time_grows

from caesura_documents.printed.page import LinePiece
from caesura_documents.printed.printed_blocks import join_line, join_lines, make_blocks, words_of

LONG = "The ferry leaves the harbour at nine in the morning, when the wind allows it"


def line(
    text: str, base: float, left: float = 72, size: float = 10, bold: bool = False, mono: bool = False
) -> LinePiece:
    return LinePiece(text, left, base - 8, left + 5 * len(text), base + 2, base, size, bold, mono)


def blocks(*lines: LinePiece) -> list[tuple[str, list[str]]]:
    return [(block.kind, block.lines) for block in make_blocks(lines, [], 1)]


def test_a_gap_an_indent_and_a_short_last_line_end_a_paragraph() -> None:
    assert blocks(line(LONG, 100), line("and comes back.", 112), line(LONG, 136)) == [
        ("text", [LONG, "and comes back."]), ("text", [LONG])
    ]  # fmt: skip
    full = f"{LONG[:-1]}."
    assert blocks(line(LONG, 100), line(full, 112), line(LONG, 124, 90), line(LONG, 136)) == [
        ("text", [LONG, full]), ("text", [LONG, LONG])
    ]  # fmt: skip
    assert blocks(line(LONG, 100), line("It stops.", 112), line(LONG, 124)) == [
        ("text", [LONG, "It stops."]), ("text", [LONG])
    ]  # fmt: skip


def test_other_type_ends_a_paragraph_where_its_sentence_does_not_go_on() -> None:
    assert [kind for kind, _ in blocks(line("Tides", 100, bold=True), line(LONG, 112))] == ["text", "text"]
    assert blocks(line(LONG, 100), line("tide()", 112, mono=True), line("tide", 124, mono=True)) == [
        ("text", [LONG, "tide()"]), ("code", ["tide"])
    ]  # fmt: skip
    assert len(blocks(line(LONG, 100), line("large", 112, size=16))) == 2


def test_captions_items_and_contents_begin_blocks() -> None:
    lines = ["1. First", "2. Second", "Table 3: Tides", "Ports ........ 12", "Ships ........ 14"]
    assert blocks(*(line(text, 100 + 12 * n) for n, text in enumerate(lines))) == [
        ("list_item", ["1. First"]),
        ("list_item", ["2. Second"]),
        ("caption", ["Table 3: Tides"]),
        ("document_index", ["Ports 12", "Ships 14"]),
    ]


ABOVE = "If a command is not found where the tide tables are, its status is that of this"


@pytest.mark.parametrize("number", ["127. If", "0) if", "A. This"])
def test_a_number_at_a_lines_start_within_a_sentence_is_no_item(number: str) -> None:
    below = f"{number} it is found, the tide is low."
    assert blocks(line(ABOVE, 100), line(ABOVE, 112), line(below, 124)) == [("text", [ABOVE, ABOVE, below])]
    indented = blocks(line(ABOVE, 100, 84), line(below, 112), line(ABOVE, 136))
    assert indented == [("text", [ABOVE, below]), ("text", [ABOVE])]
    hung = blocks(line(f"1. {ABOVE}", 100, 60), line(ABOVE, 112), line(below, 124))
    assert hung == [("list_item", [f"1. {ABOVE}", ABOVE, below])]


@pytest.mark.parametrize("end", ["at low tide;", "at low tide,", "the tide and", "of a tide or", "at low tide."])
def test_a_number_after_a_clause_a_short_line_or_the_number_before_begins_an_item(end: str) -> None:
    above = f"{ABOVE[: -len(end)]}{end}"
    for first, second in ((above, "2. It waits."), (ABOVE[:40], "2. It waits."), (f"1. {ABOVE[3:]}", "2. It waits.")):
        lines = line(ABOVE if first[0] == "I" else first, 100), line(first[-79:], 112), line(second, 124)
        assert [kind for kind, _ in blocks(*lines, line(ABOVE, 148))][-2:] == ["list_item", "text"]


@pytest.mark.parametrize("marks", ["1. 2. 3.", "a) b) c)", "A. B. C.", "i. ii. iii.", "x. xi. xii.", "5) 6) 7)"])
def test_a_list_flush_with_the_wide_line_before_it_is_one(marks: str) -> None:
    items = [f"{mark} {ABOVE}" for mark in marks.split()]
    lines = [ABOVE, items[0], ABOVE, *items[1:]]
    below = [line(text, 112 + 12 * number) for number, text in enumerate(lines)]
    after = line(ABOVE, 200)
    assert blocks(line(ABOVE, 100), *below, after) == [
        ("text", [ABOVE, ABOVE]), ("list_item", [*items[:1], ABOVE]),
        ("list_item", items[1:2]), ("list_item", items[2:3]), ("text", [ABOVE]),
    ]  # fmt: skip
    other = line(f"{'2' if marks[0] == 'a' else 'y'}. {ABOVE}", 112)
    assert [kind for kind, _ in blocks(line(ABOVE, 100), other, *below[1:], after)][0:2] == ["text", "list_item"]


@pytest.mark.parametrize(
    ("one", "next_one"), [("iv.", "v."), ("ix.", "x."), ("h)", "i)"), ("1.", "1."), ("3.", "2."), ("1.", "3.")]
)
def test_an_item_after_one_of_two_flush_lines_begins(one: str, next_one: str) -> None:
    items = [f"{one} {ABOVE}", ABOVE], [f"{next_one} {ABOVE}", ABOVE], [f"4. {ABOVE}"]
    shown = items if next_one == "3." else items[:2]
    lines = [line(text, 100 + 12 * number) for number, text in enumerate(text for item in shown for text in item)]
    assert blocks(*lines, line(ABOVE, 200)) == [*(("list_item", item) for item in shown), ("text", [ABOVE])]


def test_contents_are_one_block_with_an_entry_in_a_line() -> None:
    def entry(text: str, page: str, base: float, bold: bool = False) -> list[LinePiece]:
        number = LinePiece(page, 500, base - 8, 500 + 5 * len(page), base + 2, base, 10, bold)
        return [line(text, base, bold=bold), number]

    lines = [
        *entry("1 Harbours", "3", 100, bold=True), *entry("1.1 Ports" + " ." * 30, "3", 112),
        *entry("1.2 Quays" + " ." * 30, "4", 124), *entry("2 Tides", "9", 148, bold=True),
        *entry("2.1 Heights" + " ." * 2, "9", 160), line("2.2 Why the water rises where no-", 172),
        *entry("body looks" + " ." * 30, "11", 184), *entry("3 Fares", "14", 208, bold=True),
    ]  # fmt: skip
    assert blocks(*lines) == [
        (
            "document_index",
            [
                *("1 Harbours 3", "1.1 Ports 3", "1.2 Quays 4", "2 Tides 9", "2.1 Heights 9"),
                *("2.2 Why the water rises where nobody looks 11", "3 Fares 14"),
            ],
        )
    ]
    assert [kind for kind, _ in blocks(*lines[:6], line("Chapter 1", 160, size=14))] == ["document_index", "text"]


@pytest.mark.parametrize(
    ("above", "below", "text"),
    [
        ("an exam-", "ple", "an example"),
        ("a well-", "known bell", "a well-known bell"),
        ("the Anglo-", "Saxon", "the Anglo-Saxon"),
        ("in 1720-", "1725", "in 1720-1725"),
        ("COVID-", "19", "COVID-19"),
        ("of this -", "that", "of this - that"),
        ("soft\x02", "ware", "software"),
        ("soft\xad", "ware", "software"),
        ("the sea", "rises", "the sea rises"),
        ("\u6f6e\u6c50", "\u8868", "\u6f6e\u6c50\u8868"),
        ("\uc870\uc218", "\ud45c", "\uc870\uc218 \ud45c"),
    ],
)
def test_a_word_divided_at_a_lines_end_is_whole(above: str, below: str, text: str) -> None:
    assert join_line(above, below, {"well-known"}) == text
    assert join_lines([above, below], {"well-known"}) == text


@pytest.mark.parametrize(
    ("above", "below", "text"),
    [
        ("see https:", "//x.org/tides", "see https://x.org/tides"),
        ("see https://", "x.org/tides", "see https://x.org/tides"),
        ("see (https://www.", "x.org/tides)", "see (https://www.x.org/tides)"),
        ("see https://x.org/a-", "b_c", "see https://x.org/a-b_c"),
        ("(https://x.org/-", "ports/list)", "(https://x.org/ports/list)"),
        ("(https://x.org/", "ports)", "(https://x.org/ports)"),
        ("in /usr/", "share/tides", "in /usr/share/tides"),
        ("in /usr/share/", "ports", "in /usr/share/ports"),
        ("or /", "usr/share", "or /usr/share"),
        ("with --", "high-tide", "with --high-tide"),
        ("with --high-", "water-mark", "with --high-water-mark"),
        ("the high-water-", "mark", "the high-water-mark"),
        ("https://x.org/-", "/ports/2", "https://x.org/-/ports/2"),
        ("at https://x.org/a.", "html", "at https://x.org/a.html"),
        ("at https://x.org/a?", "b=1", "at https://x.org/a?b=1"),
        ("at https://x.org/a?", "no", "at https://x.org/a? no"),
        ("at https://x.org/a:", "ports", "at https://x.org/a: ports"),
        ("at https://x.org/a.", "42 ports", "at https://x.org/a. 42 ports"),
        ("at https://x.org/", "for the tides", "at https://x.org/ for the tides"),
        ("at https://x.org.", "The tide", "at https://x.org. The tide"),
        ("in /usr/", "and there", "in /usr/ and there"),
        ("in /usr/", "/var/tides", "in /usr/ /var/tides"),
        ("dists/", "dists/main/", "dists/ dists/main/"),
        ("the tide --", "it is low --", "the tide -- it is low --"),
        ("the input/out-", "put", "the input/output"),
    ],
)
def test_an_address_divided_at_a_lines_end_is_whole(above: str, below: str, text: str) -> None:
    assert join_line(above, below, {"/usr/share/ports", "--high-tide", "high-water-mark"}) == text


@pytest.mark.parametrize("start", ["/", "x", "-", "--", "a.", "https:", "www."])
def test_addresses_are_looked_for_in_linear_time(start: str) -> None:
    def read(size: int) -> float:
        text, begun = start * size, process_time()
        words_of([[line(text, 100)]])
        join_line(text, text, frozenset())
        return process_time() - begun

    assert_time_grows(read, 2_000, 16_000, 24)


def test_an_address_goes_on_in_the_next_line_whatever_its_type() -> None:
    above = f"{LONG} (https://www."
    for mono in (False, True):
        below = line("tides.org/ports/). " + ("" if mono else LONG[:20]), 112, mono=mono)
        assert blocks(line(above, 100), below) == [("text", [above, below.text])]


@pytest.mark.parametrize("terms", [1, 2, 3])
def test_the_terms_of_a_definition_are_text_above_it_and_code_stays(terms: int) -> None:
    named = [line(f"--tide-{number}", 100 + 12 * number, mono=True) for number in range(terms)]
    below = [line(LONG, 140, 92), line(LONG, 152, 92)]
    shown = [f"--tide-{number}" for number in range(terms)]
    assert read(*named, *below) == [("text", "\n".join([*shown, f"{LONG} {LONG}"]))]
    code = [line("tide()", 100, 92, mono=True), line("ebb()", 112, 92, mono=True)]
    assert blocks(*code, line(LONG, 136), line(LONG, 148)) == [("code", ["tide()", "ebb()"]), ("text", [LONG, LONG])]
    usage = line("tide [-l]", 112, 120, mono=True)
    assert blocks(line("tide", 100, mono=True), usage, *below) == [
        ("text", ["tide"]), ("code", ["tide [-l]"]), ("text", [LONG, LONG])
    ]  # fmt: skip
    many = [line(f"tide({number})", 100 + 12 * number, mono=True) for number in range(4)]
    assert [kind for kind, _ in blocks(*many, line(LONG, 160, 92), line(LONG, 172, 92))] == ["code", "text"]


def read(*lines: LinePiece) -> list[tuple[str, str]]:
    return [(kind, join_lines(own, frozenset())) for kind, own in blocks(*lines)]


def test_a_short_line_ends_where_the_next_words_had_room() -> None:
    short = ["Harbour office", "5 Quay road", "Ternholm"]
    prose = [line(LONG, 160 + 12 * number) for number in range(3)]
    lines = [line(text, 100 + 12 * number) for number, text in enumerate(short)]
    assert read(*lines, *prose) == [("text", "\n".join(short)), ("text", " ".join([LONG] * 3))]
    term, deeper = line("a tide gauge", 100), line(f"which {LONG[4:]}", 112, 92)
    assert read(term, deeper, line(LONG, 124, 92)) == [("text", f"{term.text}\n{deeper.text} {LONG}")]
    centred = [line("The tides of", 100, 200), line("long bay", 112, 210)]
    assert read(*centred, *prose)[0] == ("text", "The tides of long bay")
    fraction = [line("The mean is", 100), line("2", 107), *prose]
    assert read(*fraction)[0] == ("text", "The mean is 2")
    hung = [line(f"Smith: {LONG}", 100), line("of 1846", 112, 92)]
    assert read(*hung) == [("text", f"{hung[0].text} of 1846")]


def test_a_paragraph_beside_a_figure_is_whole() -> None:
    narrow = ["The keeper wrote exam-", "ples of the tides into", "the log, and he kept it", "for us in the kitchen."]
    lines = [line(text, 124 + 12 * number) for number, text in enumerate(narrow)]
    whole = "The keeper wrote examples of the tides into the log, and he kept it for us in the kitchen."
    assert read(line(LONG, 88), line(f"{LONG}.", 100), *lines)[-1] == ("text", whole)


def test_a_listing_above_an_indented_paragraph_is_whole() -> None:
    shown = [("def tide(moon):", 72), ("high = moon", 96), ("return high", 96)]
    code = [line(text, 100 + 12 * number, left, mono=True) for number, (text, left) in enumerate(shown)]
    found = blocks(*code, line(LONG, 160, 104), line(LONG, 172, 104))
    assert [kind for kind, _ in found] == ["code", "text"]
    assert [text.strip() for text in found[0][1]] == [text for text, _ in shown]


def test_paragraphs_of_an_item_are_apart() -> None:
    item, more = line(f"1. {LONG}", 100), line("allows it.", 112, 84)
    assert blocks(item, more, line(LONG, 124, 84)) == [("list_item", [item.text, more.text]), ("text", [LONG])]


def test_a_page_in_brackets_is_no_item() -> None:
    assert blocks(line(LONG, 100), line("(p. 58) is read.", 112)) == [("text", [LONG, "(p. 58) is read."])]
    assert [kind for kind, _ in blocks(line("(p) The pump", 100))] == ["list_item"]


def test_small_type_far_below_a_line_is_a_note_of_its_own() -> None:
    note = "1 Since 1846, when it was built."
    assert blocks(line(LONG, 100), line(LONG, 112), line(note, 140, size=8.1)) == [
        ("text", [LONG, LONG]), ("text", [note])
    ]  # fmt: skip


def test_contents_go_on_in_rows_and_in_second_lines() -> None:
    def entry(text: str, number: str, base: float) -> list[LinePiece]:
        return [line(text, base), line(number, base, left=500)]

    lines = [*entry("1.1 Ports" + " ." * 30, "3", 100), *entry("1.2 Quays" + " ." * 30, "4", 112)]
    rows = [*entry("Tides", "7", 150), *entry("Ferries", "9", 164)]
    assert blocks(*lines, *rows) == [("document_index", ["1.1 Ports 3", "1.2 Quays 4", "Tides 7", "Ferries 9"])]
    assert [kind for kind, _ in blocks(*rows)] != ["document_index"]
    begun = line("1.3 Fields: Depends, Recommends, Suggests,", 124)
    goes_on = [line("Breaks" + " ." * 30, 136, left=100), line("8", 136, left=500)]
    assert blocks(*lines, begun, *goes_on) == [
        ("document_index", ["1.1 Ports 3", "1.2 Quays 4", f"{begun.text} Breaks 8"])
    ]


def test_a_letter_above_the_entries_of_an_index_is_part_of_it() -> None:
    entries = [line("Gulls" + " ." * 30 + " 84", 130), line("Gutters" + " ." * 30 + " 91", 142)]
    assert blocks(line("G", 100), *entries) == [("document_index", ["G", "Gulls 84", "Gutters 91"])]
    assert [kind for kind, _ in blocks(line("Birds", 100), *entries)] == ["text", "document_index"]
