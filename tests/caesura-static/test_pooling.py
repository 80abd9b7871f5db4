"""A row is the same whatever is added up together, and whoever asks at the same time."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from fakes.texts.static_texts import ODD, TEXTS

from caesura_static import StaticEmbedder, model, pooling, stretch_table
from caesura_static.folding import join_all
from caesura_static.letters import Letters
from caesura_static.pooling import LONGEST_KEPT, Pool, add_up, widen
from caesura_static.wordpiece import WordPiece

EMBED = StaticEmbedder()


def fresh(loaded: model.Model) -> model.Model:
    """The same model, which remembers nothing."""
    words = WordPiece(loaded.words.vocabulary)
    steps = widen(loaded.steps)
    return replace(loaded, words=words, pool=Pool(steps, words, Letters(steps, words)))


@pytest.mark.thorough
@pytest.mark.parametrize("size", [1, 2, 7, 4096])
@pytest.mark.parametrize(
    "constant", ["SLAB", "TOGETHER", "WIDEST", "BLOCK", "MOST_KEPT", "MOST_LETTERED", "LONGEST_KEPT"]
)
def test_a_row_does_not_depend_on_what_is_added_up_together(
    constant: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    want = EMBED([*TEXTS, *ODD])
    monkeypatch.setattr(pooling, constant, size if constant != "LONGEST_KEPT" else size % LONGEST_KEPT)
    loaded = model.load()
    monkeypatch.setattr(model, "loaded", fresh(loaded))
    for _ in range(2):
        np.testing.assert_array_equal(EMBED([*TEXTS, *ODD]), want)


@pytest.mark.thorough
def test_many_texts_take_little_memory_beside_their_rows() -> None:
    texts = [TEXTS[number % len(TEXTS)] for number in range(40_000)]
    EMBED(texts[:100])
    tracemalloc.start()
    try:
        rows = EMBED(texts)
        assert tracemalloc.get_traced_memory()[1] < 1.5 * rows.nbytes
    finally:
        tracemalloc.stop()


def test_bytes_add_up_whatever_the_lengths() -> None:
    draw = np.random.default_rng(22)
    table = draw.integers(-128, 128, (300, 24), np.int8)
    table[:2] = [[-128], [127]]
    lengths = np.array([0, 1, 255, 256, 257, 0, 700, 512, 3, 0])
    for numbers in (draw.integers(0, 300, lengths.sum()), *np.tile([[0], [1]], lengths.sum())):
        ends = np.cumsum(lengths)
        want = [
            table[numbers[end - length : end]].sum(axis=0, dtype=np.int64)
            for end, length in zip(ends, lengths, strict=True)
        ]
        np.testing.assert_array_equal(add_up(widen(table), numbers, lengths), want)
    assert add_up(widen(table), numbers[:0], lengths[:0]).shape == (0, 24)


def test_a_row_counts_as_often_as_told() -> None:
    draw = np.random.default_rng(35)
    table = draw.integers(-128, 128, (300, 24), np.int8)
    table[:2] = [[-128], [127]]
    for lengths in (np.array([1, 7, 13, 4]), np.array([0, 1, 85, 86, 0, 700, 3, 0])):
        for most in (1, 3, 39, 256):
            times = draw.integers(0, most, lengths.sum(), np.uint64, endpoint=True)
            times[:7] = most
            numbers = draw.integers(0, 2, lengths.sum())
            ends = np.cumsum(lengths)
            want = [
                times[end - length : end].astype(np.int64) @ table[numbers[end - length : end]]
                for end, length in zip(ends, lengths, strict=True)
            ]
            np.testing.assert_array_equal(add_up(widen(table), numbers, lengths, times), want)
    nothing = table[:0, 0].astype(np.intp)
    assert add_up(widen(table), nothing, nothing, nothing.astype(np.uint64)).shape == (0, 24)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:the built-in model knows English")
def test_a_row_is_the_same_bit_for_bit_with_whatever_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(22)
    stretches = [
        "harbour,",
        "The",
        "Гавань",
        "лодок»",
        "3.14",
        "🧿",
        "naïve",
        "xkqzvwr",
        "港口里停满了渔船" * 3,
        "(x)",
        "सागर",
    ]
    stretches += [
        "港口里停满了渔船，绳子" * 9,
        "https://example.org/" + "a1/" * 30,
        "щ" * 101,
        "a\0b",
        "\0",
        "s\x0ct",
        "\x85",
        "é" * 60,
    ]
    texts = [" ".join(draw.choices(stretches, k=draw.randrange(12))) for _ in range(30)]
    loaded = model.load()
    alone = []
    for text in texts:
        monkeypatch.setattr(model, "loaded", fresh(loaded))
        alone.append(EMBED([text])[0])
    monkeypatch.setattr(model, "loaded", fresh(loaded))
    for _ in range(2):
        np.testing.assert_array_equal(EMBED(texts), alone)
        np.testing.assert_array_equal(np.concatenate([EMBED(texts[i : i + 7]) for i in range(0, 30, 7)]), alone)


@pytest.mark.filterwarnings("ignore:the built-in model knows English")
def test_what_is_long_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = model.load()
    monkeypatch.setattr(model, "loaded", fresh(loaded))
    EMBED(["The " + "港口里停满了渔船，绳子在早晨的阳光下闪闪发光，水面很平静。" * 3] * 3)
    memory = model.load().pool.memory
    assert memory.facts.count == len(["\0", "The"])
    assert memory.tokens.count == 2


@pytest.mark.filterwarnings("ignore:the built-in model knows English")
def test_known_words_beside_new_ones_that_are_too_long_to_remember(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "The " + "港口里停满了渔船绳子在早晨的阳光下闪闪发光" * 5
    alone = EMBED([text])
    monkeypatch.setattr(model, "loaded", fresh(model.load()))
    EMBED(["The"])  # read by its tokens alone
    np.testing.assert_array_equal(EMBED([text]), alone)


def test_the_first_texts_import_nothing() -> None:
    code = (
        "import sys; from caesura_static import StaticEmbedder, model; model.load(); before = set(sys.modules);"
        "StaticEmbedder()(sys.argv[1:]); print(*sorted(set(sys.modules) - before))"
    )
    texts = [*TEXTS, "Гавань была полна рыбацких лодок.", "xkqzv " * 9, "港口" * 40]
    run = subprocess.run([sys.executable, "-c", code, *texts], capture_output=True, text=True, check=True)
    assert not [name for name in run.stdout.split() if not name.startswith("encodings.")]


def test_threads_that_meet_the_same_new_words_get_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"{word} word{number} {word}" for number, word in enumerate(TEXTS * 200)]
    want = EMBED(texts)
    monkeypatch.setattr(pooling, "MOST_KEPT", 500)
    loaded = model.load()
    monkeypatch.setattr(model, "loaded", fresh(loaded))
    with ThreadPoolExecutor(8) as threads:
        for found in threads.map(EMBED, [texts] * 16):
            np.testing.assert_array_equal(found, want)


def test_threads_read_the_file_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[int] = []
    read = model.read

    def counted() -> model.Model:
        reads.append(1)
        return read()

    monkeypatch.setattr(model, "loaded", None)
    monkeypatch.setattr(model, "read", counted)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: EMBED(TEXTS), range(32)))
    assert len(reads) == 1
    for each in found:
        np.testing.assert_array_equal(each, found[0])


@pytest.mark.filterwarnings("ignore:the built-in model knows English")
def test_stretches_of_short_texts_are_looked_up_as_those_of_long_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "loaded", fresh(model.load()))
    texts = [*TEXTS, *ODD]
    for known in (texts[:1], texts[: len(texts) // 2], texts):
        EMBED(known)
        memory, found = model.load().pool.memory, list[tuple[list[int], list[int], list[str]]]()
        for short in (0, 1 << 30):
            monkeypatch.setattr(pooling, "SHORT", short)
            numbers, new, stretches = memory.look_up(join_all(texts))
            found.append((numbers.tolist(), new.tolist(), stretches))
        assert found[0] == found[1]


def test_words_that_two_threads_learned_at_once_are_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "loaded", fresh(model.load()))
    EMBED(["The"])
    memory, words = model.load().pool.memory, model.load().words
    for _ in range(2):
        memory.learn(["harbour", "boats"], words.read)
    numbers, new, _ = memory.look_up("harbour boats quay")
    assert numbers.tolist() == [4, 5, -1]
    assert new.tolist() == [2]
    assert memory.told == memory.facts.count == 6


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="there is no such signal")
@pytest.mark.parametrize("place", ["_hash", "append"])
def test_a_signals_handler_may_embed_while_words_are_taken_in(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["alpha beta gamma", "delta epsilon", "zeta eta theta iota", " ".join(f"word{n}" for n in range(4000))]
    want = [EMBED([text])[0].tolist() for text in texts]
    monkeypatch.setattr(model, "loaded", fresh(model.load()))
    EMBED(["one two"])
    owner: Any = stretch_table if place == "_hash" else model.load().pool.memory.facts
    real, called = getattr(owner, place), list[int]()

    def signalled(*given: Any) -> Any:
        if not called:
            called.append(1)
            signal.raise_signal(signal.SIGUSR1)
        return real(*given)

    monkeypatch.setattr(owner, place, signalled)
    before = signal.signal(signal.SIGUSR1, lambda *_: EMBED([texts[1], texts[3]]))
    try:
        for _ in range(2):
            assert [EMBED([text])[0].tolist() for text in texts] == want
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert called
