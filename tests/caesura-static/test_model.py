"""The model's file: its background, version, vectors and size; read once, where it is first used."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import caesura_static
from caesura_static import StaticEmbedder, model

EMBED = StaticEmbedder()


def test_the_background_is_the_models_own() -> None:
    background = EMBED.background
    assert background.shape == (EMBED.dimension,)
    assert background.dtype == np.float32
    assert 0 < np.linalg.norm(background) < 0.5
    with pytest.raises(ValueError, match="read-only"):
        background[0] = 1


def test_the_version_names_the_model_and_what_its_rows_are() -> None:
    assert EMBED.version == f"{model.load().version}/letters-signs"


def test_a_pickle_is_small_and_works_in_another_process() -> None:
    sent, text = pickle.dumps(EMBED), "The harbour was full of fishing boats."
    assert len(sent) < 200
    assert pickle.loads(sent) == EMBED
    code = (
        "import pickle, sys; embed = pickle.loads(bytes.fromhex(sys.argv[1]));"
        "sys.stdout.write(embed([sys.argv[2]]).tobytes().hex())"
    )
    run = subprocess.run([sys.executable, "-c", code, sent.hex(), text], capture_output=True, text=True, check=True)
    assert run.stdout == EMBED([text]).tobytes().hex()


def test_importing_reads_no_model_and_needs_numpy_alone() -> None:
    code = (
        "import sys; before = set(sys.modules);"
        "import caesura_static, caesura_static.model as model; assert model.loaded is None;"
        "print(*{name.split('.')[0] for name in set(sys.modules) - before})"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name for name in run.stdout.split() if not name.startswith("_cython_")}
    assert loaded - {"caesura_static", "numpy", "cython_runtime", *sys.stdlib_module_names} == set()


def test_no_vector_is_odd() -> None:
    """Tokens of every script have a vector of an ordinary length, far from NaN, zero and enormous."""
    loaded = model.load()
    known = np.arange(len(loaded.steps)) != loaded.silent
    lengths = np.linalg.norm(loaded.steps[known], axis=1) * loaded.scale
    assert np.isfinite(lengths).all()
    assert lengths.min() > 0
    assert lengths.max() < 12 * np.median(lengths)


def test_the_wheel_stays_small() -> None:
    """6 MB is the promise for the wheel; the file is nearly all of it."""
    file = Path(caesura_static.__file__).with_name(model.FILE)
    assert file.stat().st_size < 5_900_000
