"""Texts and an embedder in, chunks out: every kind of bad input, and what a split costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

import numpy as np
import pytest
from texts import Counting, at_stops, embed

import caesura
from caesura import (
    Background,
    Batch,
    Chunk,
    Count,
    DoublePassCut,
    EmbeddingError,
    Limits,
    Neighbours,
    PercentileCut,
    Segmentation,
    SegmentError,
    SettingError,
    Splitter,
    aligned,
    calibrate,
    joined,
    words,
)

EVERY_STOP = Splitter(segment=at_stops, cut=DoublePassCut(1, 1, 1))
TEXT = "A cat sat. It purred.\n\nTaxes rose! Why? Nobody knew."


def pieces(splitter: Splitter, text: str, embedder: Callable[..., object] = embed) -> list[str]:
    return [chunk.text for chunk in splitter.split(text, embedder)]


def same(texts: list[str]) -> np.ndarray:
    """An embedder to which all texts are alike."""
    return np.ones((len(texts), 1))


def segmented(splitter: Splitter, text: str, embedder: Callable[..., object] = embed) -> Segmentation:
    batch = splitter.prepare([text])
    (made,) = splitter.finish(batch, embedder(batch.texts))
    return made


# --- cost -------------------------------------------------------------------------------------------------------------


def test_all_documents_are_embedded_in_one_call_each_character_once() -> None:
    embedder, documents = Counting(), [TEXT, "", "Another one. And more.", "\n \n"]
    Splitter().split_many(documents, embedder)
    assert len(embedder.calls) == 1
    assert "".join("".join(embedder.texts).split()) == "".join("".join(documents).split())


def test_a_batch_size_parts_the_call() -> None:
    embedder = Counting()
    EVERY_STOP.split_many([TEXT, TEXT], embedder, batch_size=4)
    assert [len(call) for call in embedder.calls] == [4, 4, 2]


def test_limits_cost_no_further_call() -> None:
    embedder = Counting()
    Splitter(limits=Limits(12, 3)).split(TEXT * 20, embedder)
    assert len(embedder.calls) == 1
    assert len("".join("".join(embedder.texts).split())) == len("".join(TEXT.split())) * 20


def test_joined_shows_each_text_once_more_for_each_neighbour() -> None:
    embedder = Counting()
    Splitter(segment=at_stops, view=joined(1)).split("One. Two. Three.", embedder)
    assert embedder.calls == [["One. Two.", "One. Two. Three.", "Two. Three."]]


# --- documents --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", " ", "\n\n \t", "\x1c\x1f\u2028\u3000", " " * 5000], ids=ascii)
@pytest.mark.parametrize(
    "splitter", [Splitter(), Splitter(limits=Limits(10, 5)), Splitter(trim=False), Splitter(view=joined(2))]
)
def test_a_blank_document_has_no_chunk_and_asks_nothing(splitter: Splitter, text: str) -> None:
    embedder = Counting()
    assert splitter.split(text, embedder) == []
    assert embedder.calls == []
    assert segmented(splitter, text).vectors().shape[0] == 0


def test_no_documents_have_no_chunks() -> None:
    assert Splitter().split_many([], Counting()) == []


@pytest.mark.parametrize("cut", [DoublePassCut(), PercentileCut(), PercentileCut(threshold=Count(5))], ids=str)
def test_one_sentence_is_one_chunk(cut: object) -> None:
    assert Splitter(cut=cut).split("  Just this. ", embed) == [Chunk("Just this.", 2, 12)]
    assert Splitter(cut=cut, trim=False).split("  Just this. ", embed) == [Chunk("  Just this. ", 0, 13)]


@pytest.mark.parametrize("size", [len, words])
def test_a_long_line_without_a_stop_is_cut_to_size(size: Callable[[str], int]) -> None:
    line = ("lorem ipsum " * 8334)[:100_000]
    embedder = Counting()
    chunks = Splitter(limits=Limits(200), size=size).split(line, embedder)
    assert max(size(chunk.text) for chunk in chunks) <= 200
    assert max(size(text) for text in embedder.texts) <= 200
    assert "".join("".join(chunk.text.split()) for chunk in chunks) == "".join(line.split())
    assert len(embedder.calls) == 1


def test_a_long_word_is_cut_to_size() -> None:
    chunks = Splitter(limits=Limits(1000)).split("x" * 100_000, embed)
    assert [chunk.start for chunk in chunks] == list(range(0, 100_000, 1000))


@pytest.mark.parametrize(
    "text",
    [
        "a\x00b. \x00",
        "\ud800 lone. And \udfff.",
        "One.\r\nTwo.\r\n\r\nThree.",
        "Cafe\u0301. Nai\u0308ve.",
        "\u0301",
        "\ufeffText.",
    ],
    ids=ascii,
)
@pytest.mark.parametrize("limits", [Limits(), Limits(4)], ids=str)
def test_odd_characters_are_kept_and_reach_the_embedder_as_valid_text(text: str, limits: Limits) -> None:
    embedder = Counting()
    chunks = Splitter(limits=limits).split(text, embedder)
    assert "".join("".join(chunk.text.split()) for chunk in chunks) == "".join(text.split())
    assert all(chunk.text == text[chunk.start : chunk.end] for chunk in chunks)
    for shown in embedder.texts:
        shown.encode("utf-8")


@pytest.mark.parametrize(
    "breaks",
    [None, [1], np.array([1.0]), np.array([0]), np.array([3]), np.array([2, 1]), np.array([1, 1]), np.array([[1]])],
    ids=repr,
)
def test_what_a_cut_returns_is_breaks_or_refused(breaks: object) -> None:
    with pytest.raises(SettingError, match=r"^cut\(\) must return an array .* within 1 to 2, .* got "):
        Splitter(cut=lambda *_: breaks).split("One. Two. Three.", embed)  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize(("document", "kind"), [(None, "NoneType"), (b"bytes", "bytes"), (3, "int"), (["a"], "list")])
def test_a_document_that_is_no_str_is_named_by_its_place(document: object, kind: str) -> None:
    with pytest.raises(SettingError, match=rf"^a document must be a str, got {kind} at position 1$"):
        Splitter().split_many(["a", document], embed)  # type: ignore[list-item]
    with pytest.raises(SettingError, match=rf"got {kind} at position 0$"):
        Splitter().split(document, embed)  # type: ignore[arg-type]


def test_one_str_in_place_of_documents_is_refused() -> None:
    with pytest.raises(SettingError, match=r"^texts must be a sequence of str, got one str: pass \[text\]$"):
        Splitter().prepare("text")


# --- embedders --------------------------------------------------------------------------------------------------------


def test_too_few_vectors_are_refused_with_both_counts() -> None:
    with pytest.raises(EmbeddingError, match=r"one row per text: expected \(5, d\), got \(4, 8\)"):
        EVERY_STOP.split(TEXT, lambda texts: embed(texts)[1:])


def test_ragged_vectors_are_refused() -> None:
    with pytest.raises(EmbeddingError, match=r"rows of one length: expected \(5, d\)"):
        EVERY_STOP.split(TEXT, lambda texts: [[1.0] * (1 + place % 2) for place, _ in enumerate(texts)])


@pytest.mark.parametrize("value", [0.0, np.nan, np.inf])
@pytest.mark.parametrize("cut", [DoublePassCut(), PercentileCut(), DoublePassCut(-1, -1, -1)], ids=str)
def test_rows_that_say_nothing_lose_no_text(value: float, cut: object) -> None:
    splitter = Splitter(segment=at_stops, cut=cut, limits=Limits(30))
    chunks = splitter.split(TEXT, lambda texts: np.full((len(texts), 3), value))
    assert "".join("".join(chunk.text.split()) for chunk in chunks) == "".join(TEXT.split())


@pytest.mark.parametrize("value", [0.0, np.nan])
def test_a_row_that_says_nothing_joins_no_neighbour(value: float) -> None:
    rows = np.array([[1.0, 0], [1, 0], [value, value], [1, 0], [1, 0]])
    splitter = Splitter(segment=at_stops, cut=DoublePassCut(0, 0, 0, look_ahead=0))
    assert len(pieces(splitter, TEXT, lambda texts: rows)) == 3


def test_a_dimension_that_changes_between_calls_is_refused() -> None:
    widths = iter(range(2, 99))
    with pytest.raises(EmbeddingError, match=r"rows of one length in every call, got \[2, 3, 4\]"):
        EVERY_STOP.split(TEXT, lambda texts: np.ones((len(texts), next(widths))), batch_size=2)


def test_a_dimension_that_changed_since_calibration_is_refused() -> None:
    splitter = Splitter(background=calibrate(embed))
    with pytest.raises(
        EmbeddingError, match=r"it has shape \(8,\), embed\(\) returned rows of 3; make it with calibrate"
    ):
        splitter.split(TEXT, lambda texts: np.ones((len(texts), 3)))


def test_an_exception_in_the_middle_comes_out_with_the_texts_it_was_for() -> None:
    calls = []

    def broken(texts: list[str]) -> object:
        calls.append(texts)
        if len(calls) == 2:
            raise TimeoutError("no answer")
        return embed(texts)

    with pytest.raises(TimeoutError, match="no answer") as caught:
        EVERY_STOP.split_many([TEXT, TEXT], broken, batch_size=4)
    assert caught.value.__notes__ == ["raised by the embedder for texts 4 to 7 of 10"]
    assert len(calls) == 2


def test_finish_refuses_vectors_for_other_texts() -> None:
    batch = EVERY_STOP.prepare([TEXT])
    with pytest.raises(EmbeddingError, match=r"expected \(5, d\), got \(6, 2\)"):
        EVERY_STOP.finish(batch, np.ones((6, 2)))


# --- settings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [0, -5, True, 10.0, "10", float("nan")])
def test_a_max_size_that_is_no_whole_number_over_0_is_refused(value: object) -> None:
    with pytest.raises(SettingError, match=rf"^max_size must be a whole number of at least 1, got {value!r}$"):
        Limits(max_size=value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [-1, True, 1.5, None])
def test_a_min_size_that_is_no_whole_number_is_refused(value: object) -> None:
    with pytest.raises(SettingError, match=rf"^min_size must be a whole number of at least 0, got {value!r}$"):
        Limits(min_size=value)  # type: ignore[arg-type]


def test_a_min_size_over_the_max_size_is_refused() -> None:
    assert Limits(10, 10) == Limits(max_size=10, min_size=10)
    with pytest.raises(SettingError, match=r"^min_size must not be over max_size, got min_size=11 and max_size=10$"):
        Limits(10, 11)


@pytest.mark.parametrize("name", ["size", "segment", "cut", "view"])
@pytest.mark.parametrize("value", [3, "joined"])
def test_a_stage_that_is_not_callable_is_refused(name: str, value: object) -> None:
    with pytest.raises(SettingError, match=rf"^{name} must be callable.*, got {value!r}$"):
        Splitter(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [1200, None, (1200, 0)])
def test_limits_that_are_no_limits_are_refused(value: object) -> None:
    with pytest.raises(SettingError) as caught:
        Splitter(limits=value)  # type: ignore[arg-type]
    assert str(caught.value) == f"limits must be Limits(max_size=…, min_size=…), got {value!r}"


def test_a_background_that_is_no_background_is_refused() -> None:
    with pytest.raises(
        SettingError, match=r"^background must be a Background, as calibrate\(embed\) makes it, got \[1.0\]$"
    ):
        Splitter(background=[1.0])  # type: ignore[arg-type]


def test_limits_of_another_number_are_refused() -> None:
    with pytest.raises(SettingError, match=r"^limits must be one per text: expected 2, got 1$"):
        Splitter().prepare(["a", "b"], [Limits()])


@pytest.mark.parametrize(
    "edges", [[0, 6], np.array([0, 5]), np.array([1, 6]), np.array([0, 3, 3, 6]), np.array([0.0, 6.0]), None], ids=repr
)
def test_a_segmenter_that_does_not_tile_is_refused(edges: object) -> None:
    with pytest.raises(SegmentError) as caught:
        Splitter(segment=lambda text: edges).prepare(["abcdef"])  # type: ignore[arg-type, return-value]
    message = str(caught.value)
    assert message.startswith("segment() must return edges that rise from 0 to len(text) = 6, got ")
    assert message.endswith("wrap a splitter that returns strings in aligned(…)")


def test_an_outside_splitter_that_rewrites_is_shown_with_a_caret() -> None:
    with pytest.raises(SegmentError, match=r"\n    one two three\n        \^$"):
        Splitter(segment=aligned(lambda text: ["one", "Two three"])).split("one two three", embed)


def test_a_view_must_return_one_text_per_unit() -> None:
    with pytest.raises(SettingError, match=r"^view\(\) must return one text per unit: expected 5, got 1$"):
        Splitter(segment=at_stops, view=lambda text, edges: [text]).prepare([TEXT])


@pytest.mark.parametrize("overlap", [-1, 1.5, True])
def test_an_overlap_that_is_no_whole_number_is_refused(overlap: object) -> None:
    with pytest.raises(SettingError, match="overlap"):
        segmented(EVERY_STOP, TEXT).chunks(overlap)  # type: ignore[arg-type]


# --- results ----------------------------------------------------------------------------------------------------------


def test_a_batch_holds_what_it_was_made_of() -> None:
    batch = EVERY_STOP.prepare(["One. Two.", "", "\nThree."])
    assert batch.documents == ("One. Two.", "", "\nThree.")
    assert [units.tolist() for units in batch.units] == [[0, 5, 9], [0], [0, 1, 7]]
    assert batch.texts == ("One.", "Two.", "Three.")
    assert [sizes.tolist() for sizes in batch.sizes] == [[4, 5], [], [0, 6]]
    assert batch.limits == (Limits(),) * 3
    assert [field.name for field in fields(Batch)] == ["documents", "units", "texts", "limits", "sizes"]


def test_limits_may_differ_by_text() -> None:
    batch = Splitter(limits=Limits(100)).prepare(["abcdefgh"] * 3, [Limits(4), Limits(), Limits(3)])
    assert [units.tolist() for units in batch.units] == [[0, 4, 8], [0, 8], [0, 3, 6, 8]]
    made = Splitter(cut=DoublePassCut(-1, -1, -1)).finish(batch, np.ones((len(batch.texts), 2)))
    assert [[chunk.text for chunk in one.chunks()] for one in made] == [
        ["abcd", "efgh"],
        ["abcdefgh"],
        ["abc", "def", "gh"],
    ]


def test_without_trimming_whitespace_is_embedded_and_measured() -> None:
    splitter = Splitter(segment=at_stops, cut=DoublePassCut(1, 1, 1), trim=False)
    assert splitter.prepare(["One.  Two. "]).texts == ("One.  ", "Two. ")
    assert pieces(splitter, "One.  Two. ") == ["One.  ", "Two. "]


def test_whitespace_between_units_counts_in_the_chunk_that_holds_both() -> None:
    splitter = Splitter(Limits(13), segment=at_stops, cut=DoublePassCut(-1, -1, -1))
    assert pieces(splitter, "One." + " " * 5 + "Two.", same) == ["One.     Two."]
    assert pieces(splitter, "One." + " " * 6 + "Two.", same) == ["One.", "Two."]


def test_no_unit_counts_more_than_the_limit_however_much_whitespace_is_before_it() -> None:
    batch = Splitter(Limits(10), segment=at_stops).prepare(["One.\n\n" + " " * 40 + "Two."])
    assert [size for size in batch.sizes[0].tolist() if size] == [4, 10]


def dear_together(text: str) -> int:
    """A sizer to which two kinds of sentence are dear in one chunk."""
    return len(text.split()) + 2 * ("!" in text and "?" in text)


def test_an_overlap_that_makes_a_chunk_too_large_is_left_out() -> None:
    rows = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    splitter = Splitter(Limits(3), dear_together, at_stops, cut=PercentileCut(Neighbours(), Count(2)))
    for text, second in (("Um. Oh. Eh? Ah.", "Oh. Eh? Ah."), ("Um. Oh! Eh? Ah.", "Eh? Ah.")):
        made = segmented(splitter, text, lambda texts: rows)
        assert [chunk.text for chunk in made.chunks(1)] == [text[:7], second]


def test_a_whole_that_measures_more_than_its_parts_is_parted() -> None:
    splitter = Splitter(Limits(3), dear_together, at_stops, cut=DoublePassCut(-1, -1, -1))
    assert pieces(splitter, "Oh! Eh. Ah.", same) == ["Oh! Eh. Ah."]
    assert pieces(splitter, "Oh! Eh?", same) == ["Oh!", "Eh?"]


def test_scores_are_given_for_the_gaps_before_units_that_are_not_blank() -> None:
    made = segmented(Splitter(segment=at_stops, cut=PercentileCut(threshold=Count(2))), "\nCats\n\n\nTaxes\n\n")
    assert made.sizes.tolist() == [0, 4, 0, 0, 8, 0]
    assert made.gaps is not None
    assert np.isneginf(made.gaps).tolist() == [True, True, True, False, True]
    assert made.breaks.tolist() == [4]
    assert segmented(EVERY_STOP, TEXT).gaps is None


def test_a_background_changes_what_is_alike() -> None:
    rows = np.array([[1.0, 0.2], [1.0, 0.1], [1.0, -0.2], [1.0, -0.1], [1.0, -0.3]])
    cut = DoublePassCut(0, 0, 0)
    plain = Splitter(segment=at_stops, cut=cut)
    centred = Splitter(segment=at_stops, cut=cut, background=Background([1.0, 0.0], float("inf")))
    assert len(pieces(plain, TEXT, lambda texts: rows)) == 1
    assert pieces(centred, TEXT, lambda texts: rows) == ["A cat sat. It purred.", "Taxes rose! Why? Nobody knew."]


def test_the_weight_of_a_background_reaches_the_cut() -> None:
    rows = np.array([[1.0, 0.2], [1.0, 0.1], [1.0, -0.2], [1.0, -0.1], [1.0, -0.3]])
    for weight, count in ((1e-6, 2), (float("inf"), 1)):
        splitter = Splitter(segment=at_stops, cut=DoublePassCut(0, 0, 0), background=Background([-1.0, 0.0], weight))
        assert len(pieces(splitter, TEXT, lambda texts: rows)) == count


def test_a_document_is_centred_on_its_own_rows_only() -> None:
    splitter = Splitter(segment=at_stops, background=calibrate(embed))
    documents = [TEXT, "Something else. Of cats and taxes.", TEXT[::-1]]
    assert splitter.split_many(documents, embed) == [splitter.split(document, embed) for document in documents]


def test_chunk_vectors_come_from_the_embedders_own_rows() -> None:
    splitter = Splitter(segment=at_stops, cut=DoublePassCut(-1, -1, -1), background=Background([9.0, 9.0]))
    made = segmented(splitter, "One. Three.", lambda texts: [[2.0, 0.0], [0.0, 4.0]])
    assert len(made.chunks()) == 1
    assert made.vectors().tolist() == [[pytest.approx(2 * 4 / 11), pytest.approx(4 * 7 / 11)]]


def test_overlap_adds_whole_units_but_never_the_whole_chunk_before() -> None:
    made = segmented(Splitter(segment=at_stops, cut=PercentileCut(threshold=Count(2))), "A a. B b. C c. D d.")
    first, second = made.chunks()
    assert made.chunks(0) == [first, second]
    assert made.chunks(3) == [first, second]
    wide = made.chunks(5)[1]
    assert (wide.text, wide.end) == (made.text[wide.start : wide.end], second.end)
    assert wide.start >= second.start - 5
    assert made.chunks(1000)[1].start > first.start


@pytest.mark.parametrize("text", ["a\u3000", "\u3000a", "a\u3000b", "\u3000"])
def test_whitespace_over_the_limit_is_no_reason_to_refuse_a_text(text: str) -> None:
    chunks = Splitter(limits=Limits(2), size=caesura.utf8_bytes).split(text, embed)
    assert "".join(chunk.text for chunk in chunks) == "".join(text.split())
