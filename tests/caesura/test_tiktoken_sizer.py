"""`tokens` counts what tiktoken returns, and knows without counting what surely fits."""

from __future__ import annotations

from functools import partial, wraps
from itertools import pairwise
from time import process_time
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from fakes.embedders.tokenizers import CLEAN, TEXT, holds
from fakes.growth import assert_time_grows
from fakes.splitters.sizers import tiktoken_sizer
from hypothesis import given
from hypothesis import strategies as st

import caesura.tiktoken_sizer as memory
from caesura import Limits, Splitter, sentences, tokens
from caesura.text.refine import Ruler, refine


@pytest.fixture(scope="module")
def encoding() -> Any:
    sizer = tiktoken_sizer()
    if sizer is None:
        pytest.skip("needs tiktoken and the data that llama-index-core carries")
    return sizer.encode.__self__


def test_special_tokens_of_any_form_count_as_they_are_read(encoding: Any) -> None:
    from tiktoken import Encoding

    special = {**encoding._special_tokens, "[SEP]": 100300}
    ranks = encoding._mergeable_ranks
    own = Encoding(name=encoding.name, pat_str=encoding._pat_str, mergeable_ranks=ranks, special_tokens=special)
    text = "one [SEP] two [SEP] three"
    for encode in (partial(own.encode, allowed_special="all"), partial(own.encode, disallowed_special=())):
        assert tokens(encode)(text) == len(encode(text))


@pytest.fixture(scope="module")
def encodings(encoding: Any) -> list[Any]:
    """All ways in which tiktoken's own encodings take a text apart, each with the tokens of one of them."""
    from tiktoken import Encoding
    from tiktoken_ext import openai_public

    ranks, made = encoding._mergeable_ranks, dict[str, Any]()
    loaders = {name: lambda *_, **__: ranks for name in ("load_tiktoken_bpe", "data_gym_to_mergeable_bpe_ranks")}
    with patch.multiple(openai_public, **loaders):
        for name in memory.SPACED:
            settings = openai_public.ENCODING_CONSTRUCTORS[name]() | {
                "special_tokens": {"<|endoftext|>": len(ranks) + 300}
            }
            settings.pop("explicit_n_vocab", None)
            made.setdefault(settings["pat_str"], settings)
    return [Encoding(**settings) for settings in made.values()]


