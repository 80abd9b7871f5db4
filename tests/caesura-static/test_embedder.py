"""StaticEmbedder's rows: one per text, of that text alone; nothing raised on any str, a TypeError on all else."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from fakes.texts.static_texts import ODD, TEXTS

from caesura_static import StaticEmbedder, model

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


def test_text_without_a_token_gives_a_zero_row() -> None:
    rows = EMBED(["", "   ", "\x00", "\u0301", "Now."])
    assert not rows[:4].any()
    assert rows[4].any()


def test_unknown_tokens_count_for_nothing() -> None:
    unknown = "\U0001f9ff"
    assert not EMBED([unknown]).any()
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
