"""StaticEmbedder's promises: one row per text, the same wherever it is asked for, and nothing raises on any str."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import caesura_static
from caesura_static import StaticEmbedder, model, pooling
from caesura_static.pooling import Pool

EMBED = StaticEmbedder()
TEXTS = [
    "The harbour was full of fishing boats.",
    "",
    "Interest rates rose for the third time this year.",
    "Die Straße ist naß. 漢字 😀",
    " \n\t",
    "def mean(values): return sum(values) / len(values)",
]
ODD = ["\ud800", "\x00", "a\x00b", "e\u0301", "\u0301", "\u200d", "👩\u200d👧", "\U0010ffff", "ﷺ" * 50, "\r\n", "שלום"]


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


def test_a_row_is_the_mean_of_its_tokens_vectors() -> None:
    loaded = model.load()
    for text in ("Unbelievable weather, again!", "naïve"):
        vectors = loaded.steps[list(loaded.words.numbers(text))] * loaded.scale
        np.testing.assert_allclose(EMBED([text])[0], vectors.mean(0), rtol=0, atol=1e-6)


def test_a_row_depends_on_its_text_alone() -> None:
    long = " ".join(TEXTS) * 700  # several blocks of tokens
    texts = [*TEXTS, long, *TEXTS, long, *ODD]
    together = EMBED(texts)
    for text, row in zip(texts, together, strict=True):
        np.testing.assert_allclose(EMBED([text])[0], row, rtol=0, atol=1e-6)


@pytest.mark.parametrize("size", [1, 2, 7, 4096])
@pytest.mark.parametrize("constant", ["SLAB", "TOGETHER", "WIDEST", "MOST_KEPT"])
def test_a_row_does_not_depend_on_what_is_added_up_together(
    constant: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    want = EMBED([*TEXTS, *ODD])
    monkeypatch.setattr(pooling, constant, size)
    loaded = model.load()
    fresh = Pool(loaded.steps, loaded.words, loaded.silent, loaded.broken)
    monkeypatch.setattr(model, "_loaded", replace(loaded, pool=fresh))
    for _ in range(2):
        np.testing.assert_array_equal(EMBED([*TEXTS, *ODD]), want)


def test_threads_that_meet_the_same_new_words_get_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"{word} word{number} {word}" for number, word in enumerate(TEXTS * 200)]
    want = EMBED(texts)
    monkeypatch.setattr(pooling, "MOST_KEPT", 500)
    loaded = model.load()
    fresh = Pool(loaded.steps, loaded.words, loaded.silent, loaded.broken)
    monkeypatch.setattr(model, "_loaded", replace(loaded, pool=fresh))
    with ThreadPoolExecutor(8) as threads:
        for rows in threads.map(EMBED, [texts] * 16):
            np.testing.assert_array_equal(rows, want)


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


def test_the_background_is_the_models_own() -> None:
    background = EMBED.background
    assert background.shape == (EMBED.dimension,)
    assert background.dtype == np.float32
    assert 0 < np.linalg.norm(background) < 0.5
    with pytest.raises(ValueError, match="read-only"):
        background[0] = 1


def test_the_version_names_the_model() -> None:
    assert isinstance(EMBED.version, str)
    assert EMBED.version


def test_a_pickle_is_small_and_works_in_another_process() -> None:
    sent = pickle.dumps(EMBED)
    assert len(sent) < 200
    assert pickle.loads(sent) == EMBED
    code = (
        "import pickle, sys; embed = pickle.loads(bytes.fromhex(sys.argv[1]));"
        "sys.stdout.write(embed(['The harbour was full of fishing boats.']).tobytes().hex())"
    )
    run = subprocess.run([sys.executable, "-c", code, sent.hex()], capture_output=True, text=True, check=True)
    assert run.stdout == EMBED(TEXTS[:1]).tobytes().hex()


def test_importing_reads_no_model_and_needs_numpy_alone() -> None:
    code = (
        "import sys; import caesura_static, caesura_static.model as model; assert model._loaded is None;"
        "outside = {name.split('.')[0] for name in sys.modules} - set(sys.stdlib_module_names);"
        "print(*sorted(name for name in outside if not name.startswith('_')))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    foreign = set(run.stdout.split()) - {"caesura_static", "numpy"}
    assert not foreign & {"caesura", "torch", "tokenizers", "scipy"}


def test_threads_read_the_file_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[int] = []
    read = model.read

    def counted() -> model.Model:
        reads.append(1)
        return read()

    monkeypatch.setattr(model, "_loaded", None)
    monkeypatch.setattr(model, "read", counted)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: EMBED(TEXTS), range(32)))
    assert len(reads) == 1
    for rows in found:
        np.testing.assert_array_equal(rows, found[0])


def test_no_vector_is_odd() -> None:
    """Tokens of every script have a vector of an ordinary length, far from NaN, zero and enormous."""
    loaded = model.load()
    known = np.arange(len(loaded.steps)) != loaded.silent
    lengths = np.linalg.norm(loaded.steps[known], axis=1) * loaded.scale
    assert np.isfinite(lengths).all()
    assert lengths.min() > 0
    assert lengths.max() < 12 * np.median(lengths)


def test_subjects_are_told_apart() -> None:
    near = [
        ("The surgeon closed the wound.", "The patient left the hospital after the operation."),
        ("The striker scored twice in the final.", "The team won the football match."),
        ("Add the flour and knead the dough.", "Bake the bread until the crust is brown."),
        ("The telescope found a distant galaxy.", "Astronomers measured the light of the stars."),
    ]
    same = [cosine(*pair) for pair in near]
    other = [cosine(a[0], b[1]) for a in near for b in near if a is not b]
    assert min(same) > max(other)


def test_the_wheel_stays_small() -> None:
    """6 MB is the promise for the wheel; the file is nearly all of it."""
    file = Path(caesura_static.__file__).with_name(model.FILE)
    assert file.stat().st_size < 5_900_000