def test_units_of_few_bytes_are_not_counted_one_by_one(encoding: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    short = "Rain fell. " * 9
    edges, size = np.arange(0, len(short) + 1, 11), tokens(encoding.encode_ordinary)
    monkeypatch.setattr(Ruler, "holds", lambda *_: pytest.fail("a unit was looked at"))
    assert refine(short, edges, size, 11).tolist() == edges.tolist()
    with pytest.raises(pytest.fail.Exception):
        refine(short.replace("a", "\u00e4"), edges, size, 11)  # two bytes each


@pytest.mark.parametrize("method", ["encode", "encode_ordinary"])
def test_tiktoken_returns_a_list_of_numbers(encoding: Any, method: str) -> None:
    encode = getattr(encoding, method)
    assert tokens(encode)(TEXT) == len(encode(CLEAN)) > 20
    assert tokens(encode)("") == 0
    holds(tokens(encode), 17)


@given(st.text(max_size=60), st.integers(1, 80))
def test_what_surely_fits_fits(encoding: Any, text: str, limit: int) -> None:
    for encode in (encoding.encode_ordinary, partial(encoding.encode, allowed_special="all")):
        size = tokens(encode)
        assert size(text) <= limit or not size.surely(text, limit)
        assert size.surely(text, max(1, 4 * len(text)))
    assert not tokens(str.split).surely("a", 9)  # of others nothing is known


def test_short_sentences_are_not_counted_to_know_that_they_fit(encoding: Any) -> None:
    def counted(encode: Any) -> int:
        seen: list[str] = []
        size = tokens(encode)
        with patch.object(tokens, "__call__", lambda self, text: seen.append(text) or len(encode(text))):
            refine(TEXT * 3, sentences(TEXT * 3), size, 200)
        return len(seen)

    assert counted(encoding.encode_ordinary) == 0
    assert counted(lambda text: encoding.encode_ordinary(text)) >= 9


PIECES = [
    "a",
    "The",
    "'s",
    "n't",
    "1",
    "123",
    ".",
    "!?",
    ").",
    "/",
    "<|endoftext|>",
    "<|",
    "é",
    "中文",
    "。",
    "👍🏽",
    "\u0301",
    "_",
]
SPACES = [" ", " ", "  ", "\n", "\n\n", "\r\n", " \n", "\t", "\x1c", "\xa0", "\u3000"]


@given(st.lists(st.sampled_from(PIECES + SPACES * 2), min_size=1, max_size=16), st.data())
def test_a_text_measures_at_most_what_its_parts_and_joints_do(
    encodings: list[Any], drawn: list[str], data: Any
) -> None:
    text = "".join(drawn)
    places = [place for place in range(len(text)) if not text[place].isspace()] or [0]
    starts = sorted(data.draw(st.sets(st.sampled_from(places), min_size=1)))
    ends = [len(text[:start].rstrip()) for start in starts[1:]] + [len(text.rstrip())]
    first, *rest = [text[start:end] for start, end in pairwise([len(text[: starts[0]].rstrip()), *ends])]
    bare = text[starts[0] : ends[-1]]
    for encoding in encodings:
        size = tokens(partial(encoding.encode, allowed_special="all"))
        begun, joined = size.joints(text, starts) or ([], [])
        assert size(bare) <= size(first) + begun[0] + sum(map(size, rest)) + sum(joined[1:])
        joints = [match.start() for match in memory.JOINT.finditer(bare)]
        assert size(bare) == sum(size(bare[start:end]) for start, end in pairwise([0, *joints, len(bare)]))


def test_joints_of_a_text_without_spaces_take_linear_time(encoding: Any) -> None:
    size = tokens(encoding.encode_ordinary)

    def seconds(count: int) -> float:
        text = "\u5c71\u304c\u898b\u3048\u308b\u3002" * count
        began = process_time()
        size.joints(text, range(0, len(text), 6))
        return process_time() - began

    assert_time_grows(seconds, 500, 4000, 20)


@given(st.lists(st.sampled_from(PIECES + SPACES + [" "] * 9), max_size=16))
def test_words_add_up_to_what_tiktoken_returns(encodings: list[Any], drawn: list[str]) -> None:
    text = "".join(drawn)
    for encoding in encodings:
        for encode in (encoding.encode_ordinary, partial(encoding.encode, allowed_special="all")):
            size, expected = tokens(encode), len(encode(text))
            assert [size(text), size(text)] == [expected, expected]


def test_words_that_were_measured_are_not_encoded_again(encoding: Any) -> None:
    encoded, encode = list[str](), type(encoding).encode_ordinary

    @wraps(encode)
    def noted(self: Any, text: str) -> list[int]:
        encoded.append(text)
        return encode(self, text)

    memory.known_words.cache_clear()
    with patch.object(type(encoding), "encode_ordinary", noted):
        size = tokens(encoding.encode_ordinary)
        for text in (" the river rose", " rose the river", "a mill", " the <|endoftext|>", f" river {'ab' * 40}"):
            assert size(text) == len(encode(encoding, text))
    assert encoded == [" the", " river", " rose", " mill", "a", " <|endoftext|>", f" {'ab' * 40}"]
    assert size("a mill ") == 3
    words = memory.known_words(size.encode)
    assert words == {"the": 1, "river": 1, "rose": 1, "mill": 1, " a": 1, "  ": 1}


def test_no_more_words_are_remembered_than_is_said(encoding: Any) -> None:
    size, words = tokens(encoding.encode_ordinary), memory.known_words(encoding.encode_ordinary)
    with patch.object(memory, "MOST", 3):
        for number in range(9):
            assert size(f" w{number} v{number}") == len(encoding.encode_ordinary(f" w{number} v{number}"))
    assert 0 < len(words or ()) <= 5


def test_a_sentence_is_counted_once_with_the_space_before_it(encoding: Any) -> None:
    text, seen, each = "The river rose in the night. " * 9, list[str](), tokens.each

    def noted(self: tokens, texts: list[str]) -> list[int]:
        seen.extend(texts)
        return each(self, texts)

    with patch.object(tokens, "each", noted):
        batch = Splitter(Limits(20), tokens(encoding.encode_ordinary)).prepare([text])
    assert seen == ["The river rose in the night.", *[" The river rose in the night."] * 8]
    assert [*map(list, batch.sizes)] == [[7] * 9]


@given(st.lists(st.sampled_from(PIECES + SPACES + [" "] * 9), max_size=40), st.integers(8, 14), st.data())
def test_a_splitter_cuts_as_where_every_string_is_encoded(
    encodings: list[Any], drawn: list[str], most: int, data: Any
) -> None:
    text = "".join(drawn)
    places = st.sets(st.integers(0, len(text)), max_size=6)
    edges = np.array(sorted({0, len(text), *data.draw(places)}))
    for encoding in encodings:
        encode = partial(encoding.encode, allowed_special="all")
        limits = Limits(most, target_size=most // 2)
        plain, quick = (Splitter(limits, size, lambda _: edges) for size in (lambda s: len(encode(s)), tokens(encode)))  # noqa: B023
        batch = quick.prepare([text])
        assert [*map(list, batch.units)] == [*map(list, plain.prepare([text]).units)]
        assert [*map(list, batch.sizes)] == [*map(list, plain.prepare([text]).sizes)]
        rows = [[float(len(each)), 1.0] for each in batch.texts]
        assert quick.finish(batch, rows)[0].chunks() == plain.finish(batch, rows)[0].chunks()


@given(st.lists(st.sampled_from(PIECES + SPACES + [" "] * 9), max_size=24), st.integers(8, 14))
def test_units_are_cut_as_where_every_string_is_encoded(encodings: list[Any], drawn: list[str], most: int) -> None:
    text = "".join(drawn)
    for encoding in encodings:
        encode = partial(encoding.encode, allowed_special="all")
        edges = np.array([0, len(text)][: 1 + bool(text)])
        plain = refine(text, edges, lambda part: len(encode(part)), most)  # noqa: B023
        assert refine(text, edges, tokens(encode), most).tolist() == plain.tolist()


def test_sentences_that_fit_together_are_not_counted_again(encoding: Any) -> None:
    text = "The river rose in the night.\nIt fell (again).  The mill was gone by then. Was it?\n\nNobody knows! " * 9

    def counted(encode: Any) -> int:
        size, seen = tokens(encode), list[str]()
        splitter = Splitter(Limits(200, target_size=90), size)
        batch = splitter.prepare([text])
        with patch.object(tokens, "__call__", lambda self, text: seen.append(text) or len(self.encode(text))):
            (found,) = splitter.finish(batch, [[float(len(each)), 1.0] for each in batch.texts])
        assert max(size(chunk.text) for chunk in found.chunks()) <= 200
        assert 1 < len(found.chunks()) < len(found.sizes) / 2
        return len(seen)

    assert counted(encoding.encode_ordinary) == 0
    assert counted(lambda text: encoding.encode_ordinary(text)) > 1


def test_tiktoken_may_return_an_array(encoding: Any) -> None:
    assert tokens(encoding.encode_to_numpy)(TEXT) == len(encoding.encode(CLEAN))


def test_special_tokens_in_a_text_are_text(encoding: Any) -> None:
    assert tokens(encoding.encode_ordinary)("a <|endoftext|> b") > 5
    holds(tokens(encoding.encode_ordinary), 16)


@given(st.text("aZ9. \n\té\u2003", max_size=20), st.integers(0, 20), st.integers(0, 20))
def test_the_last_joint_of_a_range_is_the_last_of_all(text: str, start: int, end: int) -> None:
    every = [found.start() for found in memory.JOINT.finditer(text, start, end)]
    last = memory.LAST_JOINT.match(text, start, end)
    assert every[-1:] == ([] if last is None else [last.end() - 1])
