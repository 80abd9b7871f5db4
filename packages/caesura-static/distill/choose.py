"""The corpus less some of its packages -> how well several settings of the fit do on the packages left out.

    python packages/caesura-static/distill/choose.py --cache FOLDER

What is left out are whole packages, because runs of the packages that were fitted reward learning their style by heart.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

import corpus
import fit
import numpy as np
import teacher
import torch
from agreement import held_out_pairs, pair_agreement

LEFT_OUT = {"cfi-en", "r-cran-janeaustenr", "freeciv-data", "dict-devil", "gnome-user-docs", "wesnoth-1.16-httt"}
TRIALS: list[dict[str, float]] = [
    {},
    {"rate": 1e-3},
    {"rate": 1e-2},
    {"epochs": 6},
    {"epochs": 12},
    {"dimension": 128},
    {"dimension": 256},
    {"common": 1e-3},
    {"ridge": 0.02},
]


def main() -> None:
    """Prints a line per trial: what it changes, and Spearman's correlation with the teacher on what is left out."""
    options = argparse.ArgumentParser()
    options.add_argument("--cache", type=Path, required=True)
    cache = options.parse_args().cache.resolve()
    torch.set_num_threads(2)

    text, tokens = corpus.build(cache), teacher.kept_tokens()
    rows, numbers = teacher.rows_of(text.sentences, cache / "teacher"), teacher.numbered(text.sentences, tokens)
    sizes = [len(run) for run in text.runs]
    out = np.repeat([package in LEFT_OUT for package in text.packages], sizes)
    fitted, kept = (fit.Bags.of([numbers[i] for i in np.flatnonzero(mask)]) for mask in (~out, out))
    pairs = held_out_pairs(np.repeat(np.arange(len(sizes)), sizes)[out], seed=1)
    token_rows = teacher.token_rows(tokens)
    for trial in TRIALS:
        begun = time.monotonic()
        vectors = fit.fit(token_rows, fitted, rows[~out], replace(fit.Settings(), **trial))  # type: ignore[arg-type]
        agreement = pair_agreement(kept.mean(torch.from_numpy(vectors)).numpy(), rows[out], *pairs)
        print(f"{trial!s:24} {agreement:.4f}  {time.monotonic() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
