"""StaticEmbedder's rows: one per text, of that text alone; nothing raised on any str, a TypeError on all else."""

from __future__ import annotations

import itertools
import os
import signal
import threading
from collections.abc import Callable, Iterable, Sequence
from unicodedata import category

import numpy as np
import pytest
from fakes.forks import fork_interrupted
from fakes.texts.static_texts import ODD, TEXTS
from hypothesis import given
from hypothesis import strategies as st

from caesura_static import StaticEmbedder, model, pooling

EMBED = StaticEmbedder()
NEAR = [
    ("The surgeon closed the wound.", "The patient left the hospital after the operation."),
    ("The striker scored twice in the final.", "The team won the football match."),
    ("Add the flour and knead the dough.", "Bake the bread until the crust is brown."),
    ("The telescope found a distant galaxy.", "Astronomers measured the light of the stars."),
]
SENTENCES = [sentence for pair in NEAR for sentence in pair]


def cosine(one: str, other: str) -> float:
    a, b = EMBED([one, other]) - EMBED.background
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_one_float32_row_per_text() -> None:
    rows = EMBED(TEXTS)
    assert rows.shape == (len(TEXTS), EMBED.dimension)
    assert rows.dtype == np.float32
    assert np.isfinite(rows).all()


def test_no_text_no_row() -> None:
    assert EMBED([]).shape == (0, EMBED.dimension)


def test_a_blank_text_alone_has_a_row_of_zeros() -> None:
    rows = EMBED(["", "   ", "\n\u3000\x1c", "\x00", "\u0301", "я", "Now."])
    assert rows.any(axis=1).tolist() == [False] * 3 + [True] * 4


def check_each_has_a_row(codes: Iterable[int]) -> None:
    characters = [character for character in map(chr, codes) if category(character) != "Cn"]
    lengths = np.linalg.norm(EMBED(characters), axis=1)
    wanted = [float(not character.isspace()) for character in characters]
    np.testing.assert_allclose(lengths, wanted, rtol=0, atol=1e-6)


@pytest.mark.parametrize("start", range(0, 0x3000, 0x400))
def test_a_character_that_is_not_blank_has_a_row(start: int) -> None:
    check_each_has_a_row(range(start, start + 0x400, 3))


@pytest.mark.thorough
@pytest.mark.parametrize("start", range(0, 0x110000, 0x10000))
def test_every_character_that_is_not_blank_has_a_row(start: int) -> None:
    check_each_has_a_row(range(start, start + 0x10000))


@given(
    st.text(
        " \n\x00\x07\u200b\u200d\u0301\ufe0f\u2460\u2514\u2500\u2211\u222b\u2705\ud83d\U0001f44d\U0001f3fd", max_size=30
    )
)
def test_a_text_of_signs_has_a_row_that_is_the_same_in_any_call(signs: str) -> None:
    among, again = EMBED(["The mill.", signs, "✅"])[1], EMBED([signs])[0]
    assert among.any() == bool(signs.strip())
    np.testing.assert_array_equal(among, again)


def test_signs_are_like_the_same_signs_and_like_nothing_else() -> None:
    signs = ["👍", "✅", "①②③", "└──", "∑ ∫", "\x07", "я", "✓"]
    rows = EMBED([*signs, *SENTENCES]) - EMBED.background
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    others = (rows @ rows.T)[: len(signs)] - np.eye(len(signs), len(rows))
    assert np.abs(others).max() < 0.3
    assert cosine("👍", "👍️ 👍") > 0.999  # in colour, and twice
    assert cosine("└──", "└───") > 0.9


def test_unknown_tokens_count_for_nothing_beside_words() -> None:
    unknown = "\U0001f9ff"
    np.testing.assert_array_equal(*EMBED([f"A quiet {unknown} street.", "A quiet street."]))


def test_a_row_has_the_direction_of_the_mean_of_its_tokens_vectors() -> None:
    loaded = model.load()
    for text in ("Unbelievable weather, again!", "naïve"):
        vectors = loaded.steps[list(loaded.words.numbers(text))] * loaded.scale
        np.testing.assert_allclose(
            EMBED([text])[0], vectors.mean(0) / np.linalg.norm(vectors.mean(0)), rtol=0, atol=1e-6
        )


def test_rows_have_length_1_so_that_squared_distance_ranks_as_cosine_does() -> None:
    rows = EMBED([*TEXTS, *ODD, " ".join(TEXTS) * 700])
    lengths = np.linalg.norm(rows, axis=1)
    np.testing.assert_allclose(lengths[lengths > 0], 1, rtol=0, atol=1e-6)
    query, *chunks = EMBED(["Where is the surgeon?", *SENTENCES])
    distances = [float(np.square(chunk - query).sum()) for chunk in chunks]
    cosines = [float(chunk @ query / np.linalg.norm(chunk) / np.linalg.norm(query)) for chunk in chunks]
    assert np.argsort(distances).tolist() == np.argsort(cosines).tolist()[::-1]


def test_a_row_depends_on_its_text_alone() -> None:
    long = " ".join(TEXTS) * 700  # several blocks of tokens
    texts = [*TEXTS, long, *TEXTS, long, *ODD]
    together = EMBED(texts)
    for text, row in zip(texts, together, strict=True):
        np.testing.assert_allclose(EMBED([text])[0], row, rtol=0, atol=1e-6)


def test_letter_case_and_accents_do_not_count() -> None:
    np.testing.assert_array_equal(*EMBED(["Café du Nord", "cafe\u0301 DU nord"]))


@pytest.mark.parametrize("text", ODD)
def test_any_str_is_embedded(text: str) -> None:
    assert np.isfinite(EMBED([text])).all()


def test_the_caller_owns_the_rows() -> None:
    first = EMBED(TEXTS)
    first[:] = 7
    assert not (EMBED(TEXTS) == 7).any()


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("one text", r"sequence of str: got str; for one text pass \[text\]"),
        (b"bytes", "got bytes"),
        (None, "got NoneType"),
        ((text for text in ["a"]), r"got generator; .* list\(texts\)"),
        (["a", None], r"texts\[1\] is NoneType"),
        ([b"a"], r"texts\[0\] is bytes"),
    ],
)
def test_anything_else_is_a_type_error(texts: Sequence[str], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        EMBED(texts)


def test_sequences_other_than_lists_are_welcome() -> None:
    np.testing.assert_array_equal(EMBED(tuple(TEXTS)), EMBED(TEXTS))


def test_subjects_are_told_apart() -> None:
    same = [cosine(*pair) for pair in NEAR]
    other = [cosine(a[0], b[1]) for a in NEAR for b in NEAR if a is not b]
    assert min(same) > max(other)


@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_that_is_forked_while_threads_embed_embeds_too() -> None:
    embed, stop = StaticEmbedder(), threading.Event()
    own = embed(["The ferry leaves."]).tolist()

    def work(thread: int) -> None:
        for number in itertools.count():
            embed([f"word{thread}x{number}x{at}" for at in range(50)])  # unknown words, which are remembered
            if stop.is_set():
                return

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    codes = []
    for number in range(10):
        child = os.fork()
        if child == 0:
            signal.alarm(30)
            os._exit(embed(["The ferry leaves."]).tolist() != own or not embed([f"new{number}"]).any())
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    stop.set()
    for thread in threads:
        thread.join()
    assert codes == [0] * 10


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_signal_that_comes_at_a_fork_leaves_the_child_no_lock_of_another_thread() -> None:
    def hold(wait: Callable[[], None]) -> None:
        with pooling.LOCK:
            wait()

    assert fork_interrupted(hold, lambda: StaticEmbedder()(["a new-fangled word"])) == 0
